/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DTLS 1.2 between a stream and its DCCP connection (RFC 5238), by GnuTLS.
 *
 *     keys.c     files to credentials: struct fstream_dtls
 *     psk.c      the file of pre-shared keys
 *     dtls.c     a connection's session: the handshake, records
 *
 * A session never blocks. GnuTLS fetches records from a packet that the session was given, and what
 * it writes is collected, so that a flight of the handshake takes few packets.
 */
#ifndef FSTREAM_DTLS_H
#define FSTREAM_DTLS_H

#include <gnutls/gnutls.h>

#include "freshlink-stream.h"
#include "psk.h"

/* the handle of packets that the stream did not send */
#define FSTREAM_HANDLE_DTLS	UINT64_MAX

/**
 * struct fstream_dtls - keys
 * @server: of a server, which proves itself to clients
 * @host: client: what the server's certificate has to name; NULL: none
 * @asks: server: clients need a certificate
 * @verify: what a certificate has to say
 * @psks: pre-shared keys
 * @psk_server: server's credentials from @psks; NULL: none
 * @psk_client: client's, likewise
 * @cert: credentials from certificates; NULL: none
 * @priority: what the ends may agree on
 */
struct fstream_dtls {
	bool server;
	char *host;
	bool asks;
	gnutls_typed_vdata_st verify[2];
	struct fstream_psks psks;
	gnutls_psk_server_credentials_t psk_server;
	gnutls_psk_client_credentials_t psk_client;
	gnutls_certificate_credentials_t cert;
	gnutls_priority_t priority;
};

/* Gives a GnuTLS session its keys. Return: 0 or an error of GnuTLS. */
int fstream_dtls_apply(struct fstream_dtls *dtls, gnutls_session_t tls);

/* Clients that a server has a handshake with at once. Each may use 200 kB for at most 60 s. */
#define FSTREAM_HANDSHAKES_MAX	512

/**
 * struct fstream_dtls_room - what all sessions of an adapter share
 * @shaking: sessions whose handshake is not over
 * @out: records that were not sent yet
 * @plain: content of the last record
 */
struct fstream_dtls_room {
	unsigned int shaking;
	uint8_t out[FDCCP_DATAGRAM_MAX];
	uint8_t plain[FDCCP_DATAGRAM_MAX];
};

/* The session of a connection. */
struct fstream_session;

/* Makes a session, before the connection is open. Return: 0 or -ENOMEM. */
int fstream_session_new(struct fstream_dtls *dtls, struct fstream_dtls_room *room,
			struct fdccp_io *dccp, struct fstream_session **session);

/* Frees a session; NULL is allowed. */
void fstream_session_free(struct fstream_session *session);

/* Hands an event of the connection to the session. */
void fstream_session_put(struct fstream_session *session, const struct fdccp_event *event,
			 int64_t now);

/**
 * fstream_session_get() - fetch an event for the stream
 * @session: the session
 * @event: CONNECTED or ACCEPTED after the handshake, DATA that was opened, and other events unless
 *	they are about the session's own packets
 * @now: the time
 *
 * To be called after fstream_session_put() until it returns false.
 */
bool fstream_session_get(struct fstream_session *session, struct fdccp_event *event, int64_t now);

/* When fstream_session_advance() has something to do, or FDCCP_NEVER. */
int64_t fstream_session_timer(const struct fstream_session *session);

/* Sends parts of the handshake again, or gives it up. */
void fstream_session_advance(struct fstream_session *session, int64_t now);

/**
 * fstream_session_seal() - make a record
 * @session: the session
 * @payload: the content; on return the record, valid until the next call about this session
 * @len: its length, likewise
 *
 * Return: 0, -EMSGSIZE, -ENOTCONN
 */
int fstream_session_seal(struct fstream_session *session, const void **payload, size_t *len);

/* The largest content of a record, or 0 before the handshake is over. */
size_t fstream_session_payload_max(struct fstream_session *session);

/* Tells the peer that no more records follow (RFC 5246 section 7.2.1). */
void fstream_session_bye(struct fstream_session *session);

/* Reads a session. */
void fstream_session_info(const struct fstream_session *session, struct fstream_dtls_info *info);

#endif
