// SPDX-License-Identifier: GPL-2.0-or-later
/* The trial of freshlink doctor: see trial.h. */
#include <errno.h>
#include <string.h>

#include "../lib/units.h"
#include "../libfreshlink/freshlink.h"
#include "inspect.h"
#include "trial.h"
#include "wait.h"

#define ROUNDS		20	/* number of probes without load */
#define ROUND		(50 * (int64_t)FL_MS)	/* time between two of them */
#define OPTION_EVERY	2	/* rounds from one packet with the option to the next */
#define OPTIONS		(ROUNDS / OPTION_EVERY)
#define BEHIND		4	/* number of probes behind a load; some of them may get lost */
#define LOOK		(10 * (int64_t)FL_MS)	/* time between two looks at the sockets */
#define ANSWER_TIME	(3 * (int64_t)FL_SEC)	/* for the answers to probes without load */
#define LOAD_TIME	(4 * (int64_t)FL_SEC)	/* for the answers to a load */
#define ENOUGH		(100 * (int64_t)FL_MS)	/* delay of a load, after which none follows */
#define PACKET		1514	/* bytes; with fewer bytes, the qdiscs count as empty */
#define LATEST		(60 * (int64_t)FL_SEC)	/* a longer delay counts as this delay */
#define MTU_MAX		1500	/* the packets of the load are at most this long */

/* The sum is below the 100 packets that a reflector answers at once by default. */
static const uint32_t loads[] = { 16, 64 };

#define LOADS		(sizeof(loads) / sizeof(loads[0]))

static size_t datagram(const struct trial *t)
{
	const struct prober *p = &t->probe.prober;
	size_t headers = 8 + (p->hosts[0].address.ss_family == AF_INET ? 20 : 40);
	size_t mtu = t->facts->mtu < MTU_MAX ? t->facts->mtu : MTU_MAX;
	size_t least = stamp_len(p->key);

	return mtu < headers + least ? least : mtu - headers;
}

static void copy_prober(struct prober *to, const struct prober *from)
{
	*to = *from;
	to->ordinary = true;
}

/* Without CAP_NET_RAW the trial goes on without the option. */
static bool open_option(struct trial *t)
{
	const struct freshlink_lifetime lifetime = {
		.kind = FRESHLINK_UNLIMITED, .stale = FRESHLINK_FORWARD,
	};

	if (!prober_open(&t->option.prober, t->ifindex))
		return false;
	t->facts->trial.can_option =
		!freshlink_socket_lifetime(t->option.prober.fd, &lifetime);
	return true;
}

static bool open_sockets(struct trial *t)
{
	if (!prober_open(&t->probe.prober, t->ifindex))
		return false;
	if (open_option(t)) {
		if (prober_open(&t->load.prober, t->ifindex))
			return true;
		prober_close(&t->option.prober);
	}
	prober_close(&t->probe.prober);
	return false;
}

bool trial_open(struct trial *t)
{
	copy_prober(&t->option.prober, &t->probe.prober);
	copy_prober(&t->load.prober, &t->probe.prober);
	t->load.prober.datagram = datagram(t);
	/* freshlink pace knows its own probes by numbers, which these probes would have, too */
	t->probe.prober.ordinary = t->facts->lpd.gate;
	if (open_sockets(t))
		return true;
	t->facts->trial.state = errno == EPERM ? DOCTOR_NO_PRIVILEGE : DOCTOR_NO_SOCKET;
	return false;
}

void trial_close(struct trial *t)
{
	prober_close(&t->probe.prober);
	prober_close(&t->option.prober);
	prober_close(&t->load.prober);
}

uint32_t trial_bytes(const struct trial *t)
{
	uint32_t option = prober_bytes(&t->option.prober) + FRESHLINK_IPV6_SIZE;
	uint32_t bytes = (ROUNDS + LOADS * BEHIND) * prober_bytes(&t->probe.prober) +
			 OPTIONS * option;

	for (size_t i = 0; i < LOADS; i++)
		bytes += loads[i] * prober_bytes(&t->load.prober);
	return bytes;
}

static void shoot(struct shots *s)
{
	s->list[s->count] = (struct shot){ .sent = fl_now() };
	if (prober_send(&s->prober, s->count, 0))
		s->count++;
}

static void gather(struct shots *s)
{
	struct prober_answer answer;
	enum prober_event event;

	while ((event = prober_receive(&s->prober, &answer)) != PROBER_NOTHING) {
		if (event != PROBER_ANSWER)
			continue;
		s->list[answer.number].reached = answer.reached;
		s->list[answer.number].heard = answer.heard;
	}
}

static uint32_t answered(const struct shots *s)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->count; i++)
		count += s->list[i].heard != 0;
	return count;
}

static bool is_complete(const struct trial *t)
{
	return answered(&t->probe) == t->probe.count && answered(&t->option) == t->option.count &&
	       answered(&t->load) == t->load.count;
}

/* The facts keep the qdiscs as they were right behind the load. */
static void look_at_backlog(struct trial *t, int64_t now)
{
	struct doctor_facts later = { 0 };

	if (inspect_backlog(t->route, t->ifindex, &later) >= PACKET)
		t->facts->trial.held = now + LOOK - t->loaded;
}

/* Receives answers. The kernel stamps their arrival, so one look in each LOOK is enough. */
static bool watch(struct trial *t, int64_t until, bool all)
{
	for (;;) {
		int64_t now = fl_now(), next = now + LOOK < until ? now + LOOK : until;

		gather(&t->probe);
		gather(&t->option);
		gather(&t->load);
		if (t->loaded)
			look_at_backlog(t, now);
		if (now >= until || (all && is_complete(t)))
			return true;
		if (wait_until(next))
			return false;
	}
}

/* Returns the delay on the way to the reflector, beyond the least delay. The reflector's clock may
 * be wrong, so the result is at most the round trip's delay on our own clock.
 */
static int64_t late(const struct trial *t, const struct shot *s)
{
	int64_t forward = s->reached - s->sent - t->forward;
	int64_t both = s->heard - s->sent - t->facts->trial.base;
	int64_t least = forward < both ? forward : both;

	return least < 0 ? 0 : least < LATEST ? least : LATEST;
}

static void learn_base(struct trial *t)
{
	struct doctor_trial *result = &t->facts->trial;

	result->base = INT64_MAX;
	t->forward = INT64_MAX;
	for (uint32_t i = 0; i < t->probe.count; i++) {
		const struct shot *s = &t->probe.list[i];

		if (s->heard && s->heard - s->sent < result->base)
			result->base = s->heard - s->sent;
		if (s->heard && s->reached - s->sent < t->forward)
			t->forward = s->reached - s->sent;
	}
	for (uint32_t i = 0; i < t->probe.count; i++) {
		const struct shot *s = &t->probe.list[i];

		if (s->heard && late(t, s) > result->spread)
			result->spread = late(t, s);
	}
}

/* Sends probes without load. Returns false after a signal. */
static bool try_base(struct trial *t)
{
	struct doctor_trial *result = &t->facts->trial;
	int64_t start = fl_now();

	for (int i = 1; i <= ROUNDS; i++) {
		shoot(&t->probe);
		if (i % OPTION_EVERY == 0 && result->can_option)
			shoot(&t->option);
		if (!watch(t, start + i * ROUND, false))
			return false;
		inspect_backlog(t->route, t->ifindex, t->facts);
	}
	if (!watch(t, fl_now() + ANSWER_TIME, true))
		return false;
	/* a packet that a firewall of this host refuses is lost, too */
	result->small = (struct doctor_count){ ROUNDS, answered(&t->probe) };
	result->option = (struct doctor_count){ OPTIONS, answered(&t->option) };
	return true;
}

/* The last packet that arrived waited for all bytes of the load before it. */
static void learn_load(struct trial *t, uint32_t first)
{
	struct doctor_trial *result = &t->facts->trial;

	result->load = (struct doctor_count){ t->load.count - first, 0 };
	for (uint32_t i = first; i < t->load.count; i++) {
		if (!t->load.list[i].heard)
			continue;
		result->load.answered++;
		result->load_bytes = (i - first + 1) * prober_bytes(&t->load.prober);
		result->load_late = late(t, &t->load.list[i]);
	}
	result->rate = result->load_late ?
		       result->load_bytes * (double)FL_SEC / result->load_late : 0;
}

static void learn_behind(struct trial *t, uint32_t first)
{
	struct doctor_trial *result = &t->facts->trial;

	result->has_probe = false;
	result->probe_late = 0;
	for (uint32_t i = first; i < t->probe.count; i++) {
		if (!t->probe.list[i].heard)
			continue;
		result->has_probe = true;
		if (late(t, &t->probe.list[i]) > result->probe_late)
			result->probe_late = late(t, &t->probe.list[i]);
	}
}

static bool try_load(struct trial *t, uint32_t packets)
{
	uint32_t load = t->load.count, probe = t->probe.count;

	for (uint32_t i = 0; i < packets; i++)
		shoot(&t->load);
	for (int i = 0; i < BEHIND; i++)
		shoot(&t->probe);
	t->loaded = fl_now();
	t->facts->trial.held = 0;
	t->facts->trial.waiting = inspect_backlog(t->route, t->ifindex, t->facts);
	if (!watch(t, fl_now() + LOAD_TIME, true))
		return false;
	learn_load(t, load);
	learn_behind(t, probe);
	return true;
}

bool trial_run(struct trial *t)
{
	struct doctor_trial *result = &t->facts->trial;

	if (!try_base(t))
		return false;
	result->state = DOCTOR_NO_ANSWER;
	if (!result->small.answered)
		return true;
	learn_base(t);
	result->state = DOCTOR_BUSY;
	if (t->facts->present >= DOCTOR_PRESENT)
		return true;
	result->state = DOCTOR_LOADED;
	for (size_t i = 0; i < LOADS && result->load_late < ENOUGH; i++)
		if (!try_load(t, loads[i]))
			return false;
	return true;
}
