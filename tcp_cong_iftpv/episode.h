/* SPDX-License-Identifier: GPL-2.0 */
/* What the core calls when a loss, a mark or a timeout makes it reduce the window. */
#ifndef _TCP_IFTPV_EPISODE_H
#define _TCP_IFTPV_EPISODE_H

#include <linux/types.h>

struct sock;

u32 iftpv_ssthresh(struct sock *sk);
void iftpv_set_state(struct sock *sk, u8 state);
void iftpv_in_ack_event(struct sock *sk, u32 flags);
void iftpv_arrived(struct sock *sk, u32 acked, bool good);
u32 iftpv_undo_cwnd(struct sock *sk);

#endif /* _TCP_IFTPV_EPISODE_H */
