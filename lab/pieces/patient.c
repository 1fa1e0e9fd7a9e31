// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A select() that sleeps for a millisecond if it is called again and again without a
 * pause. lab/pieces/iperf.py preloads it into iperf3, which calls select() in a loop
 * until the other end answers. In simulated time no time passes during such a loop, so
 * the answer would never come.
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
