// SPDX-License-Identifier: GPL-2.0-or-later
/* Which features a connection negotiates, and what their values mean to it. */
#include <stdlib.h>
#include <string.h>

#include "conn_parts.h"

#define INITIAL_ACK_RATIO	2	/* RFC 4340 section 11.3 */

static const uint8_t yes[] = { 1 }, no[] = { 0 };
static const uint8_t yes_or_no[] = { 1, 0 };

static size_t list_len(const uint8_t ccids[FDCCP_CCIDS_MAX])
{
	size_t len = 0;

	while (len < FDCCP_CCIDS_MAX && ccids[len])
		len++;
	return len;
}

static bool in_list(const uint8_t ccids[FDCCP_CCIDS_MAX], uint64_t ccid)
{
	size_t len = list_len(ccids);

	for (size_t i = 0; i < len; i++)
		if (ccids[i] == ccid)
			return true;
	return false;
}

/* The CCIDs of the half whose data this end sends, or of the other. */
static const uint8_t *ccid_list(const struct fdccp_conn *conn, bool local)
{
	return local ? conn->params.ccids : conn->params.peer_ccids;
}

static uint64_t get(const struct fdccp_conn *conn, uint8_t number, bool local)
{
	return fdccp_features_get(&conn->features, number, local);
}

static void prefer(struct fdccp_conn *conn, uint8_t number, bool local, uint8_t value,
		   bool mandatory)
{
	fdccp_features_prefer(&conn->features, number, local, &value, 1, mandatory);
}

static void prefer_ccid(struct fdccp_conn *conn, bool local)
{
	const uint8_t *list = ccid_list(conn, local);

	/* CCID 2 remains where the ends do not agree, so only without it this has to succeed */
	fdccp_features_prefer(&conn->features, FDCCP_FEAT_CCID, local, list, list_len(list),
			      !in_list(list, FDCCP_CCID2));
}

static bool needs_vectors(uint8_t id)
{
	const struct fdccp_ccid *ccid = fdccp_ccid_find(id);

	return ccid && ccid->ack_vector;
}

/* What the rate controls need that may be used: @tx lists those for this end's data, @rx those for
 * the peer's.
 */
static void prefer_needs(struct fdccp_conn *conn, const uint8_t tx[FDCCP_CCIDS_MAX],
			 const uint8_t rx[FDCCP_CCIDS_MAX])
{
	bool must = list_len(tx) == 1 && needs_vectors(tx[0]);

	/* Every fate is told by Ack Vectors, but CCID 3 can do without. */
	if (!get(conn, FDCCP_FEAT_SEND_ACK_VECTOR, false))
		fdccp_features_prefer(&conn->features, FDCCP_FEAT_SEND_ACK_VECTOR, false, yes_or_no,
				      must ? 1 : 2, must);
	/* While the CCID is negotiated, its features are asked for only where no other can come
	 * out: RFC 4340 section 10.3.
	 */
	if (tx[0] == FDCCP_CCID3 && list_len(tx) == 1 &&
	    !get(conn, FDCCP_FEAT_SEND_LOSS_EVENT_RATE, false))
		prefer(conn, FDCCP_FEAT_SEND_LOSS_EVENT_RATE, false, 1, false);
	if (in_list(rx, FDCCP_CCID3) && !get(conn, FDCCP_FEAT_SEND_NDP_COUNT, false))
		prefer(conn, FDCCP_FEAT_SEND_NDP_COUNT, false, 1, false);
}

/* What this end answers to the peer's Changes, as far as it opens no negotiation itself. */
static void set_answers(struct fdccp_conn *conn)
{
	static const uint8_t switches[] = {
		FDCCP_FEAT_SEND_ACK_VECTOR, FDCCP_FEAT_SEND_NDP_COUNT,
		FDCCP_FEAT_CHECK_DATA_CHECKSUM, FDCCP_FEAT_FRESHLINK,
		FDCCP_FEAT_NO_UDP_CHECKSUM, FDCCP_FEAT_SEND_LOSS_EVENT_RATE,
	};
	struct fdccp_features *f = &conn->features;
	const uint8_t here[] = { conn->params.min_coverage, 0 };
	const uint8_t there[] = { conn->params.coverage, 0 };

	for (size_t i = 0; i < sizeof(switches); i++)
		for (int local = 0; local < 2; local++)
			fdccp_features_answer(f, switches[i], local, yes_or_no, 2);
	if (!fdccp_conn_may_be_bare(conn))
		fdccp_features_answer(f, FDCCP_FEAT_NO_UDP_CHECKSUM, true, no, 1);
	fdccp_features_answer(f, FDCCP_FEAT_ECN_INCAPABLE, true, conn->params.ecn ? no : yes, 1);
	fdccp_features_answer(f, FDCCP_FEAT_ECN_INCAPABLE, false, yes_or_no, 2);
	fdccp_features_answer(f, FDCCP_FEAT_MIN_COVERAGE, true, here, here[0] ? 2 : 1);
	fdccp_features_answer(f, FDCCP_FEAT_MIN_COVERAGE, false, there, there[0] ? 2 : 1);
	for (int local = 0; local < 2; local++)
		fdccp_features_answer(f, FDCCP_FEAT_CCID, local, ccid_list(conn, local),
				      list_len(ccid_list(conn, local)));
}

void fdccp_conn_features_open(struct fdccp_conn *conn)
{
	const struct fdccp_params *params = &conn->params;

	conn->window_asked = get(conn, FDCCP_FEAT_SEQUENCE_WINDOW, true);
	conn->ratio_asked = INITIAL_ACK_RATIO;
	set_answers(conn);
	prefer(conn, FDCCP_FEAT_FRESHLINK, true, 1, false);
	if (!params->ecn)
		prefer(conn, FDCCP_FEAT_ECN_INCAPABLE, true, 1, false);
	if (params->coverage)
		prefer(conn, FDCCP_FEAT_MIN_COVERAGE, false, params->coverage, false);
	if (params->coverage && fdccp_conn_may_be_bare(conn))
		prefer(conn, FDCCP_FEAT_NO_UDP_CHECKSUM, false, 1, false);
	if (params->data_checksum)
		prefer(conn, FDCCP_FEAT_CHECK_DATA_CHECKSUM, false, 1, false);
	if (conn->server)
		return;
	prefer_ccid(conn, true);
	prefer_ccid(conn, false);
	prefer_needs(conn, params->ccids, params->peer_ccids);
}

void fdccp_conn_features_need(struct fdccp_conn *conn)
{
	const uint8_t tx[FDCCP_CCIDS_MAX] = { conn->tx_ccid->id };
	const uint8_t rx[FDCCP_CCIDS_MAX] = { conn->rx_ccid->id };

	prefer_needs(conn, tx, rx);
}

void fdccp_conn_features_respond(struct fdccp_conn *conn)
{
	uint8_t ccid[2][FDCCP_CCIDS_MAX] = { 0 };

	for (int local = 0; local < 2; local++) {
		ccid[local][0] = get(conn, FDCCP_FEAT_CCID, local);
		if (ccid[local][0] != ccid_list(conn, local)[0])
			prefer_ccid(conn, local);
	}
	prefer_needs(conn, ccid[1], ccid[0]);
	/* a client that leaves the CCID to the server, as Linux does, leaves this, too */
	if (ccid[0][0] == FDCCP_CCID2 && !get(conn, FDCCP_FEAT_SEND_ACK_VECTOR, true))
		prefer(conn, FDCCP_FEAT_SEND_ACK_VECTOR, true, 1, false);
}

static const struct fdccp_ccid *agreed(const struct fdccp_conn *conn, bool local)
{
	uint64_t ccid = get(conn, FDCCP_FEAT_CCID, local);

	/* other ends mean something else by a number for experiments */
	if (ccid >= FDCCP_CCID_IFTP && !fdccp_conn_ours(conn))
		return NULL;
	return in_list(ccid_list(conn, local), ccid) ? fdccp_ccid_find(ccid) : NULL;
}

bool fdccp_conn_agrees(const struct fdccp_conn *conn)
{
	return agreed(conn, true) && agreed(conn, false);
}

static struct fdccp_ccid_start start_values(const struct fdccp_conn *conn)
{
	return (struct fdccp_ccid_start){
		.now = conn->now,
		.size = fdccp_payload_max(conn),
		.rtt = conn->rtt,
		.rate = conn->params.fixed_rate,
		.undo = conn->params.undo,
		.forgive_stale = conn->params.forgive_stale,
		.iftp = conn->params.iftp,
	};
}

bool fdccp_conn_start_tx(struct fdccp_conn *conn)
{
	struct fdccp_ccid_start start = start_values(conn);

	conn->tx = calloc(1, conn->tx_ccid->tx_size);
	if (!conn->tx)
		return false;
	conn->tx_first = fdccp_seq_add(conn->window.gss, 1);
	conn->tx_ccid->tx_start(conn->tx, &start);
	return fdccp_conn_charge(conn);
}

/* The sending half starts anew with the next packet of the program. */
static void set_tx(struct fdccp_conn *conn, const struct fdccp_ccid *ccid)
{
	free(conn->tx);
	conn->tx = NULL;
	conn->tx_ccid = ccid;
}

static bool start_rx(struct fdccp_conn *conn, const struct fdccp_ccid *ccid)
{
	struct fdccp_ccid_start start = start_values(conn);
	void *rx = calloc(1, ccid->rx_size);

	if (!rx)
		return false;
	free(conn->rx);
	conn->rx = rx;
	conn->rx_ccid = ccid;
	ccid->rx_start(rx, &start);
	ccid->rx_ack_ratio(rx, get(conn, FDCCP_FEAT_ACK_RATIO, false));
	return true;
}

/* CCID 2 cannot work without Ack Vectors: RFC 4341 section 4. */
static int check_needs(const struct fdccp_conn *conn)
{
	return conn->no_vectors && conn->tx_ccid && conn->tx_ccid->ack_vector ?
		FDCCP_RESET_OPTION_ERROR : 0;
}

int fdccp_conn_start_halves(struct fdccp_conn *conn)
{
	const struct fdccp_ccid *tx = agreed(conn, true), *rx = agreed(conn, false);

	if (!tx || !rx)
		return FDCCP_RESET_OPTION_ERROR;
	if (conn->tx_ccid != tx)
		set_tx(conn, tx);
	if ((conn->rx_ccid != rx && !start_rx(conn, rx)) || !fdccp_conn_charge(conn))
		return FDCCP_RESET_ABORTED;
	return check_needs(conn);
}

int fdccp_conn_feature_changed(struct fdccp_conn *conn, unsigned int changed)
{
	bool local = changed & 0x100;
	uint64_t value = get(conn, changed & 0xff, local);

	switch (changed & 0xff) {
	case FDCCP_FEAT_SEQUENCE_WINDOW:
		if (local)
			conn->window.local = value;
		else
			conn->window.remote = value;
		return 0;
	case FDCCP_FEAT_ACK_RATIO:
		if (!local && conn->rx)
			conn->rx_ccid->rx_ack_ratio(conn->rx, value);
		return 0;
	case FDCCP_FEAT_CCID:
		return conn->rx ? fdccp_conn_start_halves(conn) : 0;
	case FDCCP_FEAT_SEND_ACK_VECTOR:
		if (!local)
			conn->no_vectors = !value;
		return check_needs(conn);
	default:
		return 0;
	}
}

/* The window is for all packets of this end, so that of a receiver is for its acknowledgments.
 * Twice as much as is wanted suffices while the rate doubles and the answer is on its way. Until
 * then nothing else is asked for, because a new Change makes that answer worthless.
 */
static void adapt_window(struct fdccp_conn *conn)
{
	uint64_t packets = conn->tx ? conn->tx_ccid->tx_window(conn->tx) : 0, wanted;
	uint64_t unheard = (uint64_t)fdccp_seq_diff(conn->window.gss, conn->window.gar);
	uint64_t enough = fdccp_window_enough_for(conn->window_asked);

	if (packets <= enough && unheard <= enough)
		return;
	if (unheard > packets && fdccp_conn_active(conn, conn->now))
		packets = unheard;
	wanted = fdccp_window_wanted(packets);
	if (wanted <= conn->window_asked || conn->window_asked != conn->window.local)
		return;
	conn->window_asked = wanted > FDCCP_WINDOW_MAX / 2 ? FDCCP_WINDOW_MAX : 2 * wanted;
	fdccp_features_set(&conn->features, FDCCP_FEAT_SEQUENCE_WINDOW, conn->window_asked);
}

void fdccp_conn_adapt(struct fdccp_conn *conn)
{
	uint16_t ratio = conn->tx ? conn->tx_ccid->tx_ack_ratio(conn->tx) : 0;

	adapt_window(conn);
	if (!ratio || ratio == conn->ratio_asked)
		return;
	conn->ratio_asked = ratio;
	fdccp_features_set(&conn->features, FDCCP_FEAT_ACK_RATIO, ratio);
}
