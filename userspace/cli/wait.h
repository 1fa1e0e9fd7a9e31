/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits that end on a signal. The commands block the signals that would end them. Only the
 * functions of this file receive these signals.
 */
#ifndef FRESHLINK_WAIT_H
#define FRESHLINK_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "../lib/clock.h"

/**
 * wait_hold_signals - block the signals that end the command
 *
 * The signals are SIGINT, SIGTERM, SIGQUIT and SIGPIPE. SIGHUP is also blocked if the program
 * does not ignore it at the start. After this call only the wait functions receive these
 * signals. None of them is lost, and none ends a process that still has to restore a device.
 */
void wait_hold_signals(void);

/**
 * wait_hold_child - also block SIGCHLD, after wait_hold_signals()
 *
 * The signal may come from a child that this program has not started, because the process may
 * already have had a child before it executed this program.
 */
void wait_hold_child(void);

/**
 * wait_take_signal - remove and return a pending blocked signal, or return 0 if no signal is
 * pending
 */
int wait_take_signal(void);

/**
 * wait_until - sleep until a time
 * @until: end of the wait, CLOCK_MONOTONIC in ns, or FL_NEVER
 *
 * Return: the signal that ended the wait, or 0 at the end of the time
 */
int wait_until(int64_t until);

/**
 * wait_input - sleep until a file descriptor has data to read
 * @fd: the file descriptor
 * @until: end of the wait, CLOCK_MONOTONIC in ns, or FL_NEVER
 * @signal: the signal that ended the wait, or 0
 *
 * Return: whether the file descriptor has data to read
 */
bool wait_input(int fd, int64_t until, int *signal);

/** wait_error - sleep like wait_input(), but until a socket has an error or a time stamp */
bool wait_error(int fd, int64_t until, int *signal);

#endif
