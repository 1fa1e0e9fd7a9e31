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

static void prepare_batch(struct send_input *in)
{
	for (size_t i = 0; in->is_udp && i < SEND_INPUT_BATCH; i++) {
		in->iov[i] = (struct iovec){ in->room + i * in->size, in->size };
		in->msg[i].msg_hdr = (struct msghdr){ .msg_iov = &in->iov[i], .msg_iovlen = 1 };
	}
}

bool send_input_open(struct send_input *in, const char *who, const char *text, size_t size)
{
	*in = (struct send_input){ .fd = STDIN_FILENO, .size = size };
	if (strcmp(text, "-") != 0 && !open_udp(in, who, text))
		return false;
	in->room = malloc(in->is_udp ? SEND_INPUT_BATCH * in->size : in->size);
	in->data = in->room;
	if (in->room && fcntl(in->fd, F_SETFL, fcntl(in->fd, F_GETFL) | O_NONBLOCK) >= 0) {
		prepare_batch(in);
		return true;
	}
	cli_error(who, "--input %s: %s", text, strerror(errno));
	send_input_close(in);
	return false;
}

void send_input_close(struct send_input *in)
{
	if (in->is_udp && in->fd >= 0)
		close(in->fd);
	free(in->room);
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

/* Reads datagrams after the last one was used. Fewer than there was room for were all. */
static bool read_batch(struct send_input *in)
{
	bool all = in->count && in->count < SEND_INPUT_BATCH;
	int count = all ? 0 : recvmmsg(in->fd, in->msg, SEND_INPUT_BATCH, MSG_DONTWAIT, NULL);

	in->count = count > 0 ? (unsigned int)count : 0;
	in->next = 0;
	return in->count;
}

/* An empty datagram is no message. */
static bool read_datagram(struct send_input *in)
{
	while (!in->len) {
		if (in->next == in->count && !read_batch(in))
			return false;
		in->data = in->iov[in->next].iov_base;
		in->len = in->msg[in->next++].msg_len;
	}
	return true;
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
