/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of the module arqlink (<linux/arqlink_genl.h>). */
#ifndef FRESHLINK_ARQ_EVENT_H
#define FRESHLINK_ARQ_EVENT_H

#include <linux/arqlink_genl.h>
#include <netlink/msg.h>
#include <stdbool.h>

#include "flow.h"
#include "report.h"

/**
 * arq_event_parse - parse the attributes of an event
 * @msg: the event
 * @attrs: array of ARQLINK_A_MAX + 1 attributes, written
 *
 * Return: whether the event is well formed
 */
bool arq_event_parse(struct nl_msg *msg, struct nlattr **attrs);

/** arq_event_flow - read the flow of an event's packet */
void arq_event_flow(struct nlattr **attrs, struct flow *flow);

/** arq_event_report - add the attributes of an event to a report */
void arq_event_report(struct report *r, struct nlattr **attrs);

#endif
