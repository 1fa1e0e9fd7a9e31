/* SPDX-License-Identifier: GPL-2.0 */
/* What can be set of one direction. */
#ifndef _CELLINK_CONFIG_H
#define _CELLINK_CONFIG_H

#include <linux/cellink.h>
#include <linux/types.h>

/**
 * struct cell_config - one direction as it is set
 * @rate: bytes/s, 0 for unlimited
 * @delay: propagation delay in ns
 * @ring_packets: packets that the ring holds
 * @ring_bytes: bytes that the ring holds, 0 for no limit
 */
struct cell_config {
	u64 rate;
	u64 delay;
	u32 ring_packets;
	u32 ring_bytes;
};

#define CELL_CONFIG_DEFAULT \
	((struct cell_config){ .ring_packets = CELLINK_RING_PACKETS_DEFAULT })

#endif /* _CELLINK_CONFIG_H */
