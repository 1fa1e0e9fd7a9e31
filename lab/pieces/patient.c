// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * select() that sleeps for a millisecond when it is asked again and again at the
 * same moment: preloaded into iperf3, which asks so while the other end has not
 * answered yet. Where time is simulated none passes meanwhile, and so no answer comes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <sys/select.h>
#include <time.h>

#define MOMENT_NS 100000 /* longer than what happens between two questions of a spin */
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
