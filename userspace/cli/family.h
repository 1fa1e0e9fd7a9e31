/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests to a module through its generic netlink family, with messages that explain a refusal. */
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
 * @operands: attributes whose value is the command's operand, in an array that ends with 0
 * @nl: the socket
 * @id: number of the family, negative if the module is not loaded
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
 * @f: the family. The caller sets @name and @operands, and the function writes all other
 *	members
 * @args: the command
 *
 * Return: true if the module is loaded, or false after a message on standard error
 */
bool family_open(struct family *f, const struct cli_args *args);

/**
 * family_open_if_loaded - do the same as family_open(), but return true for a module that is
 * not loaded
 */
bool family_open_if_loaded(struct family *f, const struct cli_args *args);

/** family_explain_absence - print on standard error why the module is not there, and what helps */
void family_explain_absence(const struct family *f);

/**
 * family_is_there - check whether another family is registered
 * @f: an open family
 * @name: the name of the other family
 */
bool family_is_there(const struct family *f, const char *name);

/** family_close - disconnect */
void family_close(struct family *f);

/** family_message - allocate a message with this command and without attributes */
struct nl_msg *family_message(const struct family *f, uint8_t cmd);

/**
 * family_explain - print on standard error what the kernel refused, and the reason
 * @f: the socket after the refusal
 * @msg: the request
 *
 * The printed message names the refused option and contains the kernel's text.
 */
void family_explain(const struct family *f, struct nl_msg *msg);

/**
 * family_request - send a request and wait for the answer
 * @f: the socket
 * @msg: the request, which the function frees
 *
 * Return: true if the kernel accepted the request, or false after a message on standard error
 */
bool family_request(struct family *f, struct nl_msg *msg);

/**
 * family_values - read the settings of a family
 * @settings: the table of the settings, in which each setting is a u8
 * @attrs: attributes of the kernel's answer, indexed by their numbers
 * @values: one per setting, written; a setting without an attribute is not set
 */
void family_values(const struct fl_option *settings, struct nlattr **attrs,
		   struct fl_value *values);

/**
 * family_report - add the settings of a family
 * @r: the report
 * @settings: the table of the settings, in which each setting is a u8
 * @attrs: attributes of the kernel's answer, indexed by their numbers
 */
void family_report(struct report *r, const struct fl_option *settings,
		   struct nlattr **attrs);

#define FAMILY_COUNTERS_MAX	63

/**
 * family_report_counters - add counters, and advice for the counters that show a problem
 * @r: the report
 * @nest: attribute that contains the counters, or NULL
 * @counters: the table of the counters
 * @max: number of the last counter, at most FAMILY_COUNTERS_MAX. A kernel may report fewer
 *	counters
 */
void family_report_counters(struct report *r, struct nlattr *nest,
			    const struct module_counter *counters, int max);

/**
 * family_report_cause - add the cause of an event
 * @r: the report
 * @attr: attribute with the number of a counter (u16), or NULL
 * @counters: the table of the counters
 * @max: number of the last counter. A greater number, from a newer kernel, is reported as a
 *	number
 */
void family_report_cause(struct report *r, struct nlattr *attr,
			 const struct module_counter *counters, int max);

#endif
