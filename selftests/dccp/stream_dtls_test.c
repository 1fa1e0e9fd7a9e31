// SPDX-License-Identifier: GPL-2.0-or-later
/* Encrypted streams between two adapters: what arrives, and what is refused. */
#include "dtls_files.h"
#include "dtls_world.h"

#define KEY	"00112233445566778899aabbccddeeff"

static struct fstream_dtls_config client_psk, server_psk, client_crt, server_crt;

static bool make_files(void)
{
	struct authority ours, foreign;

	MUST(mkdtemp(folder));
	MUST(file_text("psk", "alice:" KEY "\n", 0600));
	MUST(file_text("wrong_key", "alice:ff" KEY "\n", 0600));
	MUST(file_text("stranger", "mallory:" KEY "\n", 0600));
	MUST(file_text("many", "carol:" KEY "00\r\nalice:" KEY "\nbob:" KEY "11", 0600));
	MUST(make_authority(&ours, "ca") && make_authority(&foreign, "foreign_ca"));
	MUST(make_end(&ours, "server", GNUTLS_KP_TLS_WWW_SERVER, HOUR));
	MUST(make_end(&ours, "client", GNUTLS_KP_TLS_WWW_CLIENT, HOUR));
	MUST(make_end(&ours, "expired", GNUTLS_KP_TLS_WWW_SERVER, -HOUR));
	MUST(make_end(&ours, "expired_client", GNUTLS_KP_TLS_WWW_CLIENT, -HOUR));
	MUST(make_end(&foreign, "foreign", GNUTLS_KP_TLS_WWW_SERVER, HOUR));
	free_authority(&ours);
	free_authority(&foreign);
	return true;
}

/* What most tests use. */
static bool make_configs(void)
{
	client_psk = (struct fstream_dtls_config){ .psk = strdup(file_path("psk")) };
	server_psk = (struct fstream_dtls_config){
		.psk = strdup(file_path("many")), .server = true,
	};
	client_crt = (struct fstream_dtls_config){
		.ca = strdup(file_path("ca")), .host = "127.0.0.1",
	};
	server_crt = (struct fstream_dtls_config){ .cert = strdup(file_path("server.crt")),
		.key = strdup(file_path("server.key")), .server = true };
	return true;
}

static void free_configs(void)
{
	free((void *)client_psk.psk);
	free((void *)server_psk.psk);
	free((void *)client_crt.ca);
	free((void *)server_crt.cert);
	free((void *)server_crt.key);
}

/* All messages of the first @streams have arrived as they were sent, once and in order. */
static bool all_arrive(unsigned int streams)
{
	for (unsigned int i = 0; i < streams; i++)
		MUST(submit_all(i));
	for (unsigned int i = 0; i < streams; i++) {
		UNTIL(w.sent[i].closed && w.got[i].closed);
		MUST(w.sent[i].opened == 1 && w.got[i].opened == 1);
		MUST(w.sent[i].finished && w.got[i].finished && !w.got[i].wrong);
		MUST(w.sent[i].ends == MESSAGES && w.got[i].messages == MESSAGES);
		MUST(w.sent[i].reason == FDCCP_REASON_CLOSED);
		MUST(w.got[i].reason == FDCCP_REASON_CLOSED);
	}
	return true;
}

/* A stream between ends with these keys, with nothing of the content readable on the way. */
static bool exchange(const struct fstream_dtls_config *client,
		     const struct fstream_dtls_config *server, const char *suite)
{
	MUST(open_world(client, server) && connect_stream(0) && all_arrive(1));
	MUST(!w.clear && w.relayed > MESSAGES);
	MUST(strstr(w.sent[0].suite, suite) && strstr(w.got[0].suite, suite));
	MUST(!w.sent[0].info.failure && !w.got[0].info.failure);
	MUST(!w.sent[0].info.refused && !w.got[0].info.refused);
	return close_world();
}

/* With a pre-shared key every message arrives byte for byte, and none is readable on the way. The
 * server has several keys.
 */
static bool test_psk(void)
{
	return exchange(&client_psk, &server_psk, "ECDHE_PSK_");
}

/* The same with the server's certificate, and with certificates of both ends. */
static bool test_certificates(void)
{
	struct fstream_dtls_config client = client_crt, server = server_crt;

	MUST(exchange(&client_crt, &server_crt, "ECDHE_ECDSA_"));
	client.cert = file_path("client.crt");
	client.key = file_path("client.key");
	server.ca = client.ca;
	return exchange(&client, &server, "ECDHE_ECDSA_");
}

/* Without encryption the content is readable: the test of the relay would notice it. */
static bool test_clear(void)
{
	MUST(open_world(NULL, NULL) && connect_stream(0) && all_arrive(1));
	MUST(w.clear > MESSAGES / 2);
	return close_world();
}

/* The ends do not agree, both say so, and no stream opens. */
static bool refused(const struct fstream_dtls_config *client,
		    const struct fstream_dtls_config *server, const char *at_client,
		    const char *at_server)
{
	MUST(open_world(client, server) && connect_stream(0));
	UNTIL(w.sent[0].closed && w.got[0].closed);
	printf("# %s / %s\n", w.sent[0].failure, w.got[0].failure);
	MUST(!w.sent[0].opened && !w.got[0].opened);
	MUST(strstr(w.sent[0].failure, at_client) && strstr(w.got[0].failure, at_server));
	MUST(w.sent[0].reason != FDCCP_REASON_CLOSED && w.got[0].reason != FDCCP_REASON_CLOSED);
	return close_world();
}

/* Another key for the same identity, and an identity that the server does not know, are refused. */
static bool test_wrong_psk(void)
{
	struct fstream_dtls_config client = { .psk = file_path("wrong_key") };

	MUST(refused(&client, &server_psk, "refused: another key for this identity",
		     "another key for this identity"));
	client.psk = file_path("stranger");
	return refused(&client, &server_psk, "refused: no key for this identity",
		       "no key for the peer's identity");
}

/* A client refuses a server whose certificate has expired, is of a foreign authority, names another
 * host or is made for a client.
 */
static bool test_wrong_server(void)
{
	static const struct {
		const char *cert, *key, *host, *at_client, *at_server;
	} rows[] = {
		{ "expired.crt", "expired.key", "127.0.0.1", "expired", "refused" },
		{ "foreign.crt", "foreign.key", "127.0.0.1", "issuer is unknown", "refused" },
		{ "server.crt", "server.key", "192.0.2.1", "does not match", "refused" },
		{ "server.crt", "server.key", "example.net", "does not match", "refused" },
		{ "client.crt", "client.key", "127.0.0.1", "intended purpose", "refused" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fstream_dtls_config client = client_crt, server = { .server = true };

		client.host = rows[i].host;
		server.cert = file_path(rows[i].cert);
		server.key = file_path(rows[i].key);
		MUST(refused(&client, &server, rows[i].at_client, rows[i].at_server));
	}
	return true;
}

/* A server that asks for certificates refuses a client without one, and one whose certificate has
 * expired or is made for a server.
 */
static bool test_wrong_client(void)
{
	struct fstream_dtls_config client = client_crt, server = server_crt;

	server.ca = client.ca;
	MUST(refused(&client, &server, "refused: Handshake failed", "has no certificate"));
	client.cert = file_path("expired_client.crt");
	client.key = file_path("expired_client.key");
	MUST(refused(&client, &server, "refused: Certificate is bad", "expired"));
	client.cert = file_path("server.crt");
	client.key = file_path("server.key");
	return refused(&client, &server, "refused: Certificate is bad", "intended purpose");
}

/* A server with certificates and a client with a key have nothing in common. */
static bool test_nothing_in_common(void)
{
	return refused(&client_psk, &server_crt, "refused: Handshake failed",
		       "No supported cipher suites");
}

/* The service code keeps apart who encrypts and who does not: neither way gets a connection. */
static bool test_service_code(void)
{
	for (int i = 0; i < 2; i++) {
		MUST(open_world(i ? &client_psk : NULL, i ? NULL : &server_psk));
		MUST(connect_stream(0));
		UNTIL(w.sent[0].closed);
		MUST(w.sent[0].reset == FDCCP_RESET_BAD_SERVICE_CODE && !w.accepted);
		MUST(close_world());
	}
	return true;
}

static uint64_t next_record;
static size_t largest;
static bool gap;

/* Looks at the numbers of the client's records, and at the data of its packets. A header has more or fewer
 * options, as acknowledgments happen to come.
 */
static bool look(struct parcel *p)
{
	const uint8_t *number = record(p) + 3;
	uint64_t value = 0;

	if (has_data(p) && p->to_server && p->len - header_len(p) > largest)
		largest = p->len - header_len(p);
	if (!p->to_server || !has_record(p, 23))
		return true;
	/* epoch and number, RFC 6347 section 4.1 */
	for (int i = 0; i < 8; i++)
		value = value << 8 | number[i];
	gap |= next_record && value != next_record;
	next_record = value + 1;
	return true;
}

/* The most data in a packet to the server. */
static bool largest_of(const struct fstream_dtls_config *client,
		       const struct fstream_dtls_config *server, size_t *len)
{
	largest = 0;
	MUST(open_world(client, server) && connect_stream(0));
	w.meddle = look;
	MUST(all_arrive(1));
	*len = largest;
	return close_world();
}

/* No record is made in vain, although the sender has more than DCCP lets it send: their numbers
 * have no gap.
 */
static bool test_no_gap(void)
{
	next_record = 0;
	gap = false;
	MUST(largest_of(&client_psk, &server_psk, &largest));
	MUST(next_record > MESSAGES && !gap);
	return true;
}

/* A record fills a packet, and no packet has more data than without encryption. */
static bool test_size(void)
{
	size_t clear, sealed;

	MUST(largest_of(NULL, NULL, &clear) && largest_of(&client_psk, &server_psk, &sealed));
	printf("# %zu and %zu bytes\n", clear, sealed);
	MUST(clear > 1000 && sealed == clear);
	return true;
}

static unsigned int meddled;

/* Of the records of data to the server, whether it is one in @every. */
static bool is_chosen(struct parcel *p, unsigned int every)
{
	static unsigned int count;

	return p->to_server && has_record(p, 23) && ++count % every == 0;
}

static bool damage(struct parcel *p)
{
	if (is_chosen(p, 10)) {
		p->data[p->len - 1 - meddled % 40] ^= 1 << meddled % 8;
		meddled++;
	}
	return true;
}

/* Puts a record that the server had into the packet of another. */
static bool replay(struct parcel *p)
{
	size_t header = header_len(p);

	if (w.has_held && is_chosen(p, 10)) {
		memcpy(&p->data[header], record(&w.held), w.held.len - header_len(&w.held));
		p->len = header + w.held.len - header_len(&w.held);
		meddled++;
	} else if (!w.has_held && p->to_server && has_record(p, 23)) {
		w.held = *p;
		w.has_held = true;
	}
	return true;
}

/* A packet with something that is no record. */
static bool garble(struct parcel *p)
{
	if (is_chosen(p, 10)) {
		size_t header = header_len(p);

		p->len = header + 1 + path_random(&w.random) % 200;
		for (size_t i = header; i < p->len; i++)
			p->data[i] = path_random(&w.random) >> 24;
		meddled++;
	}
	return true;
}

/* A packet goes behind the next one. */
static bool swap(struct parcel *p)
{
	if (w.has_held && p->to_server) {
		deliver(p);
		deliver(&w.held);
		w.has_held = false;
		return false;
	}
	if (!is_chosen(p, 10))
		return true;
	w.held = *p;
	w.has_held = true;
	meddled++;
	return false;
}

/* Records that were damaged, replayed, or are none, are counted exactly and dropped. Each message
 * arrives in spite of it, unchanged, because the sender hears that the packet came to nothing.
 */
static bool test_refused_records(void)
{
	meddle_fn *const ways[] = { damage, replay, garble };

	for (size_t i = 0; i < 3; i++) {
		meddled = 0;
		MUST(open_world(&client_psk, &server_psk) && connect_stream(0));
		w.meddle = ways[i];
		MUST(all_arrive(1));
		printf("# %u packets changed\n", meddled);
		MUST(meddled > 20 && w.got[0].info.refused == meddled);
		MUST(close_world());
	}
	return true;
}

static void alter_header(struct parcel *p)
{
	uint8_t *r = record(p);

	switch (path_random(&w.random) % 4) {
	case 0:		/* type: of the handshake, an alert, ... */
		r[0] = 19 + path_random(&w.random) % 7;
		break;
	case 1:		/* epoch: of the handshake, which was in clear */
		r[4] = path_random(&w.random) % 3;
		r[0] = 19 + path_random(&w.random) % 7;
		break;
	case 2:		/* number */
		r[5 + path_random(&w.random) % 6] ^= 1 << path_random(&w.random) % 8;
		break;
	default:	/* length */
		r[12] = path_random(&w.random);
	}
}

static void alter_length(struct parcel *p)
{
	size_t header = header_len(p), len = p->len - header;

	switch (path_random(&w.random) % 3) {
	case 0:
		p->len = header + 1 + path_random(&w.random) % (len - 1);
		break;
	case 1:		/* the record twice */
		memcpy(&p->data[p->len], record(p), len);
		p->len += len;
		break;
	default:	/* an alert in clear before it: close_notify, or a fatal one */
		memmove(record(p) + 15, record(p), len);
		memcpy(record(p), (uint8_t[15]){ 21, 254, 253, [12] = 2,
						 1 + path_random(&w.random) % 2,
						 path_random(&w.random) % 2 * 40 }, 15);
		p->len += 15;
	}
}

/* Alters one packet in ten in any way, both ways. */
static bool alter(struct parcel *p)
{
	if (!has_record(p, 23) || p->len > 2000 || path_random(&w.random) % 10)
		return true;
	if (path_random(&w.random) % 2)
		alter_header(p);
	else
		alter_length(p);
	meddled++;
	return true;
}

/* However packets are altered, the stream goes on, and each message arrives once and unchanged. */
static bool test_fuzz(void)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		meddled = 0;
		MUST(open_world(&client_psk, &server_psk) && connect_stream(0));
		w.random = seed;
		w.meddle = alter;
		MUST(all_arrive(1));
		printf("# seed %u: %u packets altered, %u records refused\n", (unsigned int)seed,
		       meddled, (unsigned int)w.got[0].info.refused);
		MUST(!w.sent[0].info.failure && !w.got[0].info.failure);
		MUST(close_world());
	}
	return true;
}

/* Records out of order are opened. */
static bool test_reordered(void)
{
	meddled = 0;
	MUST(open_world(&client_psk, &server_psk) && connect_stream(0));
	w.meddle = swap;
	MUST(all_arrive(1));
	MUST(meddled > 20 && !w.got[0].info.refused);
	return close_world();
}

#define LOST	6

static int64_t sent_at[LOST];

/* The first packets of the handshake to the server. */
static bool lose_hello(struct parcel *p)
{
	if (!p->to_server || !has_record(p, 22) || meddled >= LOST)
		return true;
	sent_at[meddled++] = now();
	return false;
}

/* A flight is sent again after 0.2 s, on a path with a short round trip, and then after twice the
 * time before, up to 1 s. So the handshake ends, although the first six have been lost.
 */
static bool test_repeats(void)
{
	static const int earliest_ms[LOST] = { 0, 200, 600, 1400, 2400, 3400 };
	int64_t begun;

	meddled = 0;
	MUST(open_world(&client_psk, &server_psk));
	begun = now();
	MUST(connect_stream(0));
	w.meddle = lose_hello;
	MUST(all_arrive(1) && meddled == LOST);
	for (int i = 0; i < LOST; i++)
		MUST(sent_at[i] - begun >= earliest_ms[i] * (SEC / 1000));
	return close_world();
}

/* The server's first answers that end the handshake. */
static bool lose_finished(struct parcel *p)
{
	return p->to_server || !has_record(p, 20) || ++meddled > LOST;
}

/* If the last packet of the handshake is lost, the client asks again, and the server, which is done
 * with it, answers. What the server sends meanwhile does not delay that.
 */
static bool test_lost_finished(void)
{
	meddled = 0;
	MUST(open_world(&client_psk, &server_psk) && connect_stream(0));
	w.meddle = lose_finished;
	MUST(all_arrive(1) && meddled > LOST);
	return close_world();
}

/* Loses one packet in five of a connection that is open. DCCP repeats a Request after 1 s, then after
 * twice the time before (RFC 4340 section 8.1.1). Six losses in a row would take a minute, and would
 * say nothing about DTLS.
 */
static bool lose(struct parcel *p)
{
	unsigned int dccp_type = p->data[8] >> 1 & 15;

	return dccp_type < DATA || path_random(&w.random) % 5 != 0;
}

#define LOSSY	10

/* With one packet in five lost both ways, each handshake ends, with certificates that take several
 * packets.
 */
static bool test_loss(void)
{
	MUST(open_world(&client_crt, &server_crt));
	w.meddle = lose;
	for (unsigned int i = 0; i < LOSSY; i++)
		MUST(connect_stream(i));
	for (unsigned int i = 0; i < LOSSY; i++)
		UNTIL(w.sent[i].opened == 1);
	UNTIL(w.accepted == LOSSY);
	MUST(!w.clear);
	return close_world();
}

static unsigned int hellos, answers;

/* The first message of the handshake in a packet (RFC 6347 section 4.2.2). */
static unsigned int handshake_type(struct parcel *p)
{
	return has_record(p, 22) ? record(p)[13] : 0;
}

/* Keeps the server from sending data until six hellos were sent: it needs a Confirm, which the
 * first packets of the client have. Then counts the server's answers before the client's next part
 * of the handshake.
 */
static bool hold_answers(struct parcel *p)
{
	const unsigned int response = 1, hello = 1, server_hello = 2, key_exchange = 16;
	unsigned int dccp_type = p->data[8] >> 1 & 15, type = handshake_type(p);

	if (p->to_server && type == hello && hellos++ == 0)
		return false;
	if (hellos < 6)
		return p->to_server ? type == hello || !dccp_type : dccp_type == response;
	meddled += type == key_exchange;
	answers += type == server_hello && !meddled;
	return true;
}

/* An answer that DCCP does not send yet is not sent again for each repeated hello. One more may be
 * that of the server's timer.
 */
static bool test_waiting(void)
{
	hellos = answers = meddled = 0;
	MUST(open_world(&client_psk, &server_psk) && connect_stream(0));
	w.meddle = hold_answers;
	MUST(all_arrive(1));
	printf("# %u hellos, %u answers\n", hellos, answers);
	MUST(hellos >= 6 && answers >= 1 && answers <= 2);
	return close_world();
}

#define HANDSHAKES	512

static bool lose_handshake(struct parcel *p)
{
	return !p->to_server || !has_record(p, 22);
}

static unsigned int count_opened(void)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < STREAMS; i++)
		n += w.sent[i].opened;
	return n;
}

/* The stream of the receiver that has ended, or NULL. */
static const struct seen *refused_one(void)
{
	for (unsigned int i = 0; i < w.accepted; i++)
		if (w.got[i].closed)
			return &w.got[i];
	return NULL;
}

/* A receiver has 512 handshakes at once and refuses one more. The others go on, and when they are
 * over, the next client gets its stream.
 */
static bool test_limit(void)
{
	MUST(open_world(&client_psk, &server_psk));
	w.meddle = lose_handshake;
	for (unsigned int i = 0; i < HANDSHAKES; i++)
		MUST(connect_stream(i));
	UNTIL(w.accepted == HANDSHAKES);
	MUST(!refused_one() && connect_stream(HANDSHAKES));
	UNTIL(refused_one() && w.sent[HANDSHAKES].closed);
	MUST(refused_one() == &w.got[HANDSHAKES]);
	MUST(!strcmp(refused_one()->failure, "too many handshakes at once"));
	w.meddle = NULL;
	UNTIL(count_opened() == HANDSHAKES);
	MUST(connect_stream(HANDSHAKES + 1));
	UNTIL(w.sent[HANDSHAKES + 1].opened);
	return close_world();
}

/* The keys are refused with an error and a text. */
static bool not_read(const struct fstream_dtls_config *config, int err, const char *text)
{
	struct fstream_dtls *dtls;
	char why[FSTREAM_WHY_MAX];

	MUST(fstream_dtls_new(config, &dtls, why) == err);
	printf("# %s\n", why);
	MUST(strstr(why, text));
	return true;
}

/* Files that others can read, and wrong ones, are refused with what was expected. */
static bool test_bad_files(void)
{
	static const struct {
		const char *text;
		mode_t mode;
		const char *why;
	} rows[] = {
		{ "alice:" KEY "\n", 0644, "(mode 0644): expected mode 0600" },
		{ "alice:" KEY "\n", 0640, "(mode 0640): expected mode 0600" },
		{ "", 0600, "bad: expected a line identity:key" },
		{ "alice\n", 0600, "bad:1: expected an identity of 1 to 128 bytes" },
		{ ":" KEY "\n", 0600, "bad:1: expected an identity" },
		{ "#616c:" KEY "\n", 0600, "bad:1: expected an identity" },
		{ "a:" KEY "\nb:0011\n", 0600, "bad:2: expected a key of 16 to 64 bytes" },
		{ "a:" KEY "\nb:" KEY "z0\n", 0600, "bad:2: expected a key of" },
		{ "a:" KEY "\na:" KEY "\n", 0600, "bad:2: expected each identity once" },
	};
	struct fstream_dtls_config config = { .psk = file_path("bad") };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		MUST(file_text("bad", rows[i].text, rows[i].mode));
		MUST(not_read(&config, rows[i].mode == 0600 ? -EINVAL : -EPERM, rows[i].why));
	}
	config.psk = file_path("missing");
	return not_read(&config, -ENOENT, "missing: No such file");
}

/* Keys that are incomplete or of both kinds are refused. */
static bool test_bad_configs(void)
{
	struct fstream_dtls_config both = server_crt, half = server_crt, nobody = client_crt,
		empty = { .server = true };

	both.psk = client_psk.psk;
	MUST(not_read(&both, -EINVAL, "either"));
	half.key = NULL;
	MUST(not_read(&half, -EINVAL, "together with its key"));
	nobody.host = NULL;
	MUST(not_read(&nobody, -EINVAL, "name or address"));
	return not_read(&empty, -EINVAL, "a certificate and its key");
}

/* A private key that others can read is refused, and so are files without a certificate. */
static bool test_bad_certificates(void)
{
	struct fstream_dtls_config key = server_crt, ca = client_crt;

	key.key = file_path("open.key");
	MUST(file_text("open.key", "x", 0644));
	MUST(not_read(&key, -EPERM, "expected mode 0600"));
	MUST(file_text("open.key", "x", 0600));
	MUST(not_read(&key, -EINVAL, "certificate as PEM"));
	ca.ca = file_path("psk");
	return not_read(&ca, -EINVAL, "certificates as PEM");
}

/* Keys of a server cannot be used to connect, or those of a client to listen. */
static bool test_roles(void)
{
	struct fstream_config config;
	struct fdccp_params params;
	struct fstream *stream;
	union fdccp_address to;

	fstream_config_init(&config, true);
	fdccp_params_init(&params);
	MUST(open_world(&client_psk, &server_psk));
	to.in = w.relay_at;
	MUST(fstream_io_connect(w.client, &to, PORT, FSTREAM_DTLS_SERVICE, &params, &config,
				w.server_keys, &stream) == -EINVAL);
	MUST(fstream_io_listen(w.client, PORT, FSTREAM_DTLS_SERVICE, &params, &config,
			       w.client_keys) == -EINVAL);
	return close_world();
}

static bool refuses_config(struct fstream_io *io, const struct fstream_config *config)
{
	struct fdccp_params params;
	struct fstream *stream;
	union fdccp_address to;

	fdccp_params_init(&params);
	to.in = w.relay_at;
	return fstream_io_connect(io, &to, PORT, FSTREAM_DTLS_SERVICE, &params, config,
				  w.client_keys, &stream) == -EINVAL &&
	       fstream_io_listen(io, PORT + 1, FSTREAM_DTLS_SERVICE, &params, config,
				 w.server_keys) == -EINVAL;
}

/* A record that is damaged anywhere is worth nothing, so encryption goes with no sensitive part, no
 * damaged messages and no datagrams without UDP's checksum.
 */
static bool test_partial(void)
{
	const struct fdccp_io_config bare = {
		.local.sa.sa_family = AF_INET, .lifetimes = FDCCP_LIFETIMES_OFF,
		.no_udp_checksum = true,
	};
	struct fstream_config sensitive, damaged, plain;
	struct fstream_io *io;

	fstream_config_init(&sensitive, true);
	fstream_config_init(&damaged, false);
	fstream_config_init(&plain, true);
	sensitive.has_sensitive = damaged.damaged = true;
	MUST(open_world(&client_psk, &server_psk));
	MUST(refuses_config(w.client, &sensitive) && refuses_config(w.client, &damaged));
	MUST(!fstream_io_open(&bare, &io, NULL) && refuses_config(io, &plain));
	fstream_io_close(io);
	return close_world();
}

int main(void)
{
	static const struct unit tests[] = {
		{ "messages arrive with a pre-shared key", test_psk },
		{ "messages arrive with certificates", test_certificates },
		{ "without encryption they are readable", test_clear },
		{ "a wrong key or identity is refused", test_wrong_psk },
		{ "a wrong certificate of a server is refused", test_wrong_server },
		{ "a wrong certificate of a client is refused", test_wrong_client },
		{ "ends with nothing in common part", test_nothing_in_common },
		{ "the service code keeps encrypted and plain streams apart", test_service_code },
		{ "records that do not authenticate are counted", test_refused_records },
		{ "no record is made in vain", test_no_gap },
		{ "a record fills a packet", test_size },
		{ "altered packets end no stream", test_fuzz },
		{ "records out of order are opened", test_reordered },
		{ "a flight of the handshake is sent again in time", test_repeats },
		{ "the end of the handshake is sent again", test_lost_finished },
		{ "handshakes end in spite of 20 % loss", test_loss },
		{ "an answer that waits is not sent again", test_waiting },
		{ "a receiver has 512 handshakes at once", test_limit },
		{ "wrong files of keys are refused", test_bad_files },
		{ "incomplete keys are refused", test_bad_configs },
		{ "wrong files of certificates are refused", test_bad_certificates },
		{ "keys have a role", test_roles },
		{ "encryption goes with no partial protection", test_partial },
	};
	int failures;

	if (!enter_namespace() || !make_files() || !make_configs()) {
		puts("Bail out! no network namespace, or no certificates");
		remove_files();
		return 1;
	}
	failures = unit_run(tests, sizeof(tests) / sizeof(tests[0]));
	free_configs();
	return failures || !remove_files();
}
