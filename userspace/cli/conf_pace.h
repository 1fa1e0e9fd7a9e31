/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The statement "pace DEV OPTION...": the unit freshlink-pace@DEV.service with these options. The
 * unit reads its options from a file in /run, which says that freshlink apply has started it.
 */
#ifndef FRESHLINK_CONF_PACE_H
#define FRESHLINK_CONF_PACE_H

#include "conf.h"

/** conf_pace_check - check that a unit can have the words, or print a message */
bool conf_pace_check(const struct conf_statement *s);

/**
 * conf_pace_put - write the options, and start the unit again
 * @s: the statement
 * @before: the statement whose options the unit has, or NULL
 *
 * Return: the exit status. After a failure, the options are those of @before
 */
int conf_pace_put(struct conf_statement *s, const struct conf_statement *before);

/**
 * conf_pace_remove - remove the options, and stop the unit
 * @s: the statement. If the unit ran before conf_pace_put(), it is started again instead, with the
 *	options that it had
 *
 * Return: the exit status
 */
int conf_pace_remove(const struct conf_statement *s);

#endif
