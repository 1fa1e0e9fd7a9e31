// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libfreshlink handles messages that no kernel would make. Each buffer has exactly the
 * needed size, and AddressSanitizer guards its end. Prints TAP.
 */
#include <errno.h>
#include <freshlink.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "unit.h"

#define NS		INT64_C(1000000000)
#define DAY_MS		86400000
#define NOON		(INT64_C(20000) * 86400 * NS + 43200 * NS)
#define NO_LIFETIME	"\0\0\xff\xff"

/* Append a control message whose header states the length @claimed. */
static void put(struct msghdr *msg, int level, int type, size_t claimed,
		const void *data, size_t len)
{
	struct cmsghdr head = {
		.cmsg_len = claimed, .cmsg_level = level, .cmsg_type = type,
	};
	size_t used = CMSG_ALIGN(msg->msg_controllen);
	char *grown = realloc(msg->msg_control, used + CMSG_LEN(len));

	if (!grown)
		abort();
	memset(grown + msg->msg_controllen, 0, used - msg->msg_controllen);
	memcpy(grown + used, &head, sizeof(head));
	memcpy(grown + used + CMSG_LEN(0), data, len);
	msg->msg_control = grown;
	msg->msg_controllen = used + CMSG_LEN(len);
}

static void put_ipv4(struct msghdr *msg, const void *options, size_t len)
{
	put(msg, IPPROTO_IP, IP_RECVOPTS, CMSG_LEN(len), options, len);
}

static void put_ipv6(struct msghdr *msg, const void *header, size_t len)
{
	put(msg, IPPROTO_IPV6, IPV6_HOPOPTS, CMSG_LEN(len), header, len);
}

static void put_stamp(struct msghdr *msg, int64_t seconds, int64_t ns)
{
	struct timespec ts = { .tv_sec = seconds, .tv_nsec = ns };

	put(msg, SOL_SOCKET, SO_TIMESTAMPNS, CMSG_LEN(sizeof(ts)), &ts,
	    sizeof(ts));
}

/* Get the lifetime of a message, and free the message. */
static int get(struct msghdr *msg, struct freshlink_lifetime *l)
{
	int found = freshlink_get_lifetime(msg, l);

	free(msg->msg_control);
	memset(msg, 0, sizeof(*msg));
	return found;
}

static int get_ipv4(const void *options, size_t len,
		    struct freshlink_lifetime *l)
{
	struct msghdr msg = { 0 };

	put_ipv4(&msg, options, len);
	return get(&msg, l);
}

static int get_ipv6(const void *header, size_t len,
		    struct freshlink_lifetime *l)
{
	struct msghdr msg = { 0 };

	put_ipv6(&msg, header, len);
	return get(&msg, l);
}

/* the size does not include the 0 that ends a string */
#define GET4(string, l)	get_ipv4(string, sizeof(string) - 1, l)
#define GET6(string, l)	get_ipv6(string, sizeof(string) - 1, l)

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * NS + ts.tv_nsec;
}

static bool test_nothing(void)
{
	int64_t before = now();
	struct freshlink_lifetime l;
	struct msghdr msg = { 0 };

	MUST(get(&msg, &l) == FRESHLINK_NONE);
	MUST(l.at_ns >= before && l.at_ns <= now());
	put_stamp(&msg, NOON / NS, 7);
	MUST(get(&msg, &l) == FRESHLINK_NONE && l.at_ns == NOON + 7);
	MUST(GET4("", &l) == FRESHLINK_NONE);
	MUST(GET4("\1\1\1\0", &l) == FRESHLINK_NONE);
	MUST(GET4("\x94\4\0\0", &l) == FRESHLINK_NONE);
	MUST(GET6("\x11\0\1\4\0\0\0\0", &l) == FRESHLINK_NONE);
	/* types of IPv4 at the level of IPv6, and similar combinations */
	put(&msg, IPPROTO_IPV6, IP_RECVOPTS, CMSG_LEN(8), "\x9e\x08\0\4\0\0\0\5", 8);
	put(&msg, IPPROTO_IP, IP_RETOPTS, CMSG_LEN(8), "\x9e\x08\0\4\0\0\0\5", 8);
	put(&msg, SOL_SOCKET, IP_RECVOPTS, CMSG_LEN(8), "\x9e\x08\0\4\0\0\0\5", 8);
	MUST(get(&msg, &l) == FRESHLINK_NONE);
	return true;
}

static bool test_fields(void)
{
	struct freshlink_lifetime l;

	MUST(GET4("\x9e\x08\xfe\xf7\0\0\x13\x88", &l) == FRESHLINK_FOUND);
	MUST(l.kind == FRESHLINK_RELATIVE && l.remaining_ms == 5000);
	MUST(l.reorder == 254 && l.stale == FRESHLINK_DISCARD);
	MUST(l.flags == (FRESHLINK_CORRUPT_OK | FRESHLINK_CORRUPTED |
			 FRESHLINK_SLOW));
	MUST(GET4("\1\1\x9e\x08\0\x08\0\0\xff\xfe\0\0", &l) == FRESHLINK_FOUND);
	MUST(l.kind == FRESHLINK_RELATIVE && l.remaining_ms == 65534);
	MUST(l.reorder == 0 && l.stale == FRESHLINK_TRUNCATE && !l.flags);
	MUST(GET4("\x9e\x08\3\x0c" NO_LIFETIME, &l) == FRESHLINK_FOUND);
	MUST(l.kind == FRESHLINK_UNLIMITED && l.remaining_ms == 0);
	MUST(l.reorder == 3 && l.stale == FRESHLINK_RESERVED);
	MUST(GET6("\x11\1\1\0\x3e\6\3\0\0\0\0\0\1\2\0\0", &l) == FRESHLINK_FOUND);
	MUST(l.kind == FRESHLINK_RELATIVE && l.remaining_ms == 0);
	MUST(l.stale == FRESHLINK_FORWARD);
	MUST(GET6("\x11\1\1\0\x1e\6\3\4" NO_LIFETIME "\1\2\0\0", &l) ==
	     FRESHLINK_FOUND);
	MUST(l.kind == FRESHLINK_UNLIMITED);
	/* the option may be anywhere in the header; bytes after the header are ignored */
	MUST(GET6("\x11\1\0\0\0\0\0\x3e\6\3\4\0\0\0\7\0" "\x3e\6", &l) ==
	     FRESHLINK_FOUND);
	MUST(l.remaining_ms == 7);
	return true;
}

/* A time stamp of each kind, and the remaining time of an absolute deadline. */
static int get_stamped(int type, const void *stamp, size_t len,
		       uint32_t deadline_ms, struct freshlink_lifetime *l)
{
	uint32_t field = 65535 + deadline_ms;
	unsigned char option[8] = { 0x9e, 8, 0, 4, field >> 24, field >> 16,
				    field >> 8, field };
	struct msghdr msg = { 0 };

	put_ipv4(&msg, option, sizeof(option));
	put(&msg, SOL_SOCKET, type, CMSG_LEN(len), stamp, len);
	return get(&msg, l);
}

static bool test_stamps(void)
{
	struct timespec ts[3] = { { NOON / NS, 999999999 } };
	struct timeval tv = { NOON / NS, 999999 };
	struct freshlink_lifetime l;

	MUST(get_stamped(SO_TIMESTAMPNS, ts, sizeof(*ts), 43205000, &l) ==
	     FRESHLINK_FOUND);
	MUST(l.kind == FRESHLINK_ABSOLUTE && l.remaining_ms == 4001);
	MUST(l.at_ns == NOON + 999999999);
	MUST(get_stamped(SO_TIMESTAMP, &tv, sizeof(tv), 43200000, &l) ==
	     FRESHLINK_FOUND);
	MUST(l.remaining_ms == -999 && l.at_ns == NOON + 999999000);
	MUST(get_stamped(SO_TIMESTAMPING, ts, sizeof(ts), 43200999, &l) ==
	     FRESHLINK_FOUND);
	MUST(l.remaining_ms == 0 && l.at_ns == NOON + 999999999);
	/* a time of day means its nearest occurrence, also across midnight */
	ts[0].tv_nsec = 0;
	MUST(get_stamped(SO_TIMESTAMPNS, ts, sizeof(*ts), DAY_MS - 1, &l) ==
	     FRESHLINK_FOUND && l.remaining_ms == 43199999);
	MUST(get_stamped(SO_TIMESTAMPNS, ts, sizeof(*ts), 1, &l) ==
	     FRESHLINK_FOUND && l.remaining_ms == -43199999);
	ts[0].tv_sec += 43199;
	MUST(get_stamped(SO_TIMESTAMPNS, ts, sizeof(*ts), 1, &l) ==
	     FRESHLINK_FOUND && l.remaining_ms == 1001);
	return true;
}

static bool test_no_stamps(void)
{
	static const struct timespec bad[][3] = {
		{ { 0, 0 } }, { { -1, 0 } }, { { INT64_MAX, 0 } },
		{ { INT64_MIN, 0 } }, { { INT64_MAX / NS, 0 } }, { { 1, -1 } },
		{ { 1, NS } }, { { 1, INT64_MAX } }, { { 1, INT64_MIN } },
	};
	const int types[] = { SO_TIMESTAMP, SO_TIMESTAMPNS, SO_TIMESTAMPING };
	int64_t before = now();
	struct freshlink_lifetime l;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		for (size_t j = 0; j < 3; j++) {
			MUST(get_stamped(types[j], bad[i], sizeof(bad[i]), 1,
					 &l) == FRESHLINK_FOUND);
			MUST(l.at_ns >= before && l.at_ns <= now());
		}
	/* one byte less than a time stamp */
	for (size_t j = 0; j < 3; j++) {
		MUST(get_stamped(types[j], bad[5], sizeof(bad[5][0]) - 1, 1,
				 &l) == FRESHLINK_FOUND);
		MUST(l.at_ns >= before && l.at_ns <= now());
	}
	return true;
}

static bool test_malformed_ipv4(void)
{
	static const unsigned char full[41] = { [0 ... 40] = 1 };
	struct freshlink_lifetime l;

	MUST(get_ipv4(full, 40, &l) == FRESHLINK_NONE);
	MUST(get_ipv4(full, 41, &l) == FRESHLINK_MALFORMED);
	MUST(GET4("\x9e", &l) == FRESHLINK_MALFORMED);
	MUST(GET4("\x9e\0\0\4\0\0\0\5", &l) == FRESHLINK_MALFORMED);
	MUST(GET4("\x9e\1\0\4\0\0\0\5", &l) == FRESHLINK_MALFORMED);
	MUST(GET4("\x9e\7\0\4\0\0\0\5", &l) == FRESHLINK_MALFORMED);
	MUST(GET4("\x9e\x09\0\4\0\0\0\5\0\0\0\0", &l) == FRESHLINK_MALFORMED);
	MUST(GET4("\x9e\x08\0\4\0\0\0", &l) == FRESHLINK_MALFORMED);
	MUST(GET4("\x9e\x08\0\4\5\x27\x5b\xff", &l) == FRESHLINK_MALFORMED);
	MUST(GET4("\x9e\x08\0\4\xff\xff\xff\xff", &l) == FRESHLINK_MALFORMED);
	MUST(GET4("\x9e\x08\0\4\0\0\0\5\x9e\x08\0\4\0\0\0\5", &l) ==
	     FRESHLINK_MALFORMED);
	MUST(GET4("\x9e\x08\0\4\0\0\0\5\x94\5\0\0", &l) == FRESHLINK_MALFORMED);
	return true;
}

static bool test_malformed_ipv6(void)
{
	struct freshlink_lifetime l;
	unsigned char longest[2048] = { 17, 255 };

	for (size_t i = 2; i < sizeof(longest); i++)
		longest[i] = 0xfe;	/* options of 256 bytes with type 0xfe */
	MUST(get_ipv6(longest, sizeof(longest), &l) == FRESHLINK_MALFORMED);
	memset(longest + 2, 0, sizeof(longest) - 2);
	MUST(get_ipv6(longest, sizeof(longest), &l) == FRESHLINK_NONE);
	memcpy(longest + 2040, "\x3e\6\0\4\0\0\0\5", 8);
	MUST(get_ipv6(longest, sizeof(longest), &l) == FRESHLINK_FOUND);
	MUST(get_ipv6(longest, sizeof(longest) - 1, &l) == FRESHLINK_MALFORMED);
	MUST(GET6("", &l) == FRESHLINK_MALFORMED);
	MUST(GET6("\x11", &l) == FRESHLINK_MALFORMED);
	MUST(GET6("\x11\0", &l) == FRESHLINK_MALFORMED);
	MUST(GET6("\x11\1\1\0\x3e\6\3\4\0\0\0\5\1\2\0", &l) == FRESHLINK_MALFORMED);
	MUST(GET6("\x11\1\1\0\x3e\7\3\4\0\0\0\5\1\2\0\0", &l) == FRESHLINK_MALFORMED);
	MUST(GET6("\x11\1\1\0\x1e\6\3\4\0\0\0\5\1\2\0\0", &l) == FRESHLINK_MALFORMED);
	MUST(GET6("\x11\1\1\0\x3e\6\3\4\0\1\0\0\1\2\0\0", &l) == FRESHLINK_MALFORMED);
	MUST(GET6("\x11\1\1\0\x3e\6\3\4\0\0\0\5\1\3\0\0", &l) == FRESHLINK_MALFORMED);
	return true;
}

static bool test_cut_short(void)
{
	struct freshlink_lifetime l = { .remaining_ms = 99 };
	struct msghdr msg = { 0 };
	int64_t before = now();

	put_ipv4(&msg, "\x9e\x08\0\4\0\0\0\5", 8);
	msg.msg_flags = MSG_CTRUNC;
	MUST(get(&msg, &l) == -1 && errno == ENOBUFS);
	MUST(l.at_ns >= before && l.remaining_ms == 99);
	msg.msg_flags = MSG_CTRUNC;
	MUST(get(&msg, &l) == -1 && errno == ENOBUFS);
	/* other flags have no effect */
	put_ipv4(&msg, "\x9e\x08\0\4\0\0\0\5", 8);
	msg.msg_flags = ~MSG_CTRUNC;
	MUST(get(&msg, &l) == FRESHLINK_FOUND && l.remaining_ms == 5);
	return true;
}

static bool test_lying_lengths(void)
{
	static const size_t lies[] = { 0, 1, sizeof(struct cmsghdr) - 1,
				       CMSG_LEN(9), CMSG_LEN(16), SIZE_MAX / 2,
				       SIZE_MAX - 7, SIZE_MAX };
	struct freshlink_lifetime l;
	struct msghdr msg = { 0 };

	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		put(&msg, IPPROTO_IP, IP_RECVOPTS, lies[i],
		    "\x9e\x08\0\4\0\0\0\5", 8);
		MUST(get(&msg, &l) == FRESHLINK_NONE);
		/* the option in front of the wrong length is found */
		put_ipv4(&msg, "\x9e\x08\0\4\0\0\0\5", 8);
		put(&msg, IPPROTO_IP, IP_RECVOPTS, lies[i], "", 0);
		MUST(get(&msg, &l) == FRESHLINK_FOUND && l.remaining_ms == 5);
	}
	/* the last message does not have a whole header */
	put_ipv4(&msg, "\x9e\x08\0\4\0\0\0\5", 8);
	put(&msg, IPPROTO_IP, IP_RECVOPTS, CMSG_LEN(0), "", 0);
	msg.msg_control = realloc(msg.msg_control, --msg.msg_controllen);
	MUST(get(&msg, &l) == FRESHLINK_FOUND && l.remaining_ms == 5);
	return true;
}

static bool test_unaligned(void)
{
	char buf[CMSG_SPACE(8) + 8];
	struct freshlink_lifetime l;
	struct msghdr made = { 0 };

	put_ipv4(&made, "\x9e\x08\0\4\0\0\0\5", 8);
	for (size_t i = 0; i < 8; i++) {
		struct msghdr msg = {
			.msg_control = buf + i,
			.msg_controllen = made.msg_controllen,
		};

		memcpy(buf + i, made.msg_control, made.msg_controllen);
		MUST(freshlink_get_lifetime(&msg, &l) == FRESHLINK_FOUND);
		MUST(l.remaining_ms == 5);
	}
	free(made.msg_control);
	return true;
}

static uint64_t random_state = 1;

/* Marsaglia, Xorshift RNGs, 2003 */
static uint32_t random_below(uint32_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

/* Some valid control messages in a row, and the same control messages with changed bytes and
 * truncated.
 */
static void put_damaged(struct msghdr *msg)
{
	unsigned char *bytes;
	size_t len;

	for (uint32_t i = 0; i <= random_below(3); i++) {
		put_stamp(msg, NOON / NS, 0);
		put_ipv4(msg, "\1\x9e\x08\0\4\0\0\0\5\0\0\0", 12);
		put_ipv6(msg, "\x11\1\1\0\x3e\6\0\4\0\0\0\5\1\2\0\0", 16);
	}
	bytes = msg->msg_control;
	for (uint32_t i = 0; i < random_below(6); i++)
		bytes[random_below(msg->msg_controllen)] = random_below(256);
	len = 1 + random_below(msg->msg_controllen);
	msg->msg_control = realloc(msg->msg_control, len);
	msg->msg_controllen = len;
}

static bool test_damaged(void)
{
	struct freshlink_lifetime l;
	struct msghdr msg = { 0 };
	int seen[3] = { 0 };

	for (int i = 0; i < 300000; i++) {
		int found;

		put_damaged(&msg);
		found = get(&msg, &l);
		MUST(found >= FRESHLINK_NONE && found <= FRESHLINK_MALFORMED);
		seen[found]++;
		MUST(l.at_ns > 0);
		if (found != FRESHLINK_FOUND)
			continue;
		MUST(l.kind <= FRESHLINK_ABSOLUTE && l.stale <= FRESHLINK_RESERVED);
		MUST(!(l.flags & ~0x13));
		MUST(l.remaining_ms > -43200000 && l.remaining_ms <= 43200000);
	}
	MUST(seen[FRESHLINK_NONE] && seen[FRESHLINK_FOUND] &&
	     seen[FRESHLINK_MALFORMED]);
	return true;
}

/* Whether these bytes are the only message in a buffer of this size. */
static bool is(const struct msghdr *msg, int level, int type, const void *data,
	       size_t len)
{
	struct cmsghdr head;

	memcpy(&head, msg->msg_control, sizeof(head));
	return msg->msg_controllen == CMSG_SPACE(len) &&
	       head.cmsg_level == level && head.cmsg_type == type &&
	       head.cmsg_len == CMSG_LEN(len) &&
	       !memcmp((char *)msg->msg_control + CMSG_LEN(0), data, len);
}

static bool test_set_deadline(void)
{
	const size_t room = FRESHLINK_DEADLINE_ROOM;
	char *control = malloc(2 * room);
	struct msghdr msg = { .msg_control = control };
	int64_t deadline = INT64_MAX;

	MUST(freshlink_set_deadline(&msg, room, 0) == -1 && errno == EINVAL);
	MUST(freshlink_set_deadline(&msg, room, -1) == -1 && errno == EINVAL);
	for (size_t i = 0; i < room; i++)
		MUST(freshlink_set_deadline(&msg, i, 1) == -1 &&
		     errno == ENOBUFS && !msg.msg_controllen);
	MUST(!freshlink_set_deadline(&msg, room, deadline));
	MUST(is(&msg, SOL_SOCKET, SO_TXTIME, &deadline, sizeof(deadline)));
	/* the deadline follows the existing message, whether or not its length includes padding */
	msg.msg_controllen -= 3;
	MUST(freshlink_set_deadline(&msg, 2 * room - 1, 1) == -1 &&
	     errno == ENOBUFS && msg.msg_controllen == room - 3);
	MUST(!freshlink_set_deadline(&msg, 2 * room, 7));
	MUST(msg.msg_controllen == 2 * room);
	msg.msg_control = control + room;
	msg.msg_controllen = room;
	deadline = 7;
	MUST(is(&msg, SOL_SOCKET, SO_TXTIME, &deadline, sizeof(deadline)));
	msg.msg_controllen = SIZE_MAX - 8;
	MUST(freshlink_set_deadline(&msg, room, 1) == -1 && errno == ENOBUFS);
	free(control);
	return true;
}

/* Whether an option is set as these bytes, in a buffer of exactly the needed size. */
static bool sets(const struct freshlink_lifetime *l, int family,
		 const void *bytes)
{
	size_t len = family == AF_INET ? 8 : 16, room = CMSG_SPACE(len);
	struct msghdr msg = { .msg_control = malloc(room) };
	bool good;

	MUST(freshlink_set_option(&msg, room - 1, family, l) == -1 &&
	     errno == ENOBUFS && !msg.msg_controllen);
	MUST(!freshlink_set_option(&msg, room, family, l));
	good = family == AF_INET ?
	       is(&msg, IPPROTO_IP, IP_RETOPTS, bytes, len) :
	       is(&msg, IPPROTO_IPV6, IPV6_HOPOPTS, bytes, len);
	free(msg.msg_control);
	return good;
}

static bool test_set_option(void)
{
	struct freshlink_lifetime l = {
		.kind = FRESHLINK_RELATIVE, .stale = FRESHLINK_TRUNCATE,
		.remaining_ms = 65534, .reorder = 255,
		.flags = FRESHLINK_SLOW | FRESHLINK_CORRUPT_OK,
	};

	MUST(sets(&l, AF_INET, "\x9e\x08\xff\x19\0\0\xff\xfe"));
	MUST(sets(&l, AF_INET6,
		  "\0\1\1\0\x3e\6\xff\x19\0\0\xff\xfe\1\2\0\0"));
	l = (struct freshlink_lifetime){ .remaining_ms = -5, .at_ns = -5 };
	MUST(sets(&l, AF_INET, "\x9e\x08\0\0" NO_LIFETIME));
	MUST(sets(&l, AF_INET6,
		  "\0\1\1\0\x1e\6\0\0" NO_LIFETIME "\1\2\0\0"));
	/* noon + 500.999999 ms + 5 s, which is written as 65535 + 43205500 */
	l = (struct freshlink_lifetime){
		.kind = FRESHLINK_ABSOLUTE, .stale = FRESHLINK_DISCARD,
		.remaining_ms = 5000, .at_ns = NOON + 500999999,
	};
	MUST(sets(&l, AF_INET, "\x9e\x08\0\4\2\x94\x43\x7b"));
	MUST(sets(&l, AF_INET6,
		  "\0\1\1\0\x1e\6\0\4\2\x94\x43\x7b\1\2\0\0"));
	/* the ms before midnight; midnight itself is written as the same value */
	l.at_ns = NOON - 43200 * NS;
	l.remaining_ms = -1;
	MUST(sets(&l, AF_INET, "\x9e\x08\0\4\5\x27\x5b\xfe"));
	l.remaining_ms = 0;
	MUST(sets(&l, AF_INET, "\x9e\x08\0\4\5\x27\x5b\xfe"));
	return true;
}

static bool refuses(const struct freshlink_lifetime *l, int family, int err)
{
	char control[FRESHLINK_OPTION_ROOM];
	struct msghdr msg = { .msg_control = control };

	return freshlink_set_option(&msg, sizeof(control), family, l) == -1 &&
	       errno == err && !msg.msg_controllen;
}

static bool test_refused_options(void)
{
	static const struct freshlink_lifetime bad[] = {
		{ .kind = FRESHLINK_RELATIVE, .remaining_ms = -1 },
		{ .kind = FRESHLINK_RELATIVE, .remaining_ms = 65535 },
		{ .kind = FRESHLINK_RELATIVE, .remaining_ms = INT32_MIN },
		{ .kind = FRESHLINK_ABSOLUTE, .remaining_ms = 43200001 },
		{ .kind = FRESHLINK_ABSOLUTE, .remaining_ms = -43200000 },
		{ .kind = FRESHLINK_ABSOLUTE, .remaining_ms = INT32_MIN },
		{ .kind = FRESHLINK_ABSOLUTE, .at_ns = -1 },
		{ .kind = 3 }, { .kind = -1 },
		{ .stale = FRESHLINK_RESERVED }, { .stale = -1 },
		{ .flags = 0x04 }, { .flags = 0x20 }, { .flags = 0x80 },
	};
	const struct freshlink_lifetime good = { 0 };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		MUST(refuses(&bad[i], AF_INET, EINVAL) &&
		     refuses(&bad[i], AF_INET6, EINVAL));
	MUST(refuses(&good, AF_UNIX, EAFNOSUPPORT));
	MUST(refuses(&good, AF_UNSPEC, EAFNOSUPPORT));
	return true;
}

/* Whether a lifetime that was set is read back unchanged. */
static bool comes_back(const struct freshlink_lifetime *l, int family)
{
	struct msghdr msg = { .msg_control = calloc(1, FRESHLINK_OPTION_ROOM) };
	struct cmsghdr *head = msg.msg_control;
	struct freshlink_lifetime got;

	MUST(!freshlink_set_option(&msg, FRESHLINK_OPTION_ROOM, family, l));
	if (family == AF_INET)
		head->cmsg_type = IP_RECVOPTS;
	put_stamp(&msg, l->at_ns / NS, l->at_ns % NS);
	MUST(get(&msg, &got) == FRESHLINK_FOUND);
	MUST(got.kind == l->kind && got.stale == l->stale);
	MUST(got.remaining_ms == l->remaining_ms && got.at_ns == l->at_ns);
	MUST(got.reorder == l->reorder && got.flags == l->flags);
	return true;
}

static bool test_round_trip(void)
{
	static const uint8_t flags[] = { 0x00, 0x01, 0x02, 0x10, 0x13 };
	static const int32_t spans[] = { 0, 1, 65534 };

	for (int i = 0; i < 3 * 3 * 5 * 3 * 2; i++) {
		const struct freshlink_lifetime l = {
			.kind = i % 3, .stale = i / 3 % 3, .flags = flags[i / 9 % 5],
			.remaining_ms = i % 3 ? spans[i / 45 % 3] : 0,
			.reorder = i, .at_ns = NOON + i * INT64_C(7777777777777),
		};

		MUST(comes_back(&l, i / 135 ? AF_INET : AF_INET6));
	}
	return true;
}

static const struct unit tests[] = {
	{ "no option, and bytes like an option at other levels", test_nothing },
	{ "every field", test_fields },
	{ "time stamps of three types", test_stamps },
	{ "invalid time stamps", test_no_stamps },
	{ "malformed in IPv4", test_malformed_ipv4 },
	{ "malformed in IPv6", test_malformed_ipv6 },
	{ "truncated control data", test_cut_short },
	{ "wrong lengths in headers", test_lying_lengths },
	{ "an unaligned buffer", test_unaligned },
	{ "300000 damaged messages", test_damaged },
	{ "a deadline is set", test_set_deadline },
	{ "an option is set", test_set_option },
	{ "an option is refused", test_refused_options },
	{ "a lifetime is read back as it was set", test_round_trip },
};

int main(void)
{
	return unit_run(tests, sizeof(tests) / sizeof(tests[0]));
}
