/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The largest flows of a sample of packets, in bounded memory.
 *
 * This is the algorithm Space-Saving (Metwally, Agrawal, El Abbadi 2005). A new flow takes the
 * place of the smallest one, and begins with its count. So a flow that has more than a share of
 * 1 / TOP_FLOWS of the sample is always in the table, however many flows somebody makes.
 */
#ifndef FRESHLINK_SAMPLE_H
#define FRESHLINK_SAMPLE_H

#include "../cli/flow.h"
#include "top.h"

#define TOP_FLOWS	256

/**
 * struct top_flow - a flow in the sample
 * @flow: the flow
 * @ifindex: index of its device
 * @bytes: its bytes in the sample, with those of the flows whose place it took
 */
struct top_flow {
	struct flow flow;
	unsigned int ifindex;
	uint64_t bytes;
};

/**
 * struct top_sample - a sample; initialized with 0
 * @packets: packets in the sample
 * @bytes: their bytes
 * @count: number of @flows
 * @flows: the flows
 */
struct top_sample {
	uint64_t packets;
	uint64_t bytes;
	int count;
	struct top_flow flows[TOP_FLOWS];
};

/**
 * top_sample_add - add a packet
 * @s: the sample
 * @flow: its flow
 * @ifindex: index of its device
 * @bytes: its length
 */
void top_sample_add(struct top_sample *s, const struct flow *flow, unsigned int ifindex,
		    uint32_t bytes);

/** top_sample_sort - sort the flows, the largest first */
void top_sample_sort(struct top_sample *s);

/** top_flow_head - the head of the table of flows; @line has TOP_WIDTH bytes */
void top_flow_head(int device, char *line);

/**
 * top_flow_line - a line of the table of flows
 * @f: the flow
 * @s: the sample
 * @one_in: one in so many packets is in the sample
 * @ns: time in which the sample was taken
 * @name: name of the device
 * @device: width of the column of devices
 * @line: written, TOP_WIDTH bytes
 */
void top_flow_line(const struct top_flow *f, const struct top_sample *s, uint32_t one_in,
		   int64_t ns, const char *name, int device, char *line);

#endif
