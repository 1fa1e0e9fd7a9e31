// SPDX-License-Identifier: GPL-2.0-or-later
/* Why a packet is missing, or what else is known of it. */
#include "cause.h"

/* A flow of which a greater share is stale is told that this is congestion. */
#define SHARE_MAX	10	/* one in ten */

/* What the receiver says of a packet that arrived: RFC 4340 section 11.7. The reserved codes 4 to 6
 * say that the program did not get the data. A mark counts beside them: see @marked.
 */
static enum fdccp_cause arrived(const struct fdccp_sent_packet *packet)
{
	switch (packet->drop) {
	case FDCCP_DROP_NONE:
		return packet->marked ? FDCCP_CAUSE_MARKED : FDCCP_CAUSE_ARRIVED;
	case FDCCP_DROP_PROTOCOL:
		return packet->marked ? FDCCP_CAUSE_MARKED : FDCCP_CAUSE_CUT;
	case FDCCP_DROP_NOT_LISTENING:
	case FDCCP_DROP_RECEIVE_BUFFER:
		return FDCCP_CAUSE_REFUSED;
	case FDCCP_DROP_DELIVERED_CORRUPT:
		return FDCCP_CAUSE_FLAWED;
	default:
		return FDCCP_CAUSE_DAMAGED;
	}
}

static bool is_stale(const struct fdccp_sent_packet *packet)
{
	return packet->fate == FDCCP_FATE_EXPIRED || packet->fate == FDCCP_FATE_DISCARDED;
}

enum fdccp_cause fdccp_cause_of(const struct fdccp_sent_packet *packet)
{
	if (packet->received)
		return packet->fate == FDCCP_FATE_LOST || is_stale(packet) ?
			FDCCP_CAUSE_LATE : arrived(packet);
	if (is_stale(packet))
		return FDCCP_CAUSE_STALE;
	return packet->hint == FDCCP_FATE_LOST ? FDCCP_CAUSE_GIVEN_UP : FDCCP_CAUSE_MISSING;
}

enum fdccp_cause fdccp_cause_untold(enum fdccp_cause cause)
{
	switch (cause) {
	case FDCCP_CAUSE_DAMAGED:
	case FDCCP_CAUSE_STALE:
	case FDCCP_CAUSE_OVERDUE:
	case FDCCP_CAUSE_GIVEN_UP:
		return FDCCP_CAUSE_MISSING;
	default:
		return cause;
	}
}

void fdccp_stale_advance(struct fdccp_stale_share *share, uint64_t told, int64_t rtt, int64_t now)
{
	int64_t passed = (now - share->next) / rtt + 1;

	share->next += passed * rtt;
	for (int64_t i = 0; i < passed && i < FDCCP_STALE_ROUNDS; i++) {
		share->latest = (share->latest + 1) % FDCCP_STALE_ROUNDS;
		share->before[share->latest] = told;
		share->stale[share->latest] = 0;
	}
}

enum fdccp_cause fdccp_stale_judge(struct fdccp_stale_share *share, uint64_t told)
{
	uint64_t packets = told - share->before[(share->latest + 1) % FDCCP_STALE_ROUNDS];
	uint64_t stale = 0;

	share->stale[share->latest]++;
	for (unsigned int i = 0; i < FDCCP_STALE_ROUNDS; i++)
		stale += share->stale[i];
	return stale * SHARE_MAX > packets ? FDCCP_CAUSE_OVERDUE : FDCCP_CAUSE_STALE;
}
