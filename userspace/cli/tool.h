/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs other programs, such as tc and ip, without a shell. */
#ifndef FRESHLINK_TOOL_H
#define FRESHLINK_TOOL_H

#include <stdbool.h>

/**
 * tool_status - run a program and wait for its end
 * @who: prefix of error messages
 * @words: name and arguments, up to a NULL. The program is looked up in PATH
 *
 * Return: the program's exit status, or -1 after a message on standard error if the program
 * did not run to its end
 */
int tool_status(const char *who, const char *const *words);

/**
 * tool_run - run a program that has to succeed
 * @who: prefix of error messages
 * @words: as in tool_status()
 *
 * Return: true if the program's exit status is 0, or false after a message on standard error
 */
bool tool_run(const char *who, const char *const *words);

/**
 * tool_run_for - run a program that loads a module, or lets the kernel load it
 * @who: prefix of error messages
 * @module: name of the module
 * @words: as in tool_status()
 *
 * Return: as tool_run(). If the program fails and the module is not loaded, another message says
 * what to type
 */
bool tool_run_for(const char *who, const char *module, const char *const *words);

#endif
