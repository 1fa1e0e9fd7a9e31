// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads the option from the control data of a received message. The codec
 * (net/xlo.h) defines the meaning of an option, and which options are malformed.
 */
#include <netinet/in.h>
#include <string.h>
#include <sys/time.h>

#include "internal.h"

#define IPV4_OPTIONS_MAX	40

/**
 * struct control - one control message
 * @level: level of the protocol
 * @type: type of the message within this level
 * @data: the content, which may be unaligned
 * @len: size of the content
 */
struct control {
	int level;
	int type;
	const unsigned char *data;
	size_t len;
};

/* Reads the control message at an offset and advances the offset. libc's
 * CMSG_NXTHDR() is no alternative: it needs an aligned buffer, and it trusts the
 * length of the last message in the buffer.
 */
static bool next_control(const struct msghdr *msg, size_t *at,
			 struct control *c)
{
	const unsigned char *base = msg->msg_control;
	struct cmsghdr head;
	size_t left;

	if (*at >= msg->msg_controllen)
		return false;
	left = msg->msg_controllen - *at;
	if (left < sizeof(head))
		return false;
	memcpy(&head, base + *at, sizeof(head));
	if (head.cmsg_len < CMSG_LEN(0) || head.cmsg_len > left)
		return false;
	*c = (struct control){
		.level = head.cmsg_level,
		.type = head.cmsg_type,
		.data = base + *at + CMSG_LEN(0),
		.len = head.cmsg_len - CMSG_LEN(0),
	};
	*at += CMSG_ALIGN(head.cmsg_len);
	return true;
}

/* Converts a time since 1970 to ns; an invalid time becomes 0. */
static int64_t in_ns(int64_t seconds, int64_t fraction, int64_t per_second)
{
	if (seconds < 0 || seconds >= INT64_MAX / NSEC_PER_SEC ||
	    fraction < 0 || fraction >= per_second)
		return 0;
	return seconds * NSEC_PER_SEC + fraction * (NSEC_PER_SEC / per_second);
}

/* The time stamp in a control message, 0 without a time stamp. */
static int64_t stamp_ns(const struct control *c)
{
	struct timespec ts;
	struct timeval tv;

	if (c->level != SOL_SOCKET)
		return 0;
	/* SO_TIMESTAMPING has three time stamps. The first is the software time stamp, and
	 * may be 0
	 */
	if ((c->type == SO_TIMESTAMPNS || c->type == SO_TIMESTAMPING) &&
	    c->len >= sizeof(ts)) {
		memcpy(&ts, c->data, sizeof(ts));
		return in_ns(ts.tv_sec, ts.tv_nsec, NSEC_PER_SEC);
	}
	if (c->type == SO_TIMESTAMP && c->len >= sizeof(tv)) {
		memcpy(&tv, c->data, sizeof(tv));
		return in_ns(tv.tv_sec, tv.tv_usec, 1000000);
	}
	return 0;
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

static int find_ipv6(const struct control *c, struct xlo *opt)
{
	struct xlo_ref ref;
	size_t size;

	if (c->len < 2)
		return XLO_MALFORMED;
	size = (c->data[1] + 1) * 8;
	if (c->len < size)
		return XLO_MALFORMED;
	return xlo_walk(c->data, 2, size, true, &ref, opt);
}

static int find(const struct control *c, struct xlo *opt)
{
	struct xlo_ref ref;

	if (c->level == IPPROTO_IPV6 && c->type == IPV6_HOPOPTS)
		return find_ipv6(c, opt);
	if (c->level != IPPROTO_IP || c->type != IP_RECVOPTS)
		return XLO_NONE;
	if (c->len > IPV4_OPTIONS_MAX)
		return XLO_MALFORMED;
	return xlo_walk(c->data, 0, c->len, false, &ref, opt);
}

/* Converts an option that arrived at l->at_ns. */
static void convert(const struct xlo *opt, struct freshlink_lifetime *l)
{
	uint32_t ms_of_day = l->at_ns / NSEC_PER_MSEC % XLO_DAY_MS;

	l->kind = FRESHLINK_UNLIMITED;
	l->stale = XLO_TREATMENT(opt->flags);
	l->remaining_ms = 0;
	l->reorder = opt->reorder;
	l->flags = opt->flags & ~XLO_STALE_MASK;
	if (xlo_is_relative(opt->lifetime)) {
		l->kind = FRESHLINK_RELATIVE;
		l->remaining_ms = opt->lifetime;
	} else if (xlo_is_absolute(opt->lifetime)) {
		l->kind = FRESHLINK_ABSOLUTE;
		l->remaining_ms = xlo_absolute_delta_ms(opt->lifetime,
							ms_of_day);
	}
}

int freshlink_get_lifetime(const struct msghdr *msg,
			   struct freshlink_lifetime *lifetime)
{
	int found = XLO_NONE;
	struct control c;
	struct xlo opt;
	size_t at = 0;

	lifetime->at_ns = 0;
	while (next_control(msg, &at, &c)) {
		int64_t stamp = stamp_ns(&c);

		if (stamp)
			lifetime->at_ns = stamp;
		if (found == XLO_NONE)
			found = find(&c, &opt);
	}
	if (!lifetime->at_ns)
		lifetime->at_ns = now_ns();
	/* the option, or a second option, may have been cut off */
	if (msg->msg_flags & MSG_CTRUNC)
		return fail(ENOBUFS);
	if (found == XLO_NONE)
		return FRESHLINK_NONE;
	if (found != XLO_FOUND)
		return FRESHLINK_MALFORMED;
	convert(&opt, lifetime);
	return FRESHLINK_FOUND;
}
