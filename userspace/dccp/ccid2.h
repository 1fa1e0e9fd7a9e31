/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CCID 2's receiving half: RFC 4341 section 6. */
#ifndef FDCCP_CCID2_H
#define FDCCP_CCID2_H

#include "ccid.h"

/* RFC 4340 section 11.3 */
#define FDCCP_ACK_RATIO_INITIAL	2
#define FDCCP_ACK_DELAY		INT64_C(200000000)

/**
 * struct fdccp_ccid2_rx - what the receiving half knows
 * @ratio: the feature Ack Ratio
 * @waiting: data packets that no acknowledgment was sent for
 * @delay: how long the first of them waits for one
 * @heard: when the last data packet arrived; 0: there was none
 * @prompt_until: until then it waits for a short time only
 * @when: when one must be sent, or FDCCP_NEVER
 * @greatest: the greatest number received
 * @has_greatest: there is one
 * @greatest_at: when it arrived
 * @mark_after: from then on, a marked packet is acknowledged at once
 * @rtt: round-trip time
 */
struct fdccp_ccid2_rx {
	uint16_t ratio;
	uint32_t waiting;
	int64_t delay;
	int64_t heard, prompt_until;
	int64_t when;
	uint64_t greatest;
	bool has_greatest;
	int64_t greatest_at;
	int64_t mark_after;
	int64_t rtt;
};

void fdccp_ccid2_rx_start(void *rx, const struct fdccp_ccid_start *start);
void fdccp_ccid2_rx_packet(void *rx, const struct fdccp_rx_packet *packet);
int64_t fdccp_ccid2_rx_when(const void *rx);
void fdccp_ccid2_rx_write(void *rx, struct fdccp_writer *w, bool data, int64_t now);
void fdccp_ccid2_rx_sent(void *rx, uint64_t seq, int64_t now);
void fdccp_ccid2_rx_ack_ratio(void *rx, uint16_t ratio);

#endif
