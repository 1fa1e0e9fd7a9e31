// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The parts of freshlink reflect that only compute: prefixes of addresses, and the limit of each
 * source. Prints TAP.
 */
#include <arpa/inet.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../userspace/cli/limit.h"
#include "../../userspace/cli/prefix.h"
#include "unit.h"

#define SECOND	INT64_C(1000000000)
#define SECRET	UINT64_C(0x0123456789abcdef)

/* Returns an address. An IPv4 address is written in its mapped form. */
static struct in6_addr address(const char *text)
{
	struct in6_addr address;

	if (inet_pton(AF_INET6, text, &address) != 1)
		abort();
	return address;
}

static bool has(const char *text, const char *member)
{
	struct in6_addr a = address(member);
	struct prefix prefix;

	return prefix_parse(text, &prefix) && prefix_has(&prefix, &a);
}

static bool refuses(const char *text)
{
	struct prefix prefix;

	return !prefix_parse(text, &prefix);
}

static bool test_ipv4_prefixes(void)
{
	MUST(has("192.0.2.1", "::ffff:192.0.2.1"));
	MUST(!has("192.0.2.1", "::ffff:192.0.2.2"));
	MUST(has("192.0.2.1/32", "::ffff:192.0.2.1"));
	MUST(!has("192.0.2.1/32", "::ffff:192.0.2.0"));
	MUST(has("192.0.2.0/31", "::ffff:192.0.2.1"));
	MUST(!has("192.0.2.0/31", "::ffff:192.0.2.2"));
	MUST(has("10.0.0.0/8", "::ffff:10.255.255.255"));
	MUST(!has("10.0.0.0/8", "::ffff:11.0.0.0"));
	MUST(has("172.16.0.0/12", "::ffff:172.31.255.255"));
	MUST(!has("172.16.0.0/12", "::ffff:172.32.0.0"));
	MUST(has("0.0.0.0/0", "::ffff:255.255.255.255"));
	MUST(has("0.0.0.0/0", "::ffff:0.0.0.0"));
	MUST(has("::ffff:10.0.0.0/104", "::ffff:10.1.2.3"));
	MUST(has("0000:0000:0000:0000:0000:ffff:192.168.100.228/128", "::ffff:192.168.100.228"));
	return true;
}

static bool test_ipv6_prefixes(void)
{
	MUST(has("2001:db8::1", "2001:db8::1"));
	MUST(!has("2001:db8::1", "2001:db8::2"));
	MUST(has("2001:db8::/32", "2001:db8:ffff::1"));
	MUST(!has("2001:db8::/32", "2001:db9::"));
	MUST(has("2001:db8:8000::/33", "2001:db8:ffff::"));
	MUST(!has("2001:db8:8000::/33", "2001:db8:7fff::"));
	MUST(has("fd01::/127", "fd01::1"));
	MUST(!has("fd01::/127", "fd01::2"));
	MUST(has("::/0", "::"));
	MUST(has("::/0", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"));
	MUST(has("fd01:0002:0003:0004:0005:0006:0007:0008/128", "fd01:2:3:4:5:6:7:8"));
	return true;
}

static bool test_apart(void)
{
	MUST(!has("::/0", "::ffff:192.0.2.1"));
	MUST(!has("::/80", "::ffff:192.0.2.1"));
	MUST(!has("0.0.0.0/0", "::1"));
	MUST(!has("0.0.0.0/0", "::fffe:1.2.3.4"));
	return true;
}

static bool test_no_prefixes(void)
{
	static const char *const wrong[] = {
		"", "/", "/8", "x", "10", "10/8", "10.0.0.0/", "10.0.0.0/33",
		"10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/ 8", "10.0.0.0/8 ",
		"10.0.0.0/0x8", "10.0.0.0/8/8", "10.0.0.0/255.0.0.0",
		"10.0.0.1/31", "10.1.0.0/8", "0.0.0.1/0", "256.0.0.0/8",
		" 10.0.0.0/8", "10.0.0.0/0000", "10.0.0.0/4294967304",
		":", "fd01::/129", "fd01::1/127", "fd01::/", "fd01::/1e1", "::1/0",
		"fd01:::/16", "fe80::1%lo", "::ffff:10.0.0.1/104",
		/* the longest address, and an address that is one character longer */
		"0000:0000:0000:0000:0000:ffff:192.168.100.2280/128",
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (!refuses(wrong[i]))
			printf("# \"%s\" is accepted\n", wrong[i]);
		MUST(refuses(wrong[i]));
	}
	return true;
}

static struct limit *limit_of(uint64_t per_second)
{
	static struct limit limit;

	limit_init(&limit, per_second, SECRET);
	return &limit;
}

/* Returns how many of the packets of a source at one time are below the limit. */
static int allowed(struct limit *limit, const char *source, int count,
		   int64_t now)
{
	struct in6_addr from = address(source);
	int good = 0;

	for (int i = 0; i < count; i++)
		good += limit_allows(limit, &from, now);
	return good;
}

/* A source may use the limit of a whole second at one time. Afterwards a source with a limit of n
 * packets a second may send one packet in each n-th part of a second.
 */
static bool test_one_source(void)
{
	struct limit *limit = limit_of(10);
	const char *source = "::ffff:192.0.2.1";

	MUST(allowed(limit, source, 100, 5 * SECOND) == 10);
	MUST(allowed(limit, source, 100, 5 * SECOND + SECOND / 10 - 1) == 0);
	MUST(allowed(limit, source, 100, 5 * SECOND + SECOND / 10) == 1);
	MUST(allowed(limit, source, 100, 5 * SECOND + SECOND / 2) == 4);
	MUST(allowed(limit, source, 100, 6 * SECOND) == 5);
	MUST(allowed(limit, source, 100, 60 * SECOND) == 10);
	MUST(allowed(limit_of(1), source, 100, 0) == 1);
	MUST(allowed(limit_of(100000), source, 200000, SECOND) == 100000);
	return true;
}

/* A source that always sends too much gets the limit, neither less nor more. */
static bool test_steady(void)
{
	struct limit *limit = limit_of(7);
	int good = 0;

	for (int64_t now = 0; now < 100 * SECOND; now += SECOND / 97)
		good += allowed(limit, "2001:db8::1", 3, now);
	MUST(good >= 7 + 7 * 99 && good <= 7 + 7 * 100);
	return true;
}

static bool test_sources(void)
{
	struct limit *limit = limit_of(3);

	MUST(allowed(limit, "::ffff:192.0.2.1", 9, SECOND) == 3);
	MUST(allowed(limit, "::ffff:192.0.2.2", 9, SECOND) == 3);
	/* a /64 is one source */
	MUST(allowed(limit, "2001:db8::1", 2, SECOND) == 2);
	MUST(allowed(limit, "2001:db8::ffff:ffff:ffff:ffff", 9, SECOND) == 1);
	MUST(allowed(limit, "2001:db8:0:1::1", 9, SECOND) == 3);
	return true;
}

/* Forged sources that send a packet each neither keep a source from being served nor replace a
 * source that is at its limit.
 */
static bool test_flood(void)
{
	struct limit *limit = limit_of(2);
	struct in6_addr forged = address("::ffff:10.0.0.0");
	struct in6_addr real = address("::ffff:192.0.2.1");
	int served = 0;

	for (uint32_t i = 0; i < 1000000; i++) {
		memcpy(forged.s6_addr + 12, &i, sizeof(i));
		MUST(limit_allows(limit, &forged, SECOND + i));
		served += limit_allows(limit, &real, SECOND + i);
	}
	MUST(served == 2);
	MUST(allowed(limit, "::ffff:203.0.113.9", 9, SECOND + 1000000) == 2);
	return true;
}

/* The entries of sources that have been silent for a second are reused first. */
static bool test_expiry(void)
{
	struct limit *limit = limit_of(1);
	struct in6_addr forged = address("::ffff:10.0.0.0");

	for (uint32_t i = 0; i < 100000; i++) {
		memcpy(forged.s6_addr + 12, &i, sizeof(i));
		limit_allows(limit, &forged, SECOND);
	}
	MUST(allowed(limit, "::ffff:192.0.2.1", 1, 2 * SECOND + 1) == 1);
	for (uint32_t i = 200000; i < 200200; i++) {
		memcpy(forged.s6_addr + 12, &i, sizeof(i));
		limit_allows(limit, &forged, 2 * SECOND + 2);
	}
	MUST(allowed(limit, "::ffff:192.0.2.1", 1, 2 * SECOND + 3) == 0);
	return true;
}

/* Consecutive prefixes of 64 bits are spread over the sets as evenly as at random. */
static bool test_spread(void)
{
	struct limit *limit = limit_of(1);
	int used = 0;

	for (uint32_t i = 0; i < 4 * LIMIT_SETS; i++) {
		struct in6_addr source = address("2001:db8::");

		source.s6_addr[6] = i >> 8;
		source.s6_addr[7] = i;
		limit_allows(limit, &source, SECOND);
	}
	for (int i = 0; i < LIMIT_SETS; i++)
		for (int j = 0; j < LIMIT_WAYS; j++)
			used += limit->sources[i][j].until > 0;
	/* Poisson: 80 % of the entries are used if 4 sources fall into each set on average */
	MUST(used > 3200 && used < 3400);
	return true;
}

static const struct unit tests[] = {
	{ "prefixes of IPv4", test_ipv4_prefixes },
	{ "prefixes of IPv6", test_ipv6_prefixes },
	{ "IPv4 and IPv6 are apart", test_apart },
	{ "texts that are no prefixes", test_no_prefixes },
	{ "the limit of a source", test_one_source },
	{ "a source that never stops", test_steady },
	{ "several sources", test_sources },
	{ "a flood from a million forged sources", test_flood },
	{ "entries expire", test_expiry },
	{ "sources spread over the sets", test_spread },
};

int main(void)
{
	return unit_run(tests, sizeof(tests) / sizeof(tests[0]));
}
