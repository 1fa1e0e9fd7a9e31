/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rate and the delay of the link below lpd. The configuration sets them, or lpd asks the device
 * for them once a second (TC_LPD_LINK). While there is a gate, its requests set them instead.
 *
 * The caller of each function must hold the root lock of the qdisc tree, unless the function's
 * description says otherwise.
 */
#ifndef _SCH_LPD_BELOW_H
#define _SCH_LPD_BELOW_H

#include "queue.h"

bool lpd_below_tells(const struct net_device *dev);
fl_link_quality_fn *lpd_below_get(struct netlink_ext_ack *extack);
void lpd_below_put(fl_link_quality_fn *quality);
void lpd_below_init(struct lpd_sched_data *q);
void lpd_below_first(struct lpd_sched_data *q);
void lpd_below_change(struct lpd_sched_data *q);
void lpd_below_stop(struct lpd_sched_data *q);
void lpd_below_configure(struct lpd_sched_data *q);
void lpd_below_set_rate(struct lpd_sched_data *q, u64 rate);
void lpd_below_set_delay(struct lpd_sched_data *q, u64 delay);

/* Checks whether the device tells the rate or the delay. */
static inline bool lpd_below_asks(const struct lpd_config *cfg)
{
	return cfg->rate == TC_LPD_LINK || cfg->delay == TC_LPD_LINK;
}

#endif /* _SCH_LPD_BELOW_H */
