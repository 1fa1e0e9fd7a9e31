// SPDX-License-Identifier: GPL-2.0-or-later
/* A stream and the connection that carries it. */
#include <errno.h>
#include <stdlib.h>

#include "../stream.h"
#include "stream_io.h"

#define RECEIVE_BUFFER	2	/* the drop code, RFC 4340 section 11.7 */

/* A record is made only if it can be sent, because each costs an encryption and a number. */
static int seal(struct fstream_carried *c, const void **payload, size_t *len)
{
	int err = fdccp_io_may_send(c->io->dccp, c->conn);

	return err ? err : fstream_session_seal(c->session, payload, len);
}

/* Packets leave when the program has fetched all events, those of several messages together.
 *
 * A deadline of the socket can only ask routers to discard, so that a packet with another treatment
 * goes without one.
 */
static int try_send(struct fstream_carried *c, const void *payload, size_t len,
		    const struct fdccp_message *message)
{
	struct fdccp_message plain = *message;
	int err;

	fdccp_io_hold(c->io->dccp);
	err = fdccp_io_try_send(c->io->dccp, c->conn, payload, len, message);
	if (err != -EOPNOTSUPP)
		return err;
	plain.deadline = FDCCP_NEVER;
	return fdccp_io_try_send(c->io->dccp, c->conn, payload, len, &plain);
}

static int link_send(void *context, const void *payload, size_t len,
		     const struct fdccp_message *message, int64_t now)
{
	struct fstream_carried *c = context;
	int err;

	(void)now;
	if (!c->conn)
		return -ENOTCONN;
	err = c->session ? seal(c, &payload, &len) : 0;
	if (!err)
		err = try_send(c, payload, len, message);
	/* the peer's program does not listen any more: nothing is left to do */
	if (err == -EPIPE)
		fdccp_io_shutdown(c->io->dccp, c->conn);
	return err;
}

static void link_acknowledge(void *context, int64_t now)
{
	struct fstream_carried *c = context;

	(void)now;
	if (c->conn)
		fdccp_io_acknowledge(c->io->dccp, c->conn);
}

static void link_drop(void *context)
{
	struct fstream_carried *c = context;

	fdccp_report_dropped(c->conn, RECEIVE_BUFFER);
}

static void link_slow_receiver(void *context, bool slow)
{
	struct fstream_carried *c = context;

	if (c->conn)
		fdccp_slow_receiver(c->conn, slow);
}

static size_t link_payload_max(void *context)
{
	struct fstream_carried *c = context;

	if (!c->conn)
		return 0;
	return c->session ? fstream_session_payload_max(c->session) : fdccp_payload_max(c->conn);
}

static void link_measure(void *context, struct fdccp_measure *measure)
{
	struct fstream_carried *c = context;

	if (c->conn)
		fdccp_measure(c->conn, measure);
	else
		*measure = (struct fdccp_measure){ 0 };
}

static void link_changed(void *context)
{
	struct fstream_carried *c = context;

	if (c->is_changed)
		return;
	c->is_changed = true;
	c->next_changed = c->io->changed;
	c->io->changed = c;
}

struct fstream_carried *fstream_carried_of(struct fdccp_heap_entry *timer)
{
	return (struct fstream_carried *)((char *)timer - offsetof(struct fstream_carried, timer));
}

void fstream_carried_set_timer(struct fstream_carried *c)
{
	int64_t when = fstream_next_timer(c->stream);
	int64_t session = c->session ? fstream_session_timer(c->session) : FDCCP_NEVER;

	if (session < when)
		when = session;
	if (when == FDCCP_NEVER)
		fdccp_heap_remove(&c->io->timers, &c->timer);
	else
		fdccp_heap_set(&c->io->timers, &c->timer, when);
}

void fstream_carried_advance(struct fstream_carried *c, int64_t now)
{
	if (c->session)
		fstream_session_advance(c->session, now);
	fstream_advance(c->stream, now);
}

static void add(struct fstream_carried *c)
{
	struct fstream_io *io = c->io;

	c->next = io->all;
	if (c->next)
		c->next->prev = c;
	io->all = c;
	io->count++;
}

/* Makes a stream without a connection; @dtls may be NULL. Return: 0, or as fstream_new(). */
static int carried_new(struct fstream_io *io, const struct fstream_config *config,
		       struct fstream_dtls *dtls, struct fstream_carried **carried)
{
	struct fstream_carried *c = calloc(1, sizeof(*c));
	struct fstream_link link = {
		.send = link_send,
		.acknowledge = link_acknowledge,
		.drop = link_drop,
		.slow_receiver = link_slow_receiver,
		.payload_max = link_payload_max,
		.measure = link_measure,
		.changed = link_changed,
		.context = c,
	};
	int err = -ENOMEM;

	if (c && fdccp_heap_reserve(&io->timers, io->count + 1))
		err = fstream_new(config, &link, fdccp_io_now(io->dccp), &c->stream);
	if (!err && dtls)
		err = fstream_session_new(dtls, &io->dtls, io->dccp, &c->session);
	if (err) {
		if (c)
			fstream_free(c->stream);
		free(c);
		return err;
	}
	c->io = io;
	c->timer.index = FDCCP_HEAP_OUT;
	add(c);
	*carried = c;
	return 0;
}

static void drop_changed(struct fstream_carried *c)
{
	struct fstream_carried **at = &c->io->changed;

	while (*at && *at != c)
		at = &(*at)->next_changed;
	if (*at)
		*at = c->next_changed;
}

void fstream_carried_free(struct fstream_carried *c)
{
	struct fstream_io *io = c->io;

	fdccp_heap_remove(&io->timers, &c->timer);
	if (c->is_changed)
		drop_changed(c);
	if (io->current == c)
		io->current = NULL;
	*(c->prev ? &c->prev->next : &io->all) = c->next;
	if (c->next)
		c->next->prev = c->prev;
	io->count--;
	fstream_free(c->stream);
	fstream_session_free(c->session);
	free(c);
}

static void bind_conn(struct fstream_carried *c, struct fdccp_conn *conn)
{
	c->conn = conn;
	fdccp_set_user(conn, c);
}

static const struct fstream_io_port *port_of(const struct fstream_io *io, uint16_t port)
{
	for (unsigned int i = 0; i < io->ports; i++)
		if (io->port[i].port == port)
			return &io->port[i];
	return NULL;
}

struct fstream_carried *fstream_carried_accept(struct fstream_io *io, struct fdccp_conn *conn)
{
	const struct fstream_io_port *port;
	struct fstream_carried *c;
	struct fdccp_info info;

	fdccp_info(conn, &info);
	port = port_of(io, info.local_port);
	if (!port || carried_new(io, &port->config, port->dtls, &c)) {
		fdccp_abort(conn, fdccp_io_now(io->dccp));
		return NULL;
	}
	bind_conn(c, conn);
	return c;
}

static int check_config(const struct fstream_config *config)
{
	const struct fstream_link none = { .context = NULL };
	struct fstream *s;
	int err = fstream_new(config, &none, 0, &s);

	if (!err)
		fstream_free(s);
	return err;
}

/* A record that is damaged anywhere is worth nothing. */
static int check_dtls(const struct fstream_io *io, const struct fstream_config *config,
		      const struct fstream_dtls *dtls, bool server)
{
	bool partial = config->has_sensitive || config->damaged || io->no_udp_checksum;

	return dtls && (dtls->server != server || partial) ? -EINVAL : 0;
}

/* A connection starts as the program says, and as its stream needs. */
static struct fdccp_params params_of(const struct fdccp_params *params,
				     const struct fstream_config *config)
{
	struct fdccp_params own = *params;

	own.has_sensitive = config->has_sensitive;
	own.sensitive = FDCCP_SENSITIVE_ALL;
	if (config->damaged)
		own.min_coverage = 1;
	return own;
}

int fstream_io_listen(struct fstream_io *io, uint16_t port, uint32_t service,
		      const struct fdccp_params *params, const struct fstream_config *config,
		      struct fstream_dtls *dtls)
{
	const struct fdccp_params own = params_of(params, config);
	struct fstream_io_port *ports;
	int err = check_config(config);

	if (!err)
		err = check_dtls(io, config, dtls, true);
	if (err)
		return err;
	ports = realloc(io->port, (io->ports + 1) * sizeof(*ports));
	if (!ports)
		return -ENOMEM;
	io->port = ports;
	err = fdccp_listen(fdccp_io_endpoint(io->dccp), port, &service, 1, &own);
	if (err)
		return err;
	io->port[io->ports++] = (struct fstream_io_port){
		.port = port, .config = *config, .dtls = dtls,
	};
	return 0;
}

int fstream_io_connect(struct fstream_io *io, const union fdccp_address *remote, uint16_t port,
		       uint32_t service, const struct fdccp_params *params,
		       const struct fstream_config *config, struct fstream_dtls *dtls,
		       struct fstream **stream)
{
	struct fstream_carried *c;
	const struct fdccp_params own = params_of(params, config);
	struct fdccp_conn *conn;
	int err = check_dtls(io, config, dtls, false);

	if (!err)
		err = carried_new(io, config, dtls, &c);
	if (err)
		return err;
	err = fdccp_io_connect(io->dccp, remote, port, service, &own, &conn);
	if (err) {
		fstream_carried_free(c);
		return err;
	}
	bind_conn(c, conn);
	fstream_carried_set_timer(c);
	*stream = c->stream;
	return 0;
}

struct fdccp_conn *fstream_io_conn(const struct fstream *s)
{
	struct fstream_carried *c = s->link.context;

	return c->conn;
}

void fstream_io_conn_info(const struct fstream *s, struct fdccp_info *info)
{
	struct fstream_carried *c = s->link.context;

	if (c->conn)
		fdccp_info(c->conn, info);
	else
		*info = c->last;
}

void fstream_io_shutdown(struct fstream *s)
{
	struct fstream_carried *c = s->link.context;

	if (!c->conn)
		return;
	if (c->session)
		fstream_session_bye(c->session);
	fdccp_io_shutdown(c->io->dccp, c->conn);
}

void fstream_io_dtls_info(const struct fstream *s, struct fstream_dtls_info *info)
{
	const struct fstream_carried *c = s->link.context;

	*info = (struct fstream_dtls_info){ 0 };
	if (c->session)
		fstream_session_info(c->session, info);
}
