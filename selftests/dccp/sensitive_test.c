// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sensitive part of data packets: damage in it drops the packet, damage behind it delivers the
 * packet as damaged, and damage in a header drops it unseen. Over both carriers; over UDP only
 * without UDP's checksum, on which both ends have to agree. Prints TAP.
 */
#include "checksum.h"
#include "conn_world.h"
#include "../codec/unit.h"

#define SIZE	100		/* of a payload */
#define PART	40		/* of it, sensitive */

static struct world *const w = &world;
static bool world_hit;			/* @hit_at is damaged */
static long hit_at;			/* of the next packet with data, from its payload on */

/* Damages a byte of the next packet with data. Below 0: of its header. */
static bool hit(struct world *unused, bool to_client, struct flight *f, const struct fdccp_packet *p)
{
	(void)unused;
	if (!world_hit || to_client ||
	    (p->type != FDCCP_PKT_DATA && p->type != FDCCP_PKT_DATAACK))
		return false;
	f->data[p->data - f->data + hit_at] ^= 0x10;
	world_hit = false;
	return false;
}

static void use(enum fdccp_carrier carrier, bool server, bool client)
{
	world_carrier = carrier;
	world_no_udp_checksum[0] = server;
	world_no_udp_checksum[1] = client;
}

/* Connects a client whose packets have a sensitive part with a server that accepts coverage 1. */
static bool start(uint16_t sensitive, uint8_t min_coverage)
{
	struct fdccp_params client = params_of(2, 2), server = client;

	client.has_sensitive = true;
	client.sensitive = sensitive;
	server.min_coverage = min_coverage;
	if (!begin(w, &client, &server))
		return false;
	w->lose = hit;
	run(w, w->now + 100 * MS);
	return w->end[0].conn && w->end[1].conn && w->end[1].conn->state == FDCCP_OPEN;
}

/* Sends a packet with damage at @at, and then whole ones until its fate is known. */
static bool send_hit(long at, const struct fdccp_message *message)
{
	world_hit = true;
	hit_at = at;
	if (send_one(w, true, SIZE, message))
		return false;
	for (int i = 0; i < 3; i++) {
		run(w, w->now + SEC);
		if (send_one(w, true, SIZE, message))
			return false;
	}
	run(w, w->now + SEC);
	return !world_hit;
}

/* what became of four packets of which the first was hit */
struct outcome {
	long at;
	unsigned int delivered, damaged, fate_damaged, fate_marked, fate_lost;
	uint64_t checksum;
};

static bool is_outcome(const struct outcome *o, size_t part)
{
	const struct end *client = &w->end[1], *server = &w->end[0];

	MUST(server->events[FDCCP_EVENT_DATA] == o->delivered && server->damaged == o->damaged);
	MUST(client->fates[FDCCP_FATE_DAMAGED] == o->fate_damaged);
	MUST(client->fates[FDCCP_FATE_MARKED] == o->fate_marked);
	MUST(client->fates_damaged == o->fate_marked);
	MUST(client->fates[FDCCP_FATE_LOST] == o->fate_lost);
	MUST(client->fates[FDCCP_FATE_ACKNOWLEDGED] == 3);
	MUST(counter(w, false, FDCCP_COUNT_checksum) == o->checksum);
	MUST(server->intact == part && sums_up(&client->info));
	return true;
}

static bool damage_everywhere(void)
{
	static const struct outcome outcomes[] = {
		{ 0, 3, 0, 1, 0, 0, 0 },		/* the first sensitive byte */
		{ PART - 1, 3, 0, 1, 0, 0, 0 },		/* the last one */
		{ PART, 4, 1, 0, 1, 0, 0 },		/* the byte behind it */
		{ SIZE - 1, 4, 1, 0, 1, 0, 0 },		/* the last byte */
		{ -1, 3, 0, 0, 0, 1, 1 },		/* an option, or padding */
		{ -16, 3, 0, 0, 0, 1, 1 },
	};

	for (size_t i = 0; i < sizeof(outcomes) / sizeof(outcomes[0]); i++) {
		printf("# damage at %ld\n", outcomes[i].at);
		MUST(start(PART, 1) && send_hit(outcomes[i].at, NULL));
		MUST(is_outcome(&outcomes[i], PART));
		finish(w);
	}
	return true;
}

static bool damage_over_ip(void)
{
	use(FDCCP_CARRIER_IP, false, false);
	return damage_everywhere();
}

static bool damage_over_udp(void)
{
	use(FDCCP_CARRIER_UDP, true, true);
	return damage_everywhere();
}

/* A packet's own length counts instead of the connection's, from 0 to all. */
static bool own_length(void)
{
	struct fdccp_message message = { .deadline = FDCCP_NEVER, .has_sensitive = true };

	use(FDCCP_CARRIER_IP, false, false);
	MUST(start(PART, 1) && send_hit(0, &message));
	MUST(is_outcome(&(struct outcome){ 0, 4, 1, 0, 1, 0, 0 }, 0));
	finish(w);
	message.sensitive = FDCCP_SENSITIVE_ALL;
	MUST(start(PART, 1) && send_hit(SIZE - 1, &message));
	MUST(is_outcome(&(struct outcome){ 0, 3, 0, 1, 0, 0, 0 }, SIZE));
	finish(w);
	MUST(start(FDCCP_SENSITIVE_ALL, 1) && send_hit(SIZE - 1, NULL));
	MUST(is_outcome(&(struct outcome){ 0, 3, 0, 1, 0, 0, 0 }, SIZE));
	MUST(!send_one(w, true, 0, NULL));
	run(w, w->now + SEC);
	MUST(w->end[1].fates[FDCCP_FATE_ACKNOWLEDGED] == 4 && w->end[0].damaged == 0);
	finish(w);
	return true;
}

/* A part that is longer than the payload is refused, and nothing is sent. */
static bool too_long(void)
{
	struct fdccp_message message = { .deadline = FDCCP_NEVER, .has_sensitive = true,
		.sensitive = SIZE + 1 };

	use(FDCCP_CARRIER_IP, false, false);
	MUST(start(PART, 1));
	MUST(send_one(w, true, SIZE, &message) == -EINVAL);
	MUST(send_one(w, true, PART - 1, NULL) == -EINVAL);
	MUST(w->end[1].info.sent == 0);
	message.sensitive = SIZE;
	MUST(!send_one(w, true, SIZE, &message));
	finish(w);
	return true;
}

/* The option has the length and the CRC-32c of the part, the coverage is 1, and the carrier knows. */
static bool on_the_wire(bool udp)
{
	static const uint8_t zeros[SIZE];
	const struct fdccp_packet *p = &w->last[0];
	const uint8_t *value;
	uint8_t len;

	use(udp ? FDCCP_CARRIER_UDP : FDCCP_CARRIER_IP, udp, udp);
	MUST(start(PART, 1) && !send_one(w, true, SIZE, NULL));
	value = option_of(p, FDCCP_OPT_SENSITIVE, &len);
	MUST(value && len == 6 && fdccp_get_16(value) == PART);
	MUST(fdccp_get_32(value + 2) == fdccp_crc32c(zeros, PART));
	value = option_of(p, FDCCP_OPT_DATA_CHECKSUM, &len);
	MUST(value && fdccp_get_32(value) == fdccp_crc32c(zeros, SIZE));
	MUST(p->coverage == 1 && p->data_len == SIZE);
	MUST(w->datagram.corruptible && w->datagram.bare == udp);
	MUST(!udp || !fdccp_checksum(NULL, w->datagram.data, w->datagram.len,
				     w->datagram.len - SIZE));
	MUST(w->end[1].info.peer_coverage == 1 && w->end[1].info.bare == udp);
	run(w, w->now + SEC);
	/* the other direction has asked for nothing */
	MUST(!send_one(w, false, SIZE, NULL));
	MUST(!w->datagram.corruptible && !w->datagram.bare && !w->last[1].coverage);
	MUST(!option_of(&w->last[1], FDCCP_OPT_SENSITIVE, &len));
	finish(w);
	return true;
}

static bool on_both_wires(void)
{
	return on_the_wire(false) && on_the_wire(true);
}

static bool covers_all(void)
{
	uint8_t len;

	MUST(!send_one(w, true, SIZE, NULL));
	MUST(!w->datagram.corruptible && !w->datagram.bare && !w->last[0].coverage);
	MUST(!option_of(&w->last[0], FDCCP_OPT_SENSITIVE, &len));
	run(w, w->now + SEC);
	MUST(w->end[0].events[FDCCP_EVENT_DATA] == 1);
	finish(w);
	return true;
}

/* A peer that does not accept coverage 1, or datagrams without UDP's checksum, gets packets that the
 * checksum covers as a whole.
 */
static bool not_agreed(void)
{
	use(FDCCP_CARRIER_IP, false, false);
	MUST(start(PART, 0) && w->end[1].info.peer_coverage == 0 && covers_all());
	use(FDCCP_CARRIER_UDP, false, true);
	MUST(start(PART, 1) && !w->end[1].info.bare && covers_all());
	use(FDCCP_CARRIER_UDP, true, true);
	MUST(start(PART, 0) && w->end[1].info.bare && covers_all());
	return true;
}

/* Hides that an end is of this library. */
static bool hide_ours(struct world *unused, bool to_client, struct flight *f,
		      const struct fdccp_packet *p)
{
	struct fdccp_option_walk walk = { p->options, p->options + p->options_len };
	struct fdccp_path path = path_of(to_client);
	struct fdccp_option option;
	uint16_t sum = 0;

	(void)unused;
	while (fdccp_option_next(&walk, &option) == 1)
		if (option.len > 1 && option.value[0] == FDCCP_FEAT_FRESHLINK &&
		    option.type >= FDCCP_OPT_CHANGE_L && option.type <= FDCCP_OPT_CONFIRM_R)
			f->data[option.value - f->data] = 99;
	memcpy(f->data + 6, &sum, sizeof(sum));
	if (world_carrier == FDCCP_CARRIER_IP)
		sum = fdccp_checksum(&path, f->data, f->len, f->len);
	memcpy(f->data + 6, &sum, sizeof(sum));
	return false;
}

/* An end that is not ours gets no such option. */
static bool only_ours(void)
{
	struct fdccp_params client = params_of(2, 2), server = client;

	client.has_sensitive = true;
	client.sensitive = PART;
	server.min_coverage = 1;
	for (int udp = 0; udp < 2; udp++) {
		use(udp ? FDCCP_CARRIER_UDP : FDCCP_CARRIER_IP, udp, udp);
		MUST(begin(w, &client, &server));
		w->lose = hide_ours;
		run(w, w->now + 3 * SEC);
		MUST(w->end[1].conn && !w->end[1].info.ours && w->end[1].info.peer_coverage == 1);
		MUST(w->end[1].info.bare == udp && covers_all());
	}
	return true;
}

/* A datagram without UDP's checksum counts only on a connection that has agreed, and with the right
 * checksum of DCCP; the addresses are not in it, because NATs change them.
 */
static bool bare_received(bool agreed, bool right)
{
	struct fdccp_packet p = { .type = FDCCP_PKT_ACK };
	struct flight *f;
	uint16_t sum;
	uint64_t seq;

	use(FDCCP_CARRIER_UDP, agreed, true);
	MUST(start(PART, 1));
	world_no_udp_checksum[0] = true;
	seq = fdccp_window_next(&w->end[1].conn->window);
	p.seq = seq;
	p.ack = w->end[1].conn->window.gsr;
	forge(w, false, &p, 0);
	f = &w->flight[(w->next - 1) % FLIGHTS];
	sum = fdccp_checksum(NULL, f->data, f->len, f->len) ^ !right;
	memcpy(f->data + 6, &sum, sizeof(sum));
	run(w, w->now + 100 * MS);
	MUST(counter(w, false, FDCCP_COUNT_checksum) == !right);
	MUST((w->end[0].conn->window.gsr == seq) == right);
	finish(w);
	return true;
}

/* An endpoint takes such datagrams, but this connection of it has not asked for them. */
static bool bare_unasked(void)
{
	struct fdccp_params params = params_of(2, 2);
	struct fdccp_packet p = { .type = FDCCP_PKT_ACK };
	struct flight *f;
	uint16_t sum;

	use(FDCCP_CARRIER_UDP, true, true);
	MUST(begin(w, &params, &params));
	run(w, w->now + 100 * MS);
	p.seq = fdccp_window_next(&w->end[1].conn->window);
	p.ack = w->end[1].conn->window.gsr;
	for (int i = 0; i < 2; i++) {
		forge(w, false, &p, 0);
		f = &w->flight[(w->next - 1) % FLIGHTS];
		/* the second one is of no connection */
		if (i)
			fdccp_put_16(f->data, w->end[1].conn->local_port ^ 1);
		sum = fdccp_checksum(NULL, f->data, f->len, f->len);
		memcpy(f->data + 6, &sum, sizeof(sum));
	}
	run(w, w->now + 100 * MS);
	MUST(counter(w, false, FDCCP_COUNT_checksum) == 2);
	MUST(w->end[0].sent[FDCCP_PKT_RESET] == 0 && w->end[0].conn->window.gsr != p.seq);
	finish(w);
	return true;
}

static bool bare_only_agreed(void)
{
	/* RFC 6773 section 3.3: other ends ignore the field */
	return bare_received(true, true) && bare_received(true, false) &&
	       bare_received(false, true) && bare_unasked();
}

/* Cuts the payload of the next packet with data to @hit_at bytes. */
static bool cut(struct world *unused, bool to_client, struct flight *f,
		const struct fdccp_packet *p)
{
	(void)unused;
	if (!world_hit || to_client || !p->data_len)
		return false;
	f->len = p->data - f->data + hit_at;
	world_hit = false;
	return false;
}

/* A router that cuts a packet off in its sensitive part has not damaged it: drop code 0. */
static bool cut_off(void)
{
	struct fdccp_message message = { .deadline = FDCCP_NEVER, .stale = FRESHLINK_TRUNCATE };

	use(FDCCP_CARRIER_UDP, true, true);
	MUST(start(PART, 1));
	w->lose = cut;
	MUST(send_hit(PART / 2, &message));
	MUST(w->end[1].fates[FDCCP_FATE_CUT] == 1 && w->end[1].fates[FDCCP_FATE_ACKNOWLEDGED] == 3);
	MUST(w->end[0].damaged == 0);
	finish(w);
	return true;
}

/* An option with a wrong length is ignored, and one that says more than there is counts as damage. */
static bool odd_options(void)
{
	static const uint8_t short_one[] = { 124, 7, 0, 0, 0, 0, 0, 0 };
	uint8_t long_one[] = { 124, 8, 0, 5, 0, 0, 0, 0 };
	const uint8_t data[4] = "abc";
	struct fdccp_packet p = { .type = FDCCP_PKT_DATA, .options = short_one, .options_len = 8,
		.data = data, .data_len = 4 };

	use(FDCCP_CARRIER_UDP, true, true);
	MUST(start(PART, 1));
	p.seq = fdccp_window_next(&w->end[1].conn->window);
	forge(w, false, &p, 0);
	run(w, w->now + SEC);
	MUST(w->end[0].events[FDCCP_EVENT_DATA] == 1 && !w->end[0].damaged);
	fdccp_put_32(long_one + 4, fdccp_crc32c("abc\0", 5));
	p.options = long_one;
	p.seq++;
	forge(w, false, &p, 0);
	run(w, w->now + SEC);
	MUST(w->end[0].events[FDCCP_EVENT_DATA] == 1);
	finish(w);
	return true;
}

/* Parameters out of their range are refused: over UDP, partial coverage needs the endpoint to do
 * without UDP's checksum.
 */
static bool params_checked(void)
{
	static const struct {
		enum fdccp_carrier carrier;
		bool no_udp_checksum;
		bool has_sensitive;
		uint8_t coverage;
		bool good;
	} cases[] = {
		{ FDCCP_CARRIER_IP, false, true, 0, true },
		{ FDCCP_CARRIER_IP, false, true, 1, true },
		{ FDCCP_CARRIER_IP, false, true, 2, false },
		{ FDCCP_CARRIER_UDP, false, true, 0, false },
		{ FDCCP_CARRIER_UDP, true, true, 0, true },
		{ FDCCP_CARRIER_UDP, false, false, 3, false },
		{ FDCCP_CARRIER_UDP, true, false, 3, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fdccp_params client = params_of(2, 2), server = client;

		use(cases[i].carrier, cases[i].no_udp_checksum, cases[i].no_udp_checksum);
		client.has_sensitive = cases[i].has_sensitive;
		client.coverage = cases[i].coverage;
		MUST(begin(w, &client, &server) == cases[i].good);
		finish(w);
	}
	return true;
}

/* A server that keeps no state has the agreement in its cookie. */
static bool in_a_cookie(void)
{
	world_limits.stateless = 1;
	world_limits.half_open = 1;
	use(FDCCP_CARRIER_UDP, true, true);
	{
		struct fdccp_params client = params_of(2, 2), server = client;
		struct fdccp_packet request = { .type = FDCCP_PKT_REQUEST, .seq = 77 };

		client.has_sensitive = true;
	client.sensitive = PART;
		server.min_coverage = 1;
		MUST(begin(w, &client, &server));
		/* another client is half-open */
		forge(w, false, &request, 0);
		fdccp_put_16(w->flight[0].data, w->end[1].conn->local_port ^ 1);
		w->lose = hit;
		run(w, w->now + 100 * MS);
	}
	world_limits.stateless = world_limits.half_open = 0;
	MUST(counter(w, false, FDCCP_COUNT_cookies_sent) == 1);
	MUST(w->end[1].conn && w->end[1].info.bare && w->end[1].info.peer_coverage == 1);
	MUST(send_hit(PART, NULL));
	MUST(is_outcome(&(struct outcome){ PART, 4, 1, 0, 1, 0, 0 }, PART));
	finish(w);
	return true;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "over IP, damage counts by its place", damage_over_ip },
		{ "over UDP without its checksum, damage counts by its place", damage_over_udp },
		{ "a packet may have a length of its own, from 0 to all", own_length },
		{ "a part longer than the payload is refused", too_long },
		{ "the option says length and CRC, the carrier hears of it", on_both_wires },
		{ "without agreement the checksum covers everything", not_agreed },
		{ "an end that is not ours does not get the option", only_ours },
		{ "a datagram without UDP's checksum needs agreement and DCCP's", bare_only_agreed },
		{ "a packet that was cut off is not damaged", cut_off },
		{ "odd options harm nobody", odd_options },
		{ "parameters are checked", params_checked },
		{ "a cookie knows what was agreed on", in_a_cookie },
	};

	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
