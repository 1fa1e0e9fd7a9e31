// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two adversaries. The first adversary changes the memory between any two reads: a seed
 * chooses the form for each read. A parser that reads a value twice therefore gets two
 * different values in some packet. With the same seed, each run gives the same values.
 * The second adversary is a thread, as on a real machine.
 */
#include "foreign.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

__u8 foreign_forms[FOREIGN_FORMS][FOREIGN_MAX];

static __u8 shared[FOREIGN_MAX];
static bool threaded;
static __u32 foreign_len;
static __u64 foreign_state;

__u32 chance(__u64 *state, __u32 below)
{
	__u64 z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return (z >> 33) % below;
}

void foreign_begin(__u32 len, __u64 seed)
{
	foreign_len = len;
	foreign_state = seed;
}

/* Stands for the kernel's memcpy(), and checks that no read goes beyond the packet. */
void foreign_read(__u32 at, void *to, __u32 len)
{
	const __u8 *from = shared;

	if (at > foreign_len || len > foreign_len - at)
		abort();
	if (!threaded)
		from = foreign_forms[chance(&foreign_state, FOREIGN_FORMS)];
	memcpy(to, from + at, len);
}

static void *flip(void *unused)
{
	int form;

	for (form = 0;; form = (form + 1) % FOREIGN_FORMS) {
		memcpy(shared, foreign_forms[form], foreign_len);
		__asm__ volatile("" ::: "memory");
	}
	return unused;
}

void foreign_thread(void)
{
	pthread_t thread;

	threaded = true;
	if (pthread_create(&thread, NULL, flip, NULL))
		abort();
}
