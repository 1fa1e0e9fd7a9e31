// SPDX-License-Identifier: GPL-2.0-or-later
/* A simulated access link: see link.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../userspace/pace/model.h"
#include "link.h"

#define STEP		(MS / 4)
#define WARM_UP		(3 * SEC)
#define PROBE_BYTES	86
#define CONTROL_BYTES	142
#define VIDEO_BYTES	1400
#define QUEUE_LEN	(1 << 18)
#define ANSWERS		4096
#define PROBES		(1 << 16)
#define GATE_TIMEOUT	(3 * SEC)
#define OPEN		(UINT64_MAX / 2)	/* a window that is never full */

enum kind { UPLOAD, VIDEO, CONTROL, PROBE };

struct packet {
	enum kind kind;
	uint32_t bytes;
	int64_t born;
	int64_t in;		/* time at which it entered the modem */
	uint32_t probe;
};

struct queue {
	struct packet *list;
	unsigned int first;
	unsigned int end;
	uint64_t bytes;
};

struct answer {
	int64_t at;
	uint32_t probe;
	int64_t reached;
};

/* lpd's information about a probe. */
struct probe {
	uint64_t bytes;
	int64_t sent;
	uint64_t after;		/* lpd's byte count after the probe, as reported to pace */
	bool idle;
	bool answered;
};

struct delays {
	int64_t *list;
	size_t count;
};

struct link {
	const struct setup *s;
	int64_t now;
	uint64_t random;
	struct queue lpd;
	struct queue modem;
	/* the radio */
	size_t opportunity;
	int64_t repetition;
	double saved;
	double budget;
	/* lpd's gate */
	uint64_t sent;
	uint64_t acked;
	uint64_t window;
	int64_t set_at;
	bool idle;
	/* the network and the program */
	struct answer answers[ANSWERS];
	size_t flying;
	struct probe *probes;
	uint32_t probed;
	struct pace pace;
	int64_t next_probe;
	int64_t next_gate;
	bool heard_other;
	/* the source */
	int64_t next_frame;
	int64_t next_control;
	/* the results */
	double capacity;
	double used;
	double capacity_at_end;
	double used_at_end;
	uint64_t videos;
	uint64_t videos_good;
	uint64_t controls;
	uint64_t controls_good;
	struct delays queued;
	struct delays control;
	struct result result;
};

static double chance(struct link *l)
{
	l->random = l->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (l->random >> 11) / 9007199254740992.0;
}

static bool is_empty(const struct queue *q)
{
	return q->first == q->end;
}

static struct packet *head(struct queue *q)
{
	return &q->list[q->first % QUEUE_LEN];
}

static void put(struct queue *q, struct packet packet)
{
	q->list[q->end++ % QUEUE_LEN] = packet;
	q->bytes += packet.bytes;
}

static struct packet take(struct queue *q)
{
	struct packet packet = *head(q);

	q->first++;
	q->bytes -= packet.bytes;
	return packet;
}

static void note(struct delays *d, int64_t delay)
{
	if (!(d->count & (d->count - 1)))
		d->list = realloc(d->list, (d->count ? 2 * d->count : 1) *
				  sizeof(*d->list));
	d->list[d->count++] = delay;
}

static int by_length(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t percentile(struct delays *d, double share)
{
	if (!d->count)
		return 0;
	qsort(d->list, d->count, sizeof(*d->list), by_length);
	return d->list[(size_t)((d->count - 1) * share)];
}

static bool is_out(const struct link *l)
{
	const struct setup *s = l->s;

	return s->outage && l->now >= s->outage &&
	       l->now < s->outage + s->outage_length;
}

static int64_t network_delay(const struct link *l)
{
	bool moved = l->s->move && l->now >= l->s->move;

	return moved ? 3 * l->s->delay : l->s->delay;
}

static bool is_warm(const struct link *l)
{
	return l->s->cold || l->now >= WARM_UP;
}

static void make_frame(struct link *l)
{
	double bytes = l->s->video / 30;
	int count = (int)(bytes / VIDEO_BYTES) + 1;

	for (int i = 0; i < count; i++) {
		put(&l->lpd, (struct packet){ .kind = VIDEO, .born = l->now,
			.bytes = (uint32_t)(bytes / count) + 42 });
		l->videos += is_warm(l);
	}
}

static void make_packets(struct link *l)
{
	if (l->now < l->s->start)
		return;
	if (!l->s->video) {
		while (l->lpd.bytes < 300 * PACE_PACKET)
			put(&l->lpd, (struct packet){ .kind = UPLOAD,
				.bytes = PACE_PACKET, .born = l->now });
		return;
	}
	if (l->now >= l->next_frame) {
		make_frame(l);
		l->next_frame += SEC / 30;
	}
	if (l->now >= l->next_control) {
		put(&l->lpd, (struct packet){ .kind = CONTROL,
			.bytes = CONTROL_BYTES, .born = l->now });
		l->controls += is_warm(l);
		l->next_control += SEC / 50;
	}
}

/* Returns the bytes that the radio may send in this step. */
static double opportunities(struct link *l)
{
	const struct setup *s = l->s;
	const struct trace *t = s->trace;
	double bytes = 0;

	if (!t)
		bytes = s->rate * STEP / SEC *
			(s->turn && l->now >= s->turn ? s->factor : 1);
	else
		while (t->ms[l->opportunity] * MS + l->repetition <= l->now) {
			bytes += PACE_PACKET;
			if (++l->opportunity == t->count) {
				l->opportunity = 0;
				l->repetition += t->ms[t->count - 1] * MS;
			}
		}
	return is_out(l) ? 0 : bytes;
}

static void grant(struct link *l)
{
	double bytes = opportunities(l);

	if (is_warm(l))
		l->capacity += bytes;
	if (l->now >= l->s->length - 5 * SEC)
		l->capacity_at_end += bytes;
	if (l->s->grant) {
		l->saved += bytes;
		bytes = 0;
		if (!(l->now % l->s->grant)) {
			bytes = l->saved;
			l->saved = 0;
		}
	}
	l->budget += bytes;
}

static bool is_stale(const struct link *l, const struct packet *p)
{
	const struct setup *s = l->s;
	int64_t transit = network_delay(l);

	if (p->kind == UPLOAD || s->place == PLACE_MODEM)
		return false;
	if (s->place == PLACE_PACE && l->pace.rate.known)
		transit = pace_transit(&l->pace, l->sent - l->acked) +
			  (int64_t)(p->bytes * SEC / l->pace.rate.bytes_per_s);
	return l->now - p->born > s->lifetime - transit;
}

static void into_modem(struct link *l)
{
	struct packet p = take(&l->lpd);

	if (is_stale(l, &p) || l->modem.bytes + p.bytes > l->s->buffer)
		return;
	p.in = l->now;
	l->sent += p.bytes;
	put(&l->modem, p);
}

static bool gate_is_open(const struct link *l)
{
	switch (l->s->place) {
	case PLACE_RADIO:
		return is_empty(&l->modem);
	case PLACE_PACE:
		return l->now - l->set_at > GATE_TIMEOUT ||
		       l->sent - l->acked <= l->window;
	default:
		return true;
	}
}

static void run_gate(struct link *l)
{
	while (!is_empty(&l->lpd) && gate_is_open(l))
		into_modem(l);
	if (is_empty(&l->lpd))
		l->idle = true;
}

/* Returns a time on the reflector's clock. */
static int64_t tell(struct link *l, int64_t time)
{
	int64_t other = time + INT64_C(1234567890123);

	switch (l->s->lie) {
	case LIE_RANDOM:
		return (int64_t)(chance(l) * INT64_MAX);
	case LIE_STILL:
		return 0;
	case LIE_BACKWARDS:
		return 1000 * SEC - time;
	case LIE_STEPS:
		return other + (time / (5 * SEC) % 2) * 3600 * SEC;
	default:
		return other;
	}
}

static void reflect(struct link *l, const struct packet *p)
{
	const struct setup *s = l->s;
	int64_t reached = l->now + network_delay(l);
	int64_t at = reached + network_delay(l);

	at += (int64_t)(s->down * (0.5 + 0.5 * sin((double)l->now / SEC)));
	if (s->reorder && chance(l) < 0.1)
		at += (int64_t)(s->reorder * chance(l));
	if (chance(l) < s->lose || (s->dead && l->now >= s->dead) ||
	    l->flying == ANSWERS)
		return;
	l->answers[l->flying++] = (struct answer){ at, p->probe,
						   tell(l, reached) };
}

static void arrive(struct link *l, const struct packet *p)
{
	int64_t age = l->now + network_delay(l) - p->born;
	int64_t end = l->s->outage + l->s->outage_length;
	bool fresh = p->kind == UPLOAD ? p->in >= end : age < 300 * MS;

	if (fresh && l->s->outage && l->result.fresh < 0 && l->now >= end)
		l->result.fresh = l->now - end;
	if (l->now >= l->s->length - 5 * SEC)
		l->used_at_end += p->bytes;
	if (!is_warm(l))
		return;
	l->used += p->bytes;
	note(&l->queued, l->now - p->in);
	if (p->kind == VIDEO)
		l->videos_good += age <= l->s->lifetime;
	if (p->kind == CONTROL) {
		l->controls_good += age <= 200 * MS;
		note(&l->control, age);
	}
}

static void out_of_modem(struct link *l)
{
	struct packet p = take(&l->modem);

	l->budget -= p.bytes;
	l->heard_other = true;
	if (p.kind == PROBE)
		reflect(l, &p);
	else
		arrive(l, &p);
}

/* An opportunity that no packet uses is lost. */
static void run_radio(struct link *l)
{
	run_gate(l);
	while (!is_empty(&l->modem) && l->budget >= head(&l->modem)->bytes) {
		out_of_modem(l);
		run_gate(l);
	}
	if (is_empty(&l->modem) && l->budget > PACE_PACKET)
		l->budget = l->s->trace || l->s->grant ? 0 : PACE_PACKET;
}

/* Sets the gate as the kernel does, and reads lpd's byte count. */
static void set_gate(struct link *l, uint64_t window)
{
	l->window = window < OPEN ? window : OPEN;
	l->set_at = l->now;
	run_gate(l);
	pace_saw(&l->pace, l->now, l->sent, l->lpd.bytes);
	if (window == UINT64_MAX && l->result.opened < 0 && l->acked)
		l->result.opened = l->now;
}

static void hear(struct link *l, const struct answer *answer)
{
	struct probe *probe = &l->probes[answer->probe % PROBES];
	uint64_t window;

	if (probe->answered)
		return;
	probe->answered = true;
	window = pace_gate(&l->pace, l->now, probe->after);
	if (probe->bytes > l->acked)
		l->acked = probe->bytes;
	set_gate(l, window);
	pace_answered(&l->pace, &(struct pace_answer){
		.number = answer->probe, .bytes = probe->bytes,
		.sent = probe->sent, .reached = answer->reached,
		.heard = l->now,
		.has_times = !l->s->echo, .idle = probe->idle });
}

static void hear_all(struct link *l)
{
	for (size_t i = 0; i < l->flying;) {
		struct answer answer = l->answers[i];

		if (answer.at > l->now) {
			i++;
			continue;
		}
		memmove(&l->answers[i], &l->answers[i + 1],
			(--l->flying - i) * sizeof(answer));
		hear(l, &answer);
	}
}

static void send_probe(struct link *l)
{
	uint32_t number = pace_probed(&l->pace, l->now);
	struct packet p = { .kind = PROBE, .bytes = PROBE_BYTES,
			    .in = l->now, .probe = number };

	l->probes[number % PROBES] = (struct probe){ .bytes = l->sent,
		.sent = l->now, .idle = l->idle };
	l->idle = false;
	if (l->modem.bytes + p.bytes <= l->s->buffer)
		put(&l->modem, p);
	l->sent += p.bytes;
	l->probes[number % PROBES].after = l->sent;
	l->result.probes++;
}

static void run_program(struct link *l)
{
	bool probe = l->now >= pace_next_probe(&l->pace, l->now);

	hear_all(l);
	pace_watch(&l->pace, l->now);
	if (l->s->others && l->heard_other)
		pace_overheard(&l->pace, l->now);
	l->heard_other = false;
	if (probe)
		send_probe(l);
	if (probe || l->now >= l->next_gate) {
		set_gate(l, pace_gate(&l->pace, l->now, l->acked));
		l->next_gate = pace_next_gate(&l->pace, l->now);
	}
}

static void finish(struct link *l)
{
	struct result *r = &l->result;

	r->used = l->used / l->capacity;
	r->used_at_end = l->used_at_end / l->capacity_at_end;
	r->queue_p50 = percentile(&l->queued, 0.5);
	r->queue_p95 = percentile(&l->queued, 0.95);
	r->queue_p99 = percentile(&l->queued, 0.99);
	r->control_p99 = percentile(&l->control, 0.99);
	if (l->s->video) {
		r->video = (double)l->videos_good / l->videos;
		r->control = (double)l->controls_good / l->controls;
	}
	free(l->queued.list);
	free(l->control.list);
	free(l->lpd.list);
	free(l->modem.list);
	free(l->probes);
}

static void *allocate(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (memory)
		return memory;
	fputs("pace: out of memory\n", stderr);
	exit(1);
}

struct result link_run(const struct setup *setup)
{
	static const struct pace_config config = {
		.target = 20 * MS, .give_up = 30 * SEC,
		.probe_bytes = PROBE_BYTES, .interval = 20 * MS,
	};
	struct pace_config own = config;
	struct link *l = allocate(1, sizeof(*l));
	struct result result;

	*l = (struct link){ .s = setup, .random = setup->seed, .window = OPEN,
			    .next_frame = setup->start, .next_control = setup->start,
			    .result = { .fresh = -1, .opened = -1 } };
	l->lpd.list = allocate(QUEUE_LEN, sizeof(struct packet));
	l->modem.list = allocate(QUEUE_LEN, sizeof(struct packet));
	l->probes = allocate(PROBES, sizeof(struct probe));
	if (setup->echo)
		own.interval = 100 * MS;
	pace_init(&l->pace, &own, 0);
	for (; l->now < setup->length; l->now += STEP) {
		make_packets(l);
		grant(l);
		run_radio(l);
		if (setup->place == PLACE_PACE)
			run_program(l);
	}
	finish(l);
	result = l->result;
	free(l);
	return result;
}

struct trace trace_load(const char *path)
{
	FILE *file = fopen(path, "r");
	struct trace t = { NULL, 0 };
	uint32_t ms;

	while (file && fscanf(file, "%u", &ms) == 1) {
		t.ms = realloc(t.ms, (t.count + 1) * sizeof(ms));
		t.ms[t.count++] = ms;
	}
	if (!t.count || !t.ms[t.count - 1]) {
		fprintf(stderr, "%s: expected a trace in mahimahi's format\n", path);
		exit(1);
	}
	fclose(file);
	return t;
}
