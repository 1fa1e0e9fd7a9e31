/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What freshlink send and recv share. */
#ifndef FRESHLINK_SEND_H
#define FRESHLINK_SEND_H

#include "../stream/freshlink-stream.h"
#include "dccp.h"

#define SEND_PORT	5002	/* DCCP port */

/* Rows that both tables of options have. */
#define SEND_ROW_PORT(text)						\
	{ .word = "--port", .type = FL_COUNT, .min = 1, .max = 65535,	\
	  .def = SEND_PORT, .help = text }
#define SEND_ROW_LIFETIME(text)						\
	{ .word = "--lifetime", .type = FL_TIME, .min = FL_MS,		\
	  .max = FSTREAM_LIFETIME_MAX, .def = FL_NO_DEFAULT, .help = text }
#define SEND_ROW_LATENCY(text)						\
	{ .word = "--latency", .type = FL_TIME, .min = FL_MS,		\
	  .max = FSTREAM_LIFETIME_MAX, .def = FL_NO_DEFAULT, .help = text }
#define SEND_ROW_BUFFER(text)						\
	{ .word = "--buffer", .type = FL_COUNT, .unit = "messages", .min = 1, \
	  .max = 1 << 20, .def = 1024, .help = text }
#define SEND_ROW_STATS							\
	{ .word = "--stats", .type = FL_TIME, .min = FL_MS,		\
	  .max = 86400 * FL_SEC, .def = FL_NO_DEFAULT,			\
	  .help = "print a line of totals in this interval" }
#define SEND_ROW_LOG							\
	{ .word = "--log", .type = FL_TEXT, .unit = "file",		\
	  .def = FL_NO_DEFAULT, .help = "write a line of CSV for each message" }

#define SEND_ROW_SILENCE						\
	{ .word = "--silence", .type = FL_TIME, .min = FL_SEC,		\
	  .max = FDCCP_KEEPALIVE_MAX, .def = 90 * FL_SEC,		\
	  .help = "end a stream whose peer was silent for this time" }

#define SEND_ROW_TUNE							\
	{ .word = "--tune", .type = FL_TEXT, .unit = "file",		\
	  .def = FL_NO_DEFAULT, .help = "socket that takes new values while this runs" }

/* The keys: send_keys_open() takes these rows, in this order. */
#define SEND_ROW_FILE(option, text)					\
	{ .word = option, .type = FL_TEXT, .unit = "file",		\
	  .def = FL_NO_DEFAULT, .help = text }
#define SEND_ROW_PSK							\
	SEND_ROW_FILE("--psk", "encrypt with pre-shared keys: lines identity:hexkey")
#define SEND_ROW_CERT(text)	SEND_ROW_FILE("--cert", text)
#define SEND_ROW_KEY	SEND_ROW_FILE("--key", "private key of the certificate, PEM")
#define SEND_ROW_CA(text)	SEND_ROW_FILE("--ca", text)

/**
 * send_open - make an adapter for streams
 * @args: the command line
 * @config: its configuration
 * @io: written
 *
 * Return: true, or false after a message on standard error
 */
bool send_open(const struct cli_args *args, const struct fdccp_io_config *config,
	       struct fstream_io **io);

/**
 * send_params - the parameters of a connection with the options for the CCID and silent peers
 * @params: written
 * @ccid: the value of the option for the CCID
 * @silence: of SEND_ROW_SILENCE
 */
void send_params(struct fdccp_params *params, const struct fl_value *ccid,
		 const struct fl_value *silence);

/**
 * send_keys_open - read the keys that the options name
 * @dtls: written; NULL: no option is given, the streams are not encrypted
 * @args: of the command
 * @row: index of --psk; --cert, --key and --ca follow
 * @host: what the peer's certificate names; NULL: this end is the server
 *
 * Return: true, or false after a message on standard error
 */
bool send_keys_open(struct fstream_dtls **dtls, const struct cli_args *args, int row,
		    const char *host);

/**
 * send_keys_fit - whether the options for keys go with the others
 * @args: of the command
 * @row: index of --psk; --cert, --key and --ca follow
 * @partial: packets may be damaged in part
 *
 * Return: true, or false after a message on standard error
 */
bool send_keys_fit(const struct cli_args *args, int row, bool partial);

/** send_service - the service code of streams with these keys, or without */
uint32_t send_service(const struct fstream_dtls *dtls);

/**
 * struct send_secrecy - the encryption of all streams
 * @suite: of the last stream that was encrypted
 * @failures: streams that ended because the ends did not agree
 * @refused: records that were dropped, of ended streams
 * @failure: why the last of these ended
 */
struct send_secrecy {
	char suite[64];
	uint64_t failures;
	uint64_t refused;
	char failure[FSTREAM_WHY_MAX];
};

/** send_secrecy_add - add a stream. Return: whether the ends did not agree */
bool send_secrecy_add(struct send_secrecy *all, const struct fstream *stream);

/** send_secrecy_report - add the encryption of all streams to a report */
void send_secrecy_report(struct report *r, const struct send_secrecy *all);

/** send_sum - add a stream's totals to those of others */
void send_sum(struct fstream_totals *sum, const struct fstream_totals *totals);

/** send_report_sender - add the totals of a sender to a report; @partial: with those of damage */
void send_report_sender(struct report *r, const struct fstream_totals *totals, bool partial);

/** send_report_receiver - add the totals of a receiver to a report, likewise */
void send_report_receiver(struct report *r, const struct fstream_totals *totals, bool partial);

#endif
