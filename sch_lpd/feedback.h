/* SPDX-License-Identifier: GPL-2.0 */
/* Reports of expired packets to senders on this host. */
#ifndef _SCH_LPD_FEEDBACK_H
#define _SCH_LPD_FEEDBACK_H

#include <linux/skbuff.h>

void lpd_feedback(struct sk_buff *skb, s64 deadline);

#endif /* _SCH_LPD_FEEDBACK_H */
