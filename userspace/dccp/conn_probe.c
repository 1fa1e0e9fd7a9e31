// SPDX-License-Identifier: GPL-2.0-or-later
/* Probes of what the path does with lifetimes: Syncs, which say by the option Arrived that they want
 * to know how they arrived, and SyncAcks, which tell it by the same option.
 */
#include "conn_parts.h"

#define STAMPED		0x01
#define ARRIVED_SIZE	3	/* flags, and bytes after the header */

bool fdccp_conn_read_arrived(struct fdccp_conn *conn, struct fdccp_incoming *in,
			     const struct fdccp_option *option)
{
	const struct fdccp_packet *p = in->packet;

	if (p->type == FDCCP_PKT_SYNC && !option->len) {
		conn->arrived = (struct fdccp_arrival){
			.told = true, .stamped = in->stamped,
			.len = p->data_len < UINT16_MAX ? p->data_len : UINT16_MAX,
		};
		return true;
	}
	if (p->type != FDCCP_PKT_SYNCACK || option->len != ARRIVED_SIZE)
		return false;
	in->arrival = (struct fdccp_arrival){
		.told = true, .stamped = option->value[0] & STAMPED,
		.len = (uint16_t)fdccp_get_number(&option->value[1], 2),
	};
	return true;
}

void fdccp_conn_write_arrived(struct fdccp_conn *conn, struct fdccp_writer *w)
{
	uint8_t value[ARRIVED_SIZE] = { conn->arrived.stamped ? STAMPED : 0 };

	if (!conn->arrived.told)
		return;
	fdccp_put_number(&value[1], 2, conn->arrived.len);
	fdccp_write_option(w, FDCCP_OPT_ARRIVED, value, sizeof(value));
	conn->arrived.told = false;
}

void fdccp_conn_probed(struct fdccp_conn *conn, uint64_t seq, enum fdccp_fate fate,
		       const struct fdccp_incoming *in)
{
	if (!conn->probing)
		return;
	conn->probed.seq = seq;
	conn->probed.fate = fate;
	conn->probed.arrival = in ? in->arrival : (struct fdccp_arrival){ 0 };
	fdccp_conn_notify(conn, FDCCP_EVENT_PROBED);
}
