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
 * With "settled", as many packets pass unmeasured before that, so that the packets that were queued
 * first have left. Their flows had no packets in front of them.
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
#include <linux/lpd_genl.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/netfilter.h>
#include <linux/prandom.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/genetlink.h>
#include <net/ip.h>
#include <net/route.h>
#include <net/sch_generic.h>
#include <net/sock.h>
#include <net/xlo.h>

#define BENCH_FLOWS	16
#define BENCH_ROUNDS	16
#define BENCH_WARM	8U	/* packets before the measurement, which map memory */
#define BENCH_BATCH	32	/* packets that wait together, to measure the rate of packets */
#define BENCH_REQUEST	10	/* packets for each request, where an estimate moves */
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
MODULE_PARM_DESC(what, "qdisc, moving, request, rate, prerouting, output (IPv4 hooks), device, path or nothing");
static bool hooked;
module_param(hooked, bool, 0);
MODULE_PARM_DESC(hooked, "register hooks that do nothing");
static unsigned int depth = 1;
module_param(depth, uint, 0);
MODULE_PARM_DESC(depth, "packets queued, including the measured one");
static bool settled;
module_param(settled, bool, 0);
MODULE_PARM_DESC(settled, "measure after as many packets as are queued have passed");
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
static unsigned int reorder = U8_MAX;
module_param(reorder, uint, 0);
MODULE_PARM_DESC(reorder, "reorder in the option");
static bool mixed;
module_param(mixed, bool, 0);
MODULE_PARM_DESC(mixed, "every second packet has no option");
static bool cloned;
module_param(cloned, bool, 0);
MODULE_PARM_DESC(cloned, "packets are clones, as TCP sends them");
static bool tcp;
module_param(tcp, bool, 0);
MODULE_PARM_DESC(tcp, "output: segments of a TCP socket");
static unsigned int segment;
module_param(segment, uint, 0);
MODULE_PARM_DESC(segment, "tcp: bytes of data in each segment of a super-packet; 0 for no super-packet");
static unsigned int ahead;
module_param(ahead, uint, 0);
MODULE_PARM_DESC(ahead, "least ms from now to a packet's departure time, which etf needs; 0 for none");
static unsigned int gap;
module_param(gap, uint, 0);
MODULE_PARM_DESC(gap, "ns from one packet to the next");
static unsigned int pause;
module_param(pause, uint, 0);
MODULE_PARM_DESC(pause, "us from one measured packet to the next, instead of gap");
static unsigned int family;
module_param(family, uint, 0);
MODULE_PARM_DESC(family, "number of the generic netlink family lpd, for requests");
static ulong low = 500000;
module_param(low, ulong, 0);
MODULE_PARM_DESC(low, "rate of every second request, bytes/s");
static ulong high = 1000000;
module_param(high, ulong, 0);
MODULE_PARM_DESC(high, "rate of the other requests, bytes/s");
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
static ulong unused;
module_param(unused, ulong, 0444);
MODULE_PARM_DESC(unused, "unused memory in bytes while the queue is full");

static struct rnd_state rnd;
/* the packets whose clones are measured */
static struct sk_buff_head originals;
static struct net_device *netdev;
static struct rtable *route;
static struct socket *sender;

static u32 bench_spread(void)
{
	return spread ? prandom_u32_state(&rnd) % spread : 0;
}

static void bench_put_ip(struct sk_buff *skb, bool has_option)
{
	struct xlo opt = {
		.flags = XLO_STALE_FLAGS(stale),
		.reorder = reorder,
		.lifetime = lifetime + bench_spread(),
	};
	unsigned int hlen = sizeof(struct iphdr) + (has_option ? XLO_LEN : 0);
	struct iphdr *iph = skb_put_zero(skb, hlen);

	iph->version = 4;
	iph->ihl = hlen / 4;
	iph->ttl = 64;
	iph->protocol = tcp ? IPPROTO_TCP : IPPROTO_UDP;
	iph->tot_len = htons(size);
	iph->saddr = htonl(BENCH_FROM);
	iph->daddr = htonl(BENCH_TO);
	if (has_option)
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

/* Data of a connection, which may be too long for one segment. A device computes the checksum. */
static void bench_put_tcp(struct sk_buff *skb, unsigned int flow)
{
	unsigned int len = size - skb->len;
	struct tcphdr *th = skb_put_zero(skb, len);

	th->source = htons(1024 + flow);
	th->dest = htons(5004);
	th->doff = sizeof(*th) / 4;
	th->ack = 1;
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = skb_transport_header(skb) - skb->head;
	skb->csum_offset = offsetof(struct tcphdr, check);
	if (!segment)
		return;
	skb_shinfo(skb)->gso_type = SKB_GSO_TCPV4;
	skb_shinfo(skb)->gso_size = segment;
	skb_shinfo(skb)->gso_segs = DIV_ROUND_UP(len - sizeof(*th), segment);
}

/* A packet to be forwarded, received by a device that computed its flow's hash. */
static struct sk_buff *bench_packet(unsigned int number)
{
	unsigned int flow = number % BENCH_FLOWS;
	struct sk_buff *skb = alloc_skb(LL_MAX_HEADER + 16 + size, GFP_ATOMIC);

	if (!skb)
		return NULL;
	skb_reserve(skb, LL_MAX_HEADER + 16);
	bench_put_ip(skb, lifetime && !(mixed && number % 2));
	if (tcp)
		bench_put_tcp(skb, flow);
	else
		bench_put_udp(skb, flow);
	skb->protocol = htons(ETH_P_IP);
	skb->dev = netdev;
	skb->mark = mark;
	skb_set_hash(skb, (flow + 1) * 0x9e3779b9, PKT_HASH_TYPE_L4);
	return skb;
}

/* Returns a clone, as TCP sends it: the original keeps the payload for a retransmission, and
 * leaves the headers to the clone.
 */
static struct sk_buff *bench_clone(struct sk_buff *skb)
{
	unsigned int headers = skb_transport_offset(skb) +
			       (tcp ? sizeof(struct tcphdr) : sizeof(struct udphdr));
	struct sk_buff *clone;

	__skb_pull(skb, headers);
	__skb_header_release(skb);
	clone = skb_clone(skb, GFP_ATOMIC);
	if (clone)
		__skb_push(clone, headers);
	__skb_queue_tail(&originals, skb);
	return clone;
}

/* A packet with a link-layer header, as a qdisc gets it. */
static struct sk_buff *bench_frame(unsigned int number)
{
	struct sk_buff *skb = bench_packet(number);

	if (skb && cloned)
		skb = bench_clone(skb);
	if (!skb)
		return NULL;
	eth_zero_addr(skb_push(skb, ETH_HLEN));
	skb_reset_mac_header(skb);
	qdisc_skb_cb(skb)->pkt_len = skb->len;
	if (ahead)
		skb->tstamp = ktime_add_ms(ktime_get_clocktai(), ahead + bench_spread());
	return skb;
}

/* A packet with a route and its socket, as in local_out(). */
static struct sk_buff *bench_output(unsigned int number)
{
	struct sk_buff *skb = bench_packet(number);

	if (skb && cloned)
		skb = bench_clone(skb);
	if (!skb)
		return NULL;
	skb_dst_set_noref(skb, &route->dst);
	if (tcp) {
		sock_hold(sender->sk);
		skb->sk = sender->sk;
		skb->destructor = sock_efree;
	}
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
	return nf_hook(NFPROTO_IPV4, NF_INET_LOCAL_OUT, &init_net, skb->sk, skb,
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

static ulong bench_unused(void)
{
	struct sysinfo info;

	si_meminfo(&info);
	return info.freeram * info.mem_unit;
}

/* Queues all packets except the one that each measurement adds. */
static int bench_fill_up(struct Qdisc *q, struct sk_buff *(*make)(unsigned int))
{
	unsigned int i;
	int err = 0;

	for (i = 1; i < depth && !err; i++) {
		ndelay(gap);
		err = bench_fill(q, make(i));
	}
	unused = bench_unused();
	if (pause)
		gap = pause * NSEC_PER_USEC;
	return err;
}

static int bench_measure(struct Qdisc *q, struct sk_buff *(*make)(unsigned int))
{
	unsigned int i, warm = settled ? max(depth, BENCH_WARM) : BENCH_WARM;
	ulong unused_time = 0;
	int err;

	err = bench_round(q, make, warm, &unused_time);
	for (i = 0; i < rounds && !err; i++)
		err = bench_round(q, make, packets, count ? NULL : &cycles[i]);
	return err;
}

static int bench_run(struct Qdisc *q, struct sk_buff *(*make)(unsigned int))
{
	return bench_fill_up(q, make) ?: bench_measure(q, make);
}

/* Takes the locks that the core holds for the root qdisc. sparse wants each function to release
 * what it takes, so it is told here that the lock is released, and in bench_unlock() that it is
 * taken.
 */
static struct Qdisc *bench_lock(void)
{
	struct Qdisc *q;

	rtnl_lock();
	local_bh_disable();
	q = rtnl_dereference(netdev->qdisc);
	spin_lock(qdisc_lock(q));
	__release(qdisc_lock(q));
	return q;
}

static void bench_unlock(struct Qdisc *q)
{
	__acquire(qdisc_lock(q));
	spin_unlock(qdisc_lock(q));
	local_bh_enable();
	rtnl_unlock();
}

static int bench_qdisc(void)
{
	struct Qdisc *q = bench_lock();
	int err;

	err = bench_run(q, bench_frame);
	qdisc_reset(q);
	bench_unlock(q);
	return err;
}

/* A request to lpd's gate with an estimate of the link's rate. */
static struct {
	struct nlmsghdr nlh;
	struct genlmsghdr genl;
	struct nlattr ifindex_attr;
	u32 ifindex;
	struct nlattr window_attr;
	u64 window;
	struct nlattr rate_attr;
	u64 rate;
} __packed request = {
	.nlh = { .nlmsg_len = sizeof(request), .nlmsg_flags = NLM_F_REQUEST },
	.genl = { .cmd = LPD_CMD_GATE_SET, .version = LPD_GENL_VERSION },
	.ifindex_attr = { .nla_len = NLA_HDRLEN + sizeof(u32), .nla_type = LPD_A_IFINDEX },
	.window_attr = { .nla_len = NLA_HDRLEN + sizeof(u64), .nla_type = LPD_A_WINDOW },
	.window = U64_MAX,
	.rate_attr = { .nla_len = NLA_HDRLEN + sizeof(u64), .nla_type = LPD_A_RATE },
};

static struct socket *asker;
static bool moving;	/* whether an estimate moves while packets are measured */

static int bench_ask(void)
{
	struct sockaddr_nl to_kernel = { .nl_family = AF_NETLINK };
	struct msghdr msg = { .msg_name = &to_kernel, .msg_namelen = sizeof(to_kernel) };
	struct kvec vec = { .iov_base = &request, .iov_len = sizeof(request) };
	int sent;

	request.rate = request.rate == low ? high : low;
	sent = kernel_sendmsg(asker, &msg, &vec, 1, sizeof(request));
	return min(sent, 0);
}

/* Reads the answers, so that the socket has space for further answers. */
static int bench_answers(void)
{
	const struct nlmsghdr *nlh;
	struct sk_buff *skb;
	int err = 0;

	while ((skb = skb_dequeue(&asker->sk->sk_receive_queue))) {
		nlh = nlmsg_hdr(skb);
		if (nlh->nlmsg_type == NLMSG_ERROR)
			err = ((struct nlmsgerr *)nlmsg_data(nlh))->error;
		kfree_skb(skb);
	}
	return err;
}

/* Measures requests while packets are queued. */
static int bench_pass_request(struct sk_buff *skb, struct Qdisc *q, struct sk_buff **to_free)
{
	bench_passing = skb;
	return bench_ask();
}

/* A packet, some of which come after a request. The caller holds the locks. */
static struct sk_buff *bench_frame_moving(unsigned int number)
{
	int err = 0;

	if (moving && number % BENCH_REQUEST == 0) {
		bench_unlock(rtnl_dereference(netdev->qdisc));
		err = bench_ask() ?: bench_answers();
		bench_lock();
	}
	return err ? NULL : bench_frame(number);
}

static struct sk_buff *bench_frame_answered(unsigned int number)
{
	return bench_answers() ? NULL : bench_frame(number);
}

static int bench_requests(void)
{
	static struct Qdisc stage = { .enqueue = bench_pass_request, .dequeue = bench_passed };
	struct Qdisc *q = bench_lock();
	int err;

	depth++;	/* a request adds no packet */
	err = bench_fill_up(q, bench_frame);
	bench_unlock(q);
	err = err ?: bench_measure(&stage, bench_frame_answered) ?: bench_answers();
	q = bench_lock();
	qdisc_reset(q);
	bench_unlock(q);
	return err;
}

static int bench_moving(void)
{
	struct Qdisc *q = bench_lock();
	int err;

	err = bench_fill_up(q, bench_frame);
	moving = true;
	err = err ?: bench_measure(q, bench_frame_moving);
	qdisc_reset(q);
	bench_unlock(q);
	return err;
}

/* Runs a measurement with requests. The device is stopped, because otherwise it would take the
 * queued packets after a request.
 */
static int bench_asking(int (*measure)(void))
{
	struct netdev_queue *txq = netdev_get_tx_queue(netdev, 0);
	int err = sock_create_kern(&init_net, AF_NETLINK, SOCK_RAW, NETLINK_GENERIC, &asker);

	if (err)
		return err;
	request.nlh.nlmsg_type = family;
	request.ifindex = netdev->ifindex;
	netif_tx_stop_queue(txq);
	err = measure();
	netif_tx_start_queue(txq);
	sock_release(asker);
	return err;
}

/* Sends a batch of packets as the core does: they wait together in the root qdisc, until the device
 * takes them.
 */
static int bench_batch(struct sk_buff **batch, ulong *spent)
{
	struct netdev_queue *txq = netdev_get_tx_queue(netdev, 0);
	struct Qdisc *q = rcu_dereference_bh(netdev->qdisc);
	u64 begin = bench_clock();
	unsigned int i;

	netif_tx_stop_queue(txq);
	for (i = 0; i < BENCH_BATCH; i++)
		dev_queue_xmit(batch[i]);
	netif_tx_start_queue(txq);
	__netif_schedule(q);
	local_bh_enable();
	local_bh_disable();
	*spent += bench_clock() - begin;
	return qdisc_qlen(q) ? -EBUSY : 0;
}

static int bench_batches(ulong *spent)
{
	struct sk_buff *batch[BENCH_BATCH];
	unsigned int i, done;
	int err = 0;

	for (done = 0; done < packets && !err; done += BENCH_BATCH) {
		for (i = 0; i < BENCH_BATCH; i++) {
			batch[i] = bench_frame(i);
			if (!batch[i]) {
				while (i--)
					kfree_skb(batch[i]);
				return -ENOMEM;
			}
		}
		err = bench_batch(batch, spent);
	}
	return err;
}

static int bench_rate(void)
{
	ulong warm;
	unsigned int i;
	int err;

	local_bh_disable();
	err = bench_batches(&warm);
	for (i = 0; i < rounds && !err; i++)
		err = bench_batches(&cycles[i]);
	local_bh_enable();
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

	err = sock_create_kern(&init_net, AF_INET, SOCK_STREAM, IPPROTO_TCP, &sender);
	if (err)
		return err;
	route = ip_route_output_key(&init_net, &to);
	err = PTR_ERR_OR_ZERO(route);
	if (!err) {
		rcu_read_lock();
		err = bench_stage(bench_pass_output, bench_output);
		rcu_read_unlock();
		ip_rt_put(route);
	}
	sock_release(sender);
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
	if (!strcmp(what, "moving"))
		return bench_asking(bench_moving);
	if (!strcmp(what, "request"))
		return bench_asking(bench_requests);
	if (!strcmp(what, "rate"))
		return bench_rate();
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
	__skb_queue_head_init(&originals);
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
	__skb_queue_purge(&originals);
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
