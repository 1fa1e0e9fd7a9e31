/* SPDX-License-Identifier: GPL-2.0 */
/* The retransmission timeout, from samples of the round-trip time. All functions only compute. */
#ifndef _ARQLINK_TIMER_H
#define _ARQLINK_TIMER_H

#include <linux/types.h>
#include "config.h"

/**
 * struct arql_estimate - estimates of the round-trip time; all times are in ns
 * @samples: number of samples
 * @srtt: mean, valid with at least one sample
 * @srttvar: deviation, may be negative with ARQLINK_VARIANCE_SIGNED
 * @least: least round-trip time since the frame was sent, 0 if unknown
 */
struct arql_estimate {
	u64 samples;
	s64 srtt;
	s64 srttvar;
	s64 least;
};

void arql_estimate_sample(struct arql_estimate *e,
			  const struct arql_timer_config *cfg, s64 sample);
void arql_estimate_least(struct arql_estimate *e, s64 rtt);
u64 arql_estimate_timeout(const struct arql_estimate *e,
			  const struct arql_timer_config *cfg);
u32 arql_stamp(s64 time);
s64 arql_stamp_age(u32 stamp, s64 now);

#endif /* _ARQLINK_TIMER_H */
