/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When delay spikes happen: at a period, or as a file says. */
#ifndef FRESHLINK_SPIKES_H
#define FRESHLINK_SPIKES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct spike - one delay spike
 * @start: ns from the beginning
 * @length: ns
 */
struct spike {
	int64_t start;
	int64_t length;
};

/**
 * struct spikes - a series of spikes
 * @list: from a file; NULL for a periodic series, which never ends
 * @count: length of @list
 * @next: number of the next one
 * @first: start of the first, ns
 * @period: from start to start, ns
 * @longest: greatest length, ns
 * @jitter: by how much a spike may be shorter, ns
 * @random: state of the random numbers
 */
struct spikes {
	struct spike *list;
	size_t count;
	size_t next;
	int64_t first;
	int64_t period;
	int64_t longest;
	int64_t jitter;
	uint64_t random;
};

/**
 * spikes_load - read a series from a file
 * @s: its list is written
 * @who: for messages
 * @path: lines of START LENGTH, for example "30s 9500ms"; # begins a comment
 *
 * Return: whether the file is right; if not, standard error names the line
 */
bool spikes_load(struct spikes *s, const char *who, const char *path);

/**
 * spikes_next - the next spike
 * @s: the series
 * @spike: written
 *
 * Return: whether there is one
 */
bool spikes_next(struct spikes *s, struct spike *spike);

#endif
