/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The module xlo through its generic netlink family (<linux/xlo_genl.h>). The functions send
 * requests, read answers, and report profiles, caps and settings.
 */
#ifndef FRESHLINK_XLO_FAMILY_H
#define FRESHLINK_XLO_FAMILY_H

#include <linux/xlo_genl.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdbool.h>
#include <stddef.h>

#include "family.h"
#include "report.h"

/**
 * struct xlo_answers - answers of the kernel; initialized with 0
 * @msgs: the messages; xlo_forget() frees them
 * @count: number of messages
 */
struct xlo_answers {
	struct nl_msg **msgs;
	size_t count;
};

/**
 * xlo_open - connect to the module in the namespace of the command
 * @x: the family, written. The caller closes the family with family_close()
 * @args: the command
 *
 * Return: true if the module is loaded, or false after a message on standard error
 */
bool xlo_open(struct family *x, const struct cli_args *args);

/**
 * xlo_open_if_loaded - do the same as xlo_open(), but return true for a module that is not
 * loaded
 */
bool xlo_open_if_loaded(struct family *x, const struct cli_args *args);

/**
 * xlo_change - connect, send a change, and disconnect
 * @args: the command
 * @cmd: XLO_CMD_PROFILE_ADD or another change
 * @put: function that adds the attributes of the request
 *
 * Return: the exit status. If the kernel refuses the change, a message on standard error names
 * the refused option and has the kernel's text
 */
int xlo_change(const struct cli_args *args, uint8_t cmd,
	       void (*put)(struct nl_msg *msg, const struct cli_args *args));

/**
 * xlo_read - read settings, profiles or caps
 * @x: the socket
 * @cmd: XLO_CMD_PROFILE_GET, XLO_CMD_CAP_GET or XLO_CMD_GET
 * @answers: the answers, written also after an error
 *
 * Return: true on success, or false after a message on standard error
 */
bool xlo_read(struct family *x, uint8_t cmd, struct xlo_answers *answers);

/** xlo_forget - free the answers */
void xlo_forget(struct xlo_answers *answers);

/**
 * xlo_parse - parse the attributes of a message
 * @msg: the message
 * @attrs: array of XLO_A_MAX + 1 attributes, written
 *
 * Return: whether the message is well formed
 */
bool xlo_parse(struct nl_msg *msg, struct nlattr **attrs);

/** xlo_report_profile - add the attributes of a profile to a report (in profile.c) */
void xlo_report_profile(struct report *r, struct nlattr **attrs);

/**
 * xlo_profile_values - read a profile into the options of "profile add" (in profile.c)
 * @attrs: its attributes
 * @values: one per option, written; an option without an attribute is not set
 */
void xlo_profile_values(struct nlattr **attrs, struct fl_value *values);

/**
 * xlo_cap_value - read a cap (in cap.c)
 * @attrs: its attributes
 * @name: name of the device, written, IF_NAMESIZE bytes
 * @value: the lifetime, written
 *
 * Return: whether the attributes have a cap
 */
bool xlo_cap_value(struct nlattr **attrs, char *name, struct fl_value *value);

/** xlo_report_cap - add the attributes of a cap to a report (in cap.c) */
void xlo_report_cap(struct report *r, struct nlattr **attrs);

/** xlo_report_caps - add all caps to a report, with the names of their devices (in cap.c) */
void xlo_report_caps(struct report *r, const struct xlo_answers *caps);

/** xlo_report_settings - add the attributes of the settings to a report (in set.c) */
void xlo_report_settings(struct report *r, struct nlattr **attrs);

#endif
