// SPDX-License-Identifier: GPL-2.0-or-later
/* What connections wait for: output, events, timers, and their end. */
#include "endpoint_state.h"

static struct fdccp_conn *of_output(struct fdccp_link *link)
{
	return fdccp_container(link, struct fdccp_conn, output);
}

static struct fdccp_conn *of_event(struct fdccp_link *link)
{
	return fdccp_container(link, struct fdccp_conn, event);
}

/* A timer that has become later stays where it is: most are set again with each packet, and few
 * ever run out. A time that has passed is corrected, because somebody waits for it.
 */
static __attribute__((noinline)) void queue_timer(struct fdccp_endpoint *ep,
						  struct fdccp_conn *conn)
{
	int64_t when = fdccp_conn_timer(conn);

	if (when < conn->heap.when || conn->heap.when <= ep->now + 1)
		fdccp_heap_set(&ep->heap, &conn->heap, when);
}

void fdccp_endpoint_update(struct fdccp_endpoint *ep, struct fdccp_conn *conn)
{
	struct fdccp_conn *touched = ep->touched;

	/* it is being made */
	if (!conn->source)
		return;
	if (fdccp_conn_has_output(conn))
		fdccp_list_add(&ep->output, &conn->output);
	if (fdccp_conn_has_event(conn))
		fdccp_list_add(&ep->events, &conn->event);
	ep->touched = conn;
	if (touched && touched != conn)
		queue_timer(ep, touched);
}

void fdccp_unqueue(struct fdccp_endpoint *ep, struct fdccp_conn *conn)
{
	if (ep->touched == conn)
		ep->touched = NULL;
	if (conn->output.listed)
		fdccp_list_remove(&ep->output, &conn->output);
	if (conn->event.listed)
		fdccp_list_remove(conn->ended ? &ep->ended : &ep->events, &conn->event);
}

void fdccp_endpoint_reap(struct fdccp_endpoint *ep)
{
	struct fdccp_link *link = ep->ended.first, *next;

	for (; link; link = next) {
		next = link->next;
		if (!of_event(link)->output.listed)
			fdccp_endpoint_forget(ep, of_event(link));
	}
}

static bool transmit(struct fdccp_endpoint *ep, struct fdccp_conn *conn,
		     struct fdccp_datagram *datagram)
{
	fdccp_list_shift(&ep->output);
	/* only a connection that the program knows */
	datagram->conn = conn->ended || conn->half_open || fdccp_conn_is_hidden(conn) ? NULL :
			 conn;
	return fdccp_conn_transmit(conn, datagram, ep->now);
}

bool fdccp_transmit(struct fdccp_endpoint *ep, struct fdccp_datagram *datagram, int64_t now)
{
	bool found;

	fdccp_endpoint_begin(ep, now);
	if (!ep->answers && !ep->output.first)
		return false;
	found = ep->answers && fdccp_answer_fetch(ep, datagram);
	while (!found && ep->output.first)
		found = transmit(ep, of_output(ep->output.first), datagram);
	if (found)
		fdccp_endpoint_seal(ep, datagram);
	return found;
}

/* The connection at the head of the list has told its last event. The program has never heard of
 * one that is still half-open, or hidden. Return: whether it has.
 */
static bool end(struct fdccp_endpoint *ep, struct fdccp_conn *conn)
{
	fdccp_list_shift(&ep->events);
	conn->ended = true;
	fdccp_list_add(&ep->ended, &conn->event);
	return !conn->half_open && !fdccp_conn_is_hidden(conn);
}

bool fdccp_event(struct fdccp_endpoint *ep, struct fdccp_event *event)
{
	if (ep->ended.first)
		fdccp_endpoint_reap(ep);
	while (ep->events.first) {
		struct fdccp_conn *conn = of_event(ep->events.first);

		if (!fdccp_conn_has_event(conn)) {
			fdccp_list_shift(&ep->events);
			continue;
		}
		if (!fdccp_conn_event(conn, event))
			continue;
		if (event->type == FDCCP_EVENT_CLOSED ? end(ep, conn) : !fdccp_conn_is_hidden(conn))
			return true;
	}
	return false;
}

static void queue_touched(struct fdccp_endpoint *ep)
{
	if (ep->touched)
		queue_timer(ep, ep->touched);
	ep->touched = NULL;
}

int64_t fdccp_next_timer(struct fdccp_endpoint *ep)
{
	const struct fdccp_heap_entry *first;

	queue_touched(ep);
	first = fdccp_heap_first(&ep->heap);
	return first ? first->when : FDCCP_NEVER;
}

static void run_timer(struct fdccp_endpoint *ep, struct fdccp_conn *conn)
{
	if (fdccp_conn_timer(conn) <= ep->now)
		fdccp_conn_advance(conn, ep->now);
	/* what is still due waits for fdccp_transmit() */
	if (fdccp_conn_timer(conn) <= ep->now)
		fdccp_heap_set(&ep->heap, &conn->heap, ep->now + 1);
	else
		fdccp_heap_set(&ep->heap, &conn->heap, fdccp_conn_timer(conn));
	ep->touched = NULL;
}

void fdccp_advance(struct fdccp_endpoint *ep, int64_t now)
{
	struct fdccp_heap_entry *first;

	fdccp_endpoint_begin(ep, now);
	queue_touched(ep);
	while ((first = fdccp_heap_first(&ep->heap)) && first->when <= now)
		run_timer(ep, fdccp_container(first, struct fdccp_conn, heap));
}
