// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the cost of a packet in a queue, in the netfilter hooks, in a device that hands packets
 * to another device, or on the way to another device. The module calls their functions directly,
 * because a queue needs only tens of instructions, but the path from a program to the queue needs
 * thousands. The module measures once, when it is loaded ("insmod bench.ko dev=eth0 depth=100"). It
 * is never installed.
 *
 *	enqueue depth - 1 packets; then for each measured packet
 *	   >|  enqueue it, dequeue one  |<	(or pass it through the hook)
 *
 * With count=NUMBER each mark is a breakpoint, and lab/bench/step counts the instructions between
 * the marks. Without lab/bench/step the breakpoint ends the lab kernel. Without "count" the module
 * reads the processor's clock at the marks; the result is in /sys/module/bench/parameters/cycles.
 * Softirqs are off, so no timer interferes. Only packets to another device ("to") need softirqs,
 * which run between the marks. The clock advances by "gap" from one packet to the next.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <linux/ip.h>
#include <linux/module.h>
#include <linux/netfilter.h>
#include <linux/prandom.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/route.h>
#include <net/sch_generic.h>
#include <net/xlo.h>

#define BENCH_FLOWS	16
#define BENCH_ROUNDS	16
#define BENCH_WARM	8	/* packets before the measurement, which map memory */
#define BENCH_ETF_AHEAD	1000	/* least ms from now to a departure time for etf */
#define BENCH_FROM	0x0a000001
#define BENCH_TO	0x0a000002

static char *dev;
module_param(dev, charp, 0);
MODULE_PARM_DESC(dev, "device whose root qdisc or hooks are measured");
static char *to = "";
module_param(to, charp, 0);
MODULE_PARM_DESC(to, "device at which the packets arrive that path sends");
static char *what = "qdisc";
module_param(what, charp, 0);
MODULE_PARM_DESC(what, "qdisc, prerouting, output (IPv4 hooks), device, path or nothing");
static bool hooked;
module_param(hooked, bool, 0);
MODULE_PARM_DESC(hooked, "register hooks that do nothing");
static unsigned int depth = 1;
module_param(depth, uint, 0);
MODULE_PARM_DESC(depth, "packets queued, including the measured one");
static unsigned int packets = 100;
module_param(packets, uint, 0);
MODULE_PARM_DESC(packets, "packets measured");
static unsigned int size = 100;
module_param(size, uint, 0);
MODULE_PARM_DESC(size, "size of an IP packet in bytes");
static unsigned int lifetime;
module_param(lifetime, uint, 0);
MODULE_PARM_DESC(lifetime, "lifetime in the option, ms; 0 for no option");
static unsigned int spread;
module_param(spread, uint, 0);
MODULE_PARM_DESC(spread, "most ms that are added to a lifetime at random");
static unsigned int stale = XLO_STALE_DISCARD;
module_param(stale, uint, 0);
MODULE_PARM_DESC(stale, "enum xlo_stale of the option");
static unsigned int gap;
module_param(gap, uint, 0);
MODULE_PARM_DESC(gap, "ns from one packet to the next");
static unsigned int mark;
module_param(mark, uint, 0);
MODULE_PARM_DESC(mark, "mark of the packets");
static unsigned int count;
module_param(count, uint, 0);
MODULE_PARM_DESC(count, "number of the case for lab/bench/step, 0 to measure time");
static unsigned int rounds = 1;
module_param(rounds, uint, 0);
MODULE_PARM_DESC(rounds, "number of measurements of that many packets");
static ulong cycles[BENCH_ROUNDS];
module_param_array(cycles, ulong, &rounds, 0444);
MODULE_PARM_DESC(cycles, "cycles of the processor for all packets of each round");

static struct rnd_state rnd;
static struct net_device *netdev;
static struct rtable *route;

static u32 bench_spread(void)
{
	return spread ? prandom_u32_state(&rnd) % spread : 0;
}

static void bench_put_ip(struct sk_buff *skb)
{
	struct xlo opt = {
		.flags = XLO_STALE_FLAGS(stale),
		.reorder = U8_MAX,
		.lifetime = lifetime + bench_spread(),
	};
	unsigned int hlen = sizeof(struct iphdr) + (lifetime ? XLO_LEN : 0);
	struct iphdr *iph = skb_put_zero(skb, hlen);

	iph->version = 4;
	iph->ihl = hlen / 4;
	iph->ttl = 64;
	iph->protocol = IPPROTO_UDP;
	iph->tot_len = htons(size);
	iph->saddr = htonl(BENCH_FROM);
	iph->daddr = htonl(BENCH_TO);
	if (lifetime)
		xlo_write4(iph + 1, &opt);
	ip_send_check(iph);
	skb_set_network_header(skb, 0);
	skb_set_transport_header(skb, hlen);
}

/* A datagram of a flow. The checksum need not be correct. */
static void bench_put_udp(struct sk_buff *skb, unsigned int flow)
{
	unsigned int len = size - skb->len;
	struct udphdr *uh = skb_put_zero(skb, len);

	uh->source = htons(1024 + flow);
	uh->dest = htons(5004);
	uh->len = htons(len);
	uh->check = (__force __sum16)htons(0x1234);
}

/* A packet to be forwarded, received by a device that computed its flow's hash. */
static struct sk_buff *bench_packet(unsigned int number)
{
	unsigned int flow = number % BENCH_FLOWS;
	struct sk_buff *skb = alloc_skb(LL_MAX_HEADER + 16 + size, GFP_ATOMIC);

	if (!skb)
		return NULL;
	skb_reserve(skb, LL_MAX_HEADER + 16);
	bench_put_ip(skb);
	bench_put_udp(skb, flow);
	skb->protocol = htons(ETH_P_IP);
	skb->dev = netdev;
	skb->mark = mark;
	skb_set_hash(skb, (flow + 1) * 0x9e3779b9, PKT_HASH_TYPE_L4);
	return skb;
}

/* A packet with a link-layer header, as a qdisc gets it. */
static struct sk_buff *bench_frame(unsigned int number)
{
	struct sk_buff *skb = bench_packet(number);

	if (!skb)
		return NULL;
	eth_zero_addr(skb_push(skb, ETH_HLEN));
	skb_reset_mac_header(skb);
	qdisc_skb_cb(skb)->pkt_len = skb->len;
	/* the departure time, which only etf reads here */
	skb->tstamp = ktime_add_ms(ktime_get_clocktai(),
				   BENCH_ETF_AHEAD + bench_spread());
	return skb;
}

/* A packet with a route, as in local_out(). */
static struct sk_buff *bench_output(unsigned int number)
{
	struct sk_buff *skb = bench_packet(number);

	if (skb)
		skb_dst_set_noref(skb, &route->dst);
	return skb;
}

/* Hooks and devices are measured like a qdisc: "enqueue" passes a packet through, and
 * "dequeue" returns it.
 */
static struct sk_buff *bench_passing;

static int bench_pass(struct sk_buff *skb, struct Qdisc *q,
		      struct sk_buff **to_free)
{
	bench_passing = skb;
	return 0;
}

static int bench_pass_prerouting(struct sk_buff *skb, struct Qdisc *q,
				 struct sk_buff **to_free)
{
	bench_passing = skb;
	return nf_hook(NFPROTO_IPV4, NF_INET_PRE_ROUTING, &init_net, NULL, skb,
		       netdev, NULL, NULL) != 1;
}

static int bench_pass_output(struct sk_buff *skb, struct Qdisc *q,
			     struct sk_buff **to_free)
{
	bench_passing = skb;
	return nf_hook(NFPROTO_IPV4, NF_INET_LOCAL_OUT, &init_net, NULL, skb,
		       NULL, netdev, NULL) != 1;
}

static __always_inline int bench_transmit(struct sk_buff *skb)
{
	struct netdev_queue *txq = netdev_get_tx_queue(netdev, 0);
	int err;

	HARD_TX_LOCK(netdev, txq, smp_processor_id());
	err = netdev_start_xmit(skb, netdev, txq, false);
	HARD_TX_UNLOCK(netdev, txq);
	if (!dev_xmit_complete(err))
		kfree_skb(skb);
	return err;
}

/* Passes a packet to the peer's input queue, which is processed when softirqs are on
 * again. In a device with a delay, earlier packets also arrive during this call.
 */
static int bench_pass_device(struct sk_buff *skb, struct Qdisc *q,
			     struct sk_buff **to_free)
{
	/* the device owns one reference, and bench_pair() frees the other reference */
	bench_passing = skb_get(skb);
	return bench_transmit(skb);
}

static rx_handler_result_t bench_arrive(struct sk_buff **skb)
{
	bench_passing = *skb;
	return RX_HANDLER_CONSUMED;
}

/* Sends a packet to the device "to". The softirqs run until nothing is left to do, so all
 * frames of the packet and all answers are included.
 */
static int bench_pass_path(struct sk_buff *skb, struct Qdisc *q,
			   struct sk_buff **to_free)
{
	int err;

	bench_passing = NULL;
	err = bench_transmit(skb);
	local_bh_enable();
	local_bh_disable();
	return err;
}

static unsigned int bench_hook(void *priv, struct sk_buff *skb,
			       const struct nf_hook_state *state)
{
	return NF_ACCEPT;
}

static const struct nf_hook_ops bench_hook_ops[] = {
	{
		.hook		= bench_hook,
		.pf		= NFPROTO_IPV4,
		.hooknum	= NF_INET_PRE_ROUTING,
	},
	{
		.hook		= bench_hook,
		.pf		= NFPROTO_IPV4,
		.hooknum	= NF_INET_LOCAL_OUT,
	},
};

static struct sk_buff *bench_passed(struct Qdisc *q)
{
	return bench_passing;
}

static u64 bench_clock(void)
{
	u32 low, high;

	asm volatile("lfence; rdtsc; lfence" : "=a" (low), "=d" (high) : : "memory");
	return (u64)high << 32 | low;
}

/* This function and bench_time() are not inlined, so they add the same instructions in
 * each case.
 */
static noinline struct sk_buff *bench_count(struct Qdisc *q,
					    struct sk_buff *skb,
					    struct sk_buff **to_free)
{
	struct sk_buff *out;

	asm volatile("int3" : : "a" (count) : "memory");
	q->enqueue(skb, q, to_free);
	out = q->dequeue(q);
	asm volatile("int3" : : "a" (0) : "memory");
	return out;
}

static noinline struct sk_buff *bench_time(struct Qdisc *q, struct sk_buff *skb,
					   struct sk_buff **to_free,
					   ulong *spent)
{
	struct sk_buff *out;
	u64 begin = bench_clock();

	q->enqueue(skb, q, to_free);
	out = q->dequeue(q);
	*spent += bench_clock() - begin;
	return out;
}

/* Measures one packet: the time if "spent" is given, otherwise the instructions. */
static int bench_pair(struct Qdisc *q, struct sk_buff *skb, ulong *spent)
{
	struct sk_buff *to_free = NULL;

	if (!skb)
		return -ENOMEM;
	skb = spent ? bench_time(q, skb, &to_free, spent) :
		      bench_count(q, skb, &to_free);
	kfree_skb_list(to_free);
	if (!skb || to_free)
		return -ENODATA;
	kfree_skb(skb);
	return 0;
}

static int bench_fill(struct Qdisc *q, struct sk_buff *skb)
{
	struct sk_buff *to_free = NULL;

	if (!skb)
		return -ENOMEM;
	if (!q->enqueue(skb, q, &to_free))
		return 0;
	kfree_skb_list(to_free);
	return -ENOBUFS;
}

static int bench_round(struct Qdisc *q, struct sk_buff *(*make)(unsigned int),
		       unsigned int pairs, ulong *spent)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < pairs && !err; i++) {
		ndelay(gap);
		err = bench_pair(q, make(i), spent);
	}
	return err;
}

static int bench_run(struct Qdisc *q, struct sk_buff *(*make)(unsigned int))
{
	ulong warm = 0;
	unsigned int i;
	int err = 0;

	for (i = 1; i < depth && !err; i++) {
		ndelay(gap);
		err = bench_fill(q, make(i));
	}
	if (!err)
		err = bench_round(q, make, BENCH_WARM, &warm);
	for (i = 0; i < rounds && !err; i++)
		err = bench_round(q, make, packets, count ? NULL : &cycles[i]);
	return err;
}

/* Measures the root qdisc, under the locks that the core holds for it. */
static int bench_qdisc(void)
{
	struct Qdisc *q;
	int err;

	rtnl_lock();
	local_bh_disable();
	q = rtnl_dereference(netdev->qdisc);
	spin_lock(qdisc_lock(q));
	err = bench_run(q, bench_frame);
	qdisc_reset(q);
	spin_unlock(qdisc_lock(q));
	local_bh_enable();
	rtnl_unlock();
	return err;
}

static int bench_stage(int (*in)(struct sk_buff *, struct Qdisc *,
				 struct sk_buff **),
		       struct sk_buff *(*make)(unsigned int))
{
	struct Qdisc *stage = kzalloc(sizeof(*stage), GFP_KERNEL);
	int err;

	if (!stage)
		return -ENOMEM;
	stage->enqueue = in;
	stage->dequeue = bench_passed;
	local_bh_disable();
	err = bench_run(stage, make);
	local_bh_enable();
	kfree(stage);
	return err;
}

static int bench_stage_output(void)
{
	struct flowi4 to = {
		.daddr = htonl(BENCH_TO),
		.flowi4_oif = netdev->ifindex,
	};
	int err;

	route = ip_route_output_key(&init_net, &to);
	if (IS_ERR(route))
		return PTR_ERR(route);
	rcu_read_lock();
	err = bench_stage(bench_pass_output, bench_output);
	rcu_read_unlock();
	ip_rt_put(route);
	return err;
}

static int bench_stage_path(void)
{
	struct net_device *end = dev_get_by_name(&init_net, to);
	int err;

	if (!end)
		return -ENODEV;
	rtnl_lock();
	err = netdev_rx_handler_register(end, bench_arrive, NULL);
	rtnl_unlock();
	if (!err) {
		err = bench_stage(bench_pass_path, bench_frame);
		rtnl_lock();
		netdev_rx_handler_unregister(end);
		rtnl_unlock();
	}
	dev_put(end);
	return err;
}

static int bench_what(void)
{
	if (!strcmp(what, "qdisc"))
		return bench_qdisc();
	if (!strcmp(what, "nothing"))
		return bench_stage(bench_pass, bench_frame);
	if (!strcmp(what, "device"))
		return bench_stage(bench_pass_device, bench_frame);
	if (!strcmp(what, "path"))
		return bench_stage_path();
	if (!strcmp(what, "prerouting"))
		return bench_stage(bench_pass_prerouting, bench_packet);
	if (!strcmp(what, "output"))
		return bench_stage_output();
	return -EINVAL;
}

static int __init bench_init(void)
{
	int err = 0;

	if (!depth || rounds > BENCH_ROUNDS)
		return -EINVAL;
	prandom_seed_state(&rnd, 1);
	netdev = dev_get_by_name(&init_net, dev);
	if (!netdev)
		return -ENODEV;
	if (hooked)
		err = nf_register_net_hooks(&init_net, bench_hook_ops,
					    ARRAY_SIZE(bench_hook_ops));
	if (!err)
		err = bench_what();
	if (hooked)
		nf_unregister_net_hooks(&init_net, bench_hook_ops,
					ARRAY_SIZE(bench_hook_ops));
	dev_put(netdev);
	return err;
}

static void __exit bench_exit(void)
{
}

module_init(bench_init);
module_exit(bench_exit);

MODULE_DESCRIPTION("What a packet costs in a qdisc, in netfilter hooks, in a device and on a path");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
