// SPDX-License-Identifier: GPL-2.0-or-later
/* Where messages go: see recv_output.h. */
#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli.h"
#include "recv_output.h"
#include "../lib/clock.h"

#define HOST_MAX	256
#define PATIENCE	(10 * FL_MS)	/* for a program that only has to run to take a message */

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
	free(out->rest);
	out->rest = NULL;
}

/* A pipe that is ready takes PIPE_BUF bytes without waiting, see pipe(7). It is not made one that does
 * not block, because other programs may share it.
 */
static bool is_ready(int fd, int64_t until)
{
	struct pollfd wanted = { .fd = fd, .events = POLLOUT };
	int64_t left = until - fl_now();

	return poll(&wanted, 1, left > 0 ? (int)(left / FL_MS) : 0) > 0;
}

/* Return: how many bytes standard output took up to a time, or -1: nobody takes any more */
static ssize_t write_ready(int fd, const uint8_t *data, size_t len, int64_t until)
{
	size_t done = 0;

	while (done < len && is_ready(fd, until)) {
		size_t part = len - done < PIPE_BUF ? len - done : PIPE_BUF;
		ssize_t n = write(fd, data + done, part);

		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return -1;
		done += n > 0 ? (size_t)n : 0;
	}
	return (ssize_t)done;
}

/* Keeps what standard output did not take. Return: false: no memory is left. */
static bool keep(struct recv_output *out, const uint8_t *data, size_t len)
{
	uint8_t *grown = realloc(out->rest, len);

	if (!grown)
		return false;
	memcpy(grown, data, len);
	out->rest = grown;
	out->begin = 0;
	out->end = len;
	return true;
}

static bool write_stream(struct recv_output *out, const uint8_t *data, size_t len)
{
	ssize_t done;

	if (recv_output_is_full(out)) {
		out->lost++;
		return true;
	}
	done = write_ready(out->fd, data, len, fl_now() + PATIENCE);
	return done >= 0 && ((size_t)done == len || keep(out, data + done, len - (size_t)done));
}

bool recv_output_write(struct recv_output *out, const uint8_t *data, size_t len)
{
	if (out->fd < 0)
		return true;
	if (!out->is_udp)
		return write_stream(out, data, len);
	datagrams_add(&out->datagrams, data, len);
	return true;
}

bool recv_output_flush(struct recv_output *out)
{
	ssize_t done;

	datagrams_send(&out->datagrams);
	if (!recv_output_is_full(out))
		return true;
	done = write_ready(out->fd, out->rest + out->begin, out->end - out->begin, 0);
	out->begin += done > 0 ? (size_t)done : 0;
	return done >= 0;
}

uint64_t recv_output_lost(const struct recv_output *out)
{
	return out->datagrams.lost + out->lost;
}
