/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verdicts that freshlink probe keeps, and their form as text. Only computes; store.h has the
 * file.
 */
#ifndef FRESHLINK_PROBE_CACHE_H
#define FRESHLINK_PROBE_CACHE_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "judge.h"

#define PROBE_ENTRIES	256	/* verdicts that are kept */
#define PROBE_LINE_MAX	160	/* bytes of a line, with the newline and a 0 */
#define PROBE_TEXT_MAX	((PROBE_ENTRIES + 1) * PROBE_LINE_MAX)

#define PROBE_KEPT	3600	/* s that a verdict is kept */
#define PROBE_KEPT_DROPS 600	/* the same of PROBE_DROPS, which costs the most if it is wrong */

/** enum probe_via - what probes travel in: DCCP in UDP, DCCP as protocol 33, echo requests */
enum probe_via {
	PROBE_VIA_UDP,
	PROBE_VIA_IP,
	PROBE_VIA_ICMP,
	PROBE_VIAS,
};

/**
 * struct probe_entry - a verdict
 * @remote: the destination, an IPv4 address in its mapped form
 * @local: the address that the probes left from, likewise
 * @via: what they travelled in
 * @verdict: below PROBE_VERDICTS
 * @until: end of the verdict, s of CLOCK_BOOTTIME
 */
struct probe_entry {
	struct in6_addr remote, local;
	enum probe_via via;
	enum probe_verdict verdict;
	int64_t until;
};

/** struct probe_cache - @count verdicts, each for other addresses or another carrier */
struct probe_cache {
	unsigned int count;
	struct probe_entry entry[PROBE_ENTRIES];
};

extern const char *const probe_verdict_names[PROBE_VERDICTS + 1];
extern const char *const probe_via_names[PROBE_VIAS];

/** probe_lifetime - how long a verdict is kept, s; 0: not at all */
int64_t probe_lifetime(enum probe_verdict verdict);

/** probe_address - write an address as text, an IPv4 address in its own form */
void probe_address(const struct in6_addr *address, char text[INET6_ADDRSTRLEN]);

/**
 * probe_cache_read - read the text form
 * @cache: written, without the verdicts that have ended
 * @text: the text; needs no 0 at its end
 * @len: its length
 * @now: the time, s of CLOCK_BOOTTIME
 *
 * A text with an error has no verdicts at all.
 *
 * Return: 0, or the number of the first wrong line
 */
unsigned int probe_cache_read(struct probe_cache *cache, const char *text, size_t len, int64_t now);

/**
 * probe_cache_write - write the text form
 * @cache: the verdicts
 * @text: PROBE_TEXT_MAX bytes
 *
 * Return: its length
 */
size_t probe_cache_write(const struct probe_cache *cache, char *text);

/** probe_cache_find - find the verdict for the addresses and the carrier of @key, or NULL */
const struct probe_entry *probe_cache_find(const struct probe_cache *cache,
					   const struct probe_entry *key);

/** probe_cache_put - add a verdict, or replace the one for the same addresses and carrier. A full
 * cache loses the verdict that would end first
 */
void probe_cache_put(struct probe_cache *cache, const struct probe_entry *entry);

/** probe_cache_forget - remove the verdicts of a destination, or all with NULL. Return: how many */
unsigned int probe_cache_forget(struct probe_cache *cache, const struct in6_addr *remote);

#endif
