// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Receives packets over DCCP in GLib's main loop, and prints them:
 *   example_glib ADDRESS
 */
#include <freshlink-dccp.h>
#include <glib-unix.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#define PORT	5001

static union fdccp_address parse(const char *text)
{
	const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
					.ai_socktype = SOCK_DGRAM };
	union fdccp_address address = { 0 };
	struct addrinfo *found;

	if (getaddrinfo(text, G_STRINGIFY(FDCCP_UDP_PORT), &hints, &found)) {
		g_printerr("%s: expected an IPv4 or IPv6 address\n", text);
		exit(2);
	}
	memcpy(&address, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	return address;
}

/* The descriptor is readable: all events are fetched. */
static gboolean ready(int fd, GIOCondition condition, void *user)
{
	struct fdccp_io *io = user;
	struct fdccp_event event;

	(void)fd;
	(void)condition;
	while (fdccp_io_event(io, &event)) {
		if (event.type == FDCCP_EVENT_DATA)
			g_print("%.*s\n", (int)event.len, (const char *)event.data);
		else if (event.type == FDCCP_EVENT_CLOSED)
			g_print("closed\n");
	}
	return G_SOURCE_CONTINUE;
}

int main(int argc, char **argv)
{
	struct fdccp_io_config config = { .carrier = FDCCP_CARRIER_UDP };
	struct fdccp_params params;
	struct fdccp_io *io;
	const char *why;
	uint32_t service;

	if (argc != 2) {
		g_printerr("expected ADDRESS\n");
		return 2;
	}
	config.local = parse(argv[1]);
	if (fdccp_io_open(&config, &io, &why)) {
		g_printerr("%s\n", why);
		return 1;
	}
	fdccp_params_init(&params);
	fdccp_service_parse("SC:exmp", &service);
	if (fdccp_listen(fdccp_io_endpoint(io), PORT, &service, 1, &params)) {
		g_printerr("cannot listen on port %u\n", PORT);
		return 1;
	}
	g_unix_fd_add(fdccp_io_fd(io), G_IO_IN, ready, io);
	g_print("listening\n");
	g_main_loop_run(g_main_loop_new(NULL, FALSE));
	return 0;
}
