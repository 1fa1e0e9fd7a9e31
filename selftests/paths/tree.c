// SPDX-License-Identifier: GPL-2.0-or-later
/* The device and the tree of qdiscs around the module's qdisc.
 *
 *	root (1:)  ->  middle (2:)  ->  lpd (3:)  ->  the class's qdisc
 *
 * Or lpd is the root itself. The parents only count: they check that the module reports each change.
 */

#include <linux/hashtable.h>
#include <linux/rtnetlink.h>
#include <net/gen_stats.h>
#include <net/pkt_sched.h>
#include <net/sock.h>
#include <net/xlo.h>
#include "sim.h"

struct net_device sim_dev;
struct sock sim_sock;
bool sim_link_tells;
struct fl_link_quality sim_link;
struct Qdisc *sim_lpd;

static struct netdev_queue sim_queue;
static struct Qdisc_ops *sim_lpd_ops;
static struct Qdisc *sim_root, *sim_middle;
static enum sim_parents sim_parents;
static u32 sim_late_packets, sim_late_bytes;

int register_qdisc(struct Qdisc_ops *ops)
{
	sim_lpd_ops = ops;
	return 0;
}

void unregister_qdisc(struct Qdisc_ops *ops)
{
}

static struct Qdisc *sim_qdisc_new(const struct Qdisc_ops *ops, u32 handle, u32 parent)
{
	struct Qdisc *sch = host_alloc(sizeof(*sch) + ops->priv_size);

	sch->ops = ops;
	sch->enqueue = ops->enqueue;
	sch->dequeue = ops->dequeue;
	sch->handle = handle;
	sch->parent = parent;
	sch->dev_queue = &sim_queue;
	refcount_set(&sch->refcnt, 1);
	return sch;
}

void qdisc_hash_add(struct Qdisc *sch, bool invisible)
{
}

void __netif_schedule(struct Qdisc *sch)
{
	sim_say(" wake");
}

void qdisc_put(struct Qdisc *sch)
{
	if (!sch || !refcount_dec_and_test(&sch->refcnt))
		return;
	qdisc_reset(sch);
	if (sch->ops->destroy)
		sch->ops->destroy(sch);
	host_free(sch);
}

void qdisc_reset(struct Qdisc *sch)
{
	if (sch->ops->reset)
		sch->ops->reset(sch);
	sch->q.qlen = 0;
	sch->qstats.backlog = 0;
}

void gnet_stats_add_queue(struct gnet_stats_queue *sum, const struct gnet_stats_queue __percpu *cpu,
			  const struct gnet_stats_queue *stats)
{
	sum->qlen += stats->qlen;
	sum->backlog += stats->backlog;
	sum->drops += stats->drops;
}

/* The qdisc of the class is a FIFO. Now and then it drops a packet in dequeue, as codel. */

struct sim_class {
	struct sk_buff_head queue;
	u32 dequeued;
};

static u32 sim_class_limit = 100;

/* Sets how many packets the class may have. Returns the number before. */
u32 sim_limit_class(u32 limit)
{
	u32 before = sim_class_limit;

	sim_class_limit = limit;
	return before;
}

static int sim_class_init(struct Qdisc *sch, struct nlattr *options, struct netlink_ext_ack *extack)
{
	struct sim_class *c = qdisc_priv(sch);

	__skb_queue_head_init(&c->queue);
	return 0;
}

static int sim_class_enqueue(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free)
{
	struct sim_class *c = qdisc_priv(sch);

	if (c->queue.qlen >= sim_class_limit)
		return qdisc_drop(skb, sch, to_free);
	/* the qdisc of the class owns the control block */
	memset(qdisc_skb_cb(skb)->data, 0x5a, sizeof(qdisc_skb_cb(skb)->data));
	__skb_queue_tail(&c->queue, skb);
	qdisc_qlen_inc(sch);
	qdisc_qstats_backlog_inc(sch, skb);
	return NET_XMIT_SUCCESS;
}

static struct sk_buff *sim_class_take(struct Qdisc *sch)
{
	struct sim_class *c = qdisc_priv(sch);
	struct sk_buff *skb = __skb_dequeue(&c->queue);

	if (skb) {
		qdisc_qlen_dec(sch);
		qdisc_qstats_backlog_dec(sch, skb);
	}
	return skb;
}

static struct sk_buff *sim_class_dequeue(struct Qdisc *sch)
{
	struct sim_class *c = qdisc_priv(sch);
	struct sk_buff *skb;

	if (++c->dequeued % 32 == 0 && c->queue.qlen > 1) {
		skb = sim_class_take(sch);
		qdisc_qstats_drop(sch);
		qdisc_tree_reduce_backlog(sch, 1, qdisc_pkt_len(skb));
		kfree_skb(skb);
	}
	return sim_class_take(sch);
}

static struct sk_buff *sim_class_peek(struct Qdisc *sch)
{
	struct sim_class *c = qdisc_priv(sch);

	return skb_peek(&c->queue);
}

static void sim_class_reset(struct Qdisc *sch)
{
	struct sk_buff *skb;

	while ((skb = sim_class_take(sch)))
		rtnl_kfree_skbs(skb, skb);
}

struct Qdisc_ops pfifo_qdisc_ops = {
	.id		= "sim",
	.priv_size	= sizeof(struct sim_class),
	.init		= sim_class_init,
	.enqueue	= sim_class_enqueue,
	.dequeue	= sim_class_dequeue,
	.peek		= sim_class_peek,
	.reset		= sim_class_reset,
};

struct Qdisc_ops pfifo_fast_ops = { .id = "none", .static_flags = TCQ_F_NOLOCK };
const struct Qdisc_ops *default_qdisc_ops = &pfifo_fast_ops;

static int sim_noop_enqueue(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free)
{
	return NET_XMIT_DROP;
}

struct Qdisc noop_qdisc = { .enqueue = sim_noop_enqueue };

struct Qdisc *qdisc_create_dflt(struct netdev_queue *queue, const struct Qdisc_ops *ops,
				unsigned int parent, struct netlink_ext_ack *extack)
{
	struct Qdisc *sch;

	if (sim_no_memory)
		return NULL;
	sch = sim_qdisc_new(ops, 0, parent);
	if (!ops->init(sch, NULL, extack))
		return sch;
	host_free(sch);
	return NULL;
}

/* The parents */

static unsigned long sim_parent_find(struct Qdisc *sch, u32 class)
{
	return 1;
}

static void sim_parent_told(struct Qdisc *sch, unsigned long class)
{
	sim_say(" empty(%x)", sch->handle >> 16);
}

static const struct Qdisc_class_ops sim_parent_class_ops = {
	.find		= sim_parent_find,
	.qlen_notify	= sim_parent_told,
};

static const struct Qdisc_ops sim_parent_ops = {
	.cl_ops	= &sim_parent_class_ops,
	.id	= "parent",
};

static struct Qdisc *sim_parent_of(const struct Qdisc *sch)
{
	if (sch == sim_root)
		return NULL;
	if (sch == sim_middle)
		return sim_root;
	return sch == sim_lpd ? sim_middle : sim_lpd;
}

void qdisc_tree_reduce_backlog(struct Qdisc *sch, int packets, int bytes)
{
	struct Qdisc *parent;
	unsigned long class;

	/* nobody sees the reports of a root */
	if (sch == sim_lpd && sch != sim_root)
		sim_say(" report(%d,%d)", packets, bytes);
	if (!packets && !bytes)
		return;
	for (; (parent = sim_parent_of(sch)); sch = parent) {
		if (!sch->q.qlen && packets && parent->ops->cl_ops->qlen_notify) {
			class = parent->ops->cl_ops->find(parent, sch->parent);
			parent->ops->cl_ops->qlen_notify(parent, class);
		}
		parent->q.qlen -= packets;
		parent->qstats.backlog -= bytes;
		parent->qstats.drops += max(packets, 0);
	}
}

static void sim_count(struct Qdisc *sch, int packets, int bytes)
{
	while ((sch = sim_parent_of(sch))) {
		sch->q.qlen += packets;
		sch->qstats.backlog += bytes;
	}
}

void psched_ratecfg_precompute(struct psched_ratecfg *r, const struct tc_ratespec *conf, u64 rate)
{
	*r = (struct psched_ratecfg){ .rate_bytes_ps = rate, .mult = 1 };
	if (!rate)
		return;
	while (r->shift < 32 && ((u64)NSEC_PER_SEC << r->shift << 1) / rate <= U32_MAX)
		r->shift++;
	r->mult = ((u64)NSEC_PER_SEC << r->shift) / rate;
}

/* What the modules arqlink and xlo_rto, and the socket, offer */

static bool sim_quality(const struct net_device *dev, struct fl_link_quality *quality)
{
	*quality = sim_link;
	return sim_link_tells;
}

static bool sim_notify(struct net *net, const struct sk_buff *skb, int off, u8 code)
{
	sim_say(" notify(#%lld,%d,%d)", skb->tstamp, off, code);
	sim_check_device(skb);
	return skb->tstamp % 3;
}

void *__symbol_get(const char *symbol)
{
	return strcmp(symbol, "xlo_notify") ? (void *)sim_quality : (void *)sim_notify;
}

int sock_queue_err_skb(struct sock *sk, struct sk_buff *skb)
{
	sim_say(" expired(#%lld,%016llx)", skb->tstamp, sim_hash(skb->cb, sizeof(skb->cb), 0));
	sim_check_device(skb);
	sim_skb_free(skb);
	return 0;
}

/* What the core and the parents do with the qdisc */

static void sim_plant(enum sim_parents parents)
{
	sim_parents = parents;
	sim_late_packets = sim_late_bytes = 0;
	sim_middle = NULL;
	hash_init(sim_dev.qdisc_hash);
	if (parents == SIM_ROOT) {
		sim_lpd = sim_qdisc_new(sim_lpd_ops, 0x30000, TC_H_ROOT);
		sim_root = sim_lpd;
	} else {
		sim_root = sim_qdisc_new(&sim_parent_ops, 0x10000, TC_H_ROOT);
		sim_middle = sim_qdisc_new(&sim_parent_ops, 0x20000, 0x10001);
		sim_lpd = sim_qdisc_new(sim_lpd_ops, 0x30000, 0x20001);
		hash_add(sim_dev.qdisc_hash, &sim_middle->hash, sim_middle->handle);
	}
	sim_queue.dev = &sim_dev;
	sim_queue.qdisc = sim_queue.qdisc_sleeping = sim_root;
	sim_dev.qdisc = sim_root;
}

static void sim_uproot(void)
{
	if (sim_root != sim_lpd) {
		host_free(sim_root);
		host_free(sim_middle);
	}
	sim_root = sim_middle = sim_lpd = NULL;
}

int sim_create(enum sim_parents parents, struct nlattr *options)
{
	static struct netlink_ext_ack extack;
	int err;

	sim_plant(parents);
	err = sim_lpd_ops->init(sim_lpd, options, &extack);
	if (err)
		sim_fail("the qdisc is refused: %d", err);
	return err;
}

int sim_change(struct nlattr *options)
{
	static struct netlink_ext_ack extack;

	return sim_lpd->ops->change(sim_lpd, options, &extack);
}

void sim_reset(void)
{
	u32 packets = sim_lpd->q.qlen, bytes = sim_lpd->qstats.backlog;

	qdisc_reset(sim_lpd);
	sim_count(sim_lpd, -packets, -bytes);
}

void sim_destroy(void)
{
	struct Qdisc *lpd = sim_lpd;

	sim_reset();
	lpd->ops->destroy(lpd);
	sim_uproot();
	host_free(lpd);
}

/* Adds packets that the qdisc has accepted to the counts of the parents. */
void sim_count_enqueued(void)
{
	sim_count(sim_lpd, sim_late_packets, sim_late_bytes);
	sim_late_packets = sim_late_bytes = 0;
}

void sim_enqueue(struct sk_buff *skb)
{
	u32 bytes = qdisc_pkt_len(skb);
	struct sk_buff *to_free = NULL;
	int result = sim_lpd->enqueue(skb, sim_lpd, &to_free);

	sim_say(" = %d", result);
	if (result == NET_XMIT_SUCCESS) {
		sim_late_packets++;
		sim_late_bytes += bytes;
	}
	if (sim_parents != SIM_SEGMENTS || sim_late_packets == 3)
		sim_count_enqueued();
	kfree_skb_list_reason(to_free, SKB_DROP_REASON_QDISC_DROP);
}

struct sk_buff *sim_dequeue(bool by_ops)
{
	bool early = sim_parents == SIM_EARLY && sim_lpd->q.qlen;
	struct sk_buff *skb;

	sim_count_enqueued();
	if (early)
		sim_count(sim_lpd, -1, 0);
	skb = by_ops ? sim_lpd->ops->dequeue(sim_lpd) : sim_lpd->dequeue(sim_lpd);
	if (early && !skb)
		sim_count(sim_lpd, 1, 0);
	if (skb)
		sim_count(sim_lpd, early ? 0 : -1, -(int)qdisc_pkt_len(skb));
	return skb;
}

struct sk_buff *sim_peek(void)
{
	sim_count_enqueued();
	return sim_lpd->ops->peek(sim_lpd);
}

/* All parents must have the same counts as the qdisc. */
void sim_check_parents(void)
{
	const struct Qdisc *parent = sim_lpd;

	while ((parent = sim_parent_of(parent)))
		if (parent->q.qlen + sim_late_packets != sim_lpd->q.qlen ||
		    parent->qstats.backlog + sim_late_bytes != sim_lpd->qstats.backlog)
			sim_fail("%x: has %u packets and %u bytes, but its child %u and %u",
				 parent->handle >> 16, parent->q.qlen, parent->qstats.backlog,
				 sim_lpd->q.qlen, sim_lpd->qstats.backlog);
}
