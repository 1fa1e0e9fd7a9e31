// SPDX-License-Identifier: GPL-2.0-or-later
/* A limit of packets a second for each source: see limit.h. */
#include <string.h>

#include "limit.h"

#define SECOND		INT64_C(1000000000)	/* ns */
#define PREFIX_LEN	8			/* bytes of a /64 */

void limit_init(struct limit *limit, uint64_t per_second, uint64_t secret)
{
	memset(limit, 0, sizeof(*limit));
	limit->interval = SECOND / per_second;
	limit->secret = secret;
}

/* Spreads the bits of a number evenly (the finalizer of MurmurHash3, A. Appleby). */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
	x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
	return x ^ x >> 33;
}

/* The first half of an IPv4 source and the second half of an IPv6 source are constants. The
 * exclusive or of both halves therefore keeps all other bits.
 */
static struct limit_source *set_of(struct limit *limit,
				   const struct in6_addr *source)
{
	uint64_t half[2];

	memcpy(half, source, sizeof(half));
	return limit->sources[mix(half[0] ^ half[1] ^ limit->secret) %
			      LIMIT_SETS];
}

/* Returns the entry of a source, or the entry of the set that expires first. */
static struct limit_source *find(struct limit_source *set,
				 const struct in6_addr *source)
{
	struct limit_source *first = set;

	for (int i = 0; i < LIMIT_WAYS; i++) {
		if (IN6_ARE_ADDR_EQUAL(&set[i].address, source))
			return &set[i];
		if (set[i].until < first->until)
			first = &set[i];
	}
	return first;
}

/* Each accepted packet moves @until ahead by one interval. @until may be at most a second ahead of
 * the current time.
 */
bool limit_allows(struct limit *limit, const struct in6_addr *address,
		  int64_t now)
{
	struct in6_addr source = *address;
	struct limit_source *entry;

	if (!IN6_IS_ADDR_V4MAPPED(&source))
		memset(source.s6_addr + PREFIX_LEN, 0, PREFIX_LEN);
	entry = find(set_of(limit, &source), &source);
	if (!IN6_ARE_ADDR_EQUAL(&entry->address, &source) || entry->until < now)
		*entry = (struct limit_source){ source, now };
	if (entry->until + limit->interval > now + SECOND)
		return false;
	entry->until += limit->interval;
	return true;
}
