/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A gate limits how many bytes are queued below lpd (<linux/lpd_genl.h>):
 *
 *	sent ----------------------------------------------->	all bytes that lpd has sent
 *	acked --------------->|<-- at most window, then closed
 *	                      |
 *	                      the newest acknowledged probe left
 *
 * A gate notes each probe that leaves, together with the number of bytes that lpd has sent until
 * then. An answer to a probe can then be matched to this number. The functions only compute: they
 * read no packet and no clock.
 *
 * The caller of each function must hold the root lock of the qdisc tree.
 */
#ifndef _SCH_LPD_GATE_H
#define _SCH_LPD_GATE_H

#include <linux/lpd_genl.h>
#include <linux/types.h>

/**
 * struct lpd_probe - a probe that has left
 * @bytes: bytes that lpd had sent right after the probe left, including the probe
 * @time: when the probe left, monotonic ns
 * @id: number of the probe
 * @idle: whether lpd could have sent more packets since the previous probe
 */
struct lpd_probe {
	u64 bytes;
	s64 time;
	u32 id;
	bool idle;
};

/**
 * struct lpd_gate - the state of a gate
 * @until: lpd sends a packet while the number of bytes sent is at most @until
 * @acked: bytes that lpd had sent right after the newest acknowledged probe left; before the first
 *	acknowledgment, bytes that lpd had sent when the gate was made
 * @window: bytes that may be sent beyond @acked
 * @rated: when lpd last used a new rate, monotonic ns; 0 for never
 * @closed_at: when the gate began to hold packets back, monotonic ns, if @closed
 * @closed_ns: how long the gate held packets back before @closed_at, in ns
 * @closed: whether the gate holds packets back
 * @noted: number of probes that have left
 * @probe: the probes that left last; the probe that left after n others is at
 *	n % LPD_PROBES_NOTED
 */
struct lpd_gate {
	u64 until;
	u64 acked;
	u64 window;
	s64 rated;
	s64 closed_at;
	u64 closed_ns;
	bool closed;
	u64 noted;
	struct lpd_probe probe[LPD_PROBES_NOTED];
};

void lpd_gate_begin(struct lpd_gate *g, u64 sent);
void lpd_gate_note(struct lpd_gate *g, u32 id, u64 sent, s64 now, bool idle);
const struct lpd_probe *lpd_gate_find(const struct lpd_gate *g, u32 id);
void lpd_gate_set(struct lpd_gate *g, u64 window, const struct lpd_probe *answered);
bool lpd_gate_differs(u64 used, u64 rate);
bool lpd_gate_rates(struct lpd_gate *g, u64 used, u64 rate, s64 now);
void lpd_gate_hold(struct lpd_gate *g, s64 now);
bool lpd_gate_let_go(struct lpd_gate *g, u64 sent, s64 now);
u64 lpd_gate_closed_ns(const struct lpd_gate *g, s64 now);

#endif /* _SCH_LPD_GATE_H */
