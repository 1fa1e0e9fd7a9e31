// SPDX-License-Identifier: GPL-2.0-or-later
/* Acknowledgments that the receiving program asks for. Prints TAP. */
#include "../codec/unit.h"

#include "conn_world.h"
#include "wire.h"

#define SECONDS	20
#define FIRST_OF_RECEIVER	192	/* options by which a CCID reports */

/* The state of a sender in each millisecond. */
static struct {
	uint64_t rate, sent;
	uint32_t loss_event_rate;
	int64_t timer;
} course[2][SECONDS * 1000];

static struct world *w = &world;
static uint64_t data_packets;
static int64_t ack_at[4096];	/* when Acks were sent */
static unsigned int early_acks;	/* sooner than the Sequence Window allows */

static void acknowledge(void)
{
	fdccp_acknowledge(w->end[0].conn, w->now);
	drain(w);
}

static unsigned int acks(void)
{
	return w->end[0].sent[FDCCP_PKT_ACK];
}

/* Whether the last packet to the client has an option of a CCID's report. */
static bool reports(void)
{
	const struct fdccp_packet *p = &w->last[true];
	struct fdccp_option_walk walk = { p->options, p->options + p->options_len };
	struct fdccp_option option;

	while (fdccp_option_next(&walk, &option) == 1)
		if (option.type >= FIRST_OF_RECEIVER)
			return true;
	return false;
}

static bool has(uint8_t type)
{
	uint8_t len;

	return option_of(&w->last[true], type, &len);
}

/* Sends a packet, and lets it arrive. */
static bool send_arrive(void)
{
	MUST(!send_one(w, true, 100, NULL));
	run(w, w->now + DELAY);
	return true;
}

/* CCID 3 reports the first of two packets when it arrives, and the second one not yet. */
static bool send_unreported(void)
{
	unsigned int ms = 0;

	MUST(!send_one(w, true, 100, NULL));
	do {
		run(w, w->now + MS);
		MUST(++ms < DELAY / MS);
	} while (send_one(w, true, 100, NULL) == -EAGAIN);
	run(w, w->now + DELAY - 1);
	MUST(acks() && reports());
	forget_sent(w);
	run(w, w->now + 1);
	MUST(!acks());
	return true;
}

/* Both ends are ours, so CCID 3 reports each packet, although it would do without. */
static bool by_default(void)
{
	struct fdccp_params client, server;

	fdccp_params_init(&client);
	server = client;
	client.ccids[0] = client.peer_ccids[0] = FDCCP_CCID3;
	client.ccids[1] = client.peer_ccids[1] = FDCCP_CCID2;
	server.ccids[0] = server.peer_ccids[0] = FDCCP_CCID3;
	server.ccids[1] = server.peer_ccids[1] = FDCCP_CCID2;
	MUST(begin(w, &client, &server));
	run(w, w->now + 100 * MS);
	for (int side = 0; side < 2; side++) {
		struct fdccp_info info;

		fdccp_info(w->end[side].conn, &info);
		MUST(info.ccid == FDCCP_CCID3 && info.peer_ccid == FDCCP_CCID3);
		MUST(info.ours && info.ack_vector);
	}
	finish(w);
	return true;
}

/* The Ack of CCID 3 has an Ack Vector and nothing by which CCID 3 reports. The sender has the fates
 * of the packets when it arrives, a round-trip time after the packet was sent.
 */
static bool at_once(void)
{
	MUST(establish(w, FDCCP_CCID3, FDCCP_CCID3));
	MUST(send_unreported());
	acknowledge();
	MUST(acks() == 1 && has(FDCCP_OPT_ACK_VECTOR_0));
	MUST(!reports() && !has(FDCCP_OPT_ELAPSED_TIME));
	run(w, w->now + DELAY - 1);
	MUST(w->end[1].fates[FDCCP_FATE_ACKNOWLEDGED] == 1);
	run(w, w->now + 1);
	MUST(w->end[1].fates[FDCCP_FATE_ACKNOWLEDGED] == 2 && acks() == 1);
	finish(w);
	return true;
}

/* An Ack of CCID 3 that waited 5 ms after the packet says so, so that the sender's round-trip time is
 * that of the path.
 */
static bool after_a_while(void)
{
	struct fdccp_measure path;

	MUST(establish(w, FDCCP_CCID3, FDCCP_CCID3));
	MUST(send_unreported());
	run(w, w->now + 5 * MS);
	MUST(!acks());
	acknowledge();
	MUST(acks() == 1 && has(FDCCP_OPT_ELAPSED_TIME) && !reports());
	run(w, w->now + DELAY);
	MUST(w->end[1].fates[FDCCP_FATE_ACKNOWLEDGED] == 2);
	fdccp_measure(w->end[1].conn, &path);
	MUST(path.sample == 2 * DELAY);
	finish(w);
	return true;
}

/* With CCID 2 a single packet would be acknowledged 200 ms later, and then is not once more. */
static bool at_once_like_tcp(void)
{
	MUST(establish(w, FDCCP_CCID2, FDCCP_CCID2));
	MUST(send_arrive());
	run(w, w->now + SEC);
	forget_sent(w);
	MUST(send_arrive() && !acks());
	acknowledge();
	MUST(acks() == 1 && has(FDCCP_OPT_ACK_VECTOR_0));
	run(w, w->now + DELAY);
	MUST(w->end[1].fates[FDCCP_FATE_ACKNOWLEDGED] == 2);
	run(w, w->now + SEC);
	MUST(acks() == 1);
	finish(w);
	return true;
}

/* Without new data there is nothing to say: two programs that call the function for each packet
 * would otherwise never stop. Nor is there before a connection is open, nor after its end.
 */
static bool nothing_new(void)
{
	MUST(establish(w, FDCCP_CCID3, FDCCP_CCID3));
	forget_sent(w);
	acknowledge();
	MUST(!acks());
	MUST(send_unreported());
	acknowledge();
	acknowledge();
	MUST(acks() == 1);
	forget_sent(w);
	forge_next(w, false, FDCCP_PKT_ACK, NULL, 0);
	acknowledge();
	MUST(!acks());
	run(w, w->now + 100 * MS);
	MUST(send_unreported());
	fdccp_close(w->end[0].conn, w->now);
	acknowledge();
	MUST(!acks());
	finish(w);
	return true;
}

/* A peer that asked for no Ack Vectors gets none. */
static bool without_vectors(void)
{
	static const uint8_t no_vectors[] = {
		FDCCP_OPT_CHANGE_R, 4, FDCCP_FEAT_SEND_ACK_VECTOR, 0,
	};

	MUST(establish(w, FDCCP_CCID3, FDCCP_CCID3));
	MUST(send_arrive());
	forge_next(w, false, FDCCP_PKT_ACK, no_vectors, sizeof(no_vectors));
	run(w, w->now + 100 * MS);
	MUST(send_unreported());
	acknowledge();
	MUST(!acks());
	finish(w);
	return true;
}

/* Loses each 50th data packet. */
static bool lose_some(struct world *all, bool to_client, struct flight *f,
		      const struct fdccp_packet *p)
{
	(void)all;
	(void)f;
	if (to_client || (p->type != FDCCP_PKT_DATA && p->type != FDCCP_PKT_DATAACK))
		return false;
	return ++data_packets % 50 == 0;
}

/* Sends all that the rate control allows; the receiver acknowledges each packet if @each. */
static bool stream(bool each)
{
	MUST(establish(w, FDCCP_CCID3, FDCCP_CCID3));
	forget_sent(w);
	data_packets = 0;
	w->lose = lose_some;
	for (int ms = 0; ms < SECONDS * 1000; ms++) {
		struct fdccp_info info;

		while (!send_one(w, true, 1000, NULL))
			;
		run(w, w->now + MS);
		if (each)
			acknowledge();
		fdccp_info(w->end[1].conn, &info);
		course[each][ms].rate = info.rate;
		course[each][ms].sent = info.sent;
		course[each][ms].loss_event_rate = info.loss_event_rate;
		course[each][ms].timer = w->end[1].conn->tx_ccid->tx_timer(w->end[1].conn->tx);
	}
	printf("# %u Acks, %llu packets, loss event rate %u millionths\n", acks(),
	       (unsigned long long)w->end[1].conn->info.sent,
	       course[each][SECONDS * 1000 - 1].loss_event_rate);
	return true;
}

/* With Acks for each packet, the rate of CCID 3, its loss event rate and its timer are the same in
 * each millisecond as without: RFC 4342 section 6.
 */
static bool same_rate(void)
{
	unsigned int few;

	MUST(stream(false));
	few = acks();
	finish(w);
	MUST(stream(true));
	MUST(acks() > 3 * few);
	MUST(w->end[1].conn->info.fate[FDCCP_FATE_LOST] > 10);
	finish(w);
	for (int ms = 0; ms < SECONDS * 1000; ms++) {
		MUST(course[0][ms].rate == course[1][ms].rate);
		MUST(course[0][ms].sent == course[1][ms].sent);
		MUST(course[0][ms].loss_event_rate == course[1][ms].loss_event_rate);
		MUST(course[0][ms].timer == course[1][ms].timer);
	}
	return true;
}

/* Counts an Ack that comes within a round-trip time after the one a Sequence Window before it. */
static bool watch_window(struct world *all, bool to_client, struct flight *f,
			 const struct fdccp_packet *p)
{
	uint64_t window = all->end[0].conn->window.local;
	unsigned int n = acks();

	(void)f;
	if (!to_client || p->type != FDCCP_PKT_ACK)
		return false;
	ack_at[n % 4096] = all->now;
	if (n > window && all->now - ack_at[(n - window) % 4096] < 2 * DELAY)
		early_acks++;
	return false;
}

/* The receiver acknowledges each of 160 packets in a round-trip time, and its Sequence Window is
 * 100 at first (RFC 4340 section 7.5.2).
 */
static bool within_window(void)
{
	struct fdccp_params params = params_of(FDCCP_CCID_FIXED, FDCCP_CCID_FIXED);

	params.fixed_rate = 8000000;
	MUST(begin(w, &params, &params));
	run(w, w->now + 100 * MS);
	MUST(w->end[0].conn && w->end[0].conn->window.local == 100);
	forget_sent(w);
	early_acks = 0;
	w->lose = watch_window;
	for (int step = 0; step < 8000; step++) {
		while (!send_one(w, true, 1000, NULL))
			;
		run(w, w->now + MS / 8);
		acknowledge();
	}
	printf("# %u Acks for %llu packets\n", acks(),
	       (unsigned long long)w->end[0].conn->info.received);
	MUST(acks() > 5000 && !early_acks);
	MUST(!counter(w, false, FDCCP_COUNT_seq_invalid));
	finish(w);
	return true;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "CCID 3 reports each packet by default", by_default },
		{ "an Ack of CCID 3 tells the fates at once", at_once },
		{ "an Ack of CCID 3 tells how long it waited", after_a_while },
		{ "an Ack of CCID 2 tells the fates at once", at_once_like_tcp },
		{ "an Ack needs new data", nothing_new },
		{ "an Ack needs a peer that wants Ack Vectors", without_vectors },
		{ "Acks do not move the rate of CCID 3", same_rate },
		{ "Acks keep within the Sequence Window", within_window },
	};

	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
