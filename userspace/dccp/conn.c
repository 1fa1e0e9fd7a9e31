// SPDX-License-Identifier: GPL-2.0-or-later
/* The life of a connection, its events, and what the program reads of it. */
#include <stdlib.h>
#include <string.h>

#include "conn_parts.h"

#define IPV4_HEADER		20
#define IPV6_HEADER		40
#define UDP_HEADER		8

/* the paper's largest window, in packets: ElAarag and Hogg, section 5 */
#define IFTP_WINDOW	50

void fdccp_params_init(struct fdccp_params *params)
{
	memset(params, 0, sizeof(*params));
	params->ccids[0] = params->peer_ccids[0] = FDCCP_CCID2;
	params->ccids[1] = params->peer_ccids[1] = FDCCP_CCID3;
	params->ecn = true;
	params->causes = true;
	params->iftp = (struct fdccp_iftp_params){ .scale = 100, .window_max = IFTP_WINDOW };
	params->lifetimes = true;
}

static bool is_ipv6(const struct fdccp_conn *conn)
{
	return conn->path.local.sa.sa_family == AF_INET6;
}

static uint16_t overhead_of(const struct fdccp_conn *conn)
{
	size_t lifetime = is_ipv6(conn) ? FRESHLINK_IPV6_SIZE : FRESHLINK_IPV4_SIZE;
	size_t ip = is_ipv6(conn) ? IPV6_HEADER : IPV4_HEADER;

	return ip + (fdccp_conn_by_udp(conn) ? UDP_HEADER : 0) +
		(conn->params.lifetimes ? lifetime : 0) + FDCCP_DATA_HEADER_MAX;
}

static uint16_t limited(uint16_t mtu)
{
	return mtu < FDCCP_DATAGRAM_MAX ? mtu : FDCCP_DATAGRAM_MAX;
}

static void init_path(struct fdccp_conn *conn)
{
	uint16_t mtu = limited(conn->params.mtu);

	conn->overhead = overhead_of(conn);
	if (conn->params.mtu_fixed)
		fdccp_plpmtu_fix(&conn->plpmtu, is_ipv6(conn), mtu);
	else
		fdccp_plpmtu_init(&conn->plpmtu, is_ipv6(conn), mtu, limited(conn->params.mtu_max));
}

static size_t memory(const struct fdccp_conn *conn)
{
	return sizeof(*conn) + fdccp_sent_memory(conn->sent) +
		(conn->ackvec ? fdccp_ackvec_memory(conn->ackvec) : 0) +
		(conn->tx ? conn->tx_ccid->tx_size : 0) + (conn->rx ? conn->rx_ccid->rx_size : 0) +
		conn->cookies_len;
}

bool fdccp_conn_charge(struct fdccp_conn *conn)
{
	size_t now = memory(conn);

	if (now <= conn->charged)
		return true;
	if (!fdccp_endpoint_charge(conn->ep, now - conn->charged)) {
		fdccp_conn_reset(conn, FDCCP_REASON_ABORTED, FDCCP_RESET_ABORTED, NULL);
		return false;
	}
	conn->charged = now;
	return true;
}

static bool allocate(struct fdccp_conn *conn)
{
	conn->sent = fdccp_sent_new();
	if (!conn->sent || !fdccp_endpoint_charge(conn->ep, memory(conn)))
		return false;
	conn->charged = memory(conn);
	return true;
}

static void start_client(struct fdccp_conn *conn)
{
	conn->state = FDCCP_REQUEST;
	conn->out = FDCCP_OUT_REQUEST;
	fdccp_conn_retry(conn, FDCCP_SECOND);
	fdccp_conn_bound(conn, FDCCP_GIVE_UP);
}

static void start_server(struct fdccp_conn *conn)
{
	conn->state = FDCCP_RESPOND;
	conn->timer[FDCCP_TIMER_GIVE_UP] = conn->now + 4 * FDCCP_MSL;
}

struct fdccp_conn *fdccp_conn_new(struct fdccp_endpoint *ep, const struct fdccp_path *path,
				  uint16_t local_port, uint16_t remote_port, uint32_t service,
				  const struct fdccp_params *params, bool server, uint64_t iss,
				  int64_t now)
{
	struct fdccp_conn *conn = calloc(1, sizeof(*conn));

	if (!conn)
		return NULL;
	conn->ep = ep;
	conn->path = *path;
	conn->local_port = local_port;
	conn->remote_port = remote_port;
	conn->service = service;
	conn->params = *params;
	if (params->keepalive == FDCCP_NEVER)
		conn->params.keepalive = 0;
	/* damage behind the sensitive part shall arrive, and be known */
	conn->params.data_checksum |= params->has_sensitive;
	if (params->has_sensitive)
		conn->params.coverage = 1;
	conn->server = server;
	/* nothing takes the data of a client that probes */
	conn->deaf = fdccp_conn_is_hidden(conn);
	conn->now = conn->heard = conn->acked_at = now;
	conn->echo_at = conn->owed_at = FDCCP_NEVER;
	for (int i = 0; i < FDCCP_TIMERS; i++)
		conn->timer[i] = FDCCP_NEVER;
	conn->heap.index = UINT32_MAX;
	if (!allocate(conn)) {
		fdccp_conn_free(conn);
		return NULL;
	}
	fdccp_move_token(fdccp_endpoint_secrets(ep), path, local_port, remote_port, iss,
			 conn->token);
	fdccp_window_init(&conn->window, iss);
	conn->round_gss = iss;
	fdccp_features_init(&conn->features, server, iss);
	fdccp_conn_features_open(conn);
	init_path(conn);
	if (server)
		start_server(conn);
	else
		start_client(conn);
	return conn;
}

void fdccp_conn_free(struct fdccp_conn *conn)
{
	fdccp_endpoint_uncharge(conn->ep, conn->charged);
	fdccp_ackvec_free(conn->ackvec);
	fdccp_sent_free(conn->sent);
	free(conn->tx);
	free(conn->rx);
	free(conn->cookies);
	free(conn);
}

bool fdccp_conn_keep_cookie(struct fdccp_conn *conn, const struct fdccp_option *option)
{
	size_t len = conn->cookies_len;
	uint8_t *cookies = realloc(conn->cookies, len + 2 + option->len);

	if (!cookies)
		return false;
	cookies[len] = option->type;
	cookies[len + 1] = option->len + 2;
	memcpy(&cookies[len + 2], option->value, option->len);
	conn->cookies = cookies;
	conn->cookies_len = len + 2 + option->len;
	return true;
}

void fdccp_conn_forget_cookies(struct fdccp_conn *conn)
{
	free(conn->cookies);
	conn->cookies = NULL;
	conn->cookies_len = 0;
}

int64_t fdccp_conn_rtt(const struct fdccp_conn *conn)
{
	int64_t rtt = conn->tx ? conn->tx_ccid->tx_rtt(conn->tx) : 0;

	if (rtt <= 0)
		rtt = conn->rtt;
	return rtt > 0 ? rtt : FDCCP_RTT_DEFAULT;
}

void fdccp_conn_note_rtt(struct fdccp_conn *conn, int64_t sample)
{
	if (sample > 0)
		fdccp_rtts_add(&conn->rtts, sample, conn->now);
}

size_t fdccp_payload_max(const struct fdccp_conn *conn)
{
	return fdccp_conn_payload_max(conn);
}

void fdccp_conn_moved(struct fdccp_conn *conn, const struct fdccp_path *path, int64_t now)
{
	struct fdccp_ccid_start start = {
		.now = now, .rate = conn->params.fixed_rate, .undo = conn->params.undo,
		.forgive_stale = conn->params.forgive_stale,
		.iftp = conn->params.iftp,
	};

	conn->now = now;
	conn->path = *path;
	init_path(conn);
	fdccp_plpmtu_start(&conn->plpmtu, now);
	conn->rtt = 0;
	fdccp_rtts_restart(&conn->rtts);
	start.size = fdccp_payload_max(conn);
	if (conn->tx)
		conn->tx_ccid->tx_restart(conn->tx, &start);
	fdccp_conn_adapt(conn);
	fdccp_conn_notify(conn, FDCCP_EVENT_MOVED);
	fdccp_conn_notify(conn, FDCCP_EVENT_SIZE);
	fdccp_conn_due(conn);
	fdccp_endpoint_update(conn->ep, conn);
}

static void fate_event(struct fdccp_conn *conn, struct fdccp_event *event)
{
	const struct fdccp_sent_packet *packet = fdccp_sent_tell(conn->sent);

	if (--conn->untold)
		fdccp_conn_notify(conn, FDCCP_EVENT_FATE);
	conn->ring_full = false;
	event->fate = packet->fate;
	event->handle = packet->handle;
	event->seq = packet->seq;
	event->sent = packet->at;
	event->damaged = packet->drop == FDCCP_DROP_DELIVERED_CORRUPT;
	event->rtt = packet->received && packet->seq == conn->sampled ? conn->rtts.last : 0;
	if (!conn->want_ready)
		return;
	/* where there is room again, READY has a time */
	fdccp_conn_check_ready(conn);
	fdccp_endpoint_update(conn->ep, conn);
}

static void fill_event(struct fdccp_conn *conn, struct fdccp_event *event)
{
	switch (event->type) {
	case FDCCP_EVENT_FATE:
		fate_event(conn, event);
		break;
	case FDCCP_EVENT_DATA:
		event->data = conn->data.data;
		event->len = conn->data.len;
		event->ecn = conn->data.ecn;
		event->damaged = conn->data.damaged;
		event->intact = conn->data.intact;
		event->seq = conn->drop_seq;
		break;
	case FDCCP_EVENT_SIZE:
		event->len = fdccp_payload_max(conn);
		break;
	case FDCCP_EVENT_PROBED:
		event->seq = conn->probed.seq;
		event->fate = conn->probed.fate;
		event->told = conn->probed.arrival.told;
		event->stamped = conn->probed.arrival.stamped;
		event->len = conn->probed.arrival.len;
		break;
	case FDCCP_EVENT_CLOSED:
		event->reason = conn->reason;
		event->reset = conn->reset_code;
		break;
	default:
		break;
	}
}

/* Return: whether there is a packet that the program has not heard of. */
static bool notice_event(struct fdccp_conn *conn, struct fdccp_event *event)
{
	const struct fdccp_sent_packet *packet = fdccp_sent_tell_hint(conn->sent);

	if (!packet)
		return false;
	fdccp_conn_notify(conn, FDCCP_EVENT_NOTICE);
	event->fate = packet->hint;
	event->handle = packet->handle;
	event->seq = packet->seq;
	event->sent = packet->at;
	return true;
}

bool fdccp_conn_event(struct fdccp_conn *conn, struct fdccp_event *event)
{
	*event = (struct fdccp_event){ .conn = conn };
	event->type = __builtin_ctz(conn->events);
	conn->events &= conn->events - 1;
	if (event->type == FDCCP_EVENT_NOTICE)
		return notice_event(conn, event);
	fill_event(conn, event);
	return true;
}

static void info_rate(const struct fdccp_conn *conn, struct fdccp_info *info)
{
	int64_t rtt = conn->tx ? conn->tx_ccid->tx_rtt(conn->tx) : 0;

	info->rtt = rtt > 0 ? rtt : conn->rtt;
	if (conn->tx)
		conn->tx_ccid->tx_info(conn->tx, info);
}

uint64_t fdccp_conn_rate(const struct fdccp_conn *conn)
{
	struct fdccp_info info;

	info.rate = 0;
	if (conn->tx)
		conn->tx_ccid->tx_info(conn->tx, &info);
	return info.rate;
}

static void info_features(const struct fdccp_conn *conn, struct fdccp_info *info)
{
	const struct fdccp_features *f = &conn->features;

	info->ccid = fdccp_features_get(f, FDCCP_FEAT_CCID, true);
	info->peer_ccid = fdccp_features_get(f, FDCCP_FEAT_CCID, false);
	info->ours = fdccp_conn_ours(conn);
	info->ack_vector = fdccp_features_get(f, FDCCP_FEAT_SEND_ACK_VECTOR, false);
	info->peer_coverage = fdccp_features_get(f, FDCCP_FEAT_MIN_COVERAGE, false);
	info->bare = fdccp_features_get(f, FDCCP_FEAT_NO_UDP_CHECKSUM, false);
	info->sequence_window = conn->window.local;
	info->peer_sequence_window = conn->window.remote;
	info->ack_ratio = fdccp_features_get(f, FDCCP_FEAT_ACK_RATIO, true);
}

void fdccp_info(const struct fdccp_conn *conn, struct fdccp_info *info)
{
	memset(info, 0, sizeof(*info));
	info->state = conn->state;
	info->path = conn->path;
	info->local_port = conn->local_port;
	info->remote_port = conn->remote_port;
	info->service = conn->service;
	info_features(conn, info);
	info_rate(conn, info);
	info->payload_max = fdccp_payload_max(conn);
	info->mtu = conn->plpmtu.size;
	info->sent = conn->info.sent;
	memcpy(info->fate, conn->info.fate, sizeof(info->fate));
	memcpy(info->cause, conn->info.cause, sizeof(info->cause));
	info->in_flight = fdccp_sent_open(conn->sent);
	info->received = conn->info.received;
	info->received_bytes = conn->info.received_bytes;
	info->packets_in = conn->info.packets_in;
	info->packets_out = conn->info.packets_out;
}

void fdccp_measure(const struct fdccp_conn *conn, struct fdccp_measure *measure)
{
	struct fdccp_info info;

	info.rate = 0;
	info.size = 0;
	info_rate(conn, &info);
	*measure = (struct fdccp_measure){
		.srtt = info.rtt,
		.rttvar = conn->rtts.rto.rttvar,
		.rtt_min = fdccp_rtts_least(&conn->rtts),
		.sample = conn->rtts.last,
		.samples = conn->rtts.count,
		.rate = info.rate,
		.size = info.size,
		.peer_ccid = fdccp_features_get(&conn->features, FDCCP_FEAT_CCID, false),
	};
}

/* The rate control's receiving half adds its report only if that is due. */
void fdccp_acknowledge(struct fdccp_conn *conn, int64_t now)
{
	if (conn->state != FDCCP_OPEN || !conn->unreported ||
	    !fdccp_features_get(&conn->features, FDCCP_FEAT_SEND_ACK_VECTOR, true))
		return;
	conn->now = now;
	conn->prompt = true;
	fdccp_conn_due(conn);
	fdccp_endpoint_update(conn->ep, conn);
}

void fdccp_slow_receiver(struct fdccp_conn *conn, bool slow)
{
	if (slow != conn->slow && conn->state == FDCCP_OPEN && fdccp_conn_ours(conn))
		conn->out |= FDCCP_OUT_ACK;
	conn->slow = slow;
	fdccp_endpoint_update(conn->ep, conn);
}

void fdccp_report_dropped(struct fdccp_conn *conn, unsigned int code)
{
	if (!conn->info.received || (code != FDCCP_DROP_NOT_LISTENING &&
				     code != FDCCP_DROP_RECEIVE_BUFFER))
		return;
	fdccp_ackvec_drop(conn->ackvec, conn->drop_seq, code);
	conn->deaf |= code == FDCCP_DROP_NOT_LISTENING;
}

void fdccp_set_user(struct fdccp_conn *conn, void *user)
{
	conn->user = user;
}

void *fdccp_user(const struct fdccp_conn *conn)
{
	return conn->user;
}
