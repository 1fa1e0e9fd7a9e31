/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A binary heap of times. Its entries are inside other structures. */
#ifndef FDCCP_HEAP_H
#define FDCCP_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FDCCP_HEAP_OUT	UINT32_MAX

/**
 * struct fdccp_heap_entry - a place in a heap
 * @when: the time
 * @index: the place; FDCCP_HEAP_OUT: the entry is not in the heap
 */
struct fdccp_heap_entry {
	int64_t when;
	uint32_t index;
};

/**
 * struct fdccp_heap - the heap
 * @entry: no entry is earlier than the one at half its index; [0] is unused
 * @count: entries
 * @room: entries that @entry has room for
 */
struct fdccp_heap {
	struct fdccp_heap_entry **entry;
	uint32_t count, room;
};

/* Makes room for @count entries. Return: whether there was memory. */
bool fdccp_heap_reserve(struct fdccp_heap *heap, uint32_t count);

/* Gives memory back, where @count entries, no fewer than there are, need less than a quarter. */
void fdccp_heap_shrink(struct fdccp_heap *heap, uint32_t count);
void fdccp_heap_free(struct fdccp_heap *heap);

/* Gives an entry the time @when; it is added if it is not in the heap, which has room for it. */
void fdccp_heap_set(struct fdccp_heap *heap, struct fdccp_heap_entry *entry, int64_t when);

/* An entry has moved to another address; it may be in the heap. */
void fdccp_heap_moved(struct fdccp_heap *heap, struct fdccp_heap_entry *entry);

/* Removes an entry, if it is in the heap. */
void fdccp_heap_remove(struct fdccp_heap *heap, struct fdccp_heap_entry *entry);

/* The earliest entry. Return: it or NULL. */
static inline struct fdccp_heap_entry *fdccp_heap_first(const struct fdccp_heap *heap)
{
	return heap->count ? heap->entry[1] : NULL;
}

#endif
