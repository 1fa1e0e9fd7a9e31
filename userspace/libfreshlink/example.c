// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sends a datagram with a lifetime, or prints the remaining lifetime of received datagrams:
 *   example send HOST PORT LIFETIME_MS
 *   example receive PORT
 */
#include <err.h>
#include <freshlink.h>
#include <inttypes.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void send_one(const char *host, const char *port, const char *ms)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_DGRAM };
	struct addrinfo *to;
	int fd, wrong = getaddrinfo(host, port, &hints, &to);

	if (wrong)
		errx(1, "%s: %s", host, gai_strerror(wrong));
	fd = socket(to->ai_family, SOCK_DGRAM, 0);
	if (fd < 0 || freshlink_enable_deadlines(fd, CLOCK_MONOTONIC) ||
	    freshlink_send(fd, "hello", 5, 0, to->ai_addr, to->ai_addrlen,
			   atoi(ms) * INT64_C(1000000)) < 0)
		err(1, "send");
}

static void receive_one(int fd)
{
	static const char *const instead[] = {
		[FRESHLINK_NONE] = "no lifetime",
		[FRESHLINK_MALFORMED] = "a malformed option",
	};
	char data[2048], control[FRESHLINK_RECEIVE_ROOM];
	struct iovec iov = { data, sizeof(data) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };
	struct freshlink_lifetime left;
	ssize_t len = recvmsg(fd, &msg, 0);
	int found = len < 0 ? -1 : freshlink_get_lifetime(&msg, &left);

	if (found < 0)
		err(1, "receive");
	if (found != FRESHLINK_FOUND)
		printf("%zd bytes, %s\n", len, instead[found]);
	else if (left.kind == FRESHLINK_UNLIMITED)
		printf("%zd bytes, unlimited\n", len);
	else
		printf("%zd bytes, %" PRId32 " ms left\n", len,
		       left.remaining_ms);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct sockaddr_in6 any = { .sin6_family = AF_INET6 };
	int fd;

	if (argc == 5 && !strcmp(argv[1], "send")) {
		send_one(argv[2], argv[3], argv[4]);
		return 0;
	}
	if (argc != 3 || strcmp(argv[1], "receive"))
		errx(2, "expected send HOST PORT LIFETIME_MS or receive PORT");
	any.sin6_port = htons(atoi(argv[2]));
	fd = socket(AF_INET6, SOCK_DGRAM, 0); /* also for IPv4 */
	if (fd < 0 || freshlink_receive_lifetimes(fd) ||
	    bind(fd, (struct sockaddr *)&any, sizeof(any)))
		err(1, "receive on port %s", argv[2]);
	for (;;)
		receive_one(fd);
}
