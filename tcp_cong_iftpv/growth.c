// SPDX-License-Identifier: GPL-2.0
/* Growth of the window: Reno's. */

#include <net/tcp.h>
#include "flow.h"
#include "growth.h"
#include "param.h"
#include "scale.h"
#include "tolerance.h"

static bool iftpv_waits(const struct sock *sk)
{
	u32 n = tcp_snd_cwnd(tcp_sk(sk));

	return !iftpv_is_random(IFTPV_EVIDENCE_NONE,
				iftpv_flow_backlog(iftpv_flow(sk), n),
				iftpv_flow_beta(n));
}

/* Where losses are random none of them says that the window is large enough. */
static bool iftpv_starts_too_long(const struct sock *sk)
{
	return iftpv_loss_tolerance.value & IFTPV_PART_START &&
	       iftpv_gate_is_open(&iftpv_flow(sk)->losses) && iftpv_waits(sk);
}

/**
 * iftpv_grow() - packets arrived: let the window grow
 * @sk: the connection
 * @acked: how many
 */
void iftpv_grow(struct sock *sk, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (!tcp_is_cwnd_limited(sk))
		return;
	if (tcp_in_slow_start(tp)) {
		if (iftpv_starts_too_long(sk))
			WRITE_ONCE(tp->snd_ssthresh, tcp_snd_cwnd(tp));
		acked = tcp_slow_start(tp, acked);
		if (!acked)
			return;
	}
	tcp_cong_avoid_ai(tp, iftpv_scale_growth(tcp_snd_cwnd(tp),
						 iftpv_scale.value,
						 iftpv_veno_growth &&
						 iftpv_waits(sk)),
			  acked);
}
