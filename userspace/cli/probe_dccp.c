// SPDX-License-Identifier: GPL-2.0-or-later
/* Probes by DCCP: Syncs, which the peer must answer (RFC 4340 section 7.5.4); see probe.h. */
#include <string.h>

#include "dccp.h"
#include "probe.h"
#include "wait.h"

#define TRIES	10	/* connections that are tried until one is open */
#define TRY	(400 * (int64_t)FL_MS)	/* time between two */

/**
 * struct by_dccp - the way
 * @way: as probe_run() sees it
 * @io: the adapter
 * @conn: connections that were begun, NULL after their end
 * @open: the one that is used
 * @refused: an event CLOSED that tells why there is no peer, not that nobody answers
 */
struct by_dccp {
	struct probe_way way;
	struct fdccp_io *io;
	struct fdccp_conn *conn[TRIES];
	struct fdccp_conn *open;
	bool refused;
	struct fdccp_event end;
};

static bool send_probe(struct probe_way *way, enum probe_kind kind, uint64_t *id)
{
	struct by_dccp *d = (struct by_dccp *)way;
	struct fdccp_probe probe = { .len = PROBE_LEN };

	probe.deadline = probe_lifetime_of(kind, &probe.stale);
	return d->open && !fdccp_io_probe(d->io, d->open, &probe, id);
}

static enum probe_outcome outcome_of(const struct fdccp_event *e)
{
	if (e->fate == FDCCP_FATE_DISCARDED)
		return PROBE_REPORTED;
	if (e->fate != FDCCP_FATE_ACKNOWLEDGED)
		return PROBE_MISSING;
	if (!e->told)
		return PROBE_ANSWERED;
	if (e->len < PROBE_LEN)
		return PROBE_HEADERS;
	return e->stamped ? PROBE_STAMPED : PROBE_BARE;
}

static void forget(struct by_dccp *d, const struct fdccp_event *e)
{
	for (int i = 0; i < TRIES; i++) {
		if (d->conn[i] == e->conn)
			d->conn[i] = NULL;
	}
	if (d->open == e->conn)
		d->open = NULL;
	if (e->reason == FDCCP_REASON_TIMEOUT || e->reason == FDCCP_REASON_ABORTED)
		return;
	d->refused = true;
	d->end = *e;
}

static bool next_answer(struct probe_way *way, int64_t until, struct probe_answer *answer,
			int *signal)
{
	struct by_dccp *d = (struct by_dccp *)way;
	struct fdccp_event e;

	while (dccp_next(d->io, &e, until, signal)) {
		if (e.type == FDCCP_EVENT_CLOSED)
			forget(d, &e);
		if (e.type != FDCCP_EVENT_PROBED || e.conn != d->open)
			continue;
		*answer = (struct probe_answer){
			.id = e.seq, .here = e.fate == FDCCP_FATE_EXPIRED, .outcome = outcome_of(&e),
		};
		return true;
	}
	return false;
}

/* Whether a connection takes probes. An end of ours says when it is open. Linux says nothing before
 * it is asked.
 */
static bool is_ready(const struct fdccp_info *info)
{
	return info->state == FDCCP_OPEN || (info->state == FDCCP_PARTOPEN && !info->ours);
}

/* Finds a connection that is open. */
static bool find_open(struct by_dccp *d)
{
	struct fdccp_info info;

	for (int i = 0; i < TRIES && !d->open; i++) {
		if (!d->conn[i])
			continue;
		fdccp_info(d->conn[i], &info);
		if (!is_ready(&info))
			continue;
		d->open = d->conn[i];
		d->way.tells_length = d->way.tells_option = info.ours;
		d->way.rtt = info.rtt;
	}
	return d->open;
}

/* Waits until a connection is open, or all have been refused. Return: false after a signal */
static bool await_open(struct by_dccp *d, int64_t until, int *signal)
{
	struct probe_answer none;

	*signal = 0;
	while (!find_open(d) && !d->refused && fl_now() < until && !*signal) {
		int64_t soon = fl_now() + 10 * (int64_t)FL_MS;

		d->way.next(&d->way, soon < until ? soon : until, &none, signal);
	}
	return !*signal;
}

/* Begins connections until one is open. Each first Request is a packet without the option, so those
 * without an answer are evidence. Return: 0, or an error of fdccp_io_connect()
 */
static int connect_to(struct by_dccp *d, const struct probe_host *host,
		      const struct probe_dccp_config *config, int *signal)
{
	union fdccp_address remote = host->remote;
	struct fdccp_params params;

	fdccp_params_init(&params);
	params.silence = TRIES * TRY;
	if (config->carrier == FDCCP_CARRIER_UDP)
		remote.in.sin_port = htons(config->udp_port);
	for (int i = 0; i < TRIES; i++) {
		int err = fdccp_io_connect(d->io, &remote, config->port, config->service, &params,
					   &d->conn[i]);

		if (err)
			return err;
		if (!await_open(d, fl_now() + TRY, signal) || d->open || d->refused)
			return 0;
		d->way.unanswered++;
	}
	return 0;
}

/* Aborts all connections, so that the peer need not wait, and lets the last packets leave. */
static void leave(struct by_dccp *d)
{
	struct fdccp_event e;

	for (int i = 0; i < TRIES; i++) {
		if (d->conn[i])
			fdccp_abort(d->conn[i], fl_now());
	}
	while (fdccp_io_event(d->io, &e))
		;
	fdccp_io_close(d->io);
}

static bool open_io(struct by_dccp *d, const char *who, const struct probe_host *host,
		    const struct probe_dccp_config *config)
{
	const struct fdccp_io_config io = {
		.carrier = config->carrier, .local = host->local,
		.lifetimes = FDCCP_LIFETIMES_OPTION, .kernel_silent = config->kernel_silent,
	};
	const char *why = NULL;
	int err = fdccp_io_open(&io, &d->io, &why);

	if (err)
		cli_error(who, "%s: %s", why ? why : "cannot open DCCP's socket", strerror(-err));
	return !err;
}

/* Nobody is there for Syncs. */
static enum probe_reached no_peer(struct by_dccp *d, struct probe_result *result, const char **why)
{
	struct probe_evidence e = { 0 };
	struct probe_judgement j;

	e.count[PROBE_PLAIN][PROBE_MISSING] = d->way.unanswered;
	j = probe_judge(&e);
	*result = (struct probe_result){ .verdict = j.verdict, .wrong = j.wrong,
					 .sent = d->way.unanswered };
	*why = d->refused ? dccp_reason_text(&d->end) : "the peer does not answer";
	if (d->refused)
		result->verdict = PROBE_UNDECIDED;
	return PROBE_NO_PEER;
}

enum probe_reached probe_by_dccp(const char *who, const struct probe_host *host,
				 const struct probe_dccp_config *config,
				 struct probe_result *result, const char **why)
{
	struct by_dccp d = { .way = { .send = send_probe, .next = next_answer } };
	enum probe_reached reached = PROBE_REACHED;
	int err, signal = 0;

	*result = (struct probe_result){ .verdict = PROBE_UNDECIDED };
	if (!open_io(&d, who, host, config))
		return PROBE_FAILED;
	err = connect_to(&d, host, config, &signal);
	if (err) {
		cli_error(who, "HOST %s: %s", host->name, strerror(-err));
		reached = PROBE_FAILED;
	} else if (signal) {
		result->signal = signal;
	} else if (d.open) {
		probe_run(&d.way, result);
	} else {
		reached = no_peer(&d, result, why);
	}
	leave(&d);
	return reached;
}
