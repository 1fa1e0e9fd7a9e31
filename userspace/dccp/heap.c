// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "heap.h"

#define ROOM_MIN	16

static bool resize(struct fdccp_heap *heap, uint32_t room)
{
	struct fdccp_heap_entry **entry;

	entry = realloc(heap->entry, ((size_t)room + 1) * sizeof(struct fdccp_heap_entry *));
	if (!entry)
		return false;
	heap->entry = entry;
	heap->room = room;
	return true;
}

bool fdccp_heap_reserve(struct fdccp_heap *heap, uint32_t count)
{
	uint32_t room = heap->room ? heap->room : ROOM_MIN;

	if (count <= heap->room)
		return true;
	while (room < count)
		room *= 2;
	return resize(heap, room);
}

void fdccp_heap_shrink(struct fdccp_heap *heap, uint32_t count)
{
	if (heap->room > ROOM_MIN && count < heap->room / 4)
		resize(heap, heap->room / 2);
}

void fdccp_heap_free(struct fdccp_heap *heap)
{
	free(heap->entry);
	*heap = (struct fdccp_heap){ 0 };
}

static void place(struct fdccp_heap *heap, struct fdccp_heap_entry *entry, uint32_t index)
{
	heap->entry[index] = entry;
	entry->index = index;
}

static void move_up(struct fdccp_heap *heap, struct fdccp_heap_entry *entry)
{
	uint32_t at = entry->index;

	for (; at > 1 && entry->when < heap->entry[at / 2]->when; at /= 2)
		place(heap, heap->entry[at / 2], at);
	place(heap, entry, at);
}

static void move_down(struct fdccp_heap *heap, struct fdccp_heap_entry *entry)
{
	uint32_t at = entry->index, child;

	for (; at * 2 <= heap->count; at = child) {
		child = at * 2;
		if (child < heap->count &&
		    heap->entry[child + 1]->when < heap->entry[child]->when)
			child++;
		if (entry->when <= heap->entry[child]->when)
			break;
		place(heap, heap->entry[child], at);
	}
	place(heap, entry, at);
}

void fdccp_heap_set(struct fdccp_heap *heap, struct fdccp_heap_entry *entry, int64_t when)
{
	if (entry->index == FDCCP_HEAP_OUT)
		place(heap, entry, ++heap->count);
	entry->when = when;
	move_up(heap, entry);
	move_down(heap, entry);
}

void fdccp_heap_moved(struct fdccp_heap *heap, struct fdccp_heap_entry *entry)
{
	if (entry->index != FDCCP_HEAP_OUT)
		heap->entry[entry->index] = entry;
}

void fdccp_heap_remove(struct fdccp_heap *heap, struct fdccp_heap_entry *entry)
{
	struct fdccp_heap_entry *last;
	uint32_t at = entry->index;

	if (at == FDCCP_HEAP_OUT)
		return;
	entry->index = FDCCP_HEAP_OUT;
	last = heap->entry[heap->count--];
	if (last == entry)
		return;
	place(heap, last, at);
	move_up(heap, last);
	move_down(heap, last);
}
