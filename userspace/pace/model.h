/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A model of an access link, which computes how many bytes may be queued in the modem.
 *
 * The model treats all packets on the link as one flow with a window. A probe crosses the link
 * after all packets that were sent before it. The answer to a probe shows that all bytes sent
 * before the probe have left the modem. From the answers the model estimates the rate of the link
 * (rate.c), the delay without a queue and the present queue (delay.c), and the window: the bytes
 * that may be in the modem and on the way (window.c, rule.c). gate.c releases these bytes evenly.
 * schedule.c decides when to send a probe, and how to interpret missing answers.
 *
 * The model reads no clock and does no input or output. All times are ns on CLOCK_MONOTONIC,
 * except the time of the reflector. Rates are bytes/s.
 */
#ifndef FRESHLINK_PACE_MODEL_H
#define FRESHLINK_PACE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "../lib/units.h"

#define PACE_PACKET	1514	/* a full packet on Ethernet, bytes */
#define PACE_MARKS	128
#define PACE_FLOORS	8
#define PACE_PEAKS	8
#define PACE_PROBES	256	/* probes whose sending time is stored; lpd stores as many */

/**
 * struct pace_config - settings
 * @target: delay that a standing queue in the modem may cause
 * @give_up: duration of silence (no answers) after which the gate opens
 * @probe_bytes: length of a probe as lpd counts
 * @interval: shortest time between two probes
 */
struct pace_config {
	int64_t target;
	int64_t give_up;
	uint32_t probe_bytes;
	int64_t interval;
};

/**
 * struct pace_answer - an answered probe
 * @number: number of the probe, as pace_probed() returned
 * @bytes: bytes that lpd had sent when the probe left
 * @sent: time at which the probe left lpd
 * @reached: time at which the reflector received the probe, on the reflector's clock
 * @heard: time at which the answer arrived
 * @has_times: @reached is known
 * @idle: lpd was empty at some time since the previous probe
 */
struct pace_answer {
	uint32_t number;
	uint64_t bytes;
	int64_t sent;
	int64_t reached;
	int64_t heard;
	bool has_times;
	bool idle;
};

/**
 * struct pace_floor - least delays in one interval of the time with answers
 * @both: both ways
 * @forward: on the way to the reflector, including the difference of the two clocks
 */
struct pace_floor {
	int64_t both;
	int64_t forward;
};

/**
 * struct pace_delay - delays of the link
 * @floors: least delays in the last intervals of the time with answers
 * @floor: index of the present interval in @floors
 * @clock: time during which answers arrived
 * @turned: @clock at the beginning of the present interval
 * @touched: @clock when a probe last found no queue
 * @base: least delay both ways
 * @queue: delay of the newest answered probe in the queue of the modem
 * @back: delay of the newest answer in queues on the way back
 * @standing: least @queue in the previous and the present half round trip
 * @peak: greatest @queue in these two half round trips
 * @low: least @queue in the present half round trip
 * @high: greatest @queue in the present half round trip
 * @half_from: beginning of the present half round trip
 */
struct pace_delay {
	struct pace_floor floors[PACE_FLOORS];
	unsigned int floor;
	int64_t clock;
	int64_t turned;
	int64_t touched;
	int64_t base;
	int64_t queue;
	int64_t back;
	int64_t standing;
	int64_t peak;
	int64_t low;
	int64_t high;
	int64_t half_from;
};

/**
 * struct pace_rate - rate of the link
 * @marks: the last answered probes
 * @count: number of answered probes
 * @peaks: greatest samples in the last time intervals
 * @peak: index of the present interval in @peaks
 * @peak_from: beginning of the present interval
 * @bytes_per_s: the estimate, 0 while unknown
 * @limited: lpd was empty during the newest sample, which may therefore be below the rate
 * @known: there was a sample that may be the rate. Until then @bytes_per_s is only the rate of the
 *	packets that lpd had
 * @burst: maximum of @ahead, which decays with each answer
 * @ahead: bytes that the link has now delivered beyond the estimated rate, at least 0
 */
struct pace_rate {
	struct pace_answer marks[PACE_MARKS];
	uint64_t count;
	double peaks[PACE_PEAKS];
	unsigned int peak;
	int64_t peak_from;
	double bytes_per_s;
	bool limited;
	bool known;
	double burst;
	double ahead;
};

/**
 * enum pace_state - what the answers say
 * @PACE_UNKNOWN: no answer yet; the gate is open
 * @PACE_RUNNING: answers arrive
 * @PACE_OUTAGE: nothing arrives; the gate stays closed
 * @PACE_DEAF: other packets arrive, but no answers; the gate releases bytes at the last rate
 * @PACE_OPEN: no answer arrived during the time @give_up of struct pace_config; the gate is open
 */
enum pace_state {
	PACE_UNKNOWN,
	PACE_RUNNING,
	PACE_OUTAGE,
	PACE_DEAF,
	PACE_OPEN,
};

/**
 * struct pace - the model of a link
 * @config: the settings
 * @delay: the delays
 * @rate: the rate
 * @state: what the answers say
 * @window: bytes that may be in the modem and on the way, without the bytes that @delay.back adds
 * @started: a probe has found a queue in the modem, which ends the slow start
 * @drain_until: end of the time in which the window is reduced so that the queue drains
 * @credit: bytes that the gate may release
 * @credit_at: time of @credit
 * @sent: lpd's count of bytes at the time @credit_at
 * @payload_at: last time at which packets other than probes left lpd or were queued in lpd
 * @probed: sending times of the last probes, indexed by their number
 * @probes: number of probes
 * @probes_seen: number of probes sent before lpd's last count was read
 * @answered: number of probes up to and including the newest answered probe
 * @step: mean number of probes from one answer to the next, 1 without losses
 * @silent_at: time at which the silence was noticed
 * @others: number of consecutive seconds of the silence in which other packets arrived
 * @others_at: beginning of the last of these seconds
 */
struct pace {
	struct pace_config config;
	struct pace_delay delay;
	struct pace_rate rate;
	enum pace_state state;
	double window;
	bool started;
	int64_t drain_until;
	double credit;
	int64_t credit_at;
	uint64_t sent;
	int64_t payload_at;
	int64_t probed[PACE_PROBES];
	uint32_t probes;
	uint32_t probes_seen;
	uint32_t answered;
	double step;
	int64_t silent_at;
	unsigned int others;
	int64_t others_at;
};

/** pace_init - begin at time @now without any knowledge of the link */
void pace_init(struct pace *p, const struct pace_config *config, int64_t now);

/**
 * pace_answered - learn from an answered probe
 * @p: the model
 * @a: the answer. The model ignores an answer that is older than the newest answer
 */
void pace_answered(struct pace *p, const struct pace_answer *a);

/**
 * pace_forget - forget the delays and the probes, but not the rate
 *
 * The caller needs this function if another reflector answers, or if lpd does not know the probe.
 */
void pace_forget(struct pace *p);

/* Delays: delay.c */
void pace_delay_init(struct pace_delay *d);

/**
 * pace_delay_take - learn from an answer
 * @d: the delays
 * @a: the answer
 * @last: the previous answer, or NULL
 * @is_plausible: the times of the reflector agree with our own clock
 */
void pace_delay_take(struct pace_delay *d, const struct pace_answer *a,
		     const struct pace_answer *last, bool is_plausible);

/* Rate: rate.c */

/**
 * pace_rate_take - learn from an answer
 * @r: the rate
 * @a: the answer
 * @is_plausible: the times of the reflector agree with our own clock
 * @late: the modem has had a queue for some time
 *
 * Return: false for the first answer, which gives no sample
 */
bool pace_rate_take(struct pace_rate *r, const struct pace_answer *a,
		    bool is_plausible, bool late);

/** pace_rate_last - the newest answer, or NULL */
const struct pace_answer *pace_rate_last(const struct pace_rate *r);

/** pace_rate_oldest - the oldest known answer, or NULL */
const struct pace_answer *pace_rate_oldest(const struct pace_rate *r);

/* Window: window.c */

/** pace_is_late - whether the standing queue is longer than the window allows */
bool pace_is_late(const struct pace *p);

/** pace_extra - bytes that the window has in addition to those of a link without a queue */
double pace_extra(const struct pace *p);

/**
 * pace_window_adapt - compute the window after an answer
 * @p: the model, which knows the answer's delay and rate
 * @a: the answer
 * @last: the previous answer
 */
void pace_window_adapt(struct pace *p, const struct pace_answer *a,
		       const struct pace_answer *last);

/**
 * pace_rule - compute the window after a part of a round trip, before bounds apply (rule.c)
 * @p: the model
 * @round: this part as a fraction of a round trip, at most 1
 */
double pace_rule(const struct pace *p, double round);

/* Gate: gate.c */

/**
 * pace_saw - learn lpd's count
 * @p: the model
 * @now: time of the count
 * @bytes: bytes sent by lpd, including probes
 * @backlog: bytes that are queued in lpd
 */
void pace_saw(struct pace *p, int64_t now, uint64_t bytes, uint32_t backlog);

/**
 * pace_gate - the window for lpd's gate
 * @p: the model
 * @now: the time
 * @acked: lpd's count of bytes when the newest answered probe left
 *
 * Return: bytes that lpd may send after that probe, UINT64_MAX if the gate is to be open
 */
uint64_t pace_gate(struct pace *p, int64_t now, uint64_t acked);

/** pace_transit - expected delay of a packet from lpd to the other end of the link */
int64_t pace_transit(const struct pace *p, uint64_t unacked);

/* Schedule: schedule.c */

/** pace_spacing - time between two probes while pace_is_busy() is true */
int64_t pace_spacing(const struct pace *p);

/** pace_is_busy - whether lpd recently sent or queued packets other than probes */
bool pace_is_busy(const struct pace *p, int64_t now);

/** pace_next_probe - time at which the next probe is due */
int64_t pace_next_probe(const struct pace *p, int64_t now);

/** pace_next_gate - time at which the gate must be set again, whether or not an answer arrives */
int64_t pace_next_gate(const struct pace *p, int64_t now);

/**
 * pace_probed - record that a probe was sent
 *
 * Return: number of the probe
 */
uint32_t pace_probed(struct pace *p, int64_t now);

/** pace_overdue - how long the oldest unanswered probe is overdue; negative if it is not */
int64_t pace_overdue(const struct pace *p, int64_t now);

/**
 * pace_watch - notice silence
 * @p: the model, whose state the function may change to PACE_OUTAGE or PACE_OPEN
 * @now: the time
 */
void pace_watch(struct pace *p, int64_t now);

/** pace_overheard - record that packets other than answers arrived during silence */
void pace_overheard(struct pace *p, int64_t now);

#endif
