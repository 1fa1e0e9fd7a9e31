/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Limits how far order edf may move the packets of a flow. The field "reorder" of a
 * packet's option says how much reordering its transport tolerates.
 *
 * A flow's packets are divided into blocks. Within a block, packets are sent by key. A
 * packet's place is after all places of earlier blocks. A block has no more packets than
 * the smallest "reorder" among them. So a packet is overtaken by fewer packets of its
 * flow than it tolerates:
 *
 *	reorder 3:  | 1 2 3 | 4 5 6 | 7 ...	3, 1, 2, 4, 6, 5, 7: at most 2
 *	reorder 0:  | 1 | 2 | 3 | ...		the order of arrival
 *
 * Pure functions: no packet, no lock.
 */
#ifndef _SCH_LPD_FLOW_H
#define _SCH_LPD_FLOW_H

#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/types.h>

/* Flows with the same hash count as one flow: they are moved less than allowed. */
#define LPD_FLOWS	1024

/**
 * struct lpd_flow - a flow that has packets in the order
 * @after: the earliest place that a packet of the current block can get
 * @latest: the latest place of all packets so far
 * @queued: packets in the order; a flow without packets starts anew
 * @size: packets of the current block, as the receiver will count them
 * @least: the smallest "reorder" in the current block
 */
struct lpd_flow {
	s64 after;
	s64 latest;
	u32 queued;
	u32 size;
	u8 least;
};

/**
 * lpd_flow_place() - compute a packet's place in the order
 * @f: the packet's flow
 * @key: after this time the packet is stale, monotonic ns
 * @reorder: how many packets of its flow may be moved past each other
 * @packets: how many packets the receiver will see: a super-packet counts as its
 *	segments
 *
 * Return: @key, or a later time if the flow must not be reordered that far
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

/* A segment joins the order at the place of its super-packet. */
static inline void lpd_flow_join(struct lpd_flow *f)
{
	f->queued++;
}

static inline void lpd_flow_leave(struct lpd_flow *f)
{
	f->queued--;
}

#endif /* _SCH_LPD_FLOW_H */
