/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The timeout of a sender that waits for acknowledgments: RFC 6298. */
#ifndef FDCCP_RTO_H
#define FDCCP_RTO_H

#include <stdint.h>

#define FDCCP_RTO_INITIAL	INT64_C(1000000000)
#define FDCCP_RTO_MAX		INT64_C(60000000000)
/* G of RFC 6298: an acknowledgment can come so much later by the peer's timer for delayed ones
 * (RFC 4340 section 11.3), which no variation of round-trip times tells
 */
#define FDCCP_RTO_VARIANCE_MIN	INT64_C(200000000)

/**
 * struct fdccp_rto - a timeout; all times are in ns
 * @srtt: smoothed round-trip time, 0 before the first sample
 * @rttvar: its variation
 * @rto: the timeout
 */
struct fdccp_rto {
	int64_t srtt;
	int64_t rttvar;
	int64_t rto;
};

void fdccp_rto_init(struct fdccp_rto *rto);

/* A round-trip time was measured, @sample > 0; the backoff ends. */
void fdccp_rto_sample(struct fdccp_rto *rto, int64_t sample);

/* The backoff ends, because the path works again: the timeout is that of the last sample. */
void fdccp_rto_end_backoff(struct fdccp_rto *rto);

/* The timeout has passed: the next one is twice as long. */
void fdccp_rto_back_off(struct fdccp_rto *rto);

#endif
