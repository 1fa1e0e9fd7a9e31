/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time and waiting.
 *
 * Every wait sleeps in the kernel until an absolute time, input or a signal. No
 * wait ever spins: a machine that simulates time would then stand still.
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
 * clock_hold_signals - block the signals that end the command
 *
 * These are SIGINT, SIGTERM, SIGQUIT, SIGPIPE, and SIGHUP unless it is ignored.
 * From then on only the waits below see the signals. Therefore none is missed,
 * and none ends a process that has to restore something.
 */
void clock_hold_signals(void);

/**
 * clock_hold_child - block SIGCHLD as well; call it after clock_hold_signals()
 *
 * The signal may come from an unknown child: one of the program that ran this
 * one with exec.
 */
void clock_hold_child(void);

/** clock_signal - take a pending blocked signal, 0 if there is none */
int clock_signal(void);

/**
 * clock_wait - sleep until a time
 * @until: CLOCK_MONOTONIC in ns, or CLOCK_NEVER
 *
 * Return: the signal that ended the wait, 0 if the time has come
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

/** clock_wait_error - the same until a socket has an error or a time stamp */
bool clock_wait_error(int fd, int64_t until, int *signal);

#endif
