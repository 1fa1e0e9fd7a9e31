/* SPDX-License-Identifier: GPL-2.0 */
/* Packets with bad bits. */
#ifndef _CELLINK_DAMAGE_H
#define _CELLINK_DAMAGE_H

#include <linux/skbuff.h>
#include "errors.h"

bool cell_damage(struct sk_buff *skb, struct cell_errors *e, u64 at,
		 bool tolerant_only);

#endif /* _CELLINK_DAMAGE_H */
