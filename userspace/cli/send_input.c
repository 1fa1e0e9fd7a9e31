// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages from outside: see send_input.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../lib/units.h"
#include "cli.h"
#include "send_input.h"
#include "socket.h"

#define DATAGRAM_MAX	65535
/* an encoder writes the datagrams of a large frame at once */
#define RECEIVE_BUFFER	(1 << 20)

static bool open_udp(struct send_input *in, const char *who, const char *text)
{
	uint64_t port;

	if (!fl_parse(text + strlen("udp:"), fl_units_none, &port) || !port || port > UINT16_MAX) {
		cli_error(who, "--input %s: expected a port of 1 to 65535 after udp:", text);
		return false;
	}
	in->is_udp = true;
	in->size = DATAGRAM_MAX;
	in->fd = socket_bind(SOCK_DGRAM, (uint16_t)port);
	if (in->fd >= 0) {
		socket_enlarge(in->fd, RECEIVE_BUFFER);
		return true;
	}
	cli_error(who, "--input %s: %s", text, strerror(errno));
	return false;
}

bool send_input_open(struct send_input *in, const char *who, const char *text, size_t size)
{
	*in = (struct send_input){ .fd = STDIN_FILENO, .size = size };
	if (strcmp(text, "-") != 0 && !open_udp(in, who, text))
		return false;
	in->data = malloc(in->size);
	if (in->data && fcntl(in->fd, F_SETFL, fcntl(in->fd, F_GETFL) | O_NONBLOCK) >= 0)
		return true;
	cli_error(who, "--input %s: %s", text, strerror(errno));
	send_input_close(in);
	return false;
}

void send_input_close(struct send_input *in)
{
	if (in->is_udp && in->fd >= 0)
		close(in->fd);
	free(in->data);
	*in = (struct send_input){ .fd = -1, .ended = true };
}

/* Reads up to a whole message; an end or an error leaves what came before it. */
static bool read_bytes(struct send_input *in)
{
	while (in->len < in->size && !in->ended) {
		ssize_t got = read(in->fd, in->data + in->len, in->size - in->len);

		if (got > 0)
			in->len += (size_t)got;
		else if (got < 0 && (errno == EAGAIN || errno == EINTR))
			return false;
		else
			in->ended = true;
	}
	return in->len > 0;
}

/* An empty datagram is no message. */
static bool read_datagram(struct send_input *in)
{
	ssize_t got;

	if (in->len)
		return true;
	got = recv(in->fd, in->data, in->size, 0);
	in->len = got > 0 ? (size_t)got : 0;
	return got > 0;
}

uint32_t send_input_drops(const struct send_input *in)
{
	return in->is_udp ? socket_drops(in->fd) : 0;
}

bool send_input_read(struct send_input *in)
{
	return in->is_udp ? read_datagram(in) : read_bytes(in);
}

void send_input_next(struct send_input *in)
{
	in->len = 0;
}
