// SPDX-License-Identifier: GPL-2.0-or-later
/* The outcome of a sequence is the text that sim_say() composes. Its digest tells two outcomes
 * apart.
 */

#include <linux/sprintf.h>
#include <linux/stdarg.h>
#include <linux/string.h>
#include "sim.h"

static bool sim_showing;
static u64 sim_sum;

u64 sim_hash(const void *bytes, size_t len, u64 hash)
{
	const u8 *at = bytes;
	u64 word;

	for (; len >= sizeof(word); len -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 32;
	}
	word = len;
	memcpy(&word, at, len);
	hash = (hash ^ word ^ (u64)len << 56) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

void sim_begin(bool show)
{
	sim_showing = show;
	sim_sum = 0;
}

u64 sim_digest(void)
{
	return sim_sum;
}

static char sim_text[4096];

#define SIM_FORMAT(format)						\
	({								\
		va_list arguments;					\
									\
		va_start(arguments, format);				\
		vsnprintf(sim_text, sizeof(sim_text), format, arguments); \
		va_end(arguments);					\
	})

/* Adds to the outcome. */
void sim_say(const char *format, ...)
{
	SIM_FORMAT(format);
	sim_sum = sim_hash(sim_text, strlen(sim_text), sim_sum);
	if (sim_showing)
		host_print(sim_text);
}

/* Prints a detail that need not be compared, because sim_say() has told it in another form. */
void sim_show(const char *format, ...)
{
	if (!sim_showing)
		return;
	SIM_FORMAT(format);
	host_print(sim_text);
}

void sim_fail(const char *format, ...)
{
	SIM_FORMAT(format);
	host_die(sim_text);
}
