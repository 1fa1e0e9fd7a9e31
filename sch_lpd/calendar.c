// SPDX-License-Identifier: GPL-2.0
/* Sorts slots by time: see calendar.h. */

#include <linux/align.h>
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include "calendar.h"
#include "fast.h"

/* The binary logarithm of the length of the window in ns: 4.3 s, because most lifetimes differ
 * by less. With many buckets the window is half as long, because the packets of a long queue
 * crowd together.
 */
#define LPD_CALENDAR_WINDOW	32
#define LPD_CALENDAR_MANY	32768U

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
 * Return: at most five buckets for eight slots, except for the least number. Few slots are in
 * use at most times, and a bucket with a few slots costs little more than a bucket with one slot
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
	c->shift = LPD_CALENDAR_WINDOW - (buckets >= LPD_CALENDAR_MANY) - ilog2(buckets);
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

static inline u64 *lpd_calendar_word(const struct lpd_calendar *c, int level, u32 bit)
{
	return &c->bits[level][bit >> LPD_WORD_SHIFT];
}

static inline u64 lpd_own_bit(u32 bit)
{
	return 1ULL << bit % LPD_WORD_BITS;
}

/* Marks a bucket that is no longer empty. */
static inline void lpd_calendar_mark(struct lpd_calendar *c, u32 bit)
{
	int level;

	for (level = 0; level < LPD_CALENDAR_LEVELS; level++, bit >>= LPD_WORD_SHIFT) {
		u64 *word = lpd_calendar_word(c, level, bit), before = *word;

		*word = before | lpd_own_bit(bit);
		if (before)
			return;
	}
}

/* Removes the mark of a bucket that is empty now, from @level on. */
static inline void lpd_calendar_unmark(struct lpd_calendar *c, int level, u32 bit)
{
	for (; level < LPD_CALENDAR_LEVELS; level++, bit >>= LPD_WORD_SHIFT) {
		u64 *word = lpd_calendar_word(c, level, bit);

		*word ^= lpd_own_bit(bit);
		if (*word)
			return;
	}
}

/* Returns the first slot of the first bucket below a word that is not 0. @bit is the number of
 * the word at this level.
 */
static inline struct lpd_slot *lpd_calendar_descend(const struct lpd_calendar *c, int level,
						    u32 bit, u64 word)
{
	for (;;) {
		bit = bit << LPD_WORD_SHIFT | __ffs64(word);
		if (!level--)
			return c->bucket[bit];
		word = c->bits[level][bit];
	}
}

/* Returns the first slot in the buckets after @bit; the first bucket of the table follows the
 * last one. Returns NULL if all buckets are empty.
 */
static struct lpd_slot *lpd_calendar_after(const struct lpd_calendar *c, u32 bit)
{
	u64 later;
	int level;

	for (level = 0; level < LPD_CALENDAR_LEVELS; level++, bit >>= LPD_WORD_SHIFT) {
		later = *lpd_calendar_word(c, level, bit) & -lpd_own_bit(bit) << 1;
		if (later)
			return lpd_calendar_descend(c, level, bit >> LPD_WORD_SHIFT, later);
	}
	later = *c->bits[--level];
	return later ? lpd_calendar_descend(c, level, 0, later) : NULL;
}

/* Finds the earliest slot after the slots of bucket @bit, whose mark is removed from @level on. */
static noinline void lpd_calendar_advance(struct lpd_calendar *c, int level, u32 bit)
{
	lpd_calendar_unmark(c, level, bit >> LPD_WORD_SHIFT * level);
	c->first = lpd_calendar_after(c, bit);
}

/* Removes the mark of the first bucket, which is empty now, and finds the earliest slot in the
 * next one. The next bucket is usually near, so that its mark is in the same word, or in the
 * next word that is not 0.
 */
static __always_inline void lpd_calendar_vacate(struct lpd_calendar *c, u32 bit)
{
	u64 *word = lpd_calendar_word(c, 0, bit), later;
	u32 above = bit >> LPD_WORD_SHIFT;

	*word ^= lpd_own_bit(bit);
	later = *word & -lpd_own_bit(bit);
	if (later) {
		c->first = c->bucket[above << LPD_WORD_SHIFT | __ffs64(later)];
		return;
	}
	if (*word) {
		lpd_calendar_advance(c, LPD_CALENDAR_LEVELS, bit);
		return;
	}
	word = lpd_calendar_word(c, 1, above);
	*word ^= lpd_own_bit(above);
	later = *word & -lpd_own_bit(above);
	if (later) {
		above = (above & ~(LPD_WORD_BITS - 1)) | __ffs64(later);
		c->first = c->bucket[above << LPD_WORD_SHIFT | __ffs64(c->bits[0][above])];
		return;
	}
	lpd_calendar_advance(c, *word ? LPD_CALENDAR_LEVELS : 2, bit);
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

/* Adds a slot to the run if it comes after all slots of the run. */
static inline bool lpd_calendar_join(struct lpd_calendar *c, struct lpd_slot *s)
{
	struct lpd_slot *run = c->run;

	if (!LPD_FAST)
		return false;
	if (run && s->at <= run->prev->at && lpd_slot_before(c, s, run->prev))
		return false;
	lpd_list_append(&c->run, s);
	return true;
}

/* Adds a slot to the tree. */
static noinline enum lpd_where lpd_tree_add(struct lpd_calendar *c, struct lpd_slot *s)
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
	return LPD_IN_TREE;
}

static noinline void lpd_tree_remove(struct lpd_calendar *c, struct lpd_slot *s)
{
	rb_erase_cached(&s->node, &c->tree);
}

/* Adds a slot to a bucket whose last slot may come after it. Searches from the end. If the place
 * of the slot is too far from the end, the slot goes into the tree.
 */
static noinline enum lpd_where lpd_bucket_insert(struct lpd_calendar *c, struct lpd_slot **bucket,
						 struct lpd_slot *s)
{
	struct lpd_slot *first = *bucket, *pos = first->prev;
	int steps;

	for (steps = 0; lpd_slot_before(c, s, pos); steps++) {
		if (steps == LPD_CALENDAR_WALK)
			return lpd_tree_add(c, s);
		if (pos == first) {
			lpd_list_insert(s, first);
			*bucket = s;
			if (c->first == first)
				c->first = s;
			return LPD_IN_BUCKET;
		}
		pos = pos->prev;
	}
	lpd_list_insert(s, pos->next);
	return LPD_IN_BUCKET;
}

/* Adds a slot to an empty bucket. */
static inline void lpd_bucket_open(struct lpd_calendar *c, u32 bit, struct lpd_slot *s)
{
	s->next = s;
	s->prev = s;
	c->bucket[bit] = s;
	lpd_calendar_mark(c, bit);
	/* a slot with an equal time would be in the same bucket */
	if (!c->first || s->at < c->first->at)
		c->first = s;
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
	s64 interval = lpd_calendar_interval(c, s);
	u32 bit = interval & c->mask;
	struct lpd_slot *first;

	if (lpd_calendar_join(c, s))
		return LPD_IN_RUN;
	if (unlikely(!lpd_calendar_covers(c, interval)))
		return lpd_tree_add(c, s);
	first = c->bucket[bit];
	if (!first)
		lpd_bucket_open(c, bit, s);
	else if (s->at > first->prev->at)
		lpd_list_insert(s, first);
	else
		return lpd_bucket_insert(c, &c->bucket[bit], s);
	return LPD_IN_BUCKET;
}

/* Removes the mark of a bucket that is not the first one. */
static noinline void lpd_calendar_clear(struct lpd_calendar *c, u32 bit)
{
	lpd_calendar_unmark(c, 0, bit);
}

static __always_inline void lpd_bucket_remove(struct lpd_calendar *c, struct lpd_slot *s)
{
	u32 bit = lpd_calendar_interval(c, s) & c->mask;
	struct lpd_slot *next = s->next;

	if (next == s) {
		c->bucket[bit] = NULL;
		if (c->first == s)
			lpd_calendar_vacate(c, bit);
		else
			lpd_calendar_clear(c, bit);
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
	else if (where == LPD_IN_RUN)
		lpd_list_remove(&c->run, s);
	else
		lpd_tree_remove(c, s);
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
		return where;
	}
	bucket = &c->bucket[lpd_calendar_interval(c, old) & c->mask];
	lpd_list_replace(bucket, old, new);
	if (c->first == old)
		c->first = new;
	return where;
}

/* @a or @b may be NULL. */
static struct lpd_slot *lpd_slot_earlier(const struct lpd_calendar *c, struct lpd_slot *a,
					 struct lpd_slot *b)
{
	if (!a || !b)
		return a ?: b;
	return lpd_slot_before(c, b, a) ? b : a;
}

/**
 * lpd_calendar_first_of_all() - find the earliest slot of run, buckets and tree
 * @c: the calendar
 *
 * Return: the slot, or NULL if the calendar is empty
 */
struct lpd_slot *lpd_calendar_first_of_all(const struct lpd_calendar *c)
{
	struct rb_node *tree = c->tree.rb_leftmost;

	return lpd_slot_earlier(c, lpd_slot_earlier(c, c->run, c->first),
				rb_entry_safe(tree, struct lpd_slot, node));
}
