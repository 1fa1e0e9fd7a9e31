// SPDX-License-Identifier: GPL-2.0-or-later
/* Verdicts that are kept: see cache.h. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cli/address.h"
#include "cache.h"

/* the first line; another version of the format has another one */
#define HEAD	"freshlink probe 1\n"
#define FIELDS	5

const char *const probe_verdict_names[] = {
	[PROBE_TOLERATES] = "tolerates", [PROBE_DISCARDS] = "discards", [PROBE_CUTS] = "cuts",
	[PROBE_STRIPS] = "strips", [PROBE_DROPS] = "drops", [PROBE_NO_ANSWER] = "no-answer",
	[PROBE_UNDECIDED] = "undecided",
};

const char *const probe_via_names[] = {
	[PROBE_VIA_UDP] = "udp", [PROBE_VIA_IP] = "ip", [PROBE_VIA_ICMP] = "icmp",
};

/* A host that does not answer says nothing of the path. */
int64_t probe_lifetime(enum probe_verdict verdict)
{
	if (verdict >= PROBE_NO_ANSWER)
		return 0;
	return verdict == PROBE_DROPS ? PROBE_KEPT_DROPS : PROBE_KEPT;
}

void probe_address(const struct in6_addr *address, char text[INET6_ADDRSTRLEN])
{
	if (IN6_IS_ADDR_V4MAPPED(address)) {
		struct in_addr ipv4 = address_unmap(address);

		inet_ntop(AF_INET, &ipv4, text, INET6_ADDRSTRLEN);
	} else {
		inet_ntop(AF_INET6, address, text, INET6_ADDRSTRLEN);
	}
}

static bool read_address(const char *text, struct in6_addr *address)
{
	struct in_addr ipv4;

	if (inet_pton(AF_INET, text, &ipv4) == 1) {
		*address = address_map(ipv4);
		return true;
	}
	return inet_pton(AF_INET6, text, address) == 1;
}

/* Finds a name. Return: its index, or @count. */
static unsigned int find_name(const char *const *names, unsigned int count, const char *name)
{
	unsigned int i = 0;

	while (i < count && strcmp(names[i], name) != 0)
		i++;
	return i;
}

static int print_entry(const struct probe_entry *e, char line[PROBE_LINE_MAX])
{
	char remote[INET6_ADDRSTRLEN], local[INET6_ADDRSTRLEN];

	probe_address(&e->remote, remote);
	probe_address(&e->local, local);
	return snprintf(line, PROBE_LINE_MAX, "%s %s %s %s %" PRId64 "\n", remote, local,
			probe_via_names[e->via], probe_verdict_names[e->verdict], e->until);
}

/* Cuts a line at its spaces. Return: whether it has the right number of fields. */
static bool split(char *line, char *field[FIELDS])
{
	char *rest = line;

	for (int i = 0; i < FIELDS; i++) {
		field[i] = strsep(&rest, i < FIELDS - 1 ? " " : "\n");
		if (!field[i])
			return false;
	}
	return true;
}

/* Reads a line with its newline. Return: whether it is as print_entry() writes it. */
static bool read_entry(struct probe_entry *e, const char *text, size_t len)
{
	char line[PROBE_LINE_MAX], again[PROBE_LINE_MAX], *field[FIELDS];

	if (len >= sizeof(line))
		return false;
	memcpy(line, text, len);
	line[len] = '\0';
	if (!split(line, field) || !read_address(field[0], &e->remote) ||
	    !read_address(field[1], &e->local))
		return false;
	e->via = find_name(probe_via_names, PROBE_VIAS, field[2]);
	e->verdict = find_name(probe_verdict_names, PROBE_VERDICTS, field[3]);
	if (e->via == PROBE_VIAS || e->verdict == PROBE_VERDICTS)
		return false;
	e->until = strtoll(field[4], NULL, 10);
	return print_entry(e, again) == (int)len && memcmp(text, again, len) == 0;
}

/* Adds a line's verdict unless it has ended. Return: whether the line is right. */
static bool take_line(struct probe_cache *cache, const char *line, size_t len, int64_t now)
{
	struct probe_entry e;

	if (!read_entry(&e, line, len) || e.until > now + probe_lifetime(e.verdict))
		return false;
	if (e.until <= now)
		return true;
	if (cache->count == PROBE_ENTRIES || probe_cache_find(cache, &e))
		return false;
	cache->entry[cache->count++] = e;
	return true;
}

unsigned int probe_cache_read(struct probe_cache *cache, const char *text, size_t len, int64_t now)
{
	size_t at = strlen(HEAD), size;

	cache->count = 0;
	if (len < at || memcmp(text, HEAD, at) != 0)
		return 1;
	for (unsigned int number = 2; at < len; number++, at += size) {
		const char *end = memchr(text + at, '\n', len - at);

		size = end ? (size_t)(end + 1 - (text + at)) : 0;
		if (!end || !take_line(cache, text + at, size, now)) {
			cache->count = 0;
			return number;
		}
	}
	return 0;
}

size_t probe_cache_write(const struct probe_cache *cache, char *text)
{
	size_t at = strlen(HEAD);

	memcpy(text, HEAD, at);
	for (unsigned int i = 0; i < cache->count; i++)
		at += (size_t)print_entry(&cache->entry[i], text + at);
	return at;
}

static bool is_same(const struct probe_entry *a, const struct probe_entry *b)
{
	return a->via == b->via && IN6_ARE_ADDR_EQUAL(&a->remote, &b->remote) &&
	       IN6_ARE_ADDR_EQUAL(&a->local, &b->local);
}

const struct probe_entry *probe_cache_find(const struct probe_cache *cache,
					   const struct probe_entry *key)
{
	for (unsigned int i = 0; i < cache->count; i++) {
		if (is_same(&cache->entry[i], key))
			return &cache->entry[i];
	}
	return NULL;
}

/* The place of a new verdict in a full cache. */
static unsigned int first_to_end(const struct probe_cache *cache)
{
	unsigned int first = 0;

	for (unsigned int i = 1; i < cache->count; i++) {
		if (cache->entry[i].until < cache->entry[first].until)
			first = i;
	}
	return first;
}

void probe_cache_put(struct probe_cache *cache, const struct probe_entry *entry)
{
	const struct probe_entry *old = probe_cache_find(cache, entry);
	unsigned int at = cache->count;

	if (old)
		at = (unsigned int)(old - cache->entry);
	else if (cache->count == PROBE_ENTRIES)
		at = first_to_end(cache);
	else
		cache->count++;
	cache->entry[at] = *entry;
}

unsigned int probe_cache_forget(struct probe_cache *cache, const struct in6_addr *remote)
{
	unsigned int kept = 0, before = cache->count;

	for (unsigned int i = 0; i < before; i++) {
		if (remote && !IN6_ARE_ADDR_EQUAL(&cache->entry[i].remote, remote))
			cache->entry[kept++] = cache->entry[i];
	}
	cache->count = kept;
	return before - kept;
}
