// SPDX-License-Identifier: GPL-2.0-or-later
/* Attackers. Who knows addresses and ports but no numbers changes nothing; a peer that breaks the
 * rules on purpose gains nothing. FL_SOAK=1 forges 10^6 packets of each type instead of 5000.
 * Prints TAP.
 */
#include "../codec/unit.h"
#include <sanitizer/allocator_interface.h>
#include <stdlib.h>

#include "conn_world.h"
#include "endpoint_state.h"
#include "hostile.h"

#define FORGED_SHORT	5000
#define FORGED_SOAK	1000000

static unsigned long forged_packets(void)
{
	const char *soak = getenv("FL_SOAK");

	return soak && !strcmp(soak, "1") ? FORGED_SOAK : FORGED_SHORT;
}

/* What an attacker must not change. */
struct snapshot {
	struct fdccp_info info;
	struct fdccp_window window;
	struct fdccp_features features;
	struct fdccp_plpmtu plpmtu;
	uint64_t greatest, osr, untold;
	int64_t heard, echo_at;
	unsigned int events;
	bool has_peer_token, token_acked;
	size_t memory, connections, cookies_len;
	uint8_t tx[2048], rx[2048];
};

static void take(struct snapshot *s, const struct fdccp_conn *conn)
{
	memset(s, 0, sizeof(*s));
	fdccp_info(conn, &s->info);
	s->info.packets_in = s->info.packets_out = 0;
	memcpy(&s->window, &conn->window, sizeof(s->window));
	s->window.gss = 0; /* Syncs have numbers */
	memcpy(&s->features, &conn->features, sizeof(s->features));
	memcpy(&s->plpmtu, &conn->plpmtu, sizeof(s->plpmtu));
	s->greatest = conn->greatest;
	s->osr = conn->osr;
	s->untold = conn->untold;
	s->heard = conn->heard;
	s->echo_at = conn->echo_at;
	s->events = conn->events;
	s->has_peer_token = conn->has_peer_token;
	s->token_acked = conn->token_acked;
	s->memory = conn->ep->memory;
	s->connections = conn->ep->by_flow.count;
	s->cookies_len = conn->cookies_len;
	if (conn->tx)
		memcpy(s->tx, conn->tx, conn->tx_ccid->tx_size);
	if (conn->rx)
		memcpy(s->rx, conn->rx, conn->rx_ccid->rx_size);
}

static bool is_unchanged(const struct snapshot *before, const struct fdccp_conn *conn)
{
	static struct snapshot now;

	take(&now, conn);
	return !memcmp(before, &now, sizeof(now));
}

/* Hands an end a datagram that seems to come from its peer. */
static void deliver(struct world *w, bool to_client, uint8_t *data, size_t len)
{
	struct fdccp_datagram d = { .path = path_of(to_client), .data = data, .len = len,
		.ecn = seeded_below(4) };

	fdccp_receive(w->end[to_client].ep, &d, w->now);
}

/* A packet with the right ports, random numbers and anything else. */
static size_t forged_packet(const struct fdccp_conn *victim, uint8_t type, uint8_t *out)
{
	struct fdccp_packet p = {
		.type = type, .source = victim->remote_port, .dest = victim->local_port,
		.seq = seeded() & FDCCP_SEQ_MASK, .ack = seeded() & FDCCP_SEQ_MASK,
		.service = SERVICE, .ccval = seeded_below(16), .reset_code = seeded_below(13),
	};
	size_t header = fdccp_header_size(type);
	size_t options = hostile_options(out + header, 4 * seeded_below(30));
	size_t len = header + options + seeded_below(2) * seeded_below(1000);

	fdccp_packet_write(&p, out, options);
	for (size_t i = header + options; i < len; i++)
		out[i] = seeded();
	return len;
}

/* Forges one packet. Return: whether the victim is as before. */
static bool forge_one(struct world *w, bool to_client, uint8_t type)
{
	static struct snapshot before;
	struct fdccp_conn *victim = w->end[to_client].conn;
	uint8_t data[1600];
	size_t len = forged_packet(victim, type, data);

	fdccp_conn_charge(victim); /* the growth of rings is charged late */
	take(&before, victim);
	deliver(w, to_client, data, len);
	MUST(is_unchanged(&before, victim));
	drain(w);
	MUST(w->end[to_client].conn == victim && is_unchanged(&before, victim));
	return true;
}

/* Forges @count packets of each type, one a millisecond, and lets the real ends send meanwhile. */
static bool forge_all(struct world *w, unsigned long count, bool sends)
{
	for (uint8_t type = 0; type < FDCCP_PKT_TYPES; type++) {
		for (unsigned long i = 0; i < count; i++) {
			MUST(forge_one(w, i & 1, type));
			if (i % 100 == 99)
				run(w, w->now + 100 * MS);
			if (sends && i % 1000 == 999)
				MUST(send_many(w, true, 3) && send_many(w, false, 3));
		}
	}
	return true;
}

/* Each Sync of an end was sent within the limit of 8 a second. */
static bool syncs_are_limited(struct world *w, int64_t since)
{
	uint64_t seconds = (w->now - since) / SEC + 1;

	for (int side = 0; side < 2; side++)
		MUST(w->end[side].sent[FDCCP_PKT_SYNC] <= 8 * seconds);
	return true;
}

static bool attack_open(uint8_t ccid, uint8_t peer_ccid)
{
	struct world *w = &world;
	size_t allocated;
	int64_t since;

	MUST(establish(w, ccid, peer_ccid));
	MUST(send_many(w, true, 20) && send_many(w, false, 20));
	run(w, w->now + 2 * SEC);
	forget_sent(w);
	since = w->now;
	allocated = __sanitizer_get_current_allocated_bytes();
	MUST(forge_all(w, forged_packets(), true));
	MUST(syncs_are_limited(w, since));
	MUST(counter(w, false, FDCCP_COUNT_syncs_limited) && w->end[0].sent[FDCCP_PKT_SYNC] > 8);
	MUST(__sanitizer_get_current_allocated_bytes() <= allocated + 4096);
	run(w, w->now + 10 * SEC);
	for (int side = 0; side < 2; side++) {
		struct fdccp_info info;

		fdccp_info(w->end[side].conn, &info);
		MUST(info.state == FDCCP_OPEN && info.sent >= 20);
		MUST(info.fate[FDCCP_FATE_ACKNOWLEDGED] == info.sent);
	}
	finish(w);
	return true;
}

/* Forged packets of each type with random numbers, options and sizes change no state, no rate, no
 * packet size and no window; Syncs stay at 8 a second, memory stays, and all data arrives.
 */
static bool test_forged_22(void)
{
	return attack_open(2, 2);
}

static bool test_forged_33(void)
{
	return attack_open(3, 3);
}

static bool test_forged_fixed(void)
{
	return attack_open(FDCCP_CCID_FIXED, FDCCP_CCID_FIXED);
}

/* Stops the world in the state that the lost packets of @type lead to. */
static bool attack_in(uint8_t type, uint8_t state, bool client)
{
	struct fdccp_params params = params_of(2, 2);
	struct world *w = &world;

	params.linger = state == FDCCP_CLOSEREQ;
	MUST(begin(w, &params, &params));
	w->type = type;
	w->countdown = 100000;
	w->lose = lose_type;
	run(w, w->now + 100 * MS);
	/* the program has not heard of it */
	if (state == FDCCP_RESPOND)
		w->end[client].conn = w->end[client].ep->oldest;
	if (state >= FDCCP_CLOSEREQ)
		fdccp_close(w->end[client].conn, w->now);
	drain(w);
	MUST(w->end[client].conn && w->end[client].conn->state == state);
	for (unsigned int i = 0; i < forged_packets() / 10; i++) {
		MUST(forge_one(w, client, i % FDCCP_PKT_TYPES));
		w->now += 1000;
	}
	MUST(w->end[client].conn->state == state);
	w->lose = NULL;
	run(w, w->now + 10 * SEC);
	MUST(state >= FDCCP_CLOSEREQ ? !w->end[client].conn :
				       w->end[client].conn->state == FDCCP_OPEN);
	finish(w);
	return true;
}

/* The same in the states of handshake and close: then the handshake, or the close, goes on. */
static bool test_forged_states(void)
{
	MUST(attack_in(FDCCP_PKT_REQUEST, FDCCP_REQUEST, true));
	MUST(attack_in(FDCCP_PKT_RESPONSE, FDCCP_REQUEST, true));
	MUST(attack_in(FDCCP_PKT_ACK, FDCCP_RESPOND, false));
	MUST(attack_in(FDCCP_PKT_ACK, FDCCP_PARTOPEN, true));
	MUST(attack_in(FDCCP_PKT_CLOSEREQ, FDCCP_CLOSEREQ, false));
	MUST(attack_in(FDCCP_PKT_CLOSE, FDCCP_CLOSING, true));
	MUST(attack_in(FDCCP_PKT_CLOSE, FDCCP_CLOSING, false));
	return true;
}

static bool forge_icmp(struct world *w, bool client)
{
	static struct snapshot before;
	struct fdccp_conn *victim = w->end[client].conn;
	struct fdccp_packet p = {
		.type = seeded_below(FDCCP_PKT_TYPES), .source = victim->local_port,
		.dest = victim->remote_port, .seq = seeded() & FDCCP_SEQ_MASK,
	};
	uint8_t quoted[64] = { 0 };
	struct fdccp_icmp icmp = {
		.path = path_of(client), .family = seeded_below(8) ? AF_INET : AF_INET6,
		.type = hostile_icmp_type(), .code = seeded_below(16),
		.mtu = seeded_below(2) ? seeded_below(1600) : seeded(), .quoted = quoted,
		.quoted_len = seeded_below(sizeof(quoted)),
	};

	/* every fourth one quotes a number of the past */
	if (!seeded_below(4))
		p.seq = fdccp_seq_add(victim->window.gar, -(int64_t)seeded_below(1000));
	fdccp_packet_write(&p, quoted, 0);
	take(&before, victim);
	fdccp_icmp(w->end[client].ep, &icmp, w->now);
	MUST(is_unchanged(&before, victim));
	drain(w);
	MUST(is_unchanged(&before, victim));
	return true;
}

/* ICMP messages that quote packets with wrong numbers change nothing, not even the fate of a packet
 * in flight; each is counted as ignored.
 */
static bool test_forged_icmp(void)
{
	struct world *w = &world;
	unsigned long count = forged_packets();
	struct fdccp_info info;

	MUST(establish(w, 2, 2));
	MUST(send_many(w, true, 20));
	for (unsigned long i = 0; i < count; i++) {
		if (i % 1000 == 0)
			MUST(send_many(w, true, 1));
		MUST(forge_icmp(w, i & 1));
		if (i % 1000 == 999)
			run(w, w->now + SEC);
	}
	MUST(counter(w, true, FDCCP_COUNT_icmp_ignored) +
	     counter(w, false, FDCCP_COUNT_icmp_ignored) == count);
	run(w, w->now + 10 * SEC);
	fdccp_info(w->end[1].conn, &info);
	MUST(info.fate[FDCCP_FATE_ACKNOWLEDGED] == info.sent && info.sent > 20);
	finish(w);
	return true;
}

/* The peer behind its own end: its packets vanish, and a test sends in its name. */
static bool lose_all(struct world *w, bool to_client, struct flight *f,
		     const struct fdccp_packet *p)
{
	(void)w;
	(void)to_client;
	(void)f;
	(void)p;
	return true;
}

/* Opens a connection whose client has a hostile server from now on. */
static bool meet_hostile(struct world *w, uint8_t ccid)
{
	MUST(establish(w, ccid, 2) && send_many(w, true, 1));
	run(w, w->now + 2 * SEC);
	w->lose = lose_all;
	forget_sent(w);
	return true;
}

/* Sends a packet with the next number in the name of the server, which acknowledges @ack. */
static void act(struct world *w, uint8_t type, uint64_t ack, const void *options, size_t len)
{
	struct fdccp_conn *victim = w->end[1].conn;
	struct fdccp_packet p = {
		.type = type, .source = victim->remote_port, .dest = victim->local_port,
		.seq = fdccp_seq_add(victim->window.gsr, 1), .ack = ack, .service = SERVICE,
	};
	size_t header = fdccp_header_size(type);
	uint8_t data[FDCCP_HEADER_MAX];

	fdccp_packet_write(&p, data, len);
	if (len)
		memcpy(data + header, options, len);
	deliver(w, true, data, header + len);
	drain(w);
}

static unsigned int packets_of(const struct end *end)
{
	unsigned int sum = 0;

	for (int type = 0; type < FDCCP_PKT_TYPES; type++)
		sum += end->sent[type];
	return sum;
}

/* One packet of a peer that does what it likes. Return: whether the victim keeps its rules. */
static bool misbehave(struct world *w)
{
	static const uint8_t types[] = { FDCCP_PKT_ACK, FDCCP_PKT_ACK, FDCCP_PKT_DATAACK,
		FDCCP_PKT_DATAACK, FDCCP_PKT_DATA, FDCCP_PKT_SYNC, FDCCP_PKT_SYNCACK };
	struct fdccp_conn *victim = w->end[1].conn;
	uint8_t type = seeded_below(100) ? types[seeded_below(sizeof(types))] :
					   seeded_below(FDCCP_PKT_TYPES);
	uint64_t ack = fdccp_seq_add(victim->window.gss, -(int64_t)seeded_below(4));
	unsigned int before = packets_of(&w->end[1]);
	uint8_t options[FDCCP_OPTIONS_MAX];
	struct fdccp_info info;

	act(w, type, ack, options, hostile_options(options, 4 * seeded_below(16)));
	MUST(packets_of(&w->end[1]) <= before + 3);
	if (!w->end[1].conn)
		return w->end[1].closed.reason != FDCCP_REASON_TIMEOUT;
	fdccp_info(w->end[1].conn, &info);
	MUST(sums_up(&info) && info.sequence_window >= 32);
	MUST(w->end[1].ep->memory < 128 << 10);
	send_one(w, true, 1 + seeded_below(1000), NULL);
	return true;
}

/* A peer whose options are nonsense, contradict each other and change all the time gets at most
 * three packets for each of its own, takes little memory, and at most ends its own connection.
 */
static bool test_hostile_options(void)
{
	struct world *w = &world;
	unsigned int ends = 0;

	for (unsigned long i = 0; i < forged_packets(); ) {
		MUST(meet_hostile(w, 2 + seeded_below(2)));
		for (; i < forged_packets() && w->end[1].conn; i++) {
			MUST(misbehave(w));
			run(w, w->now + seeded_below(20) * MS);
		}
		ends += !w->end[1].conn;
		finish(w);
	}
	printf("# %u connections ended by options\n", ends);
	MUST(ends);
	return true;
}

/* An Ack Vector that reaches back before the first number gets Reset 11, however long it is. */
static bool test_never_sent(void)
{
	uint8_t vector[992];
	struct world *w = &world;

	for (size_t at = 0; at < sizeof(vector); at += 248) {
		memset(&vector[at], 0x3f, 248);
		vector[at] = FDCCP_OPT_ACK_VECTOR_0;
		vector[at + 1] = 248;
	}
	for (size_t len = 248; len <= sizeof(vector); len += 248) {
		MUST(meet_hostile(w, 2) && !send_one(w, true, 100, NULL));
		act(w, FDCCP_PKT_ACK, w->end[1].conn->window.gss, vector, len);
		MUST(!w->end[1].conn && w->end[1].closed.reason == FDCCP_REASON_ERROR);
		MUST(w->end[1].closed.reset == FDCCP_RESET_OPTION_ERROR);
		finish(w);
	}
	/* a number that was not sent yet gets a Sync */
	MUST(meet_hostile(w, 2) && !send_one(w, true, 100, NULL));
	act(w, FDCCP_PKT_ACK, fdccp_seq_add(w->end[1].conn->window.gss, 1), NULL, 0);
	MUST(w->end[1].conn && w->end[1].sent[FDCCP_PKT_SYNC] == 1);
	finish(w);
	return true;
}

/* A report of CCID 3 that says all went well, and that @elapsed ns went by at the peer. */
static size_t flattering_report(uint8_t *out, int64_t elapsed)
{
	static const uint8_t report[] = {
		FDCCP_OPT_RECEIVE_RATE, 6, 0xff, 0xff, 0xff, 0xff,
		FDCCP_OPT_LOSS_EVENT_RATE, 6, 0xff, 0xff, 0xff, 0xff,
		FDCCP_OPT_ELAPSED_TIME, 6, 0, 0, 0, 0,
		FDCCP_OPT_ACK_VECTOR_0, 3, 0, 0, 0, 0,
	};

	memcpy(out, report, sizeof(report));
	fdccp_put_number(out + 14, 4, (uint64_t)elapsed / 10000);
	return sizeof(report);
}

/* Whatever a receiver says of its rate and of the time that it took, the rate stays within two
 * times what was sent in a round trip, or the initial rate of RFC 5348 section 4.2.
 */
static bool test_flattery(void)
{
	const uint64_t rtt = 2 * DELAY;
	/* 10 packets, and one more at the edge */
	const uint64_t sent = 11 * 1000 * (uint64_t)SEC / rtt;
	struct world *w = &world;
	uint8_t options[32];

	MUST(meet_hostile(w, 3));
	for (int round = 0; round < 200; round++) {
		uint64_t last = w->end[1].conn->window.gss;
		int64_t when = w->now;
		struct fdccp_info info;

		for (int i = 0; i < 10; i++) {
			run(w, w->now + rtt / 10);
			send_one(w, true, 1000, NULL);
		}
		/* the peer answers the packet of one round trip ago, and says that it waited */
		act(w, FDCCP_PKT_ACK, last, options,
		    flattering_report(options, round % 4 ? w->now - when - 20000 : 0));
		MUST(w->end[1].conn);
		fdccp_info(w->end[1].conn, &info);
		MUST(info.rate <= 2 * sent && info.receive_rate <= sent);
	}
	finish(w);
	return true;
}

/* A peer that never acknowledges gets at most @most packets in 100 s, each of which takes at most
 * 64 bytes, and then one in 64 s.
 */
static bool never_acknowledges(uint8_t ccid, unsigned int most)
{
	struct world *w = &world;
	struct fdccp_info info;
	uint64_t before;
	size_t memory;

	MUST(meet_hostile(w, ccid));
	memory = w->end[1].ep->memory;
	for (int i = 0; i < 10000; i++) {
		send_one(w, true, 1000, NULL);
		run(w, w->now + 10 * MS);
	}
	fdccp_info(w->end[1].conn, &info);
	MUST(sums_up(&info) && info.sent <= most && w->end[1].ep->memory <= memory + 64 * most);
	before = info.sent;
	run(w, w->now + SEC);
	for (int i = 0; i < 1000; i++, run(w, w->now + 64 * MS))
		send_one(w, true, 1000, NULL);
	fdccp_info(w->end[1].conn, &info);
	MUST(info.sent <= before + 2);
	finish(w);
	return true;
}

/* CCID 2 sends its first window, and then a packet for each timeout. CCID 3 sends at the initial
 * rate, 219 packets a second here, for the 2 s of the first nofeedback timer, and then halves it.
 */
static bool test_never_acknowledges(void)
{
	return never_acknowledges(2, 4 + 7) && never_acknowledges(3, 2 * 219 + 219);
}

/* Drop codes that contradict each other, from an acknowledgment to the next, give each packet one
 * fate; a peer that says it cut or dropped everything does not make the window larger.
 */
static bool test_contradictions(void)
{
	struct world *w = &world;
	struct fdccp_info info;
	uint32_t cwnd;

	MUST(meet_hostile(w, 2));
	fdccp_info(w->end[1].conn, &info);
	cwnd = info.cwnd;
	for (int i = 0; i < 1000; i++) {
		bool sent = !send_one(w, true, 1000, NULL);
		/* of the last packet, and then another; code 1 would end the data */
		uint8_t code = i % 7 ? i % 7 + 1 : 0;
		uint8_t options[8] = { FDCCP_OPT_ACK_VECTOR_0, 3, 0, FDCCP_OPT_DATA_DROPPED, 4,
			0x80 | code << 4, 0x80 | ((i + 3) % 8) << 4 };

		MUST(sent);
		for (int again = 0; again < 2; again++, options[5] ^= 0x70)
			act(w, FDCCP_PKT_ACK, w->end[1].conn->window.gss, options, 8);
		run(w, w->now + 10 * MS);
	}
	fdccp_info(w->end[1].conn, &info);
	MUST(sums_up(&info) && info.sent == 1001 && !info.in_flight);
	MUST(info.fate[FDCCP_FATE_CUT] == 143 && info.fate[FDCCP_FATE_DROPPED] == 143);
	MUST(info.fate[FDCCP_FATE_DAMAGED] == 4 * 143 && info.fate[FDCCP_FATE_MARKED] == 142);
	MUST(info.cwnd <= cwnd);
	finish(w);
	return true;
}

/* Floods of valid packets: each gets at most one answer, and nothing grows. */
static bool test_floods(void)
{
	static const uint8_t slow[4] = { FDCCP_OPT_SLOW_RECEIVER };
	struct world *w = &world;
	size_t memory;

	MUST(meet_hostile(w, 2));
	memory = w->end[1].ep->memory;
	for (int i = 0; i < 10000; i++)
		act(w, FDCCP_PKT_SYNC, w->end[1].conn->window.gss, slow, 4);
	/* so many answers need a larger Sequence Window, which is asked for once in a round trip */
	MUST(w->end[1].sent[FDCCP_PKT_SYNCACK] == 10000 && w->end[1].sent[FDCCP_PKT_ACK] == 1);
	MUST(packets_of(&w->end[1]) == 10001);
	for (int i = 0; i < 10000; i++)
		act(w, FDCCP_PKT_ACK, w->end[1].conn->window.gss, slow, 4);
	MUST(packets_of(&w->end[1]) <= 10000 + 100 && w->end[1].conn->state == FDCCP_OPEN);
	MUST(w->end[1].ep->memory <= memory + 8192);
	finish(w);
	return true;
}

/* After the first Close or Reset of a storm, the rest gets only the answers of strangers. */
static bool test_storms(void)
{
	struct world *w = &world;

	for (uint8_t type = FDCCP_PKT_CLOSE; type <= FDCCP_PKT_RESET; type++) {
		struct fdccp_packet p = { .type = type, .source = PORT };
		uint8_t data[64];

		MUST(meet_hostile(w, 2));
		p.dest = w->end[1].conn->local_port;
		p.seq = w->end[1].conn->window.gsr;
		p.ack = w->end[1].conn->window.gss;
		for (int i = 0; i < 10000; i++) {
			p.seq++;
			fdccp_packet_write(&p, data, 0);
			deliver(w, true, data, fdccp_header_size(type));
			run(w, w->now + MS / 10);
		}
		MUST(!w->end[1].conn && w->end[1].events[FDCCP_EVENT_CLOSED] == 1);
		MUST(type == FDCCP_PKT_RESET ? !packets_of(&w->end[1]) :
		     packets_of(&w->end[1]) > 1 && packets_of(&w->end[1]) <= 1 + 100 + 50);
		finish(w);
	}
	return true;
}

#define GUESS_BITS	10

/* A guess near the right number @near: the chance in a space of @GUESS_BITS bits is that in 48
 * bits, times 2^(48 - GUESS_BITS).
 */
static uint64_t guess(uint64_t near)
{
	int64_t offset = (int64_t)seeded_below(1 << GUESS_BITS) - (1 << (GUESS_BITS - 1));

	return fdccp_seq_add(near, offset);
}

/* Sends the server a packet with guessed numbers. */
static void send_guess(struct world *w, uint8_t type)
{
	const struct fdccp_conn *victim = w->end[0].conn;
	struct fdccp_packet p = {
		.type = type, .source = victim->remote_port, .dest = victim->local_port,
		.seq = guess(victim->window.gsr), .ack = guess(victim->window.gss),
		.reset_code = FDCCP_RESET_ABORTED,
	};
	uint8_t data[64] = { 0 };

	fdccp_packet_write(&p, data, 0);
	deliver(w, false, data, fdccp_header_size(type) + 4);
}

/* Whether @hits of @count is what the chance @numerator / 2^@bits gives, within five standard
 * deviations.
 */
static bool is_likely(const char *what, unsigned long hits, unsigned long count, uint64_t numerator,
		      unsigned int bits)
{
	double chance = (double)numerator / (double)(UINT64_C(1) << bits);
	double expected = chance * (double)count, off = (double)hits - expected;

	printf("# %s: %lu of %lu guesses, %.1f expected\n", what, hits, count, expected);
	return off * off <= 25 * expected * (1 - chance);
}

/* An established connection whose client stays silent; its windows are W = 100 packets. */
static bool meet_guesser(struct world *w)
{
	MUST(establish(w, 2, 2));
	run(w, w->now + 2 * SEC);
	w->lose = lose_all;
	return true;
}

/* RFC 4340 section 7.5.5: Data with a guessed number is delivered with the chance W / 2^L. */
static bool test_guess_data(void)
{
	unsigned long count = 20 * forged_packets(), hits = 0;
	struct world *w = &world;

	MUST(meet_guesser(w));
	for (unsigned long i = 0; i < count; i++) {
		uint64_t before = w->end[0].conn->window.gsr;

		send_guess(w, FDCCP_PKT_DATA);
		drain(w);
		hits += w->end[0].conn->window.gsr != before;
	}
	/* three quarters of the window are after GSR; guesses before it may be duplicates */
	MUST(is_likely("Data", hits, count, 75, GUESS_BITS));
	MUST(w->end[0].events[FDCCP_EVENT_DATA] >= hits && w->end[0].conn->state == FDCCP_OPEN);
	finish(w);
	return true;
}

/* A Reset needs both numbers: W X / 2^(2L), where only the numbers after GSR, and those from GAR to
 * GSS count.
 */
static bool test_guess_reset(void)
{
	unsigned long count = 20 * forged_packets(), hits = 0;
	struct world *w = &world;
	uint64_t acks;

	MUST(meet_guesser(w));
	acks = (uint64_t)fdccp_seq_diff(w->end[0].conn->window.gss, w->end[0].conn->window.gar) + 1;
	for (unsigned long i = 0; i < count; i++) {
		/* later Syncs would move GSS */
		w->end[0].conn->syncs_due = w->now + 10 * SEC;
		send_guess(w, FDCCP_PKT_RESET);
		if (w->end[0].conn->state == FDCCP_OPEN)
			continue;
		hits++;
		drain(w);
		MUST(!w->end[0].conn && w->end[0].closed.reset == FDCCP_RESET_ABORTED);
		finish(w);
		MUST(meet_guesser(w));
	}
	MUST(is_likely("Reset", hits, count, 75 * acks, 2 * GUESS_BITS));
	finish(w);
	return true;
}

/* A Sync to an inactive connection needs half of the sequence numbers and one acknowledgment number
 * in the window: it then moves GSR as far as it says. To an active one it needs both windows.
 */
static bool guess_sync(bool active)
{
	unsigned long count = 20 * forged_packets(), hits = 0;
	struct world *w = &world;
	uint64_t seqs = active ? 75 : (1 << (GUESS_BITS - 1)) - 1, acks;

	MUST(meet_guesser(w));
	acks = (uint64_t)fdccp_seq_diff(w->end[0].conn->window.gss, w->end[0].conn->window.iss) + 1;
	for (unsigned long i = 0; i < count; i++) {
		struct fdccp_conn *victim = w->end[0].conn;
		struct fdccp_window saved = victim->window;

		victim->heard = active ? w->now : 0;
		send_guess(w, FDCCP_PKT_SYNC);
		hits += victim->window.gsr != saved.gsr;
		/* each guess meets the same connection */
		victim->window = saved;
		victim->out = 0;
		fdccp_ackvec_free(victim->ackvec);
		victim->ackvec = fdccp_ackvec_new(saved.gsr);
	}
	MUST(w->end[0].conn->state == FDCCP_OPEN);
	finish(w);
	return is_likely(active ? "Sync, active" : "Sync, inactive", hits, count, seqs * acks,
			 2 * GUESS_BITS);
}

static bool test_guess_sync(void)
{
	return guess_sync(true) && guess_sync(false);
}

/* Loses everything that the client sends. */
static bool lose_to_server(struct world *w, bool to_client, struct flight *f,
			   const struct fdccp_packet *p)
{
	(void)w;
	(void)f;
	(void)p;
	return !to_client;
}

/* A client gets a Response with Init Cookies of @len bytes, and waits for a second. */
static bool feed_cookies(struct world *w, size_t len)
{
	struct fdccp_params params = params_of(2, 2);
	uint8_t options[992] = { 0 };
	struct fdccp_packet p = { .type = FDCCP_PKT_RESPONSE, .seq = 5000, .options = options,
		.options_len = len };

	for (size_t at = 0, size; at < len; at += size) {
		size = len - at < 248 ? len - at : 248;
		options[at] = FDCCP_OPT_INIT_COOKIE;
		options[at + 1] = size;
	}
	MUST(begin(w, &params, &params));
	w->lose = lose_to_server;
	drain(w);
	p.ack = w->last[0].seq;
	forge(w, true, &p, 0);
	run(w, w->now + SEC);
	return true;
}

/* Init Cookies that would leave no room for the client's own options end the connection. */
static bool test_many_cookies(void)
{
	struct world *w = &world;

	MUST(feed_cookies(w, 400));
	MUST(w->end[1].conn->state == FDCCP_PARTOPEN && w->end[1].conn->cookies_len == 400);
	/* at 0, 200 and 600 ms for the handshake, and after each round trip for features */
	MUST(w->end[1].sent[FDCCP_PKT_ACK] >= 3 && w->end[1].sent[FDCCP_PKT_ACK] <= 10);
	finish(w);
	for (size_t len = 404; len <= 992; len += 588) {
		MUST(feed_cookies(w, len));
		MUST(!w->end[1].conn && w->end[1].closed.reason == FDCCP_REASON_ABORTED);
		MUST(w->end[1].sent[FDCCP_PKT_ACK] == 0);
		MUST(w->end[1].sent[FDCCP_PKT_RESET] == 1);
		MUST(w->last[0].reset_code == FDCCP_RESET_ABORTED);
		finish(w);
	}
	return true;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "forged packets change nothing, CCID 2", test_forged_22 },
		{ "forged packets change nothing, CCID 3", test_forged_33 },
		{ "forged packets change nothing, CCID 254", test_forged_fixed },
		{ "forged packets change no handshake and no close", test_forged_states },
		{ "forged ICMP messages change nothing", test_forged_icmp },
		{ "guessed numbers of Data", test_guess_data },
		{ "guessed numbers of Reset", test_guess_reset },
		{ "guessed numbers of Sync", test_guess_sync },
		{ "a hostile peer's options", test_hostile_options },
		{ "an Ack Vector of what was never sent", test_never_sent },
		{ "a receiver that flatters its sender", test_flattery },
		{ "a peer that never acknowledges", test_never_acknowledges },
		{ "drop codes that contradict each other", test_contradictions },
		{ "floods of valid packets", test_floods },
		{ "storms of Close and Reset", test_storms },
		{ "Init Cookies that leave no room", test_many_cookies },
	};

	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
