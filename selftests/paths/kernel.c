// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions of the kernel that the module calls, except those for packets and qdiscs. They do what
 * the kernel's documentation promises, in simulated time and without concurrency.
 */

#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/rbtree.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/timekeeping.h>
#include <net/netlink.h>
#include "sim.h"

s64 sim_now;
bool sim_no_memory;
long sim_allocations;

const unsigned long sim_stack_size = THREAD_SIZE;

struct module __weak __this_module;	/* Kbuild's module has it */
int signals_enabled;

void block_signals(void);
void unblock_signals(void);
int um_set_signals(int enable);

void block_signals(void) { }
void unblock_signals(void) { }
int um_set_signals(int enable) { return 0; }
void __local_bh_enable_ip(unsigned long ip, unsigned int count) { }
int rtnl_is_locked(void) { return 1; }
void do_trace_netlink_extack(const char *msg) { }
void __symbol_put(const char *symbol) { }

void panic(const char *format, ...)
{
	sim_fail("panic: %s", format);
}

void warn_slowpath_fmt(const char *file, const int line, unsigned int taint, const char *format, ...)
{
	sim_fail("WARN at %s:%d", file, line);
}

int _printk(const char *format, ...)
{
	sim_fail("the module prints: %s", format);
}

/* Memory */

static void *sim_alloc(size_t size, gfp_t flags)
{
	void *memory;

	if (sim_no_memory)
		return NULL;
	sim_allocations++;
	memory = host_alloc(size);
	return flags & __GFP_ZERO ? memory : memset(memory, 0xa5, size);
}

static void sim_free(const void *memory)
{
	if (!memory)
		return;
	sim_allocations--;
	host_free((void *)memory);
}

void *__kmalloc_noprof(size_t size, gfp_t flags)
{
	return sim_alloc(size, flags);
}

void *__kvmalloc_node_noprof(DECL_BUCKET_PARAMS(size, b), gfp_t flags, int node)
{
	return sim_alloc(size, flags);
}

void kfree(const void *memory)
{
	sim_free(memory);
}

void kvfree(const void *memory)
{
	sim_free(memory);
}

/* Time. The simulated clock stands still while the module works, so that it does not matter how
 * often the module reads it.
 */

ktime_t ktime_get(void)
{
	return sim_now;
}

/* the time of day is such that absolute deadlines wrap around midnight in long sequences */
#define SIM_WALL_CLOCK	(86390 * NSEC_PER_SEC + 123456789)

ktime_t ktime_mono_to_any(ktime_t mono, enum tk_offsets clock)
{
	return mono + SIM_WALL_CLOCK + (clock == TK_OFFS_TAI ? 37 * NSEC_PER_SEC : 0);
}

u32 get_random_u32(void)
{
	return (u32)sim_now * 2654435761U;
}

#define SIM_TIMERS	8

static struct hrtimer *sim_pending[SIM_TIMERS];

void hrtimer_init(struct hrtimer *timer, clockid_t clock, enum hrtimer_mode mode)
{
	memset(timer, 0, sizeof(*timer));
}

static u32 sim_timer_slot(const struct hrtimer *timer)
{
	u32 i;

	for (i = 0; i < SIM_TIMERS; i++)
		if (sim_pending[i] == timer)
			return i;
	if (timer)
		return SIM_TIMERS;
	sim_fail("more than %d timers", SIM_TIMERS);
}

void hrtimer_start_range_ns(struct hrtimer *timer, ktime_t at, u64 range, enum hrtimer_mode mode)
{
	if (sim_timer_slot(timer) == SIM_TIMERS)
		sim_pending[sim_timer_slot(NULL)] = timer;
	hrtimer_set_expires(timer, at);
}

int hrtimer_try_to_cancel(struct hrtimer *timer)
{
	u32 slot = sim_timer_slot(timer);

	if (slot == SIM_TIMERS)
		return 0;
	sim_pending[slot] = NULL;
	return 1;
}

int hrtimer_cancel(struct hrtimer *timer)
{
	return hrtimer_try_to_cancel(timer);
}

static struct hrtimer *sim_first_timer(void)
{
	struct hrtimer *first = NULL;
	u32 i;

	for (i = 0; i < SIM_TIMERS; i++)
		if (sim_pending[i] &&
		    (!first || hrtimer_get_expires(sim_pending[i]) < hrtimer_get_expires(first)))
			first = sim_pending[i];
	return first;
}

/* Returns when the first timer expires, or S64_MAX. */
s64 sim_next_timer(void)
{
	const struct hrtimer *first = sim_first_timer();

	return first ? hrtimer_get_expires(first) : S64_MAX;
}

/* Lets the first timer fire if it has expired. */
bool sim_fire_timer(void)
{
	struct hrtimer *first = sim_first_timer();

	if (!first || hrtimer_get_expires(first) > sim_now)
		return false;
	sim_pending[sim_timer_slot(first)] = NULL;
	if (first->function(first) != HRTIMER_NORESTART)
		sim_fail("a timer wants to restart");
	return true;
}

/* Sorting and trees. The order of equal elements of sort() is not defined, so the module must not
 * have any. A tree is a treap: the heap order of a number that comes from the node's address keeps it
 * balanced. The module sees only the order of the nodes.
 */

static void sim_swap(void *a, void *b, int size)
{
	u8 *one = a, *other = b;

	while (size--) {
		u8 byte = one[size];

		one[size] = other[size];
		other[size] = byte;
	}
}

void sort(void *base, size_t num, size_t size, cmp_func_t cmp, swap_func_t exchange)
{
	size_t gap, i, j;

	if (!exchange)
		exchange = sim_swap;
	for (gap = num / 2; gap; gap /= 2)
		for (i = gap; i < num; i++)
			for (j = i; j >= gap; j -= gap) {
				if (cmp(base + j * size, base + (j - gap) * size) >= 0)
					break;
				exchange(base + j * size, base + (j - gap) * size, size);
			}
}

static u64 sim_rank(const struct rb_node *node)
{
	return (u64)node * 0x9e3779b97f4a7c15u;
}

/* Lets @new take the place of @old below @parent. */
static void sim_replace(struct rb_root *root, struct rb_node *parent, const struct rb_node *old,
			struct rb_node *new)
{
	if (!parent)
		root->rb_node = new;
	else if (parent->rb_left == old)
		parent->rb_left = new;
	else
		parent->rb_right = new;
	if (new)
		new->__rb_parent_color = (unsigned long)parent;
}

/* Moves a child up, in the place of its parent. */
static void sim_rotate(struct rb_root *root, struct rb_node *parent, struct rb_node *child)
{
	struct rb_node *moved;

	sim_replace(root, rb_parent(parent), parent, child);
	if (parent->rb_left == child) {
		moved = child->rb_right;
		child->rb_right = parent;
		sim_replace(root, parent, child, moved);
	} else {
		moved = child->rb_left;
		child->rb_left = parent;
		sim_replace(root, parent, child, moved);
	}
	parent->__rb_parent_color = (unsigned long)child;
}

void rb_insert_color(struct rb_node *node, struct rb_root *root)
{
	struct rb_node *parent;

	while ((parent = rb_parent(node)) && sim_rank(parent) < sim_rank(node))
		sim_rotate(root, parent, node);
}

void rb_erase(struct rb_node *node, struct rb_root *root)
{
	struct rb_node *left, *right;

	while ((left = node->rb_left) && (right = node->rb_right))
		sim_rotate(root, node, sim_rank(left) > sim_rank(right) ? left : right);
	sim_replace(root, rb_parent(node), node, node->rb_left ?: node->rb_right);
}

struct rb_node *rb_first(const struct rb_root *root)
{
	struct rb_node *node = root->rb_node;

	while (node && node->rb_left)
		node = node->rb_left;
	return node;
}

struct rb_node *rb_last(const struct rb_root *root)
{
	struct rb_node *node = root->rb_node;

	while (node && node->rb_right)
		node = node->rb_right;
	return node;
}

struct rb_node *rb_next(const struct rb_node *node)
{
	const struct rb_node *parent;

	if (node->rb_right)
		return rb_first(&(struct rb_root){ node->rb_right });
	while ((parent = rb_parent(node)) && node == parent->rb_right)
		node = parent;
	return (struct rb_node *)parent;
}

struct rb_node *rb_prev(const struct rb_node *node)
{
	const struct rb_node *parent;

	if (node->rb_left)
		return rb_last(&(struct rb_root){ node->rb_left });
	while ((parent = rb_parent(node)) && node == parent->rb_left)
		node = parent;
	return (struct rb_node *)parent;
}

/* Attributes of netlink. The requests here are right, so nothing is checked. */

int __nla_parse(struct nlattr **tb, int maxtype, const struct nlattr *head, int len,
		const struct nla_policy *policy, unsigned int validate,
		struct netlink_ext_ack *extack)
{
	const struct nlattr *attr;
	int left;

	memset(tb, 0, sizeof(*tb) * (maxtype + 1));
	nla_for_each_attr(attr, head, len, left)
		tb[nla_type(attr)] = (struct nlattr *)attr;
	return 0;
}

int nla_memcpy(void *to, const struct nlattr *from, int count)
{
	memcpy(to, nla_data(from), min(count, nla_len(from)));
	return nla_len(from);
}

int nla_put(struct sk_buff *skb, int type, int len, const void *data)
{
	struct nlattr *attr = (struct nlattr *)skb_tail_pointer(skb);

	if (skb_tailroom(skb) < nla_total_size(len))
		return -EMSGSIZE;
	attr->nla_type = type;
	attr->nla_len = nla_attr_size(len);
	memcpy(nla_data(attr), data, len);
	memset(nla_data(attr) + len, 0, nla_padlen(len));
	skb->tail += nla_total_size(len);
	skb->len += nla_total_size(len);
	return 0;
}

int nla_put_64bit(struct sk_buff *skb, int type, int len, const void *data, int pad)
{
	return nla_put(skb, type, len, data);
}
