/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The module xlo_rto through its generic netlink family (<linux/xlo_rto_genl.h>). */
#ifndef FRESHLINK_RTO_FAMILY_H
#define FRESHLINK_RTO_FAMILY_H

#include <linux/xlo_rto_genl.h>
#include <netlink/msg.h>
#include <stdbool.h>

#include "family.h"
#include "report.h"

/**
 * rto_open - connect to the module
 * @x: written
 * @args: the command
 *
 * Return: the same values as family_open()
 */
bool rto_open(struct family *x, const struct cli_args *args);

/**
 * rto_read - read the module's settings and counters
 * @args: the command
 *
 * Return: the module's answer, which the caller frees with nlmsg_free(), or NULL after a
 * message on standard error
 */
struct nl_msg *rto_read(const struct cli_args *args);

/** rto_report - add an answer of rto_read() to a report */
void rto_report(struct report *r, struct nl_msg *told);

/**
 * rto_parse - parse the attributes of a message
 * @msg: the message
 * @attrs: array of XRTO_A_MAX + 1 attributes, written
 *
 * Return: whether the message is well formed
 */
bool rto_parse(struct nl_msg *msg, struct nlattr **attrs);

/** rto_report_settings - add the attributes of the settings to a report */
void rto_report_settings(struct report *r, struct nlattr **attrs);

/** rto_report_moved - add the attributes of a moved timeout to a report */
void rto_report_moved(struct report *r, struct nlattr **attrs);

#endif
