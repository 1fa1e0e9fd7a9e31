// SPDX-License-Identifier: GPL-2.0-or-later
/* freshlink send --lifetimes auto: packets have a lifetime only where the path enforces it. A process
 * of its own asks the path, so that the streams do not wait for that, and until it is known packets
 * have none. The path is asked again when the verdict ends, when an address changes, and when nothing
 * arrives any more although packets with a lifetime are on the way.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../probe/store.h"
#include "send_parts.h"
#include "wait.h"

#define LOOK	(500 * (int64_t)FL_MS)	/* time between two looks at the path */
#define SOON	(50 * (int64_t)FL_MS)	/* the same while the path is asked */
#define VANISHED (2 * (int64_t)FL_SEC)	/* time in which nothing has arrived */
#define AGAIN	(5 * (int64_t)FL_SEC)	/* time from one question to the next about the same path */

/* instead of a verdict: the process has said why it cannot ask, such as without privilege */
#define CANNOT_ASK	(PROBE_VERDICTS + 1)

static bool is_enforced(enum probe_verdict verdict)
{
	return verdict == PROBE_DISCARDS || verdict == PROBE_CUTS;
}

static void set(struct sender *s, enum probe_verdict verdict, int64_t until)
{
	struct stamping *st = &s->stamping;

	st->entry.verdict = verdict;
	st->entry.until = until;
	st->on = is_enforced(verdict);
	fdccp_io_stamp(fstream_io_dccp(s->io), st->on);
}

/* Takes the verdict that is kept, or none. */
static void look_up(struct sender *s)
{
	static struct probe_cache cache;
	const struct probe_entry *kept;
	char why[PROBE_WHY_MAX];

	probe_store_read(&cache, why);
	if (*why && !s->stamping.warned)
		cli_error(s->args->who, "%s", why);
	s->stamping.warned |= *why != '\0';
	kept = probe_cache_find(&cache, &s->stamping.entry);
	set(s, kept ? kept->verdict : PROBE_UNDECIDED, kept ? kept->until : 0);
	s->stamping.asked = -AGAIN;
}

/* Sums up what is known of all streams' packets. Return: whether some are on the way */
static bool count(const struct sender *s, uint64_t *arrived)
{
	bool any = false;

	*arrived = 0;
	for (unsigned int i = 0; i < s->flows; i++) {
		struct fdccp_info info;

		if (!s->flow[i].stream || !fstream_io_conn(s->flow[i].stream))
			continue;
		fdccp_info(fstream_io_conn(s->flow[i].stream), &info);
		any |= info.in_flight > 0;
		*arrived += info.fate[FDCCP_FATE_ACKNOWLEDGED] + info.fate[FDCCP_FATE_MARKED] +
			    info.fate[FDCCP_FATE_CUT] + info.fate[FDCCP_FATE_DAMAGED] +
			    info.fate[FDCCP_FATE_DROPPED];
	}
	return any;
}

/* Whether packets with a lifetime vanish; those without one may vanish as well. */
static bool has_vanished(struct sender *s)
{
	struct stamping *st = &s->stamping;
	uint64_t arrived;
	bool any = count(s, &arrived);

	if (!any || !st->on || arrived != st->arrived)
		st->arrived_at = fl_now();
	st->arrived = arrived;
	return fl_now() - st->arrived_at >= VANISHED;
}

/* Looks whether the peer has moved, or this host has another address. */
static void follow(struct sender *s)
{
	struct stamping *st = &s->stamping;
	struct in6_addr remote, local;

	for (unsigned int i = 0; i < s->flows; i++) {
		struct fdccp_info info;

		if (!s->flow[i].stream || !fstream_io_conn(s->flow[i].stream))
			continue;
		fdccp_info(fstream_io_conn(s->flow[i].stream), &info);
		st->host.remote = info.path.remote;
		break;
	}
	if (!probe_find_local(&st->host))
		return;
	remote = probe_mapped(&st->host.remote);
	local = probe_mapped(&st->host.local);
	if (IN6_ARE_ADDR_EQUAL(&remote, &st->entry.remote) &&
	    IN6_ARE_ADDR_EQUAL(&local, &st->entry.local))
		return;
	st->entry.remote = remote;
	st->entry.local = local;
	look_up(s);
}

/* What the process does that asks. Return: the verdict, or CANNOT_ASK */
static uint8_t ask_path(const struct sender *s)
{
	const struct stamping *st = &s->stamping;
	const struct probe_dccp_config config = {
		.carrier = s->values[CARRIER].number, .kernel_silent = given(s, KERNEL_SILENT),
		.udp_port = (uint16_t)s->values[UDP_PORT].number,
		.port = (uint16_t)s->values[PORT].number, .service = FDCCP_SERVICE_PROBE,
	};
	struct probe_entry e = st->entry;
	struct probe_result result;
	char reason[PROBE_WHY_MAX];
	const char *why;

	switch (probe_by_dccp(s->args->who, &st->host, &config, &result, &why)) {
	case PROBE_FAILED:
		return CANNOT_ASK;
	case PROBE_NO_PEER:
		return PROBE_UNDECIDED;
	case PROBE_REACHED:
		break;
	}
	e.verdict = result.verdict;
	if (!result.signal && e.verdict < PROBE_NO_ANSWER)
		probe_store_put(&e, reason);
	return e.verdict;
}

/* Starts the process that asks. Without one it is tried again later. */
static void ask(struct sender *s)
{
	struct stamping *st = &s->stamping;
	int ends[2];

	st->asked = fl_now();
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return;
	/* the process must not print what waits to be printed here */
	fflush(NULL);
	st->child = fork();
	if (!st->child) {
		uint8_t verdict = ask_path(s);

		_exit(write(ends[1], &verdict, 1) != 1);
	}
	close(ends[1]);
	st->pipe = ends[0];
	if (st->child < 0)
		close(st->pipe);
}

/* Ends the process that asks. */
static void end_child(struct stamping *st)
{
	if (st->child <= 0)
		return;
	kill(st->child, SIGKILL);
	waitpid(st->child, NULL, 0);
	close(st->pipe);
	st->child = 0;
}

/* Takes the answer if there is one. What is not known leaves all as it is. */
static void take_answer(struct sender *s)
{
	struct stamping *st = &s->stamping;
	uint8_t verdict = PROBE_UNDECIDED;

	if (st->child <= 0 || (read(st->pipe, &verdict, 1) < 0 && errno == EAGAIN))
		return;
	end_child(st);
	if (verdict == CANNOT_ASK) {
		look_up(s);
		/* until the path changes */
		st->asked = FL_NEVER;
	}
	if (verdict < PROBE_NO_ANSWER)
		set(s, verdict, probe_now() + probe_lifetime(verdict));
	st->arrived_at = fl_now();
}

int64_t send_stamp_run(struct sender *s)
{
	struct stamping *st = &s->stamping;
	int64_t now = fl_now();
	bool vanished;

	if (!st->automatic || now < st->next)
		return st->next;
	take_answer(s);
	follow(s);
	vanished = has_vanished(s);
	if (st->child <= 0 && now - st->asked >= AGAIN &&
	    (vanished || st->entry.until <= probe_now()))
		ask(s);
	st->next = now + (st->child > 0 ? SOON : LOOK);
	return st->next;
}

void send_stamp_open(struct sender *s, const union fdccp_address *remote)
{
	struct stamping *st = &s->stamping;

	st->next = FL_NEVER;
	st->automatic = s->values[LIFETIMES].number == LIFETIMES_AUTO &&
			fdccp_io_lifetimes(fstream_io_dccp(s->io)) != FDCCP_LIFETIMES_OFF;
	if (!st->automatic)
		return;
	st->next = 0;
	st->host = (struct probe_host){ .name = s->args->operand, .remote = *remote };
	st->entry.via = s->values[CARRIER].number == FDCCP_CARRIER_UDP ? PROBE_VIA_UDP :
									 PROBE_VIA_IP;
	set(s, PROBE_UNDECIDED, 0);
	follow(s);
}

void send_stamp_close(struct sender *s)
{
	end_child(&s->stamping);
}

void send_stamp_report(const struct sender *s, struct report *r)
{
	if (!s->stamping.automatic)
		return;
	report_text(r, "path", probe_verdict_names[s->stamping.entry.verdict]);
	report_text(r, "lifetimes", s->stamping.on ? "on" : "off");
}
