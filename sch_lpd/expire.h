/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What becomes of packets that are not sent, or not whole: the one way a queued
 * packet is dropped, and the one way it is cut.
 */
#ifndef _SCH_LPD_EXPIRE_H
#define _SCH_LPD_EXPIRE_H

#include "queue.h"

int lpd_refuse(struct Qdisc *sch, struct sk_buff *skb, int cause,
	       struct sk_buff **to_free);
struct sk_buff *lpd_fresh(struct Qdisc *sch, s64 now, int cause);
void lpd_clear(struct Qdisc *sch, s64 now, unsigned int budget,
	       struct sk_buff **to_free);
int lpd_stale_on_arrival(struct lpd_sched_data *q, struct sk_buff *skb);
int lpd_overflow(struct Qdisc *sch, struct sk_buff *skb,
		 struct sk_buff **to_free);
void lpd_trim(struct Qdisc *sch, s64 now, struct sk_buff **to_free);

#endif /* _SCH_LPD_EXPIRE_H */
