/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A modem between the host and the radio. The modem has its own buffer, and its radio sends only
 * when the scheduler of the network grants a transmission:
 *
 *	ring or buffer --> rate or trace --> block --> leaves at the next grant
 *
 * The block contains the packets that the next grant sends (3GPP's transport block).
 */
#ifndef _CELLINK_MODEM_H
#define _CELLINK_MODEM_H

#include "config.h"

/**
 * struct cell_room - size at which the device stops its queue
 * @packets: number of packets in the ring
 * @bytes: number of bytes in the ring
 */
struct cell_room {
	u32 packets;
	u32 bytes;
};

/**
 * struct cell_load - the packets that a modem contains
 * @packets: number of packets
 * @bytes: length of these packets on the wire
 */
struct cell_load {
	u32 packets;
	u64 bytes;
};

struct cell_room cell_modem_room(const struct cell_config *cfg);
bool cell_modem_fits(const struct cell_config *cfg, struct cell_load load,
		     u32 bytes);
s64 cell_modem_grant(const struct cell_config *cfg, s64 elapsed);

#endif /* _CELLINK_MODEM_H */
