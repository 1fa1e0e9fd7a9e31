/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clocks, and a wait with an absolute end.
 *
 * The wait sleeps in the kernel and never spins, because simulated time does not pass while a
 * program spins. The functions of this file do not change signals.
 */
#ifndef FRESHLINK_CLOCK_H
#define FRESHLINK_CLOCK_H

#include <poll.h>
#include <stdint.h>
#include <time.h>

#define FL_NEVER	INT64_MAX

/** fl_now - CLOCK_MONOTONIC in ns */
int64_t fl_now(void);

/** fl_real - CLOCK_REALTIME in ns */
int64_t fl_real(void);

/** fl_time_left - the time until @until, CLOCK_MONOTONIC in ns; 0 if @until has
 * passed
 */
struct timespec fl_time_left(int64_t until);

/**
 * fl_poll - wait for events until a time
 * @fds: the file descriptors, as for poll()
 * @count: number of file descriptors
 * @until: CLOCK_MONOTONIC in ns, or FL_NEVER
 *
 * Return: as poll()
 */
int fl_poll(struct pollfd *fds, nfds_t count, int64_t until);

#endif
