// SPDX-License-Identifier: GPL-2.0-or-later
/* The packets that wait until a connection's rate control, or the socket, takes them. */
#include "io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../conn.h"

/**
 * struct fdccp_queued - a packet that waits
 * @message: how it is sent
 * @payload: application data
 * @len: its length
 * @room: what @payload has room for
 */
struct fdccp_queued {
	struct fdccp_message message;
	uint8_t *payload;
	size_t len, room;
};

/**
 * struct fdccp_queue - the queue of a connection: a ring
 * @conn: the connection, whose @adapter points to the queue
 * @next: the adapter's next queue
 * @link: what points to this queue
 * @size: packets it can hold
 * @head: the oldest packet
 * @count: packets in it
 * @starved: a packet was refused, so that the program waits for FDCCP_EVENT_READY
 * @closing: the connection is closed as soon as the queue is empty
 * @slot: the packets
 */
struct fdccp_queue {
	struct fdccp_conn *conn;
	struct fdccp_queue *next, **link;
	unsigned int size, head, count;
	bool starved, closing;
	struct fdccp_queued slot[];
};

static struct fdccp_queue *make(struct fdccp_io *io, struct fdccp_conn *conn)
{
	struct fdccp_queue *q = calloc(1, sizeof(*q) + io->queue_size * sizeof(q->slot[0]));

	if (!q)
		return NULL;
	q->conn = conn;
	q->size = io->queue_size;
	q->next = io->queues;
	q->link = &io->queues;
	if (q->next)
		q->next->link = &q->next;
	io->queues = q;
	conn->adapter = q;
	return q;
}

void fdccp_queue_free(struct fdccp_io *io, struct fdccp_conn *conn)
{
	struct fdccp_queue *q = conn->adapter;

	if (!q)
		return;
	if (io->draining == q)
		io->draining = NULL;
	if (io->walk == q)
		io->walk = q->next;
	*q->link = q->next;
	if (q->next)
		q->next->link = q->link;
	for (unsigned int i = 0; i < q->size; i++)
		free(q->slot[i].payload);
	free(q);
	conn->adapter = NULL;
}

void fdccp_queue_free_all(struct fdccp_io *io)
{
	while (io->queues)
		fdccp_queue_free(io, io->queues->conn);
}

static int put(struct fdccp_queue *q, const void *payload, size_t len,
	       const struct fdccp_message *message)
{
	const struct fdccp_message none = { .deadline = FDCCP_NEVER };
	struct fdccp_queued *slot = &q->slot[(q->head + q->count) % q->size];

	/* one byte more, because realloc(0) may return NULL */
	if (slot->room < len + 1) {
		uint8_t *grown = realloc(slot->payload, len + 1);

		if (!grown)
			return -ENOMEM;
		slot->payload = grown;
		slot->room = len + 1;
	}
	if (len)
		memcpy(slot->payload, payload, len);
	slot->len = len;
	slot->message = message ? *message : none;
	q->count++;
	return 0;
}

static int send_now(struct fdccp_io *io, struct fdccp_conn *conn, const void *payload, size_t len,
		    const struct fdccp_message *message)
{
	struct fdccp_datagram *d;
	int err;

	if (!io->sends_left)
		return -EAGAIN;
	d = fdccp_tx_reserve(io);
	if (!d)
		return -EAGAIN;
	err = fdccp_send(conn, payload, len, message, fdccp_io_now(io), d);
	if (!err) {
		fdccp_tx_commit(io, true);
		io->sends_left--;
	}
	return err;
}

static struct fdccp_queue *queue_of(struct fdccp_io *io, struct fdccp_conn *conn)
{
	return conn->adapter ? conn->adapter : make(io, conn);
}

static int enqueue(struct fdccp_io *io, struct fdccp_conn *conn, const void *payload, size_t len,
		   const struct fdccp_message *message)
{
	struct fdccp_queue *q = queue_of(io, conn);

	if (len > fdccp_payload_max(conn))
		return -EMSGSIZE;
	if (!q)
		return -ENOMEM;
	if (q->count == q->size) {
		q->starved = true;
		return -EAGAIN;
	}
	return put(q, payload, len, message);
}

/* Sends a packet unless others wait already. */
static int try_send(struct fdccp_io *io, struct fdccp_conn *conn, const void *payload, size_t len,
		    const struct fdccp_message *message)
{
	const struct fdccp_queue *q = conn->adapter;

	if (!fdccp_lifetime_fits(io, message))
		return -EOPNOTSUPP;
	if (q && q->closing)
		return -ESHUTDOWN;
	return q && q->count ? -EAGAIN : send_now(io, conn, payload, len, message);
}

int fdccp_io_send(struct fdccp_io *io, struct fdccp_conn *conn, const void *payload, size_t len,
		  const struct fdccp_message *message)
{
	int err = try_send(io, conn, payload, len, message);

	if (err == -EAGAIN)
		err = enqueue(io, conn, payload, len, message);
	fdccp_io_settle(io);
	return err;
}

/* What READY is told for is an empty queue. */
static int await_ready(struct fdccp_io *io, struct fdccp_conn *conn)
{
	struct fdccp_queue *q = queue_of(io, conn);

	if (!q)
		return -ENOMEM;
	q->starved = true;
	return -EAGAIN;
}

int fdccp_io_try_send(struct fdccp_io *io, struct fdccp_conn *conn, const void *payload, size_t len,
		      const struct fdccp_message *message)
{
	int err = try_send(io, conn, payload, len, message);

	if (err == -EAGAIN)
		err = await_ready(io, conn);
	fdccp_io_settle(io);
	return err;
}

static int may_send(struct fdccp_io *io, struct fdccp_conn *conn)
{
	const struct fdccp_queue *q = conn->adapter;

	if (q && q->closing)
		return -ESHUTDOWN;
	if ((q && q->count) || !io->sends_left || !fdccp_tx_reserve(io))
		return -EAGAIN;
	return fdccp_may_send(conn, fdccp_io_now(io));
}

int fdccp_io_may_send(struct fdccp_io *io, struct fdccp_conn *conn)
{
	int err = may_send(io, conn);

	if (err == -EAGAIN)
		err = await_ready(io, conn);
	fdccp_io_settle(io);
	return err;
}

int fdccp_io_probe(struct fdccp_io *io, struct fdccp_conn *conn, const struct fdccp_probe *probe,
		   uint64_t *seq)
{
	struct fdccp_datagram *d;
	int err;

	if (probe->deadline != FDCCP_NEVER &&
	    (io->bald || io->lifetimes != FDCCP_LIFETIMES_OPTION))
		return -EOPNOTSUPP;
	d = fdccp_tx_reserve(io);
	if (!d)
		return -EAGAIN;
	err = fdccp_probe(conn, probe, fdccp_io_now(io), d, seq);
	if (!err)
		fdccp_tx_commit(io, false);
	fdccp_io_settle(io);
	return err;
}

void fdccp_io_acknowledge(struct fdccp_io *io, struct fdccp_conn *conn)
{
	fdccp_acknowledge(conn, fdccp_io_now(io));
	fdccp_io_settle(io);
}

void fdccp_io_shutdown(struct fdccp_io *io, struct fdccp_conn *conn)
{
	struct fdccp_queue *q = conn->adapter;

	if (q && q->count) {
		q->closing = true;
		return;
	}
	fdccp_close(conn, fdccp_io_now(io));
	fdccp_io_settle(io);
}

/* Nobody wants a packet any more that routers would discard. */
static bool is_stale(const struct fdccp_message *message, int64_t now)
{
	return message->stale == FRESHLINK_DISCARD && message->deadline <= now;
}

/* Sends the oldest packet. Return: 0; -EAGAIN: later; else why it is never sent. */
static int send_head(struct fdccp_io *io, struct fdccp_queue *q, const struct fdccp_queued *head)
{
	if (!is_stale(&head->message, fdccp_io_now(io)))
		return send_now(io, q->conn, head->payload, head->len, &head->message);
	fdccp_io_count(io, FDCCP_IO_COUNT_stale);
	return -ETIME;
}

/* Sends packets of a queue. Return: whether there is an event for the program. */
static bool drain(struct fdccp_io *io, struct fdccp_queue *q, struct fdccp_event *event)
{
	while (q->count) {
		const struct fdccp_queued *head = &q->slot[q->head];
		int err = send_head(io, q, head);

		if (err == -EAGAIN)
			break;
		q->head = (q->head + 1) % q->size;
		q->count--;
		if (!err)
			continue;
		*event = (struct fdccp_event){
			.type = FDCCP_EVENT_FATE, .conn = q->conn, .handle = head->message.handle,
			.fate = err == -ETIME ? FDCCP_FATE_EXPIRED : FDCCP_FATE_UNKNOWN,
			.sent = FDCCP_NEVER,
		};
		return true;
	}
	io->draining = NULL;
	if (!q->count && q->closing)
		fdccp_close(q->conn, fdccp_io_now(io));
	if (!q->starved || q->count == q->size)
		return false;
	q->starved = false;
	*event = (struct fdccp_event){ .type = FDCCP_EVENT_READY, .conn = q->conn };
	return true;
}

bool fdccp_queue_next(struct fdccp_io *io, struct fdccp_event *event)
{
	for (;;) {
		if (!io->draining && io->walk) {
			io->draining = io->walk;
			io->walk = io->walk->next;
		}
		if (!io->draining)
			return false;
		if (drain(io, io->draining, event))
			return true;
	}
}

bool fdccp_queue_ready(struct fdccp_io *io, struct fdccp_conn *conn)
{
	io->draining = conn->adapter;
	return io->draining;
}

void fdccp_queue_all(struct fdccp_io *io)
{
	io->walk = io->queues;
}
