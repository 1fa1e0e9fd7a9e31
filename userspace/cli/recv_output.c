// SPDX-License-Identifier: GPL-2.0-or-later
/* Where messages go: see recv_output.h. */
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli.h"
#include "recv_output.h"

#define HOST_MAX	256

/* Cuts "udp:HOST:PORT" into host and port; an IPv6 address may be in brackets. */
static bool cut(const char *text, char *host, const char **port)
{
	const char *begin = text + strlen("udp:");
	const char *colon = strrchr(begin, ':');
	size_t len;

	if (!colon || colon == begin)
		return false;
	*port = colon + 1;
	if (*begin == '[' && colon[-1] == ']') {
		begin++;
		colon--;
	}
	len = (size_t)(colon - begin);
	if (len >= HOST_MAX)
		return false;
	memcpy(host, begin, len);
	host[len] = '\0';
	return **port != '\0';
}

static bool open_udp(struct recv_output *out, const char *who, const char *text)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICSERV };
	struct addrinfo *found = NULL;
	char host[HOST_MAX];
	const char *port;
	bool ok;

	if (!cut(text, host, &port) || getaddrinfo(host, port, &hints, &found)) {
		cli_error(who, "--output %s: expected -, or udp:HOST:PORT with an address or "
			  "a known name",
			  text);
		return false;
	}
	out->is_udp = true;
	out->fd = socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	ok = out->fd >= 0 && !connect(out->fd, found->ai_addr, found->ai_addrlen) &&
	     datagrams_open(&out->datagrams, out->fd);
	freeaddrinfo(found);
	if (!ok)
		cli_error(who, "--output %s: %s", text, strerror(errno));
	return ok;
}

bool recv_output_open(struct recv_output *out, const char *who, const char *text)
{
	*out = (struct recv_output){ .fd = -1 };
	if (!text)
		return true;
	if (strncmp(text, "udp:", 4) == 0)
		return open_udp(out, who, text);
	if (strcmp(text, "-") != 0) {
		cli_error(who, "--output %s: expected - or udp:HOST:PORT", text);
		return false;
	}
	/* reports go to standard error, so that only messages are on standard output */
	out->fd = dup(STDOUT_FILENO);
	if (out->fd >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
		return true;
	cli_error(who, "--output -: %s", strerror(errno));
	return false;
}

void recv_output_close(struct recv_output *out)
{
	if (out->fd >= 0)
		close(out->fd);
	out->fd = -1;
	datagrams_close(&out->datagrams);
}

/* Whoever has opened standard output may have made it one that does not block. */
static bool await_room(int fd)
{
	struct pollfd wanted = { .fd = fd, .events = POLLOUT };

	return poll(&wanted, 1, -1) > 0 || errno == EINTR;
}

static bool write_all(int fd, const uint8_t *data, size_t len)
{
	while (len) {
		ssize_t done = write(fd, data, len);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0 && errno == EAGAIN && await_room(fd))
			continue;
		if (done < 0)
			return false;
		data += done;
		len -= (size_t)done;
	}
	return true;
}

bool recv_output_write(struct recv_output *out, const uint8_t *data, size_t len)
{
	if (out->fd < 0)
		return true;
	if (!out->is_udp)
		return write_all(out->fd, data, len);
	datagrams_add(&out->datagrams, data, len);
	return true;
}

void recv_output_flush(struct recv_output *out)
{
	datagrams_send(&out->datagrams);
}

uint64_t recv_output_lost(const struct recv_output *out)
{
	return out->datagrams.lost;
}
