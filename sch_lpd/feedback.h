/* SPDX-License-Identifier: GPL-2.0 */
/* Telling a sender on this host of a packet that expired. */
#ifndef _SCH_LPD_FEEDBACK_H
#define _SCH_LPD_FEEDBACK_H

#include <linux/skbuff.h>

void lpd_feedback(struct sk_buff *skb, s64 deadline);

#endif /* _SCH_LPD_FEEDBACK_H */
