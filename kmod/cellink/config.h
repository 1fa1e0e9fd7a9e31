/* SPDX-License-Identifier: GPL-2.0 */
/* Configuration of one direction. */
#ifndef _CELLINK_CONFIG_H
#define _CELLINK_CONFIG_H

#include <linux/build_bug.h>
#include <linux/types.h>
#include "errors.h"
#include "outage.h"

/* the streams of a seed must have different numbers */
static_assert(CELL_STREAM_OUTAGES > CELL_STREAM_SOJOURNS);

/**
 * struct cell_config - configuration of one direction
 * @rate: in bytes/s, 0 for unlimited
 * @delay: propagation delay in ns
 * @ring_packets: capacity of the ring in packets
 * @ring_bytes: capacity of the ring in bytes, 0 for no limit
 * @buffer: capacity of the modem's buffer in bytes, 0 for no buffer
 * @grant: time between two grants in ns, 0 for a radio that always sends
 * @seed: seed of all random numbers
 * @errors: losses and bit errors
 * @corrupt: enum cellink_corrupt
 * @ber_state: enum cellink_ber_state
 * @outage: outages
 * @handover: enum cellink_handover; applies to one change only
 */
struct cell_config {
	u64 rate;
	u64 delay;
	u32 ring_packets;
	u32 ring_bytes;
	u32 buffer;
	u64 grant;
	u32 seed;
	struct cell_errors_config errors;
	u8 corrupt;
	u8 ber_state;
	struct cell_outage_config outage;
	u8 handover;
};

/**
 * cell_config_has_states() - does the configuration set how long the states last?
 * @cfg: the configuration
 */
static inline bool cell_config_has_states(const struct cell_config *cfg)
{
	return cfg->errors.state[CELLINK_STATE_BAD].sojourn;
}

/**
 * cell_config_judges() - can a packet be lost or get bit errors?
 * @cfg: the configuration
 */
static inline bool cell_config_judges(const struct cell_config *cfg)
{
	int state;

	for (state = 0; state < CELLINK_STATES; state++)
		if (cfg->errors.state[state].loss || cfg->errors.state[state].ber)
			return true;
	return false;
}

#endif /* _CELLINK_CONFIG_H */
