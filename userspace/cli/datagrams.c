// SPDX-License-Identifier: GPL-2.0-or-later
/* Datagrams that leave together: see datagrams.h. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>

#include "datagrams.h"

#define JOINED_MAX	65000	/* bytes of a message: with headers less than IP takes */

bool datagrams_open(struct datagrams *d, int fd)
{
	const int none = 0;

	*d = (struct datagrams){ .fd = fd, .room = malloc(DATAGRAMS_ROOM) };
	d->joins = !setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &none, sizeof(none));
	return d->room;
}

void datagrams_close(struct datagrams *d)
{
	free(d->room);
	d->room = NULL;
}

/* Makes a message of a datagram alone. */
static void add_message(struct datagrams *d, struct iovec *iov)
{
	d->msg[d->messages++].msg_hdr = (struct msghdr){ .msg_iov = iov, .msg_iovlen = 1 };
}

/* Tells the kernel at which length it divides a message. */
static void divide_at(struct datagrams *d, struct msghdr *msg, size_t len)
{
	struct cmsghdr *c;
	const uint16_t size = (uint16_t)len;

	msg->msg_control = d->control[d->messages - 1];
	msg->msg_controllen = CMSG_SPACE(sizeof(size));
	c = CMSG_FIRSTHDR(msg);
	c->cmsg_level = IPPROTO_UDP;
	c->cmsg_type = UDP_SEGMENT;
	c->cmsg_len = CMSG_LEN(sizeof(size));
	memcpy(CMSG_DATA(c), &size, sizeof(size));
}

/* Lets a datagram leave with the last message. Return: whether it can. */
static bool join(struct datagrams *d, const struct iovec *iov)
{
	struct msghdr *msg = d->messages ? &d->msg[d->messages - 1].msg_hdr : NULL;
	size_t first = msg ? msg->msg_iov->iov_len : 0;

	if (!d->joins || iov->iov_len > first || iov[-1].iov_len != first ||
	    first * msg->msg_iovlen + iov->iov_len > JOINED_MAX)
		return false;
	if (msg->msg_iovlen++ == 1)
		divide_at(d, msg, first);
	return true;
}

/* Sends messages from @first on. An ICMP error of the datagram before is no reason to end. Return:
 * how many were sent, or a negative error of the first one.
 */
static int send_some(struct datagrams *d, unsigned int first)
{
	int count = -1;

	for (int i = 0; i < 2 && count < 0; i++)
		count = sendmmsg(d->fd, d->msg + first, d->messages - first, MSG_DONTWAIT);
	return count < 0 ? -errno : count;
}

/* The kernel has refused a message of several datagrams: it does not divide them on this path, or
 * they are too large for that. Each goes alone from now on.
 */
static void part(struct datagrams *d, unsigned int message)
{
	struct iovec *iov = d->msg[message].msg_hdr.msg_iov;

	d->joins = false;
	d->messages = message;
	for (; iov < d->iov + d->count; iov++)
		add_message(d, iov);
}

void datagrams_send(struct datagrams *d)
{
	unsigned int next = 0;

	while (next < d->messages) {
		size_t datagrams = d->msg[next].msg_hdr.msg_iovlen;
		int count = send_some(d, next);

		if (count > 0) {
			next += (unsigned int)count;
		} else if (datagrams > 1 && (count == -EINVAL || count == -EMSGSIZE ||
					     count == -EIO)) {
			part(d, next);
		} else {
			d->lost += datagrams;
			next++;
		}
	}
	d->messages = 0;
	d->count = 0;
	d->used = 0;
}

void datagrams_add(struct datagrams *d, const uint8_t *data, size_t len)
{
	struct iovec *iov;

	if (d->count == DATAGRAMS_MAX || len > DATAGRAMS_ROOM - d->used)
		datagrams_send(d);
	if (len > DATAGRAMS_ROOM) {
		d->lost++;
		return;
	}
	iov = &d->iov[d->count++];
	*iov = (struct iovec){ d->room + d->used, len };
	memcpy(iov->iov_base, data, len);
	d->used += len;
	if (!join(d, iov))
		add_message(d, iov);
}
