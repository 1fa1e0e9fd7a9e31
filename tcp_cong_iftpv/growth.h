/* SPDX-License-Identifier: GPL-2.0 */
/* How the window grows as packets arrive. */
#ifndef _TCP_IFTPV_GROWTH_H
#define _TCP_IFTPV_GROWTH_H

#include <linux/types.h>

struct sock;

void iftpv_grow(struct sock *sk, u32 acked);

#endif /* _TCP_IFTPV_GROWTH_H */
