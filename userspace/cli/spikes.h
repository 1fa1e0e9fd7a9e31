/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times of delay spikes: periodic, or from a file. */
#ifndef FRESHLINK_SPIKES_H
#define FRESHLINK_SPIKES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct spike - one delay spike
 * @start: ns from the beginning of the emulation
 * @length: ns
 */
struct spike {
	int64_t start;
	int64_t length;
};

/**
 * struct spikes - a series of spikes
 * @list: spikes from a file, NULL for a periodic series, which is endless
 * @count: length of @list
 * @next: number of the next spike
 * @first: start of the first spike, ns
 * @period: time from the start of a spike to the start of the next spike, ns
 * @longest: maximum length, ns
 * @jitter: maximum time by which a spike is shorter, ns
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
 * @s: the series, whose list is written
 * @who: prefix of error messages
 * @path: path of the file, which has lines of START LENGTH, for example "30s 9500ms". # begins
 *	a comment
 *
 * Return: true if the file is correct, or false after a message with the line on standard error
 */
bool spikes_load(struct spikes *s, const char *who, const char *path);

/**
 * spikes_next - go to the next spike
 * @s: the series
 * @spike: written
 *
 * Return: whether the series has a next spike
 */
bool spikes_next(struct spikes *s, struct spike *spike);

#endif
