/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A calendar sorts slots by time. It finds the earliest slot, and adds and removes any slot, at a
 * cost that does not depend on the number of slots, as long as they lie in its window.
 *
 *	window		|<------------------- 2.1 s -------------------->|
 *	buckets		|     | a b |     |     |  c  |     | d e f |   |
 *	bitmaps		|  0     1     0     0     1     0      1     0 |
 *			a bit for each word of bits, in three or four levels
 *	run		x -> y -> z	slots that were pushed in the order of their times
 *	tree		slots outside of the window, and of crowded buckets
 *
 * A bucket is a sorted list of the slots of one interval. The buckets are reused in turn, like the
 * days of a calendar in the next year: the window begins at the earliest slot. A calendar that gets
 * more slots uses more buckets, of shorter intervals. The bitmaps find the next bucket that is not
 * empty (Saeed et al., "Eiffel: Efficient and Flexible Software Packet Scheduling", NSDI 2019,
 * section 3.1).
 *
 * A slot whose bucket would be searched for too long goes into a red-black tree, and so does a slot
 * outside of the window. Therefore no choice of times, as by a hostile sender, makes a slot cost
 * more than O(log n).
 *
 * The functions only compute: they need no lock, and read nothing but slots.
 */
#ifndef _SCH_LPD_CALENDAR_H
#define _SCH_LPD_CALENDAR_H

#include <linux/bits.h>
#include <linux/rbtree.h>
#include <linux/types.h>

/* A bit of the last level stands for so many buckets that LPD_CALENDAR_MOST need one word. */
#define LPD_CALENDAR_LEVELS	(BITS_PER_LONG == 64 ? 3 : 4)

/* The numbers of buckets are powers of two. With more buckets, their table would not fit into a
 * processor's cache, and would be slower than longer lists. For the same reason a calendar with few
 * slots uses only a part of its table: FEW buckets, then SOME buckets, then all. When half as many
 * slots as buckets are in a part, they all move. So SOME limits the time that one push can take.
 * The KUnit test sets small numbers, which its few slots exceed.
 */
#define LPD_CALENDAR_LEAST	256U
#define LPD_CALENDAR_MOST	262144U
#ifndef LPD_CALENDAR_FEW
#define LPD_CALENDAR_FEW	512U
#define LPD_CALENDAR_SOME	4096U
#endif

/**
 * struct lpd_slot - an element of a calendar
 * @at: the time by which the calendar sorts, ns
 * @then: orders slots with equal times; the difference of two values is less than S64_MAX
 * @next: the next slot in the same bucket; the first slot follows the last one
 * @prev: the slot before in the same bucket; the last slot is before the first one
 * @node: node in the tree
 */
struct lpd_slot {
	s64 at;
	s64 then;
	union {
		struct {
			struct lpd_slot *next;
			struct lpd_slot *prev;
		};
		struct rb_node node;
	};
};

/**
 * enum lpd_where - the part of a calendar that a slot is in
 * @LPD_NOWHERE: the slot is not in the calendar
 * @LPD_IN_BUCKET: a bucket
 * @LPD_IN_RUN: the list of the slots that were pushed in the order of their times
 * @LPD_IN_TREE: the tree
 *
 * Whoever owns the slot stores this value, because there is no space for it in struct lpd_slot. The
 * owner may have further values, for slots that are in no calendar.
 */
enum lpd_where {
	LPD_NOWHERE,
	LPD_IN_BUCKET,
	LPD_IN_RUN,
	LPD_IN_TREE,
};

/**
 * struct lpd_calendar - slots sorted by time
 * @first: the earliest slot of all, or NULL
 * @head: the earliest slot of all buckets, or NULL
 * @run: the earliest slot of the run, or NULL. A slot that comes after all slots of the run
 *	joins it, which touches no bucket. So a queue whose packets expire in the order of
 *	arrival, or that has only one packet, does not need the table
 * @bucket: the first slot of each bucket, or NULL
 * @bits: a bit for each bucket that is not empty, and in each further level a bit for each word of
 *	the level before that is not 0
 * @start: the first interval of the window
 * @last: no bucket has a slot of a later interval
 * @mask: number of buckets in use - 1; 0 if there are no buckets
 * @room: how many more slots the buckets in use may have
 * @buckets: number of buckets of the table
 * @shift: the binary logarithm of the length of an interval in ns
 * @tree: the slots that are not in buckets
 * @before: says which one of two slots with equal @at and @then comes first
 */
struct lpd_calendar {
	struct lpd_slot *first;
	struct lpd_slot *head;
	struct lpd_slot *run;
	struct lpd_slot **bucket;
	unsigned long *bits[LPD_CALENDAR_LEVELS];
	s64 start;
	s64 last;
	unsigned long mask;
	s32 room;
	u32 buckets;
	u8 shift;
	struct rb_root_cached tree;
	bool (*before)(const struct lpd_calendar *c, const struct lpd_slot *a,
		       const struct lpd_slot *b);
};

u32 lpd_calendar_buckets(u32 slots);
size_t lpd_calendar_bytes(u32 buckets);
void lpd_calendar_init(struct lpd_calendar *c, void *table, u32 buckets,
		       bool (*before)(const struct lpd_calendar *c, const struct lpd_slot *a,
				      const struct lpd_slot *b));
enum lpd_where lpd_calendar_push(struct lpd_calendar *c, struct lpd_slot *s);
void lpd_calendar_remove(struct lpd_calendar *c, struct lpd_slot *s, enum lpd_where where);
enum lpd_where lpd_calendar_replace(struct lpd_calendar *c, struct lpd_slot *old,
				    struct lpd_slot *new, enum lpd_where where);

/**
 * lpd_list_insert() - add a slot to a list
 * @s: the slot
 * @next: a slot of the list; @s comes before it. Before the first slot means at the end
 */
static inline void lpd_list_insert(struct lpd_slot *s, struct lpd_slot *next)
{
	s->next = next;
	s->prev = next->prev;
	s->prev->next = s;
	next->prev = s;
}

/**
 * lpd_list_append() - add a slot at the end of a list
 * @first: the first slot of the list, or NULL
 * @s: the slot
 */
static inline void lpd_list_append(struct lpd_slot **first, struct lpd_slot *s)
{
	if (*first) {
		lpd_list_insert(s, *first);
		return;
	}
	s->next = s;
	s->prev = s;
	*first = s;
}

/**
 * lpd_list_replace() - give a slot the position of another slot in a list
 * @first: the first slot of the list
 * @old: the other slot
 * @new: the slot
 */
static inline void lpd_list_replace(struct lpd_slot **first, struct lpd_slot *old,
				    struct lpd_slot *new)
{
	lpd_list_insert(new, old);
	new->next = old->next;
	new->next->prev = new;
	if (*first == old)
		*first = new;
}

/**
 * lpd_list_remove() - remove a slot from a list
 * @first: the first slot of the list
 * @s: the slot
 */
static inline void lpd_list_remove(struct lpd_slot **first, struct lpd_slot *s)
{
	s->next->prev = s->prev;
	s->prev->next = s->next;
	if (*first == s)
		*first = s->next == s ? NULL : s->next;
}

/**
 * lpd_calendar_first() - find the earliest slot
 * @c: the calendar
 *
 * Return: the slot, or NULL if the calendar is empty
 */
static inline struct lpd_slot *lpd_calendar_first(const struct lpd_calendar *c)
{
	return c->first;
}

#endif /* _SCH_LPD_CALENDAR_H */
