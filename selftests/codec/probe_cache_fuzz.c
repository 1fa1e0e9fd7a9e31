// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libFuzzer target: whatever bytes the file of freshlink probe has, reading ends within them, and
 * what was understood is in range, is written and read again as the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../userspace/probe/cache.h"
#include "fuzz.h"

#define NOW	1000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct probe_cache cache, again;
	static char text[PROBE_TEXT_MAX];
	unsigned int wrong = probe_cache_read(&cache, (const char *)data, size, NOW);
	size_t len;

	if (wrong) {
		MUST(!cache.count);
		return 0;
	}
	MUST(cache.count <= PROBE_ENTRIES);
	for (unsigned int i = 0; i < cache.count; i++) {
		const struct probe_entry *e = &cache.entry[i];

		MUST(e->via < PROBE_VIAS && e->verdict < PROBE_NO_ANSWER);
		MUST(e->until > NOW && e->until <= NOW + PROBE_KEPT);
		MUST(probe_cache_find(&cache, e) == e);
	}
	len = probe_cache_write(&cache, text);
	MUST(len <= sizeof(text) && !probe_cache_read(&again, text, len, NOW));
	MUST(again.count == cache.count);
	MUST(!memcmp(again.entry, cache.entry, cache.count * sizeof(cache.entry[0])));
	return 0;
}
