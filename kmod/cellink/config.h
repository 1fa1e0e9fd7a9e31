/* SPDX-License-Identifier: GPL-2.0 */
/* What can be set of one direction. */
#ifndef _CELLINK_CONFIG_H
#define _CELLINK_CONFIG_H

#include <linux/types.h>
#include "errors.h"
#include "outage.h"

/**
 * struct cell_config - one direction as it is set
 * @rate: bytes/s, 0 for unlimited
 * @delay: propagation delay in ns
 * @ring_packets: packets that the ring holds
 * @ring_bytes: bytes that the ring holds, 0 for no limit
 * @seed: of all that is random
 * @errors: losses and bit errors
 * @corrupt: enum cellink_corrupt
 * @outage: outages
 * @handover: enum cellink_handover, of one change
 */
struct cell_config {
	u64 rate;
	u64 delay;
	u32 ring_packets;
	u32 ring_bytes;
	u32 seed;
	struct cell_errors_config errors;
	u8 corrupt;
	struct cell_outage_config outage;
	u8 handover;
};

/**
 * cell_config_has_states() - whether there is a bad state beside the good one
 * @cfg: the configuration
 */
static inline bool cell_config_has_states(const struct cell_config *cfg)
{
	return cfg->errors.state[CELLINK_STATE_BAD].sojourn;
}

/**
 * cell_config_judges() - whether chance decides about each packet
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
