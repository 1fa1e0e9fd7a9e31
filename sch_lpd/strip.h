/* SPDX-License-Identifier: GPL-2.0 */
/* Removes the cross-layer option from packets when they are sent. */
#ifndef _SCH_LPD_STRIP_H
#define _SCH_LPD_STRIP_H

#include <linux/skbuff.h>

int lpd_strip_prepare(struct sk_buff *skb, int ip_off);
unsigned int lpd_strip(struct sk_buff *skb, int ip_off, unsigned int opt_off);

#endif /* _SCH_LPD_STRIP_H */
