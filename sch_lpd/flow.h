/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How far earliest-deadline-first may move a flow's packets: the option's reorder
 * says how deep a reordering their transport tolerates.
 *
 * A flow's packets are taken in blocks. Within a block keys decide; a packet's
 * place in the order is after all of earlier blocks. A block has no more packets
 * than the least reorder among them, so no packet is overtaken by as many of its
 * flow's as it tolerates:
 *
 *	reorder 3:  | 1 2 3 | 4 5 6 | 7 ...	3, 1, 2, 4, 6, 5, 7: at most 2
 *	reorder 0:  | 1 | 2 | 3 | ...		the order of arrival
 *
 * Pure; no packet, no lock.
 */
#ifndef _SCH_LPD_FLOW_H
#define _SCH_LPD_FLOW_H

#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/types.h>

/* Flows that share one by their hash are one: moved less than they might be. */
#define LPD_FLOWS	1024

/**
 * struct lpd_flow - a flow with packets in the order
 * @after: no place of the block is before this one
 * @latest: the latest place of all
 * @queued: packets in the order; a flow without any starts anew
 * @size: packets of the block, as the receiver will count them
 * @least: the least reorder among them
 */
struct lpd_flow {
	s64 after;
	s64 latest;
	u32 queued;
	u32 size;
	u8 least;
};

/**
 * lpd_flow_place() - a packet's place in the order
 * @f: its flow
 * @key: from when on it is stale, monotonic ns
 * @reorder: how many of its flow's packets may be moved past each other
 * @packets: what it is to the receiver: a super-packet is as many as its segments
 *
 * Return: @key, or later if the flow must not be reordered that far
 */
static inline s64 lpd_flow_place(struct lpd_flow *f, s64 key, u8 reorder,
				 unsigned int packets)
{
	s64 place;

	if (!f->queued++)
		*f = (struct lpd_flow){ S64_MIN, S64_MIN, 1, 0, U8_MAX };
	if (f->size + packets > min(f->least, reorder)) {
		f->after = f->latest + 1;
		f->size = 0;
		f->least = U8_MAX;
	}
	f->size += packets;
	f->least = min(f->least, reorder);
	place = max(key, f->after);
	f->latest = max(f->latest, place);
	return place;
}

/**
 * lpd_flow_join() - a packet comes into the order in the place of another
 * @f: its flow
 */
static inline void lpd_flow_join(struct lpd_flow *f)
{
	f->queued++;
}

/**
 * lpd_flow_leave() - a packet has left the order
 * @f: its flow
 */
static inline void lpd_flow_leave(struct lpd_flow *f)
{
	f->queued--;
}

#endif /* _SCH_LPD_FLOW_H */
