/* SPDX-License-Identifier: GPL-2.0 */
/* The work that a calendar does for most packets, inline: see calendar.h. */
#ifndef _SCH_LPD_CALENDAR_QUICK_H
#define _SCH_LPD_CALENDAR_QUICK_H

#include <linux/bitops.h>
#include <linux/log2.h>
#include "calendar.h"
#include "fast.h"

#define LPD_WORD_SHIFT		ilog2(BITS_PER_LONG)

/* The rare work is in calendar.c. Each call of these functions is the last action of an inline
 * function here. So the inline functions need no registers that they must save.
 */
enum lpd_where lpd_calendar_lead(struct lpd_calendar *c, struct lpd_slot *s, enum lpd_where where);
enum lpd_where lpd_calendar_push_far(struct lpd_calendar *c, struct lpd_slot *s);
enum lpd_where lpd_bucket_insert(struct lpd_calendar *c, unsigned long bit, struct lpd_slot *s);
enum lpd_where lpd_tree_add(struct lpd_calendar *c, struct lpd_slot *s);
void lpd_tree_remove(struct lpd_calendar *c, struct lpd_slot *s);
void lpd_calendar_unmark(struct lpd_calendar *c, unsigned long bit);
void lpd_calendar_wrap(struct lpd_calendar *c, int level, unsigned long bit);
void lpd_calendar_find_first(struct lpd_calendar *c);
void lpd_calendar_emptied(struct lpd_calendar *c);
enum lpd_where lpd_calendar_grow(struct lpd_calendar *c, struct lpd_slot *s);

static inline s64 lpd_calendar_interval(const struct lpd_calendar *c, const struct lpd_slot *s)
{
	return s->at >> c->shift;
}

/* Checks whether a slot comes after another one. The answer is no if only c->before could tell. */
static inline bool lpd_slot_follows(const struct lpd_slot *s, const struct lpd_slot *other)
{
	return s->at > other->at || (s->at == other->at && s->then - other->then > 0);
}

/* Marks a bucket that is not empty. */
static __always_inline void lpd_calendar_mark(struct lpd_calendar *c, unsigned long bit)
{
	int level;

	for (level = 0; level < LPD_CALENDAR_LEVELS; level++, bit >>= LPD_WORD_SHIFT) {
		unsigned long *word = &c->bits[level][bit >> LPD_WORD_SHIFT], before = *word;

		*word = before | BIT(bit % BITS_PER_LONG);
		/* the next level has the bit of this word already */
		if (before)
			return;
	}
}

/* Adds a slot to an empty bucket. */
static __always_inline enum lpd_where lpd_bucket_open(struct lpd_calendar *c, unsigned long bit,
						      struct lpd_slot *s)
{
	s->next = s;
	s->prev = s;
	c->bucket[bit] = s;
	lpd_calendar_mark(c, bit);
	/* a slot with an equal time would be in the same bucket */
	if (c->head && c->head->at < s->at)
		return LPD_IN_BUCKET;
	c->head = s;
	return lpd_calendar_lead(c, s, LPD_IN_BUCKET);
}

/* Adds a slot to the bucket of its interval, which is in the window. */
static __always_inline enum lpd_where lpd_bucket_push(struct lpd_calendar *c, struct lpd_slot *s)
{
	unsigned long bit = lpd_calendar_interval(c, s) & c->mask;
	struct lpd_slot *first;

	if (unlikely(--c->room < 0))
		return lpd_calendar_grow(c, s);
	first = c->bucket[bit];
	if (!first)
		return lpd_bucket_open(c, bit, s);
	if (!lpd_slot_follows(s, first->prev))
		return lpd_bucket_insert(c, bit, s);
	lpd_list_insert(s, first);
	return LPD_IN_BUCKET;
}

/**
 * lpd_calendar_push_quick() - add a slot, like lpd_calendar_push()
 * @c: the calendar
 * @s: a slot whose time is set
 *
 * Return: the part that the slot is in now
 */
static __always_inline enum lpd_where lpd_calendar_push_quick(struct lpd_calendar *c,
							      struct lpd_slot *s)
{
	s64 interval = lpd_calendar_interval(c, s);
	struct lpd_slot *run = c->run;

	if (!LPD_FAST)
		return lpd_tree_add(c, s);
	if (!run || lpd_slot_follows(s, run->prev)) {
		lpd_list_append(&c->run, s);
		return run ? LPD_IN_RUN : lpd_calendar_lead(c, s, LPD_IN_RUN);
	}
	if (unlikely((u64)(interval - c->start) > c->mask))
		return lpd_calendar_push_far(c, s);
	if (interval > c->last)
		c->last = interval;
	return lpd_bucket_push(c, s);
}

/* Returns the first slot of the first bucket below a bit that is set. */
static __always_inline struct lpd_slot *lpd_calendar_descend(const struct lpd_calendar *c,
							     unsigned long level,
							     unsigned long bit)
{
	while (level--)
		bit = bit << LPD_WORD_SHIFT | __ffs(c->bits[level][bit]);
	return c->bucket[bit];
}

/* Removes the mark of the first bucket, which is empty now, and finds the next one. Returns false
 * if the first slot of all has been found as well.
 */
static __always_inline bool lpd_calendar_vacate(struct lpd_calendar *c, unsigned long bit)
{
	unsigned long level;

	for (level = 0; level < LPD_CALENDAR_LEVELS; level++, bit >>= LPD_WORD_SHIFT) {
		unsigned long *bits = &c->bits[level][bit >> LPD_WORD_SHIFT];
		unsigned long word = *bits & ~BIT(bit % BITS_PER_LONG);
		unsigned long later = word >> bit % BITS_PER_LONG;

		*bits = word;
		if (later) {
			c->head = lpd_calendar_descend(c, level, bit + __ffs(later));
			return true;
		}
		if (word) {
			lpd_calendar_wrap(c, level, bit);
			return false;
		}
	}
	lpd_calendar_emptied(c);
	return false;
}

/* Finds the first slot of all after the former one has left. */
static __always_inline void lpd_calendar_succeed(struct lpd_calendar *c)
{
	struct lpd_slot *head = c->head, *run = c->run;

	if (unlikely(c->tree.rb_leftmost || (run && head && run->at == head->at)))
		lpd_calendar_find_first(c);
	else
		c->first = run && (!head || run->at < head->at) ? run : head;
}

/* Removes a slot from a bucket that has other slots. */
static __always_inline void lpd_bucket_remove(struct lpd_calendar *c, unsigned long bit,
					      struct lpd_slot *s)
{
	lpd_list_remove(&c->bucket[bit], s);
	if (c->head == s)
		c->head = s->next;
}

/**
 * lpd_calendar_remove_quick() - remove a slot, like lpd_calendar_remove()
 * @c: the calendar
 * @s: a slot in the calendar
 * @where: the part that the slot is in
 */
static __always_inline void lpd_calendar_remove_quick(struct lpd_calendar *c, struct lpd_slot *s,
						      enum lpd_where where)
{
	unsigned long bit = lpd_calendar_interval(c, s) & c->mask;

	if (unlikely(where == LPD_IN_TREE)) {
		lpd_tree_remove(c, s);
		return;
	}
	if (where == LPD_IN_RUN) {
		lpd_list_remove(&c->run, s);
	} else if (s->next != s) {
		c->room++;
		lpd_bucket_remove(c, bit, s);
	} else {
		c->room++;
		c->bucket[bit] = NULL;
		if (unlikely(c->head != s)) {
			lpd_calendar_unmark(c, bit);
			return;
		}
		if (!lpd_calendar_vacate(c, bit))
			return;
	}
	if (c->first == s)
		lpd_calendar_succeed(c);
}

#endif /* _SCH_LPD_CALENDAR_QUICK_H */
