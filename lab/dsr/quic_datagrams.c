// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Carries datagrams across a QUIC connection, each in a DATAGRAM frame of its own (RFC 9221).
 * QUIC does not repeat these frames. A datagram has at most 1400 bytes.
 *
 *   quic_datagrams receive PORT OUTPUT
 *   quic_datagrams send ADDRESS PORT INPUT AGE cubic|bbr
 *
 * The receiver waits for one connection on the UDP port PORT, and gives the datagrams to the port
 * OUTPUT of its own host. The sender takes datagrams from the port INPUT of its own host. It
 * drops a datagram that the congestion control has not let pass within AGE milliseconds. The
 * receiver makes a certificate at its start, and the sender does not verify it.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <netinet/in.h>
#include <ngtcp2/ngtcp2.h>
#include <ngtcp2/ngtcp2_crypto.h>
#include <ngtcp2/ngtcp2_crypto_gnutls.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000ULL /* ns */
#define S 1000000000ULL /* ns */
#define DAY (24 * 60 * 60) /* s */
#define LARGEST 1400 /* bytes of a datagram */
#define PACKET 1500 /* bytes: no packet is larger */
#define WAITING 1024 /* datagrams in the queue */
#define ID 8 /* bytes of a connection ID */
/* the compatibility mode of TLS 1.3 is forbidden in QUIC (RFC 9001 section 8.4) */
#define PRIORITY "NORMAL:-VERS-ALL:+VERS-TLS1.3:%DISABLE_TLS13_COMPAT_MODE"

struct datagram {
	uint64_t since;
	size_t size;
	uint8_t bytes[LARGEST];
};

/* A ring: the oldest of "count" datagrams is at "first". */
struct queue {
	size_t first, count;
	struct datagram ring[WAITING];
};

/* One end of the connection. */
struct end {
	ngtcp2_conn *conn;
	ngtcp2_crypto_conn_ref ref;
	ngtcp2_path_storage path;
	int net; /* the connected UDP socket of QUIC */
	int input; /* the sender's local socket, otherwise -1 */
	int output; /* the receiver's local socket, otherwise -1 */
	uint64_t age; /* ns */
	struct queue queue;
};

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * S + time.tv_nsec;
}

/* Ends the program if a function of ngtcp2 has failed. */
static void check(ngtcp2_ssize status, const char *what)
{
	if (status < 0)
		errx(1, "%s: %s", what, ngtcp2_strerror((int)status));
}

/* Ends the program if a function of GnuTLS has failed. */
static void check_tls(int status, const char *what)
{
	if (status < 0)
		errx(1, "%s: %s", what, gnutls_strerror(status));
}

/* --- the queue --- */

static struct datagram *oldest(struct queue *queue)
{
	return queue->count ? &queue->ring[queue->first] : NULL;
}

static void drop_oldest(struct queue *queue)
{
	queue->first = (queue->first + 1) % WAITING;
	queue->count--;
}

static void drop_stale(struct queue *queue, uint64_t age)
{
	const uint64_t time = now();

	while (queue->count && time - oldest(queue)->since > age)
		drop_oldest(queue);
}

/* Takes what the local socket has. A full queue drops its oldest datagram. */
static void take(struct end *end)
{
	struct queue *queue = &end->queue;
	struct datagram *free;
	ssize_t size;

	for (;;) {
		if (queue->count == WAITING)
			drop_oldest(queue);
		free = &queue->ring[(queue->first + queue->count) % WAITING];
		size = recv(end->input, free->bytes, LARGEST, MSG_DONTWAIT);
		if (size < 0)
			break;
		free->since = now();
		free->size = size;
		queue->count++;
	}
}

/* --- what ngtcp2 asks for --- */

static void random_bytes(uint8_t *bytes, size_t size, const ngtcp2_rand_ctx *context)
{
	(void)context;
	check_tls(gnutls_rnd(GNUTLS_RND_RANDOM, bytes, size), "gnutls_rnd");
}

static void new_id(ngtcp2_cid *id)
{
	id->datalen = ID;
	random_bytes(id->data, ID, NULL);
}

static int on_new_id(ngtcp2_conn *conn, ngtcp2_cid *id, uint8_t *token, size_t size, void *data)
{
	(void)conn;
	(void)data;
	id->datalen = size;
	random_bytes(id->data, size, NULL);
	random_bytes(token, NGTCP2_STATELESS_RESET_TOKENLEN, NULL);
	return 0;
}

static int on_datagram(ngtcp2_conn *conn, uint32_t flags, const uint8_t *bytes, size_t size,
		       void *data)
{
	const struct end *end = data;

	(void)conn;
	(void)flags;
	send(end->output, bytes, size, 0);
	return 0;
}

static const ngtcp2_callbacks callbacks = {
	.client_initial = ngtcp2_crypto_client_initial_cb,
	.recv_client_initial = ngtcp2_crypto_recv_client_initial_cb,
	.recv_crypto_data = ngtcp2_crypto_recv_crypto_data_cb,
	.encrypt = ngtcp2_crypto_encrypt_cb,
	.decrypt = ngtcp2_crypto_decrypt_cb,
	.hp_mask = ngtcp2_crypto_hp_mask_cb,
	.recv_retry = ngtcp2_crypto_recv_retry_cb,
	.rand = random_bytes,
	.get_new_connection_id = on_new_id,
	.update_key = ngtcp2_crypto_update_key_cb,
	.delete_crypto_aead_ctx = ngtcp2_crypto_delete_crypto_aead_ctx_cb,
	.delete_crypto_cipher_ctx = ngtcp2_crypto_delete_crypto_cipher_ctx_cb,
	.recv_datagram = on_datagram,
	.get_path_challenge_data = ngtcp2_crypto_get_path_challenge_data_cb,
	.version_negotiation = ngtcp2_crypto_version_negotiation_cb,
};

/* --- TLS --- */

static gnutls_x509_privkey_t new_key(void)
{
	gnutls_x509_privkey_t key;

	check_tls(gnutls_x509_privkey_init(&key), "key");
	check_tls(gnutls_x509_privkey_generate(key, GNUTLS_PK_ECDSA,
					       GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0),
		  "key");
	return key;
}

/* A certificate that is signed with its own key. */
static void add_certificate(gnutls_certificate_credentials_t credentials)
{
	gnutls_x509_privkey_t key = new_key();
	gnutls_x509_crt_t certificate;
	const time_t time_now = time(NULL);

	check_tls(gnutls_x509_crt_init(&certificate), "certificate");
	gnutls_x509_crt_set_version(certificate, 3);
	gnutls_x509_crt_set_serial(certificate, "\1", 1);
	gnutls_x509_crt_set_dn(certificate, "CN=quic_datagrams", NULL);
	gnutls_x509_crt_set_activation_time(certificate, time_now - DAY);
	gnutls_x509_crt_set_expiration_time(certificate, time_now + DAY);
	gnutls_x509_crt_set_key(certificate, key);
	check_tls(gnutls_x509_crt_sign2(certificate, certificate, key, GNUTLS_DIG_SHA256, 0),
		  "certificate");
	check_tls(gnutls_certificate_set_x509_key(credentials, &certificate, 1, key),
		  "certificate");
}

static ngtcp2_conn *conn_of(ngtcp2_crypto_conn_ref *ref)
{
	return ((struct end *)ref->user_data)->conn;
}

/* Starts TLS. The flags say which end this is. */
static void start_tls(struct end *end, unsigned int flags)
{
	static const gnutls_datum_t protocol = { (unsigned char *)"datagrams", 9 };
	gnutls_certificate_credentials_t credentials;
	gnutls_session_t tls;

	check_tls(gnutls_certificate_allocate_credentials(&credentials), "credentials");
	check_tls(gnutls_init(&tls, flags), "TLS");
	check_tls(gnutls_priority_set_direct(tls, PRIORITY, NULL), "TLS");
	if (flags == GNUTLS_SERVER) {
		add_certificate(credentials);
		check(ngtcp2_crypto_gnutls_configure_server_session(tls), "TLS");
	} else {
		check(ngtcp2_crypto_gnutls_configure_client_session(tls), "TLS");
	}
	end->ref = (ngtcp2_crypto_conn_ref){ .get_conn = conn_of, .user_data = end };
	gnutls_session_set_ptr(tls, &end->ref);
	check_tls(gnutls_credentials_set(tls, GNUTLS_CRD_CERTIFICATE, credentials), "TLS");
	check_tls(gnutls_alpn_set_protocols(tls, &protocol, 1, GNUTLS_ALPN_MANDATORY), "TLS");
	ngtcp2_conn_set_tls_native_handle(end->conn, tls);
}

/* --- the connection --- */

/* ngtcp2's defaults, and DATAGRAM frames of any size. */
static void get_parameters(ngtcp2_settings *settings, ngtcp2_transport_params *parameters)
{
	ngtcp2_settings_default(settings);
	settings->initial_ts = now();
	ngtcp2_transport_params_default(parameters);
	parameters->max_datagram_frame_size = UINT16_MAX;
}

static void connect_quic(struct end *end, ngtcp2_cc_algo control)
{
	ngtcp2_transport_params parameters;
	ngtcp2_settings settings;
	ngtcp2_cid theirs, ours;

	get_parameters(&settings, &parameters);
	settings.cc_algo = control;
	new_id(&theirs);
	new_id(&ours);
	check(ngtcp2_conn_client_new(&end->conn, &theirs, &ours, &end->path.path,
				     NGTCP2_PROTO_VER_V1, &callbacks, &settings, &parameters,
				     NULL, end),
	      "connection");
	start_tls(end, GNUTLS_CLIENT);
}

/* Accepts the connection that a packet begins. */
static void accept_quic(struct end *end, const uint8_t *packet, size_t size)
{
	ngtcp2_transport_params parameters;
	ngtcp2_settings settings;
	ngtcp2_pkt_hd header;
	ngtcp2_cid ours;

	check(ngtcp2_accept(&header, packet, size), "the first packet");
	get_parameters(&settings, &parameters);
	parameters.original_dcid = header.dcid;
#if NGTCP2_VERSION_NUM >= 0x010000
	parameters.original_dcid_present = 1;
#endif
	new_id(&ours);
	check(ngtcp2_conn_server_new(&end->conn, &header.scid, &ours, &end->path.path,
				     header.version, &callbacks, &settings, &parameters, NULL, end),
	      "connection");
	start_tls(end, GNUTLS_SERVER);
}

static void receive_packets(struct end *end)
{
	ngtcp2_pkt_info info = { 0 };
	uint8_t packet[PACKET];
	ssize_t size;

	while ((size = recv(end->net, packet, sizeof(packet), MSG_DONTWAIT)) > 0)
		check(ngtcp2_conn_read_pkt(end->conn, &end->path.path, &info, packet, size, now()),
		      "packet");
}

/*
 * In ngtcp2 0.12 a DATAGRAM frame does not start the probe timeout (RFC 9002 section 6.2). If
 * all packets on the way were lost, the connection would wait forever. This puts a frame of
 * two to four bytes into the next packet, which starts the timeout.
 */
static void start_timeout(struct end *end)
{
	if (NGTCP2_VERSION_NUM < 0x010000)
		ngtcp2_conn_extend_max_streams_uni(end->conn, 1);
}

/*
 * Writes the next packet, with the oldest datagram if there is one and the congestion control
 * allows it. Returns the packet's size, 0 if there is nothing to send now.
 */
static ngtcp2_ssize next_packet(struct end *end, uint8_t *packet, size_t room)
{
	const bool complete = ngtcp2_conn_get_handshake_completed(end->conn);
	struct datagram *first = complete ? oldest(&end->queue) : NULL;
	ngtcp2_pkt_info info;
	ngtcp2_ssize size;
	int accepted = 0;
	ngtcp2_vec data;

	if (!first)
		return ngtcp2_conn_write_pkt(end->conn, NULL, &info, packet, room, now());
	start_timeout(end);
	data = (ngtcp2_vec){ .base = first->bytes, .len = first->size };
	size = ngtcp2_conn_writev_datagram(end->conn, NULL, &info, packet, room, &accepted,
					   NGTCP2_WRITE_DATAGRAM_FLAG_NONE, 0, &data, 1, now());
	if (accepted)
		drop_oldest(&end->queue);
	return size;
}

static void send_packets(struct end *end)
{
	uint8_t packet[PACKET];
	ngtcp2_ssize size;

	while ((size = next_packet(end, packet, sizeof(packet))) > 0) {
		send(end->net, packet, size, 0);
		/* each packet is paced */
		ngtcp2_conn_update_pkt_tx_time(end->conn, now());
	}
	check(size, "sending");
}

/* Waits for datagrams, packets or ngtcp2's next timer. */
static void await(struct end *end)
{
	struct pollfd files[] = { { end->net, POLLIN, 0 }, { end->input, POLLIN, 0 } };
	const uint64_t expiry = ngtcp2_conn_get_expiry(end->conn), time = now();
	const uint64_t left = expiry > time ? expiry - time : 0;
	const struct timespec wait = { .tv_sec = left / S, .tv_nsec = left % S };

	ppoll(files, 2, expiry == UINT64_MAX ? NULL : &wait, NULL);
}

static void run(struct end *end)
{
	for (;;) {
		if (ngtcp2_conn_get_expiry(end->conn) <= now())
			check(ngtcp2_conn_handle_expiry(end->conn, now()), "timer");
		receive_packets(end);
		if (end->input >= 0)
			take(end);
		drop_stale(&end->queue, end->age);
		send_packets(end);
		await(end);
	}
}

/* --- sockets and arguments --- */

static struct sockaddr_in address_of(const char *host, const char *port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(atoi(port)) };

	if (inet_pton(AF_INET, host, &address.sin_addr) != 1 || !address.sin_port)
		errx(2, "address '%s', port '%s': expected an IPv4 address and a port", host, port);
	return address;
}

/* A UDP socket that one of bind() and connect() gives an address. */
static int udp(int (*give)(int, const struct sockaddr *, socklen_t), const char *host,
	       const char *port)
{
	const struct sockaddr_in address = address_of(host, port);
	const int file = socket(AF_INET, SOCK_DGRAM, 0);

	if (file < 0 || give(file, (const struct sockaddr *)&address, sizeof(address)))
		err(1, "address '%s', port '%s'", host, port);
	return file;
}

/* Notes both addresses of the connected socket. */
static void note_path(struct end *end)
{
	struct sockaddr_in local, remote;
	socklen_t size = sizeof(local);

	if (getsockname(end->net, (struct sockaddr *)&local, &size) ||
	    getpeername(end->net, (struct sockaddr *)&remote, &size))
		err(1, "socket");
	ngtcp2_path_storage_init(&end->path, (struct sockaddr *)&local, sizeof(local),
				 (struct sockaddr *)&remote, sizeof(remote), NULL);
}

/* The first packet decides which sender is connected. It stays in the socket. */
static void receive(struct end *end, char **words)
{
	struct sockaddr_in remote;
	socklen_t length = sizeof(remote);
	uint8_t packet[PACKET];
	ssize_t size;

	end->net = udp(bind, "0.0.0.0", words[0]);
	end->output = udp(connect, "127.0.0.1", words[1]);
	size = recvfrom(end->net, packet, sizeof(packet), MSG_PEEK, (struct sockaddr *)&remote,
			&length);
	if (size < 0 || connect(end->net, (struct sockaddr *)&remote, length))
		err(1, "the first packet");
	note_path(end);
	accept_quic(end, packet, size);
	run(end);
}

static void transmit(struct end *end, char **words)
{
	const bool bbr = !strcmp(words[4], "bbr");

	if (!bbr && strcmp(words[4], "cubic"))
		errx(2, "congestion control '%s': expected cubic or bbr", words[4]);
	end->input = udp(bind, "127.0.0.1", words[2]);
	end->net = udp(connect, words[0], words[1]);
	end->age = atoi(words[3]) * MS;
	note_path(end);
	connect_quic(end, bbr ? NGTCP2_CC_ALGO_BBR : NGTCP2_CC_ALGO_CUBIC);
	run(end);
}

int main(int count, char **words)
{
	static struct end end = { .input = -1, .output = -1 };

	if (count == 4 && !strcmp(words[1], "receive"))
		receive(&end, words + 2);
	else if (count == 7 && !strcmp(words[1], "send"))
		transmit(&end, words + 2);
	errx(2, "expected: receive PORT OUTPUT, or send ADDRESS PORT INPUT AGE cubic|bbr");
}
