/* SPDX-License-Identifier: GPL-2.0 */
/*
 * These functions limit how far order edf may reorder the packets of a flow. The field
 * "reorder" of a packet's option says how much reordering its transport tolerates.
 *
 * A flow's packets are divided into blocks. Packets of one block are sent in the order of
 * their keys. A packet's place is later than the places of all earlier blocks. A block has at most
 * as many packets as the smallest "reorder" of its packets, but at least one packet. Therefore at
 * most "reorder" - 1 packets of the flow overtake a packet, and none if "reorder" is 0:
 *
 *	reorder 3:  | 1 2 3 | 4 5 6 | 7 ...	3, 1, 2, 4, 6, 5, 7: at most 2
 *	reorder 0:  | 1 | 2 | 3 | ...		the order of arrival
 *
 * The functions only compute: they read no packet and need no lock.
 */
#ifndef _SCH_LPD_FLOW_H
#define _SCH_LPD_FLOW_H

#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/types.h>

/* The number of elements of the table of flows. Flows that share an element are treated as one
 * flow, so their packets are reordered less than allowed.
 */
#define LPD_FLOWS	1024

/**
 * struct lpd_flow - a flow that has packets in the index
 * @after: the earliest possible place of a packet of the current block
 * @latest: the latest place of all packets of the flow
 * @queued: number of packets in the index; a packet that arrives while this number is 0 resets the
 *	flow
 * @size: number of packets in the current block; each segment of a super-packet counts as a packet
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
 * @key: the packet's key, monotonic ns
 * @reorder: field "reorder" of the packet's option
 * @packets: number of packets that the receiver will see; each segment of a super-packet counts as
 *	a packet
 *
 * Return: @key, or a later time if sending the packet by @key would reorder the flow too
 * far
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

/* Counts a segment that is queued at the position of its GSO packet. */
static inline void lpd_flow_join(struct lpd_flow *f)
{
	f->queued++;
}

static inline void lpd_flow_leave(struct lpd_flow *f)
{
	f->queued--;
}

#endif /* _SCH_LPD_FLOW_H */
