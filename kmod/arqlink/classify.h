/* SPDX-License-Identifier: GPL-2.0 */
/* Chooses the class of a packet. */
#ifndef _ARQLINK_CLASSIFY_H
#define _ARQLINK_CLASSIFY_H

#include <linux/skbuff.h>
#include "config.h"

bool arql_matches(const struct arql_match *match, const struct sk_buff *skb);

#endif /* _ARQLINK_CLASSIFY_H */
