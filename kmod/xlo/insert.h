/* SPDX-License-Identifier: GPL-2.0 */
/* Making a header larger by the option. */
#ifndef _XLO_INSERT_H
#define _XLO_INSERT_H

#include <linux/skbuff.h>
#include "place.h"

int xlo_insert(struct sk_buff *skb, u8 pf, const struct xlo_place *place,
	       const struct xlo *opt);

#endif /* _XLO_INSERT_H */
