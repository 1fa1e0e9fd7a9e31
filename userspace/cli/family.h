/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A module through its generic netlink family: found, asked, and what it refuses explained. */
#ifndef FRESHLINK_FAMILY_H
#define FRESHLINK_FAMILY_H

#include <netlink/msg.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli.h"
#include "netlink.h"
#include "report.h"

/**
 * struct family - a socket of a family
 * @args: the command that talks, for its messages
 * @name: the family's name and its module's
 * @operands: attributes that the command's operand stands for, up to a 0
 * @nl: the socket
 * @id: the family's number
 */
struct family {
	const struct cli_args *args;
	const char *name;
	const uint16_t *operands;
	struct netlink nl;
	int id;
};

/**
 * family_open - connect to a module in the namespace of the command
 * @f: @name and @operands are the caller's, the rest is written
 * @args: the command
 *
 * Return: whether it is there; if not, standard error says what to do
 */
bool family_open(struct family *f, const struct cli_args *args);

/**
 * family_is_there - whether some family is registered
 * @f: an open one
 * @name: the other's name
 */
bool family_is_there(const struct family *f, const char *name);

/** family_close - disconnect */
void family_close(struct family *f);

/** family_message - a message with this command, to be freed, without attributes */
struct nl_msg *family_message(const struct family *f, uint8_t cmd);

/**
 * family_explain - say on standard error what was refused and why, in the kernel's words
 * @f: the socket after the refusal
 * @msg: the request
 *
 * The refused word of the command line is named.
 */
void family_explain(const struct family *f, struct nl_msg *msg);

/**
 * family_request - have something done
 * @f: the socket
 * @msg: the request, freed here
 *
 * Return: whether it was done; if not, it has been explained
 */
bool family_request(struct family *f, struct nl_msg *msg);

/**
 * family_report - add what a family tells of settings
 * @r: the report
 * @settings: the table of them, each that is told a u8
 * @attrs: what it told, by the attributes of @settings
 */
void family_report(struct report *r, const struct fl_option *settings,
		   struct nlattr **attrs);

#endif
