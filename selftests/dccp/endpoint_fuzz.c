// SPDX-License-Identifier: GPL-2.0-or-later
/* A fuzzer of two whole endpoints. The input is a list of actions: let time pass, let the path
 * deliver, send data, close, and above all forge packets and ICMP messages. A forged packet can
 * take the ports and numbers of the newest real one, so that it gets past the first checks. In the
 * end each sent packet must have had exactly one fate, and nothing may be left. The input may take
 * PACKETS_MAX packets and timers: many short runs find more than a few long ones.
 */
#include <errno.h>

#include "world.h"

/* an action: 4 bytes, and for forged packets the bytes that follow */
enum action { STEP, FORGE_TO_SERVER, FORGE_TO_CLIENT, SEND, WAIT, ICMP, PROGRAM, PATH, ACTIONS };

#define PACKETS_MAX	48

/* The longest packet of the input. A packet ends where its array ends, so that reading on is found.
 */
#define ROOM		UINT8_MAX

#define TAKE_PORTS	0x01
#define TAKE_SEQ	0x02
#define TAKE_ACK	0x04
#define EXTENDED	0x08
#define KNOWN_TYPE	0x10
#define ALL_OPTIONS	0x20	/* Data Offset is the packet's end, as far as it can be */
#define OTHER_PORT	0x40	/* the packet comes from another UDP port */

#define PART		64	/* sensitive bytes */

/* left: packets and timers that the input may still take */
struct fuzz {
	struct world *world;
	int left;
	struct fdccp_conn *conn[2];
	uint64_t sent[2], fates[2];
};

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void took_event(struct world *w, bool client, const struct fdccp_event *e)
{
	struct fuzz *f = w->context;

	switch (e->type) {
	case FDCCP_EVENT_ACCEPTED:
	case FDCCP_EVENT_CONNECTED:
		f->conn[client] = e->conn;
		break;
	case FDCCP_EVENT_DATA:
		for (size_t i = 0; i < e->len; i++)
			*(volatile const uint8_t *)&e->data[i];
		break;
	case FDCCP_EVENT_FATE:
		require(e->fate < FDCCP_FATES);
		f->fates[client]++;
		break;
	case FDCCP_EVENT_CLOSED:
		if (f->conn[client] == e->conn)
			f->conn[client] = NULL;
		break;
	default:
		break;
	}
}

static void put48(uint8_t *at, uint64_t number)
{
	for (int i = 5; i >= 0; i--, number >>= 8)
		at[i] = (uint8_t)number;
}

static uint64_t get48(const uint8_t *at)
{
	uint64_t number = 0;

	for (int i = 0; i < 6; i++)
		number = number << 8 | at[i];
	return number;
}

/* Makes a forged packet plausible, as @flags say. @offset is added to the sequence number. */
static void make_plausible(struct fuzz *f, bool to_server, uint8_t *packet, size_t len,
			   uint8_t flags, int8_t offset)
{
	const uint8_t *mine = f->world->path.way[to_server].last;
	const uint8_t *theirs = f->world->path.way[!to_server].last;

	if (len < 16)
		return;
	if (flags & TAKE_PORTS) {
		memcpy(packet, mine, 4);
		packet[6] = packet[7] = 0;
	}
	if (flags & EXTENDED)
		packet[8] |= 1;
	if (flags & KNOWN_TYPE)
		packet[8] = (uint8_t)((packet[8] >> 1) % 10 << 1 | (packet[8] & 1));
	if (flags & ALL_OPTIONS)
		packet[4] = len / 4 < 255 ? len / 4 : 255;
	if (flags & TAKE_SEQ)
		put48(packet + 10, get48(mine + 10) + offset);
	if (flags & TAKE_ACK && len >= 24)
		put48(packet + 18, get48(theirs + 10));
}

static void forge(struct fuzz *f, bool to_server, const uint8_t *bytes, size_t len, uint8_t flags,
		  int8_t offset)
{
	uint8_t room[ROOM], *packet = room + ROOM - len;
	struct path *p = &f->world->path;
	struct fdccp_datagram d = { .data = packet, .size = len, .len = len,
		.ecn = flags >> 7 ? 3 : 0 };

	memcpy(packet, bytes, len);
	make_plausible(f, to_server, packet, len, flags, offset);
	d.path.local = to_server ? p->server : p->client;
	d.path.remote = to_server ? p->outside : p->server;
	if (flags & OTHER_PORT && p->carrier == FDCCP_CARRIER_UDP)
		d.path.remote.in.sin_port++;
	world_seal(f->world, &d.path, packet, len);
	f->left--;
	fdccp_receive(f->world->ep[!to_server], &d, f->world->now);
	/* an immediate fetch, because events must be fetched before the next call */
	world_drain(f->world);
}

static void send_icmp(struct fuzz *f, bool client, const uint8_t *bytes, size_t len, uint8_t type,
		      uint8_t code)
{
	uint8_t room[ROOM], *quoted = room + ROOM - len;
	struct path *p = &f->world->path;
	struct fdccp_icmp icmp = { .family = code & 16 ? AF_INET6 : AF_INET, .type = type,
		.code = code & 15, .mtu = len * 8, .local = code & 32, .quoted = quoted,
		.quoted_len = len };

	/* the newest packet is quoted, with an offset */
	memcpy(quoted, bytes, len);
	memcpy(quoted, p->way[client].last, len < 16 ? len : 16);
	if (len > 16)
		put48(quoted + 10, get48(quoted + 10) + (int8_t)bytes[16]);
	icmp.path.local = client ? p->client : p->server;
	icmp.path.remote = client ? p->server : p->outside;
	fdccp_icmp(f->world->ep[client], &icmp, f->world->now);
	world_drain(f->world);
}

/* Lets time pass until @end, but at most @steps packets and timers. */
static void pass(struct fuzz *f, int64_t end, int steps)
{
	for (; steps > 0 && f->left > 0 && world_step(f->world, end); steps--)
		f->left--;
	world_drain(f->world);
}

static void send_data(struct fuzz *f, bool client, size_t len, bool truncate)
{
	static const uint8_t payload[2048];
	struct fdccp_message m = { .deadline = f->world->now + SEC,
		.stale = truncate ? FRESHLINK_TRUNCATE : FRESHLINK_DISCARD,
		.has_sensitive = true, .sensitive = len < PART ? len : PART };

	if (f->conn[client] && !world_send(f->world, client, f->conn[client], payload, len, &m)) {
		f->sent[client]++;
		f->left--;
	}
}

static void use(struct fuzz *f, bool client, uint8_t what)
{
	struct fdccp_conn *conn = f->conn[client];
	struct fdccp_info info;

	if (!conn)
		return;
	switch (what & 7) {
	case 0:
		fdccp_close(conn, f->world->now);
		break;
	case 1:
		fdccp_abort(conn, f->world->now);
		break;
	case 2:
		fdccp_slow_receiver(conn, what & 8);
		break;
	case 3:
		fdccp_report_dropped(conn, 1 + (what >> 3 & 1));
		break;
	case 4:
		fdccp_info(conn, &info);
		break;
	default:
		if (f->world->path.carrier == FDCCP_CARRIER_UDP)
			f->world->path.outside.in.sin_port = htons(40000 + (what >> 3));
	}
	world_drain(f->world);
}

/* The path gets worse, or better. @value is in 1/256. */
static void change_path(struct fuzz *f, bool client, uint8_t what, uint8_t value)
{
	struct path_way *way = &f->world->path.way[client];
	unsigned int *chances[] = { &way->loss, &way->twice, &way->late, &way->damage, &way->mark,
		&way->cut };

	way->spread = 10 * MS;
	if (what % 8 < 6)
		*chances[what % 8] = value * 1000u / 256;
	else
		way->mtu = 1500 - value * 4u;
}

/* Does one action. Return: bytes of the input that it took. */
static size_t act(struct fuzz *f, const uint8_t *data, size_t size)
{
	uint8_t a = data[1], b = data[2];
	size_t len = data[3] < size - 4 ? data[3] : size - 4;

	switch (data[0] % ACTIONS) {
	case STEP:
		pass(f, f->world->now + 10 * SEC, a & 15);
		return 4;
	case FORGE_TO_SERVER:
	case FORGE_TO_CLIENT:
		forge(f, data[0] % ACTIONS == FORGE_TO_SERVER, data + 4, len, a, (int8_t)b);
		return 4 + len;
	case SEND:
		for (int i = 0; i <= a >> 2 && f->left > 0; i++)
			send_data(f, a & 1, b * 6u, a & 2);
		return 4;
	case WAIT:
		pass(f, f->world->now + (a + 1) * (int64_t)(b + 1) * MS, PACKETS_MAX);
		return 4;
	case ICMP:
		send_icmp(f, a & 1, data + 4, len, b, a >> 1);
		return 4 + len;
	case PATH:
		change_path(f, a & 1, a >> 1, b);
		return 4;
	default:
		use(f, a & 1, b);
		return 4;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__asan_default_options(void);

/* What a run frees stays poisoned until its end, and no longer: the memory stays in the cache. */
const char *__asan_default_options(void)
{
	return "quarantine_size_mb=2";
}

/* Opens the world and a connection as the input's first two bytes say. */
static void begin(struct fuzz *f, uint8_t a, uint8_t b)
{
	struct fdccp_limits limits = { .stateless = a & 1 };
	struct fdccp_params params;
	struct fdccp_path where;
	uint32_t service = WORLD_SERVICE;

	f->world->event = took_event;
	f->world->context = f;
	world_no_udp_checksum = b & 32;
	world_open(f->world, 1, a & 8 ? FDCCP_CARRIER_IP : FDCCP_CARRIER_UDP, &limits);
	f->world->path.way[0].delay = f->world->path.way[1].delay = 20 * MS;
	fdccp_params_init(&params);
	params.ccids[0] = params.peer_ccids[0] = a & 2 ? FDCCP_CCID2 : FDCCP_CCID3;
	params.ccids[1] = params.peer_ccids[1] = b & 1 ? 5 - params.ccids[0] : 0;
	params.fixed_rate = a & 32 ? 10000000 : 100000;
	if (a & 16)
		params.ccids[0] = params.peer_ccids[0] = FDCCP_CCID_FIXED;
	else if (a & 64)
		params.ccids[0] = params.peer_ccids[0] = FDCCP_CCID_IFTP + (b >> 6 & 1);
	params.data_checksum = b & 2;
	params.linger = b & 4;
	params.ecn = b & 8;
	params.keepalive = b & 16 ? SEC : 15 * SEC;
	if (a & 8)
		params.coverage = params.min_coverage = b >> 5;
	if (params.coverage == 1 || (world_no_udp_checksum && !(a & 8)))
		params.has_sensitive = params.min_coverage = true;
	where = (struct fdccp_path){ f->world->path.client, f->world->path.server };
	require(!fdccp_listen(f->world->ep[0], WORLD_PORT, &service, 1, &params));
	require(!fdccp_connect(f->world->ep[1], &where, WORLD_PORT, service, &params, f->world->now,
			       &f->conn[1]));
	if (a & 1)
		world_occupy(f->world);
	if (a & 4)
		world_run(f->world, f->world->now + SEC);
}

static void end_both(struct fuzz *f, void (*how)(struct fdccp_conn *conn, int64_t now))
{
	for (int side = 0; side < 2; side++)
		if (f->conn[side])
			how(f->conn[side], f->world->now);
}

/* Closes both ends in order, or at once if this takes too many packets. */
static void end(struct fuzz *f)
{
	end_both(f, fdccp_close);
	pass(f, f->world->now + 3600 * SEC, PACKETS_MAX);
	end_both(f, fdccp_abort);
	path_clear(&f->world->path);
	f->world->path.way[0].loss = f->world->path.way[1].loss = 1000;
	world_run(f->world, f->world->now + 3600 * SEC);
	require(f->sent[0] == f->fates[0] && f->sent[1] == f->fates[1]);
	require(world_next(f->world) == FDCCP_NEVER);
	world_clear(f->world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* the path's memory is kept for the next run */
	static struct world world;
	struct fuzz f = { .world = &world, .left = PACKETS_MAX };

	if (size < 2)
		return 0;
	begin(&f, data[0], data[1]);
	for (size_t at = 2; at + 4 <= size && f.left > 0;)
		at += act(&f, data + at, size - at);
	end(&f);
	return 0;
}
