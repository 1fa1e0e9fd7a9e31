// SPDX-License-Identifier: GPL-2.0-or-later
/* ICMP messages about a connection's packets. Only what quotes a number in flight is believed. */
#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>

#include <linux/xlo_rto.h>

#include "conn_parts.h"
#include "limit.h"

/* Messages of links and routers that a connection believes in a second. xlo_rto sends ten a second to
 * a host.
 */
#define MESSAGES_A_SECOND	100

static bool is_v6(const struct fdccp_icmp *icmp)
{
	return icmp->family == AF_INET6;
}

static bool is_too_big(const struct fdccp_icmp *icmp)
{
	if (is_v6(icmp))
		return icmp->type == ICMP6_PACKET_TOO_BIG;
	return icmp->type == ICMP_DEST_UNREACH && icmp->code == ICMP_FRAG_NEEDED;
}

/* A message of xlo_rto, in either encoding. */
static bool is_message(const struct fdccp_icmp *icmp)
{
	return icmp->type == (is_v6(icmp) ? XRTO_TYPE_IPV6 : XRTO_TYPE_IPV4);
}

/* Errors that last: no such protocol or port, or forbidden (RFC 1122 section 4.2.3.9). */
static bool is_hard(const struct fdccp_icmp *icmp)
{
	if (is_v6(icmp))
		return (icmp->type == ICMP6_DST_UNREACH &&
			(icmp->code == ICMP6_DST_UNREACH_ADMIN ||
			 icmp->code == ICMP6_DST_UNREACH_NOPORT)) ||
		       (icmp->type == ICMP6_PARAM_PROB &&
			icmp->code == ICMP6_PARAMPROB_NEXTHEADER);
	return icmp->type == ICMP_DEST_UNREACH &&
	       (icmp->code == ICMP_PROT_UNREACH || icmp->code == ICMP_PORT_UNREACH ||
		icmp->code == ICMP_NET_ANO || icmp->code == ICMP_HOST_ANO ||
		icmp->code == ICMP_PKT_FILTERED);
}

/* Whether a packet with this number was sent, and the peer has not acknowledged a later one. */
static bool in_flight(const struct fdccp_conn *conn, uint64_t seq,
		      const struct fdccp_sent_packet *packet)
{
	const struct fdccp_window *w = &conn->window;

	if (packet)
		return packet->fate == FDCCP_FATES;
	if (!w->has_peer)
		return fdccp_seq_between(w->iss, seq, w->gss);
	return fdccp_seq_after(seq, w->gar) && !fdccp_seq_after(seq, w->gss);
}

static void too_big(struct fdccp_conn *conn, const struct fdccp_sent_packet *packet, uint32_t mtu)
{
	size_t size = packet->probe ? packet->probe :
		      packet->size + conn->overhead;

	if (fdccp_plpmtu_too_big(&conn->plpmtu, size, mtu < UINT16_MAX ? mtu : UINT16_MAX,
				 conn->now))
		fdccp_conn_notify(conn, FDCCP_EVENT_SIZE);
}

/* That counts only if the receiver reports the packet as missing, so forged messages hide no more
 * losses than there are.
 */
static void hint(struct fdccp_conn *conn, const struct fdccp_sent_packet *packet,
		 enum fdccp_fate fate)
{
	fdccp_sent_hint(conn->sent, packet->seq, fate);
	fdccp_conn_notify(conn, FDCCP_EVENT_NOTICE);
}

/* Whether a message can be true: links and routers send it about a packet with the option, and once
 * about each.
 */
static bool is_credible(struct fdccp_conn *conn, uint8_t code, struct fdccp_sent_packet *packet)
{
	uint8_t bit = (uint8_t)(1u << code);

	if (!packet->stamped || packet->heard & bit ||
	    !fdccp_limit_take(&conn->messages_due, MESSAGES_A_SECOND, conn->now))
		return false;
	packet->heard |= bit;
	return true;
}

/* A probe is not among the packets with a fate. */
static void probe_gone(struct fdccp_conn *conn, const struct fdccp_icmp *icmp, uint64_t seq)
{
	if (icmp->local || (is_message(icmp) && icmp->code == XRTO_CODE_DISCARDED))
		fdccp_conn_probed(conn, seq, icmp->local ? FDCCP_FATE_EXPIRED :
				  FDCCP_FATE_DISCARDED, NULL);
}

/* A message of xlo_rto. Return: whether it was believed. */
static bool take_message(struct fdccp_conn *conn, uint8_t code, struct fdccp_sent_packet *packet)
{
	bool known = code == XRTO_CODE_DISCARDED ||
		     (conn->params.causes && code <= XRTO_CODE_LINK_UP);

	if (!known || !is_credible(conn, code, packet))
		return false;
	switch (code) {
	case XRTO_CODE_DROP:
		hint(conn, packet, FDCCP_FATE_LOST);
		break;
	case XRTO_CODE_DEFER:
		fdccp_conn_tell_cause(conn, FDCCP_CAUSE_DEFER, packet);
		break;
	case XRTO_CODE_DISCARDED:
		hint(conn, packet, FDCCP_FATE_DISCARDED);
		break;
	default:
		fdccp_conn_tell_cause(conn, FDCCP_CAUSE_LINK_UP, packet);
	}
	return true;
}

/* Return: whether a message about @packet, or NULL, was believed; one without an effect is. */
static bool believe(struct fdccp_conn *conn, const struct fdccp_icmp *icmp,
		    struct fdccp_sent_packet *packet)
{
	if (packet && !icmp->local && is_message(icmp))
		return take_message(conn, icmp->code, packet);
	if (packet && icmp->local)
		hint(conn, packet, FDCCP_FATE_EXPIRED);
	else if (packet && is_too_big(icmp))
		too_big(conn, packet, icmp->mtu);
	else if (is_hard(icmp) && conn->state == FDCCP_REQUEST)
		fdccp_conn_end(conn, FDCCP_REASON_UNREACHABLE, FDCCP_RESET_UNSPECIFIED);
	return true;
}

void fdccp_conn_icmp(struct fdccp_conn *conn, const struct fdccp_icmp *icmp, uint64_t quoted_seq,
		     bool has_seq, int64_t now)
{
	struct fdccp_sent_packet *packet;

	conn->now = now;
	packet = has_seq ? fdccp_sent_find(conn->sent, quoted_seq) : NULL;
	if (!has_seq || !in_flight(conn, quoted_seq, packet) || !believe(conn, icmp, packet)) {
		fdccp_count(conn->ep, FDCCP_COUNT_icmp_ignored);
		return;
	}
	fdccp_count(conn->ep, FDCCP_COUNT_icmp_believed);
	if (!packet)
		probe_gone(conn, icmp, quoted_seq);
	fdccp_conn_due(conn);
	fdccp_endpoint_update(conn->ep, conn);
}
