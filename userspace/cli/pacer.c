// SPDX-License-Identifier: GPL-2.0-or-later
/* The loop of freshlink pace: see pacer.h. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <linux/pkt_sched_lpd.h>

#include "device.h"
#include "pacer.h"
#include "report.h"
#include "wait.h"

#define RETRY		(250 * (int64_t)FL_MS)	/* time until the next attempt after a failure */
#define LOG_EVERY	(1 * (int64_t)FL_SEC)

static const char *const states[] = {
	[PACE_UNKNOWN] = "waiting", [PACE_RUNNING] = "running",
	[PACE_OUTAGE] = "outage", [PACE_DEAF] = "no_answers",
	[PACE_OPEN] = "open",
};

static struct report begin(const struct pacer *p, const char *event)
{
	struct report r = report_event(p->json, event, fl_real());

	report_text(&r, "dev", p->device);
	return r;
}

static void print_event(const struct pacer *p, const char *event)
{
	struct report r = begin(p, event);

	if (p->model.state == PACE_RUNNING)
		report_text(&r, "reflector", p->prober.hosts[p->host].name);
	if (p->trouble)
		report_text(&r, "reason", strerror(p->trouble));
	report_end(&r);
}

static void print_state(struct pacer *p)
{
	if (p->model.state == p->printed)
		return;
	p->printed = p->model.state;
	print_event(p, states[p->printed]);
}

static void print_log(const struct pacer *p)
{
	const struct pace *m = &p->model;
	struct report r = begin(p, "second");

	report_text(&r, "state", states[m->state]);
	report_number(&r, "rate", (int64_t)m->rate.bytes_per_s);
	report_number(&r, "window", (int64_t)m->window);
	report_number(&r, "unacked", p->seen.bytes - p->seen.acked);
	report_number(&r, "backlog", p->seen.backlog);
	report_seconds(&r, "base", m->delay.base);
	report_seconds(&r, "queue", m->delay.queue);
	report_seconds(&r, "back", m->delay.back);
	report_number(&r, "probes", m->probes);
	report_number(&r, "answers", p->answers);
	report_number(&r, "others", p->others);
	report_end(&r);
}

/* Binds a socket to a name that can exist only once in a network namespace. The name disappears
 * when the process ends. Returns the socket, or -1 with errno.
 */
static int lock_device(unsigned int ifindex)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int len = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1,
			   "freshlink-pace-%u", ifindex);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || !bind(fd, (struct sockaddr *)&name,
			    offsetof(struct sockaddr_un, sun_path) + 1 + len))
		return fd;
	close(fd);
	errno = EADDRINUSE;
	return -1;
}

static void leave(struct pacer *p)
{
	prober_close(&p->prober);
	close(p->lock);
	p->is_there = false;
}

/* Sets the gate, and passes lpd's count of bytes to the model. Returns false if the kernel refuses
 * the request.
 */
static bool set_gate(struct pacer *p, struct gate_request *request)
{
	const struct pace *m = &p->model;

	if (m->rate.known) {
		request->rate = (uint64_t)m->rate.bytes_per_s;
		request->delay = pace_transit(m, p->seen.bytes - p->seen.acked);
		if (request->delay > (int64_t)TC_LPD_DELAY_MAX)
			request->delay = TC_LPD_DELAY_MAX;
	}
	p->trouble = gate_set(&p->gate, request, &p->seen);
	if (p->trouble)
		return false;
	pace_saw(&p->model, p->seen.now, p->seen.bytes, p->seen.backlog);
	p->gate_at = pace_next_gate(m, p->seen.now);
	return true;
}

static bool renew_gate(struct pacer *p)
{
	struct gate_request request = {
		.window = pace_gate(&p->model, fl_now(), p->seen.acked),
	};

	if (set_gate(p, &request))
		return true;
	print_event(p, "gone");
	leave(p);
	return false;
}

/* Starts to pace a device that has appeared, perhaps with a new index. Nothing is known about its
 * link.
 */
static bool enter(struct pacer *p)
{
	p->gate.ifindex = device_index(p->device);
	p->trouble = ENODEV;
	if (!p->gate.ifindex)
		return false;
	p->lock = lock_device(p->gate.ifindex);
	if (p->lock < 0) {
		p->trouble = errno;
		return false;
	}
	pace_init(&p->model, &p->config, fl_now());
	p->seen = (struct gate_state){ 0 };
	p->printed = PACE_UNKNOWN;
	p->is_there = set_gate(p, &(struct gate_request){ .window = UINT64_MAX });
	if (p->is_there && !prober_open(&p->prober, p->gate.ifindex)) {
		p->trouble = errno;
		p->is_there = false;
	}
	if (!p->is_there)
		close(p->lock);
	return p->is_there;
}

static void send_probe(struct pacer *p, int64_t now)
{
	uint32_t number = p->model.probes;

	/* while no reflector answers, ask all reflectors one after the other */
	if (p->model.state != PACE_RUNNING)
		p->host = (p->host + 1) % p->prober.count;
	if (prober_send(&p->prober, number, p->host))
		pace_probed(&p->model, now);
	else
		p->retry_at = now + RETRY;
	if (renew_gate(p))
		p->after[number % PACE_PROBES] = p->seen.bytes;
}

static void take_answer(struct pacer *p, const struct prober_answer *a)
{
	struct gate_request request = {
		.has_probe = true, .probe = a->id,
		.window = pace_gate(&p->model, fl_now(),
				    p->after[a->number % PACE_PROBES]),
	};
	bool known;

	p->answers++;
	known = set_gate(p, &request);
	/* another path has other delays; lpd has forgotten the probe if the gate was open */
	if (a->host != p->host || !known)
		pace_forget(&p->model);
	p->host = a->host;
	if (!known)
		return;
	pace_answered(&p->model, &(struct pace_answer){
		.number = a->number, .bytes = p->seen.probe_bytes,
		.sent = p->seen.probe_time, .reached = a->reached,
		.heard = a->heard, .has_times = a->has_times,
		.idle = p->seen.probe_idle });
}

static void receive_all(struct pacer *p)
{
	struct prober_answer answer;

	for (;;) {
		switch (prober_receive(&p->prober, &answer)) {
		case PROBER_ANSWER:
			take_answer(p, &answer);
			break;
		case PROBER_OTHER:
			p->others++;
			break;
		case PROBER_NOTHING:
			return;
		}
	}
}

/* In an outage, checks whether the device receives packets. The first check only stores the
 * counter.
 */
static void look_for_others(struct pacer *p, int64_t now)
{
	uint64_t before = p->received;

	p->received = 0;
	if (p->model.state == PACE_OUTAGE &&
	    device_received(&p->route, p->gate.ifindex, &p->received) &&
	    before && p->received > before)
		pace_overheard(&p->model, now);
}

static void step(struct pacer *p, int64_t now)
{
	receive_all(p);
	pace_watch(&p->model, now);
	if (now >= pace_next_probe(&p->model, now) && now >= p->retry_at)
		send_probe(p, now);
	else if (now >= p->gate_at)
		renew_gate(p);
	print_state(p);
}

static int64_t next_step(const struct pacer *p, int64_t now)
{
	int64_t probe = pace_next_probe(&p->model, now);

	if (probe < p->retry_at)
		probe = p->retry_at;
	return probe < p->gate_at ? probe : p->gate_at;
}

bool pacer_start(struct pacer *p)
{
	if (!gate_open(&p->gate, p->args))
		return false;
	if (netlink_open(&p->route, NETLINK_ROUTE, -1)) {
		if (enter(p))
			return true;
		netlink_close(&p->route);
	}
	if (p->trouble == EADDRINUSE)
		cli_error(p->args->who, "%s: another freshlink pace paces this device",
			  p->device);
	else
		cli_error(p->args->who, "%s: %s", p->device,
			  p->gate.family.nl.error ?
			  netlink_reason(&p->gate.family.nl) :
			  strerror(p->trouble));
	gate_close(&p->gate);
	return false;
}

static void log_second(struct pacer *p, int64_t now)
{
	if (now < p->log_at)
		return;
	p->log_at = now + LOG_EVERY;
	if (p->is_there)
		look_for_others(p, now);
	if (p->json)
		print_log(p);
}

static void come_back(struct pacer *p, int64_t now)
{
	if (enter(p))
		print_event(p, "back");
	else
		p->gate_at = now + RETRY;
}

void pacer_run(struct pacer *p, int64_t end)
{
	int64_t now = fl_now();
	int signal = 0;

	p->log_at = now + LOG_EVERY;
	while (!signal && now < end) {
		int64_t until = p->is_there ? next_step(p, now) : p->gate_at;

		if (until > p->log_at)
			until = p->log_at;
		if (until > end)
			until = end;
		if (p->is_there)
			wait_input(p->prober.fd, until, &signal);
		else
			signal = wait_until(until);
		now = fl_now();
		if (p->is_there)
			step(p, now);
		else if (now >= p->gate_at)
			come_back(p, now);
		log_second(p, now);
	}
}

void pacer_stop(struct pacer *p)
{
	if (p->is_there) {
		gate_delete(&p->gate);
		leave(p);
	}
	netlink_close(&p->route);
	gate_close(&p->gate);
}
