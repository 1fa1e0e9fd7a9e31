// SPDX-License-Identifier: GPL-2.0
/* Sorts slots by time: see calendar.h. */

#include <linux/align.h>
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include "calendar.h"

/* The binary logarithm of the length of the window in ns. Most lifetimes are below 2.1 s. */
#define LPD_CALENDAR_WINDOW	31

/* In a sorted list, a new slot passes at most this number of slots before it goes into the tree. */
#define LPD_CALENDAR_WALK	8

#define LPD_WORD_BITS		64
#define LPD_WORD_SHIFT		6

static u32 lpd_calendar_words(u32 bits)
{
	return DIV_ROUND_UP(bits, LPD_WORD_BITS);
}

/**
 * lpd_calendar_buckets() - choose the number of buckets
 * @slots: the greatest number of slots
 *
 * Return: at most five buckets for eight slots, except for the least number. Few slots are in use at
 * most times, and a bucket with a few slots costs little more than a bucket with one slot
 */
u32 lpd_calendar_buckets(u32 slots)
{
	return rounddown_pow_of_two(clamp(slots / 8 * 5, LPD_CALENDAR_LEAST, LPD_CALENDAR_MOST));
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
		buckets = lpd_calendar_words(buckets);
		bytes += buckets * sizeof(u64);
	}
	return ALIGN(bytes, sizeof(u64));
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
	u64 *word = table;
	int level;

	*c = (struct lpd_calendar){ .tree = RB_ROOT_CACHED, .before = before };
	if (!buckets)
		return;
	c->mask = buckets - 1;
	c->shift = LPD_CALENDAR_WINDOW - ilog2(buckets);
	c->bucket = (struct lpd_slot **)table;
	word += DIV_ROUND_UP(buckets * sizeof(*c->bucket), sizeof(*word));
	for (level = 0; level < LPD_CALENDAR_LEVELS; level++) {
		c->bits[level] = word;
		buckets = lpd_calendar_words(buckets);
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

static inline s64 lpd_calendar_interval(const struct lpd_calendar *c, const struct lpd_slot *s)
{
	return s->at >> c->shift;
}

/* Marks a bucket that is no longer empty. */
static inline void lpd_calendar_mark(struct lpd_calendar *c, u32 bit)
{
	int level;

	for (level = 0; level < LPD_CALENDAR_LEVELS; level++) {
		u64 *word = &c->bits[level][bit >> LPD_WORD_SHIFT];
		u64 before = *word;

		*word |= 1ULL << bit % LPD_WORD_BITS;
		if (before)
			return;
		bit >>= LPD_WORD_SHIFT;
	}
}

/* Removes the mark of a bucket that is empty now. */
static inline void lpd_calendar_unmark(struct lpd_calendar *c, u32 bit)
{
	int level;

	for (level = 0; level < LPD_CALENDAR_LEVELS; level++) {
		u64 *word = &c->bits[level][bit >> LPD_WORD_SHIFT];

		*word &= ~(1ULL << bit % LPD_WORD_BITS);
		if (*word)
			return;
		bit >>= LPD_WORD_SHIFT;
	}
}

/* Returns the first slot in the buckets after @bit; after the last bucket follows the first one.
 * Returns NULL if all buckets are empty.
 */
static inline struct lpd_slot *lpd_calendar_after(const struct lpd_calendar *c, u32 bit)
{
	int level;

	for (level = 0; level < LPD_CALENDAR_LEVELS; level++) {
		u32 word = bit >> LPD_WORD_SHIFT;
		u64 later = c->bits[level][word] & ~1ULL << bit % LPD_WORD_BITS;

		bit = word;
		if (later) {
			bit = bit << LPD_WORD_SHIFT | __ffs64(later);
			break;
		}
	}
	if (level == LPD_CALENDAR_LEVELS) {
		if (!*c->bits[--level])
			return NULL;
		bit = __ffs64(*c->bits[level]);
	}
	while (level--)
		bit = bit << LPD_WORD_SHIFT | __ffs64(c->bits[level][bit]);
	return c->bucket[bit];
}

/* Checks whether a bucket may hold the slots of an interval, and no others. @c->last is never too
 * early. It may be too late, because the latest slot may have left.
 */
static inline bool lpd_calendar_covers(struct lpd_calendar *c, s64 interval)
{
	s64 low, high;

	if (!c->first) {
		c->last = interval;
		return c->mask;
	}
	low = min(lpd_calendar_interval(c, c->first), interval);
	high = max(c->last, interval);
	if (high - low > c->mask)
		return false;
	c->last = high;
	return true;
}

static inline void lpd_slot_insert_before(struct lpd_slot *s, struct lpd_slot *next)
{
	s->next = next;
	s->prev = next->prev;
	s->prev->next = s;
	next->prev = s;
}

/* Adds a slot to a bucket that is not empty. Starts at the end, because most slots are pushed in
 * the order of their times. Returns false if the place of the slot is too far from the end.
 */
static inline bool lpd_bucket_insert(struct lpd_calendar *c, struct lpd_slot **bucket,
				     struct lpd_slot *s)
{
	struct lpd_slot *first = *bucket, *pos = first->prev;
	int steps;

	for (steps = 0; lpd_slot_before(c, s, pos); steps++) {
		if (steps == LPD_CALENDAR_WALK)
			return false;
		if (pos == first) {
			lpd_slot_insert_before(s, first);
			*bucket = s;
			return true;
		}
		pos = pos->prev;
	}
	lpd_slot_insert_before(s, pos->next);
	return true;
}

static bool lpd_bucket_add(struct lpd_calendar *c, struct lpd_slot *s)
{
	s64 interval = lpd_calendar_interval(c, s);
	u32 bit = interval & c->mask;
	struct lpd_slot **bucket;

	if (unlikely(!lpd_calendar_covers(c, interval)))
		return false;
	bucket = &c->bucket[bit];
	if (*bucket) {
		if (unlikely(!lpd_bucket_insert(c, bucket, s)))
			return false;
	} else {
		s->next = s;
		s->prev = s;
		*bucket = s;
		lpd_calendar_mark(c, bit);
	}
	if (!c->first || lpd_slot_before(c, s, c->first))
		c->first = s;
	return true;
}

static noinline void lpd_tree_add(struct lpd_calendar *c, struct lpd_slot *s)
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
	if (likely(lpd_bucket_add(c, s)))
		return LPD_IN_BUCKET;
	lpd_tree_add(c, s);
	return LPD_IN_TREE;
}

static void lpd_bucket_remove(struct lpd_calendar *c, struct lpd_slot *s)
{
	u32 bit = lpd_calendar_interval(c, s) & c->mask;
	struct lpd_slot *next = s->next;

	if (next == s) {
		c->bucket[bit] = NULL;
		lpd_calendar_unmark(c, bit);
		if (c->first == s)
			c->first = lpd_calendar_after(c, bit);
		return;
	}
	next->prev = s->prev;
	s->prev->next = next;
	if (c->bucket[bit] == s)
		c->bucket[bit] = next;
	if (c->first == s)
		c->first = next;
}

/**
 * lpd_calendar_remove() - remove a slot
 * @c: the calendar
 * @s: a slot in the calendar
 * @where: return value of lpd_calendar_push()
 */
void lpd_calendar_remove(struct lpd_calendar *c, struct lpd_slot *s, enum lpd_where where)
{
	if (likely(where == LPD_IN_BUCKET))
		lpd_bucket_remove(c, s);
	else
		rb_erase_cached(&s->node, &c->tree);
}

/**
 * lpd_calendar_first_of_all() - find the earliest slot of buckets and tree
 * @c: a calendar whose tree is not empty
 */
struct lpd_slot *lpd_calendar_first_of_all(const struct lpd_calendar *c)
{
	struct lpd_slot *first = rb_entry(c->tree.rb_leftmost, struct lpd_slot, node);

	return c->first && lpd_slot_before(c, c->first, first) ? c->first : first;
}
