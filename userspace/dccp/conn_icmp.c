// SPDX-License-Identifier: GPL-2.0-or-later
/* ICMP messages about a connection's packets. Only what quotes a number in flight is believed. */
#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>

#include "conn_parts.h"

/* xlo_rto's messages: types for experiments (RFC 4727), and the code "discarded on the way" */
#define ICMPV4_EXPERIMENT	253
#define ICMPV6_EXPERIMENT	200
#define CODE_DISCARDED		2

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

static bool is_discarded(const struct fdccp_icmp *icmp)
{
	return icmp->type == (is_v6(icmp) ? ICMPV6_EXPERIMENT : ICMPV4_EXPERIMENT) &&
	       icmp->code == CODE_DISCARDED;
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

static void hint(struct fdccp_conn *conn, const struct fdccp_sent_packet *packet,
		 enum fdccp_fate fate)
{
	fdccp_sent_hint(conn->sent, packet->seq, fate);
	fdccp_conn_notify(conn, FDCCP_EVENT_NOTICE);
}

/* A probe is not among the packets with a fate. */
static void probe_gone(struct fdccp_conn *conn, const struct fdccp_icmp *icmp, uint64_t seq)
{
	if (icmp->local || is_discarded(icmp))
		fdccp_conn_probed(conn, seq, icmp->local ? FDCCP_FATE_EXPIRED :
				  FDCCP_FATE_DISCARDED, NULL);
}

static void believe(struct fdccp_conn *conn, const struct fdccp_icmp *icmp,
		    const struct fdccp_sent_packet *packet)
{
	if (packet && icmp->local)
		hint(conn, packet, FDCCP_FATE_EXPIRED);
	else if (packet && is_discarded(icmp))
		hint(conn, packet, FDCCP_FATE_DISCARDED);
	else if (packet && is_too_big(icmp))
		too_big(conn, packet, icmp->mtu);
	else if (is_hard(icmp) && conn->state == FDCCP_REQUEST)
		fdccp_conn_end(conn, FDCCP_REASON_UNREACHABLE, FDCCP_RESET_UNSPECIFIED);
}

void fdccp_conn_icmp(struct fdccp_conn *conn, const struct fdccp_icmp *icmp, uint64_t quoted_seq,
		     bool has_seq, int64_t now)
{
	struct fdccp_sent_packet *packet;

	conn->now = now;
	packet = has_seq ? fdccp_sent_find(conn->sent, quoted_seq) : NULL;
	if (!has_seq || !in_flight(conn, quoted_seq, packet)) {
		fdccp_count(conn->ep, FDCCP_COUNT_icmp_ignored);
		return;
	}
	fdccp_count(conn->ep, FDCCP_COUNT_icmp_believed);
	believe(conn, icmp, packet);
	if (!packet)
		probe_gone(conn, icmp, quoted_seq);
	fdccp_conn_due(conn);
	fdccp_endpoint_update(conn->ep, conn);
}
