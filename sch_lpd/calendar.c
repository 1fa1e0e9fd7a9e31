// SPDX-License-Identifier: GPL-2.0
/* Sorts slots by time: see calendar.h. */

#include <linux/align.h>
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include "calendar_quick.h"

/* The binary logarithm of the length of the window in ns: 2.1 s, because the lifetimes of most
 * packets differ by less. In a longer window they would crowd together.
 */
#define LPD_CALENDAR_WINDOW	31

/* In a sorted list, a new slot passes at most this number of slots before it goes into the tree. */
#define LPD_CALENDAR_WALK	8

/**
 * lpd_calendar_buckets() - choose the number of buckets
 * @slots: the greatest number of slots
 *
 * Return: at most 15 buckets for 16 slots, except for the least number. A bucket with a few slots
 * costs little more than a bucket with one slot
 */
u32 lpd_calendar_buckets(u32 slots)
{
	return rounddown_pow_of_two(clamp(slots - slots / 16, LPD_CALENDAR_LEAST,
					 LPD_CALENDAR_MOST));
}

/**
 * lpd_calendar_bytes() - compute the size of a calendar's table
 * @buckets: lpd_calendar_buckets()
 */
size_t lpd_calendar_bytes(u32 buckets)
{
	size_t bytes = buckets * sizeof(struct lpd_slot *);
	int level;

	for (level = 0; level < LPD_CALENDAR_LEVELS; level++) {
		buckets = BITS_TO_LONGS(buckets);
		bytes += buckets * sizeof(long);
	}
	return bytes;
}

/* Uses @buckets buckets of the table, which are empty. */
static void lpd_calendar_use(struct lpd_calendar *c, u32 buckets)
{
	c->mask = buckets - 1;
	c->shift = LPD_CALENDAR_WINDOW - ilog2(buckets);
	c->room = buckets < c->buckets ? buckets / 2 : S32_MAX;
}

/**
 * lpd_calendar_init() - make an empty calendar
 * @c: the calendar
 * @table: lpd_calendar_bytes() zero bytes; not used without buckets
 * @buckets: lpd_calendar_buckets(); 0 for a calendar whose slots are all in the tree
 * @before: says which one of two slots with equal @at and @then comes first
 */
void lpd_calendar_init(struct lpd_calendar *c, void *table, u32 buckets,
		       bool (*before)(const struct lpd_calendar *c, const struct lpd_slot *a,
				      const struct lpd_slot *b))
{
	unsigned long *word = table;
	int level;

	*c = (struct lpd_calendar){ .tree = RB_ROOT_CACHED, .before = before };
	if (!buckets)
		return;
	c->buckets = buckets;
	lpd_calendar_use(c, min(buckets, LPD_CALENDAR_FEW));
	c->bucket = (struct lpd_slot **)table;
	word += buckets;
	for (level = 0; level < LPD_CALENDAR_LEVELS; level++) {
		c->bits[level] = word;
		buckets = BITS_TO_LONGS(buckets);
		word += buckets;
	}
}

static inline bool lpd_slot_before(const struct lpd_calendar *c, const struct lpd_slot *a,
				   const struct lpd_slot *b)
{
	if (a->at != b->at)
		return a->at < b->at;
	if (a->then != b->then)
		return a->then - b->then < 0;
	return c->before(c, a, b);
}

/* Removes the mark of an empty bucket that is not the first one. */
noinline void lpd_calendar_unmark(struct lpd_calendar *c, unsigned long bit)
{
	unsigned long word = 0;
	int level;

	for (level = 0; level < LPD_CALENDAR_LEVELS && !word; level++, bit >>= LPD_WORD_SHIFT) {
		__clear_bit(bit, c->bits[level]);
		word = c->bits[level][bit >> LPD_WORD_SHIFT];
	}
}

/* Makes a slot that may be the first one of all the first one, if it is. Returns @where, the part
 * that the slot is in.
 */
noinline enum lpd_where lpd_calendar_lead(struct lpd_calendar *c, struct lpd_slot *s,
					  enum lpd_where where)
{
	if (!c->first || lpd_slot_before(c, s, c->first))
		c->first = s;
	return where;
}

/* Adds a slot to the tree. */
noinline enum lpd_where lpd_tree_add(struct lpd_calendar *c, struct lpd_slot *s)
{
	struct rb_node **link = &c->tree.rb_root.rb_node, *parent = NULL;
	bool leftmost = true;

	while (*link) {
		parent = *link;
		if (lpd_slot_before(c, s, rb_entry(parent, struct lpd_slot, node))) {
			link = &parent->rb_left;
		} else {
			link = &parent->rb_right;
			leftmost = false;
		}
	}
	rb_link_node(&s->node, parent, link);
	rb_insert_color_cached(&s->node, &c->tree, leftmost);
	return lpd_calendar_lead(c, s, LPD_IN_TREE);
}

/* Adds a slot to a bucket whose last slot may come after it. Searches from the end. If the place
 * of the slot is too far from the end, the slot goes into the tree.
 */
noinline enum lpd_where lpd_bucket_insert(struct lpd_calendar *c, unsigned long bit,
					  struct lpd_slot *s)
{
	struct lpd_slot *first = c->bucket[bit], *pos = first->prev;
	int steps;

	for (steps = 0; lpd_slot_before(c, s, pos); steps++) {
		if (steps == LPD_CALENDAR_WALK) {
			c->room++;
			return lpd_tree_add(c, s);
		}
		if (pos == first) {
			lpd_list_insert(s, first);
			c->bucket[bit] = s;
			if (c->head == first)
				c->head = s;
			return lpd_calendar_lead(c, s, LPD_IN_BUCKET);
		}
		pos = pos->prev;
	}
	lpd_list_insert(s, pos->next);
	return LPD_IN_BUCKET;
}

/* Moves the window so that it contains an interval, too. Returns false if it would be too long. */
static bool lpd_calendar_move(struct lpd_calendar *c, s64 interval)
{
	s64 low = interval, high = interval;

	if (c->head) {
		low = min(low, lpd_calendar_interval(c, c->head));
		high = max(high, c->last);
	}
	if (high - low > c->mask)
		return false;
	c->start = interval < c->start ? high - c->mask : low;
	c->last = high;
	return true;
}

/* Adds a slot that is outside of the window. */
noinline enum lpd_where lpd_calendar_push_far(struct lpd_calendar *c, struct lpd_slot *s)
{
	return lpd_calendar_move(c, lpd_calendar_interval(c, s)) ? lpd_calendar_push(c, s) :
								   lpd_tree_add(c, s);
}

/**
 * lpd_calendar_push() - add a slot
 * @c: the calendar
 * @s: a slot whose time is set
 *
 * Return: the part that the slot is in now, for lpd_calendar_remove()
 */
enum lpd_where lpd_calendar_push(struct lpd_calendar *c, struct lpd_slot *s)
{
	return lpd_calendar_push_quick(c, s);
}

/* @a or @b may be NULL. */
static struct lpd_slot *lpd_slot_earlier(const struct lpd_calendar *c, struct lpd_slot *a,
					 struct lpd_slot *b)
{
	if (!a || !b)
		return a ?: b;
	return lpd_slot_before(c, b, a) ? b : a;
}

/* Finds the first slot of all, which is the first one of run, buckets or tree. */
noinline void lpd_calendar_find_first(struct lpd_calendar *c)
{
	c->first = lpd_slot_earlier(c, lpd_slot_earlier(c, c->run, c->head),
				    rb_entry_safe(c->tree.rb_leftmost, struct lpd_slot, node));
}

/* Finds the first slot of all after the first bucket has become empty. @bit is the bucket's bit of
 * @level, which has been removed from a word that only has bits of the window's end now. The first
 * bucket of the table follows the last one.
 */
noinline void lpd_calendar_wrap(struct lpd_calendar *c, int level, unsigned long bit)
{
	unsigned long word = c->bits[level][bit >> LPD_WORD_SHIFT], later = 0;

	while (!later && ++level < LPD_CALENDAR_LEVELS) {
		bit >>= LPD_WORD_SHIFT;
		word = c->bits[level][bit >> LPD_WORD_SHIFT];
		later = word >> bit % BITS_PER_LONG & ~1UL;
	}
	c->head = later ? lpd_calendar_descend(c, level, bit + __ffs(later)) :
			  lpd_calendar_descend(c, level - 1, __ffs(word));
	lpd_calendar_find_first(c);
}

/* Finds the first slot of all after the last slot has left the buckets. */
noinline void lpd_calendar_emptied(struct lpd_calendar *c)
{
	u8 shift = c->shift;

	c->head = NULL;
	lpd_calendar_use(c, min(c->buckets, LPD_CALENDAR_FEW));
	c->start >>= c->shift - shift;
	c->last = c->start;
	lpd_calendar_find_first(c);
}

/* Adds a slot for which the buckets in use have no room. Uses more buckets for the same window. All
 * slots stay in buckets, because each is the last one of its new bucket when it moves.
 */
noinline enum lpd_where lpd_calendar_grow(struct lpd_calendar *c, struct lpd_slot *s)
{
	u32 buckets = c->mask < LPD_CALENDAR_FEW ? LPD_CALENDAR_SOME : LPD_CALENDAR_MOST;
	struct lpd_slot *moved = NULL, *first;
	s64 start = c->start, last = c->last;
	u8 shift = c->shift;

	while ((first = c->head)) {
		lpd_calendar_remove(c, first, LPD_IN_BUCKET);
		lpd_list_append(&moved, first);
	}
	lpd_calendar_use(c, min(buckets, c->buckets));
	shift -= c->shift;
	c->start = start << shift;
	c->last = ((last + 1) << shift) - 1;
	while ((first = moved)) {
		lpd_list_remove(&moved, first);
		lpd_bucket_push(c, first);
	}
	return lpd_bucket_push(c, s);
}

noinline void lpd_tree_remove(struct lpd_calendar *c, struct lpd_slot *s)
{
	rb_erase_cached(&s->node, &c->tree);
	if (c->first == s)
		lpd_calendar_find_first(c);
}

/**
 * lpd_calendar_remove() - remove a slot
 * @c: the calendar
 * @s: a slot in the calendar
 * @where: return value of lpd_calendar_push()
 */
void lpd_calendar_remove(struct lpd_calendar *c, struct lpd_slot *s, enum lpd_where where)
{
	lpd_calendar_remove_quick(c, s, where);
}

/* Checks whether another slot in the same list has an equal time. */
static inline bool lpd_slot_has_equal(const struct lpd_slot *s)
{
	return s->next != s && (s->next->at == s->at || s->prev->at == s->at);
}

/**
 * lpd_calendar_replace() - replace a slot by another one with the same time
 * @c: the calendar
 * @old: a slot in the calendar
 * @new: a slot that is not in the calendar; its @then may differ
 * @where: the part that @old is in
 *
 * Return: the part that @new is in now
 */
enum lpd_where lpd_calendar_replace(struct lpd_calendar *c, struct lpd_slot *old,
				    struct lpd_slot *new, enum lpd_where where)
{
	struct lpd_slot **bucket;

	if (where == LPD_IN_TREE || lpd_slot_has_equal(old)) {
		lpd_calendar_remove(c, old, where);
		return lpd_calendar_push(c, new);
	}
	if (where == LPD_IN_RUN) {
		lpd_list_replace(&c->run, old, new);
	} else {
		bucket = &c->bucket[lpd_calendar_interval(c, old) & c->mask];
		lpd_list_replace(bucket, old, new);
		if (c->head == old)
			c->head = new;
	}
	/* another part may have a slot with the same time */
	if (c->first == old)
		lpd_calendar_succeed(c);
	else if (c->first->at == new->at)
		lpd_calendar_lead(c, new, where);
	return where;
}
