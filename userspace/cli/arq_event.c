// SPDX-License-Identifier: GPL-2.0-or-later
/* The events of the module arqlink: see arq_event.h. */
#include <net/if.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>

#include "../lib/arqlink.h"
#include "arq_event.h"
#include "device.h"

bool arq_event_parse(struct nl_msg *msg, struct nlattr **attrs)
{
	return genlmsg_parse(nlmsg_hdr(msg), 0, attrs, ARQLINK_A_MAX, NULL) >= 0;
}

void arq_event_flow(struct nlattr **attrs, struct flow *flow)
{
	if (attrs[ARQLINK_A_PROTOCOL] && attrs[ARQLINK_A_PACKET])
		flow_read(flow, nla_get_u16(attrs[ARQLINK_A_PROTOCOL]),
			  nla_data(attrs[ARQLINK_A_PACKET]), nla_len(attrs[ARQLINK_A_PACKET]));
	else
		*flow = (struct flow){ 0 };
}

/* Adds the word of the counter that a packet has increased. A newer kernel may have a counter
 * without a word.
 */
static void report_result(struct report *r, struct nlattr *attr)
{
	const struct fl_counter *counter = arql_counters;

	while (counter->key && counter->attr != nla_get_u16(attr))
		counter++;
	if (counter->key)
		report_text(r, "result", counter->key);
	else
		report_number(r, "result", nla_get_u16(attr));
}

static void report_u32(struct report *r, const char *key, struct nlattr *attr)
{
	if (attr)
		report_number(r, key, nla_get_u32(attr));
}

static void report_ns(struct report *r, const char *key, struct nlattr *attr)
{
	if (attr)
		report_seconds(r, key, nla_get_s64(attr));
}

void arq_event_report(struct report *r, struct nlattr **attrs)
{
	char name[IF_NAMESIZE];
	struct flow flow;

	if (attrs[ARQLINK_A_IFINDEX])
		report_text(r, "dev", device_name(nla_get_u32(attrs[ARQLINK_A_IFINDEX]), name));
	report_u32(r, "packets", attrs[ARQLINK_A_PACKETS]);
	if (attrs[ARQLINK_A_RESULT])
		report_result(r, attrs[ARQLINK_A_RESULT]);
	report_u32(r, "bytes", attrs[ARQLINK_A_LENGTH]);
	if (attrs[ARQLINK_A_PACKET]) {
		arq_event_flow(attrs, &flow);
		flow_report(r, &flow);
	}
	report_u32(r, "frames", attrs[ARQLINK_A_FRAMES]);
	report_u32(r, "transmissions", attrs[ARQLINK_A_TRANSMISSIONS]);
	report_u32(r, "attempts", attrs[ARQLINK_A_ATTEMPTS]);
	report_ns(r, "time_s", attrs[ARQLINK_A_AGE]);
	report_ns(r, "left_s", attrs[ARQLINK_A_LEFT]);
}
