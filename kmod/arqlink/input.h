/* SPDX-License-Identifier: GPL-2.0 */
/* Frames that arrive at the lower device. */
#ifndef _ARQLINK_INPUT_H
#define _ARQLINK_INPUT_H

#include "link.h"

void arql_input(struct arql_link *link, struct sk_buff *skb, s64 now);

#endif /* _ARQLINK_INPUT_H */
