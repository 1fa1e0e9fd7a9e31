// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sends packets over DCCP and prints what became of them, or prints received packets. Waits by
 * poll():
 *   example send ADDRESS COUNT LIFETIME_MS
 *   example receive ADDRESS
 * ADDRESS is an IPv4 or IPv6 address: the receiver's, which may be 0.0.0.0 or ::
 */
#include <arpa/inet.h>
#include <err.h>
#include <freshlink-dccp.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PORT	5001

static const char service_name[] = "SC:exmp";

static union fdccp_address parse(const char *text, uint16_t port)
{
	union fdccp_address address = { 0 };

	if (inet_pton(AF_INET, text, &address.in.sin_addr) == 1) {
		address.in.sin_family = AF_INET;
		address.in.sin_port = htons(port);
	} else if (inet_pton(AF_INET6, text, &address.in6.sin6_addr) == 1) {
		address.in6.sin6_family = AF_INET6;
		address.in6.sin6_port = htons(port);
	} else {
		errx(2, "%s: expected an IPv4 or IPv6 address", text);
	}
	return address;
}

static struct fdccp_io *open_io(union fdccp_address local)
{
	const struct fdccp_io_config config = { .carrier = FDCCP_CARRIER_UDP, .local = local };
	struct fdccp_io *io;
	const char *why;
	int error = fdccp_io_open(&config, &io, &why);

	if (error)
		errx(1, "%s: %s", why, strerror(-error));
	return io;
}

/* Waits for the next event. */
static struct fdccp_event next_event(struct fdccp_io *io)
{
	struct pollfd fd = { .fd = fdccp_io_fd(io), .events = POLLIN };
	struct fdccp_event event;

	while (!fdccp_io_event(io, &event))
		poll(&fd, 1, -1);
	return event;
}

/**
 * struct sending - packets to send
 * @count: how many
 * @sent: given to the library
 * @fates: whose fate is known
 * @arrived: that arrived
 * @lifetime: of each, in ns
 */
struct sending {
	uint64_t count, sent, fates, arrived;
	int64_t lifetime;
};

/* Sends packets until there is no more room. FDCCP_EVENT_READY then says when to go on. */
static void send_more(struct fdccp_io *io, struct fdccp_conn *conn, struct sending *s)
{
	while (s->sent < s->count) {
		struct fdccp_message message = {
			.handle = s->sent,
			.deadline = fdccp_io_now(io) + s->lifetime,
			.stale = FRESHLINK_DISCARD,
		};
		char text[40];
		int len = snprintf(text, sizeof(text), "packet %" PRIu64, s->sent);

		if (fdccp_io_send(io, conn, text, len, &message))
			return;
		s->sent++;
	}
}

static void send_all(const char *host, const char *count, const char *lifetime_ms)
{
	union fdccp_address remote = parse(host, FDCCP_UDP_PORT);
	struct fdccp_io *io = open_io(parse(strchr(host, ':') ? "::" : "0.0.0.0", 0));
	struct sending s = { .count = strtoull(count, NULL, 10),
			     .lifetime = strtoll(lifetime_ms, NULL, 10) * 1000000 };
	struct fdccp_params params;
	struct fdccp_conn *conn;
	struct fdccp_event event;
	uint32_t service;
	int error;

	fdccp_params_init(&params);
	fdccp_service_parse(service_name, &service);
	error = fdccp_io_connect(io, &remote, PORT, service, &params, &conn);
	if (error)
		errx(1, "%s: %s", host, strerror(-error));
	do {
		event = next_event(io);
		if (event.type == FDCCP_EVENT_FATE) {
			s.fates++;
			s.arrived += event.fate == FDCCP_FATE_ACKNOWLEDGED ||
				     event.fate == FDCCP_FATE_MARKED;
			if (s.fates == s.count)
				fdccp_io_shutdown(io, conn);
		} else if (event.type == FDCCP_EVENT_CONNECTED || event.type == FDCCP_EVENT_READY) {
			send_more(io, conn, &s);
		}
	} while (event.type != FDCCP_EVENT_CLOSED);
	printf("%" PRIu64 " sent, %" PRIu64 " arrived\n", s.sent, s.arrived);
	fdccp_io_close(io);
}

static void receive_all(const char *host)
{
	struct fdccp_io *io = open_io(parse(host, FDCCP_UDP_PORT));
	struct fdccp_params params;
	uint32_t service;
	int error;

	fdccp_params_init(&params);
	fdccp_service_parse(service_name, &service);
	error = fdccp_listen(fdccp_io_endpoint(io), PORT, &service, 1, &params);
	if (error)
		errx(1, "port %u: %s", PORT, strerror(-error));
	printf("listening\n");
	for (;;) {
		struct fdccp_event event;

		fflush(stdout);
		event = next_event(io);
		if (event.type == FDCCP_EVENT_ACCEPTED)
			printf("connected\n");
		else if (event.type == FDCCP_EVENT_DATA)
			printf("%.*s\n", (int)event.len, (const char *)event.data);
		else if (event.type == FDCCP_EVENT_CLOSED)
			printf("closed\n");
	}
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "send"))
		send_all(argv[2], argv[3], argv[4]);
	else if (argc == 3 && !strcmp(argv[1], "receive"))
		receive_all(argv[2]);
	else
		errx(2, "expected send ADDRESS COUNT LIFETIME_MS or receive ADDRESS");
	return 0;
}
