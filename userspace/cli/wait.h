/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits that end on a signal: the commands block the signals that end them, and
 * see these signals only here.
 */
#ifndef FRESHLINK_WAIT_H
#define FRESHLINK_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "../lib/clock.h"

/**
 * wait_hold_signals - block the signals that end the command
 *
 * These are SIGINT, SIGTERM, SIGQUIT, SIGPIPE, and SIGHUP unless it is ignored.
 * From then on only the waits below see the signals. Therefore none is missed,
 * and none ends a process that has to restore something.
 */
void wait_hold_signals(void);

/**
 * wait_hold_child - block SIGCHLD as well; call it after wait_hold_signals()
 *
 * The signal may come from an unknown child: one of the program that ran this
 * one with exec.
 */
void wait_hold_child(void);

/** wait_take_signal - take a pending blocked signal, 0 if there is none */
int wait_take_signal(void);

/**
 * wait_until - sleep until a time
 * @until: CLOCK_MONOTONIC in ns, or FL_NEVER
 *
 * Return: the signal that ended the wait, 0 if the time has come
 */
int wait_until(int64_t until);

/**
 * wait_input - sleep until there is something to read
 * @fd: what to read from
 * @until: CLOCK_MONOTONIC in ns, or FL_NEVER
 * @signal: the signal that ended the wait, or 0
 *
 * Return: whether there is something to read
 */
bool wait_input(int fd, int64_t until, int *signal);

/** wait_error - the same until a socket has an error or a time stamp */
bool wait_error(int fd, int64_t until, int *signal);

#endif
