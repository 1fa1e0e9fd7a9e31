// SPDX-License-Identifier: GPL-2.0-or-later
/* The control data of one message to send: a deadline, which the kernel turns into
 * a lifetime, or the option itself.
 */
#include <linux/net_tstamp.h>
#include <netinet/in.h>
#include <string.h>

#include "internal.h"

_Static_assert(FRESHLINK_IPV4_SIZE == XLO_LEN &&
	       FRESHLINK_IPV6_SIZE == XLO_IPV6_HBH_LEN &&
	       FRESHLINK_RELATIVE_MAX == XLO_RELATIVE_MAX &&
	       FRESHLINK_ABSOLUTE_MAX == XLO_DAY_MS / 2 &&
	       FRESHLINK_CORRUPT_OK == XLO_FLAG_CORRUPT_OK &&
	       FRESHLINK_CORRUPTED == XLO_FLAG_CORRUPTED &&
	       FRESHLINK_SLOW == XLO_FLAG_SLOW &&
	       (int)FRESHLINK_FORWARD == XLO_STALE_FORWARD &&
	       (int)FRESHLINK_DISCARD == XLO_STALE_DISCARD &&
	       (int)FRESHLINK_TRUNCATE == XLO_STALE_TRUNCATE &&
	       (int)FRESHLINK_RESERVED == XLO_STALE_RESERVED,
	       "freshlink.h and linux/xlo.h differ");

/* Appends a control message. The buffer need not be aligned. */
static int append(struct msghdr *msg, size_t room, const struct cmsghdr *head,
		  const void *data)
{
	size_t used = CMSG_ALIGN(msg->msg_controllen);
	size_t space = CMSG_ALIGN(head->cmsg_len);
	char *to = msg->msg_control;

	if (used > room || room - used < space)
		return fail(ENOBUFS);
	memset(to + used, 0, space);
	memcpy(to + used, head, sizeof(*head));
	memcpy(to + used + CMSG_LEN(0), data, head->cmsg_len - CMSG_LEN(0));
	msg->msg_controllen = used + space;
	return 0;
}

int freshlink_set_deadline(struct msghdr *msg, size_t room,
			   int64_t deadline_ns)
{
	/* the control message SCM_TXTIME has the same number as SO_TXTIME */
	const struct cmsghdr head = {
		.cmsg_level = SOL_SOCKET,
		.cmsg_type = SO_TXTIME,
		.cmsg_len = CMSG_LEN(sizeof(deadline_ns)),
	};

	/* the kernel treats 0 as no deadline */
	if (deadline_ns <= 0)
		return fail(EINVAL);
	return append(msg, room, &head, &deadline_ns);
}

/* Reads the clock of the socket's deadlines. */
static int deadline_clock(int fd, int64_t *now_ns)
{
	struct sock_txtime txtime = { 0 };
	socklen_t len = sizeof(txtime);
	struct timespec now;

	if (getsockopt(fd, SOL_SOCKET, SO_TXTIME, &txtime, &len))
		return -1;
	if (!(txtime.flags & SOF_TXTIME_DEADLINE_MODE))
		return fail(EOPNOTSUPP);
	if (clock_gettime(txtime.clockid, &now))
		return -1;
	*now_ns = now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
	return 0;
}

ssize_t freshlink_send(int fd, const void *buf, size_t len, int flags,
		       const struct sockaddr *dest, socklen_t destlen,
		       int64_t lifetime_ns)
{
	char control[FRESHLINK_DEADLINE_ROOM];
	struct iovec iov = { (void *)buf, len };
	struct msghdr msg = {
		.msg_name = (void *)dest, .msg_namelen = destlen,
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
	};
	int64_t now;

	if (deadline_clock(fd, &now))
		return -1;
	if (lifetime_ns < 0 || lifetime_ns > INT64_MAX - now)
		return fail(EINVAL);
	if (freshlink_set_deadline(&msg, sizeof(control), now + lifetime_ns))
		return -1;
	return sendmsg(fd, &msg, flags);
}

static int absolute_field(const struct freshlink_lifetime *l, __u32 *field)
{
	int64_t ms = l->at_ns / NSEC_PER_MSEC;
	struct timespec now;

	if (l->at_ns < 0 || l->remaining_ms > FRESHLINK_ABSOLUTE_MAX ||
	    l->remaining_ms <= -FRESHLINK_ABSOLUTE_MAX)
		return fail(EINVAL);
	if (!l->at_ns) {
		clock_gettime(CLOCK_REALTIME, &now);
		ms = now.tv_sec * INT64_C(1000) + now.tv_nsec / NSEC_PER_MSEC;
	}
	/* plus a day, because remaining_ms may be negative */
	*field = xlo_encode_absolute(ms % XLO_DAY_MS + XLO_DAY_MS +
				     l->remaining_ms);
	return 0;
}

static int lifetime_field(const struct freshlink_lifetime *l, __u32 *field)
{
	switch (l->kind) {
	case FRESHLINK_UNLIMITED:
		*field = XLO_LIFETIME_NONE;
		return 0;
	case FRESHLINK_RELATIVE:
		if (l->remaining_ms < 0 ||
		    l->remaining_ms > FRESHLINK_RELATIVE_MAX)
			return fail(EINVAL);
		*field = l->remaining_ms;
		return 0;
	case FRESHLINK_ABSOLUTE:
		return absolute_field(l, field);
	}
	return fail(EINVAL);
}

int freshlink_write_option(unsigned char *buf, int family,
			   const struct freshlink_lifetime *l)
{
	struct xlo opt = {
		.reorder = l->reorder,
		.flags = l->flags | XLO_STALE_FLAGS(l->stale),
	};

	if (family != AF_INET && family != AF_INET6)
		return fail(EAFNOSUPPORT);
	if (l->stale >= FRESHLINK_RESERVED ||
	    l->flags & ~(FRESHLINK_CORRUPT_OK | FRESHLINK_CORRUPTED |
			 FRESHLINK_SLOW))
		return fail(EINVAL);
	if (lifetime_field(l, &opt.lifetime))
		return -1;
	return family == AF_INET ? xlo_write4(buf, &opt) :
				   xlo_write6(buf, 0, &opt);
}

int freshlink_set_option(struct msghdr *msg, size_t room, int family,
			 const struct freshlink_lifetime *lifetime)
{
	unsigned char buf[XLO_IPV6_HBH_LEN];
	struct cmsghdr head = {
		.cmsg_level = family == AF_INET ? IPPROTO_IP : IPPROTO_IPV6,
		.cmsg_type = family == AF_INET ? IP_RETOPTS : IPV6_HOPOPTS,
	};
	int len = freshlink_write_option(buf, family, lifetime);

	if (len < 0)
		return -1;
	head.cmsg_len = CMSG_LEN(len);
	return append(msg, room, &head, buf);
}
