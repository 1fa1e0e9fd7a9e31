/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time and waiting.
 *
 * Every wait sleeps in the kernel until an absolute time, input or a signal;
 * nothing here ever spins, since a machine under time travel would then stand
 * still.
 */
#ifndef FRESHLINK_CLOCK_H
#define FRESHLINK_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define CLOCK_NEVER	INT64_MAX

/** clock_now - CLOCK_MONOTONIC in ns */
int64_t clock_now(void);

/** clock_real - CLOCK_REALTIME in ns */
int64_t clock_real(void);

/**
 * clock_hold_signals - hold back what ends the command
 *
 * SIGINT, SIGTERM, SIGQUIT, SIGPIPE, and SIGHUP unless it is ignored. From then
 * on only the waits below see them, so none is ever missed, and none ends a
 * process that has something to restore.
 */
void clock_hold_signals(void);

/**
 * clock_hold_child - after that, hold back SIGCHLD as well
 *
 * It may be of a child that this process does not know, of who ran it by exec.
 */
void clock_hold_child(void);

/** clock_signal - take a signal that is held back, 0 if there is none */
int clock_signal(void);

/**
 * clock_wait - sleep until a time
 * @until: CLOCK_MONOTONIC in ns, or CLOCK_NEVER
 *
 * Return: the signal that ended the wait, 0 if it was the time
 */
int clock_wait(int64_t until);

/**
 * clock_wait_input - sleep until there is something to read
 * @fd: what to read from
 * @until: CLOCK_MONOTONIC in ns, or CLOCK_NEVER
 * @signal: the signal that ended the wait, or 0
 *
 * Return: whether there is something to read
 */
bool clock_wait_input(int fd, int64_t until, int *signal);

/** clock_wait_error - likewise until a socket has an error or a stamp to tell */
bool clock_wait_error(int fd, int64_t until, int *signal);

#endif
