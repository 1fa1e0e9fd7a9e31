/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What source and sink agree on.
 *
 * A packet is UDP; its payload starts with struct traffic_header. Times are
 * CLOCK_REALTIME in ns: right between namespaces of a host, and between hosts
 * as far as their clocks agree. The size tells the sink of packets that a
 * router cut to their headers and these bytes.
 */
#ifndef FRESHLINK_TRAFFIC_H
#define FRESHLINK_TRAFFIC_H

#include <stdint.h>

#define TRAFFIC_MAGIC		0x464c5452U	/* "FLTR" */
#define TRAFFIC_NO_LIFETIME	UINT32_MAX
#define TRAFFIC_PORT		5001
#define TRAFFIC_SEQUENCE_MAX	(1ULL << 28)	/* bounds the sink's memory */

/**
 * struct traffic_header - start of the payload, all fields big endian
 * @magic: TRAFFIC_MAGIC
 * @lifetime_ms: from @sent_ns on, or TRAFFIC_NO_LIFETIME
 * @size: bytes of the whole payload
 * @sequence: from 0
 * @sent_ns: CLOCK_REALTIME
 */
struct traffic_header {
	uint32_t magic;
	uint32_t lifetime_ms;
	uint32_t size;
	uint32_t sequence;
	uint64_t sent_ns;
} __attribute__((packed));

#endif
