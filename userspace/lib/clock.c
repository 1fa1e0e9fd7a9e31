// SPDX-License-Identifier: GPL-2.0-or-later
/* Clocks and a wait: see clock.h. */
#include "clock.h"
#include "units.h"

static int64_t read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * (int64_t)FL_SEC + ts.tv_nsec;
}

int64_t fl_now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

int64_t fl_real(void)
{
	return read_clock(CLOCK_REALTIME);
}

struct timespec fl_time_left(int64_t until)
{
	int64_t left = until - fl_now();

	if (left < 0)
		left = 0;
	return (struct timespec){ left / FL_SEC, left % FL_SEC };
}

int fl_poll(struct pollfd *fds, nfds_t count, int64_t until)
{
	struct timespec left = fl_time_left(until);

	return ppoll(fds, count, &left, NULL);
}
