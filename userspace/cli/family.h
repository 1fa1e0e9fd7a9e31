/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Access to a module through its generic netlink family, with explanations of refusals. */
#ifndef FRESHLINK_FAMILY_H
#define FRESHLINK_FAMILY_H

#include <netlink/msg.h>
#include <stdbool.h>
#include <stdint.h>

#include "../lib/module_counter.h"
#include "cli.h"
#include "netlink.h"
#include "report.h"

/**
 * struct family - a socket of a family
 * @args: the command that uses the family, for error messages
 * @name: the name of the family and of its module
 * @operands: attributes that are made of the command's operand, up to a 0
 * @nl: the socket
 * @id: the family's number, negative if the module is not loaded
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
 * @f: the caller sets @name and @operands, the rest is written
 * @args: the command
 *
 * Return: whether the module is loaded; if not, standard error says what to do
 */
bool family_open(struct family *f, const struct cli_args *args);

/** family_open_if_loaded - as family_open(), but a module that is not loaded is no failure */
bool family_open_if_loaded(struct family *f, const struct cli_args *args);

/** family_explain_absence - print on standard error that the module is not loaded */
void family_explain_absence(const struct family *f);

/**
 * family_is_there - whether another family is registered
 * @f: an open family
 * @name: the name of the other family
 */
bool family_is_there(const struct family *f, const char *name);

/** family_close - disconnect */
void family_close(struct family *f);

/** family_message - allocate a message with this command and without attributes */
struct nl_msg *family_message(const struct family *f, uint8_t cmd);

/**
 * family_explain - print on standard error what the kernel refused and why
 * @f: the socket after the refusal
 * @msg: the request
 *
 * The message names the refused option and has the kernel's own text.
 */
void family_explain(const struct family *f, struct nl_msg *msg);

/**
 * family_request - send a request and wait for the answer
 * @f: the socket
 * @msg: the request, freed here
 *
 * Return: whether the kernel accepted it; if not, standard error says why
 */
bool family_request(struct family *f, struct nl_msg *msg);

/**
 * family_report - add the settings of a family
 * @r: the report
 * @settings: the table of the settings; each reported one is a u8
 * @attrs: the kernel's answer, by the attributes of @settings
 */
void family_report(struct report *r, const struct fl_option *settings,
		   struct nlattr **attrs);

#define FAMILY_COUNTERS_MAX	63

/**
 * family_report_counters - add counters, then the advice for those that call for an action
 * @r: the report
 * @nest: the kernel's answer, whose attributes are the counters' numbers; NULL for none
 * @counters: the table of the counters
 * @max: the last counter, at most FAMILY_COUNTERS_MAX; a kernel may report fewer
 */
void family_report_counters(struct report *r, struct nlattr *nest,
			    const struct module_counter *counters, int max);

/**
 * family_report_cause - add the cause of an event
 * @r: the report
 * @attr: the number of a counter, a u16, or NULL
 * @counters: the table of the counters
 * @max: the last counter; the cause of a later kernel is reported as a number
 */
void family_report_cause(struct report *r, struct nlattr *attr,
			 const struct module_counter *counters, int max);

#endif
