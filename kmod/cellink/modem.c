// SPDX-License-Identifier: GPL-2.0
/* Sizes of a modem's buffer, and times of its grants. */

#include <linux/limits.h>
#include <linux/math64.h>
#include "modem.h"

/**
 * cell_modem_room() - size of the ring at which the device stops its queue
 * @cfg: the configuration
 *
 * Return: U32_MAX for no limit. A modem with a buffer never stops the queue
 */
struct cell_room cell_modem_room(const struct cell_config *cfg)
{
	if (cfg->buffer)
		return (struct cell_room){ .packets = U32_MAX, .bytes = U32_MAX };
	return (struct cell_room){
		.packets = cfg->ring_packets,
		.bytes = cfg->ring_bytes ?: U32_MAX,
	};
}

/**
 * cell_modem_fits() - does a packet fit into the modem's buffer?
 * @cfg: a configuration with a buffer
 * @load: the packets in the buffer, including the packet that is being sent
 * @bytes: length of the packet on the wire
 *
 * The number of packets is also limited, because small packets need more memory than their length.
 */
bool cell_modem_fits(const struct cell_config *cfg, struct cell_load load,
		     u32 bytes)
{
	if (!load.packets)
		return true;
	return load.packets < CELLINK_RING_PACKETS_MAX &&
	       load.bytes + bytes <= cfg->buffer;
}

/**
 * cell_modem_grant() - the first grant at or after a given time
 * @cfg: the configuration
 * @elapsed: the time, in ns since the grants began; not negative
 *
 * Return: in ns since the grants began; @elapsed if the radio always sends
 */
s64 cell_modem_grant(const struct cell_config *cfg, s64 elapsed)
{
	u64 since;

	if (!cfg->grant)
		return elapsed;
	div64_u64_rem(elapsed, cfg->grant, &since);
	return since ? elapsed - since + cfg->grant : elapsed;
}
