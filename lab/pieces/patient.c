// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A select() that sleeps for a millisecond if a program calls it in a busy loop.
 * lab/pieces/iperf.py preloads this function into iperf3, which calls select() in a busy loop
 * until its peer answers. Simulated time does not pass during a busy loop, so without the sleep
 * the answer would never arrive.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <sys/select.h>
#include <time.h>

#define MOMENT_NS 100000 /* longer than the time between two calls of a busy loop */
#define TIMES 16

static bool spins(void)
{
	static struct timespec last;
	static int again;
	struct timespec now;
	long since;

	clock_gettime(CLOCK_MONOTONIC, &now);
	since = (now.tv_sec - last.tv_sec) * 1000000000 + now.tv_nsec - last.tv_nsec;
	last = now;
	again = since < MOMENT_NS ? again + 1 : 0;
	return again > TIMES;
}

int select(int count, fd_set *readable, fd_set *writable, fd_set *other, struct timeval *timeout)
{
	static int (*real)(int, fd_set *, fd_set *, fd_set *, struct timeval *);

	if (!real)
		real = (__typeof__(real))dlsym(RTLD_NEXT, "select");
	if (spins())
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	return real(count, readable, writable, other, timeout);
}
