// SPDX-License-Identifier: GPL-2.0-or-later
/* The timeout of a sender that waits for acknowledgments: RFC 6298. */
#include "rto.h"

void fdccp_rto_init(struct fdccp_rto *rto)
{
	*rto = (struct fdccp_rto){ .rto = FDCCP_RTO_INITIAL };
}

static int64_t at_most(int64_t value, int64_t limit)
{
	return value < limit ? value : limit;
}

void fdccp_rto_sample(struct fdccp_rto *rto, int64_t sample)
{
	if (!rto->srtt) {
		rto->srtt = sample;
		rto->rttvar = sample / 2;
	} else {
		int64_t error = rto->srtt > sample ? rto->srtt - sample : sample - rto->srtt;

		rto->rttvar += (error - rto->rttvar) / 4;
		rto->srtt += (sample - rto->srtt) / 8;
	}
	fdccp_rto_end_backoff(rto);
}

void fdccp_rto_end_backoff(struct fdccp_rto *rto)
{
	int64_t variance = 4 * rto->rttvar;

	if (variance < FDCCP_RTO_VARIANCE_MIN)
		variance = FDCCP_RTO_VARIANCE_MIN;
	rto->rto = rto->srtt ? at_most(rto->srtt + variance, FDCCP_RTO_MAX) : FDCCP_RTO_INITIAL;
}

void fdccp_rto_back_off(struct fdccp_rto *rto)
{
	rto->rto = at_most(2 * rto->rto, FDCCP_RTO_MAX);
}
