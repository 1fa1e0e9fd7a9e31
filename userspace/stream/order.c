// SPDX-License-Identifier: GPL-2.0-or-later
#include "order.h"

#define MESSAGE_OF(entry, member) \
	((struct fstream_in *)((char *)(entry) - offsetof(struct fstream_in, member)))

/* the first of the messages that wait, or NULL */
static struct fstream_in *first_waiting(const struct fstream_delivery *d)
{
	struct fdccp_heap_entry *entry = fdccp_heap_first(&d->by_number);

	return entry ? MESSAGE_OF(entry, by_number) : NULL;
}

bool fstream_delivery_reserve(struct fstream_delivery *d, uint32_t count)
{
	if (d->order == FSTREAM_ORDER_ASAP)
		return true;
	return fdccp_heap_reserve(&d->by_number, count) &&
	       fdccp_heap_reserve(&d->by_deadline, count) &&
	       (d->order != FSTREAM_ORDER_PACED || fdccp_heap_reserve(&d->by_submitted, count));
}

void fstream_delivery_free(struct fstream_delivery *d, struct fstream_inbox *inbox)
{
	struct fstream_in *m;

	while ((m = first_waiting(d))) {
		fdccp_heap_remove(&d->by_number, &m->by_number);
		fstream_inbox_drop(inbox, m);
	}
	while ((m = fstream_delivery_take(d)))
		fstream_inbox_drop(inbox, m);
	fdccp_heap_free(&d->by_number);
	fdccp_heap_free(&d->by_deadline);
	fdccp_heap_free(&d->by_submitted);
}

/* A message without a deadline has none here, either: its sender goes on until it has arrived. */
int64_t fstream_delivery_deadline(const struct fstream_delivery *d, const struct fstream_in *m)
{
	int64_t lifetime = d->lifetime && d->lifetime < m->lifetime ? d->lifetime : m->lifetime;

	return lifetime ? m->submitted + lifetime : FDCCP_NEVER;
}

/* When a message must be delivered at the latest, or FDCCP_NEVER. */
static int64_t limit(const struct fstream_delivery *d, const struct fstream_in *m)
{
	int64_t deadline = fstream_delivery_deadline(d, m), due = m->submitted + d->latency;

	if (d->order == FSTREAM_ORDER_PACED && d->latency && due < deadline)
		return due;
	return deadline;
}

bool fstream_delivery_late(const struct fstream_delivery *d, const struct fstream_in *m,
			   int64_t now)
{
	return now > limit(d, m) || m->number < d->passed;
}

static void deliver(struct fstream_delivery *d, struct fstream_in *m)
{
	m->next = NULL;
	if (d->first)
		d->last->next = m;
	else
		d->first = m;
	d->last = m;
}

struct fstream_in *fstream_delivery_take(struct fstream_delivery *d)
{
	struct fstream_in *m = d->first;

	if (m)
		d->first = m->next;
	return m;
}

uint64_t fstream_delivery_expire(struct fstream_delivery *d, struct fstream_inbox *inbox,
				 int64_t now)
{
	struct fstream_in *next = d->first, *m;
	uint64_t expired = 0;

	d->first = NULL;
	while ((m = next)) {
		next = m->next;
		if (fstream_delivery_deadline(d, m) < now) {
			fstream_inbox_drop(inbox, m);
			expired++;
		} else {
			deliver(d, m);
		}
	}
	return expired;
}

void fstream_delivery_add(struct fstream_delivery *d, struct fstream_in *m)
{
	if (m->late || d->order == FSTREAM_ORDER_ASAP) {
		deliver(d, m);
		return;
	}
	fdccp_heap_set(&d->by_number, &m->by_number, (int64_t)m->number);
	fdccp_heap_set(&d->by_deadline, &m->by_deadline, fstream_delivery_deadline(d, m));
	if (d->order == FSTREAM_ORDER_PACED)
		fdccp_heap_set(&d->by_submitted, &m->by_submitted, m->submitted);
}

/* The lifetime that the program wants is part of each deadline, so another one changes them all. */
static void set_lifetime(struct fstream_delivery *d, int64_t lifetime)
{
	d->lifetime = lifetime;
	for (uint32_t i = 1; i <= d->by_number.count; i++) {
		struct fstream_in *m = MESSAGE_OF(d->by_number.entry[i], by_number);

		fdccp_heap_set(&d->by_deadline, &m->by_deadline, fstream_delivery_deadline(d, m));
	}
}

void fstream_delivery_terms(struct fstream_delivery *d, int64_t lifetime, int64_t latency)
{
	if (lifetime != d->lifetime)
		set_lifetime(d, lifetime);
	d->latency = latency;
}

/* Delivers the messages that wait, up to @number. */
static void release(struct fstream_delivery *d, uint64_t number)
{
	struct fstream_in *m;

	while ((m = first_waiting(d)) && m->number <= number) {
		fdccp_heap_remove(&d->by_number, &m->by_number);
		fdccp_heap_remove(&d->by_deadline, &m->by_deadline);
		fdccp_heap_remove(&d->by_submitted, &m->by_submitted);
		deliver(d, m);
	}
	if (d->passed <= number)
		d->passed = number + 1;
}

/* When a message that waits must be delivered in the order "paced". */
static int64_t paced(const struct fstream_delivery *d, const struct fstream_in *m)
{
	int64_t when = limit(d, m);

	/* without latency and lifetime there is nothing to wait for */
	return when == FDCCP_NEVER ? m->arrived : when;
}

/* The message that must be delivered first, with those before it, and when; NULL: none waits. The
 * latency is the same for all messages, so by the latency it is the one that was submitted first.
 */
static const struct fstream_in *first_due(const struct fstream_delivery *d, int64_t *when)
{
	const struct fdccp_heap_entry *deadline = fdccp_heap_first(&d->by_deadline);
	const struct fstream_in *oldest;
	int64_t due;

	if (!deadline)
		return NULL;
	*when = deadline->when;
	if (d->order != FSTREAM_ORDER_PACED)
		return MESSAGE_OF(deadline, by_deadline);
	oldest = MESSAGE_OF(fdccp_heap_first(&d->by_submitted), by_submitted);
	due = paced(d, oldest);
	if (due > *when)
		return MESSAGE_OF(deadline, by_deadline);
	*when = due;
	return oldest;
}

/* Releases the message that must be delivered first, and those before it, if it is time. */
static bool release_due(struct fstream_delivery *d, int64_t now)
{
	const struct fstream_in *m;
	int64_t when;

	m = first_due(d, &when);
	if (!m || when > now)
		return false;
	release(d, m->number);
	return true;
}

/* Passes the numbers that have ended. */
static void pass_ended(struct fstream_delivery *d, struct fstream_inbox *inbox)
{
	if (d->passed < inbox->base)
		d->passed = inbox->base;
	while (fstream_inbox_ended(inbox, d->passed))
		d->passed++;
	fstream_inbox_pass(inbox, d->passed);
}

/* The first message from @d->passed on of which something has arrived; one waits. */
static const struct fstream_in *first_seen(const struct fstream_delivery *d,
					   const struct fstream_inbox *inbox)
{
	const struct fstream_in *open = fstream_inbox_first(inbox), *waiting = first_waiting(d);

	return open && open->number < waiting->number ? open : waiting;
}

/* Until when the number @d->passed is waited for, which has not ended. Of a message that was never
 * seen, the deadline is at most that of the next one: messages are submitted in the order of their
 * numbers.
 */
static int64_t patience(const struct fstream_delivery *d, const struct fstream_inbox *inbox)
{
	return fstream_delivery_deadline(d, first_seen(d, inbox));
}

static void run_ordered(struct fstream_delivery *d, struct fstream_inbox *inbox, int64_t now)
{
	uint64_t seen;

	while (first_waiting(d)) {
		pass_ended(d, inbox);
		if (first_waiting(d)->number < d->passed) {
			release(d, first_waiting(d)->number);
			continue;
		}
		if (release_due(d, now))
			continue;
		if (patience(d, inbox) > now)
			break;
		seen = first_seen(d, inbox)->number;
		d->passed = seen == d->passed ? seen + 1 : seen;
	}
}

void fstream_delivery_run(struct fstream_delivery *d, struct fstream_inbox *inbox, int64_t now)
{
	if (d->order == FSTREAM_ORDER_ORDERED)
		run_ordered(d, inbox, now);
	else
		while (release_due(d, now))
			;
}

void fstream_delivery_flush(struct fstream_delivery *d)
{
	release(d, INT64_MAX);
}

int64_t fstream_delivery_timer(const struct fstream_delivery *d, const struct fstream_inbox *inbox)
{
	int64_t until, when;

	if (!first_due(d, &when))
		return FDCCP_NEVER;
	until = d->order == FSTREAM_ORDER_ORDERED ? patience(d, inbox) : FDCCP_NEVER;
	return until < when ? until : when;
}
