/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Congestion control of the commands that send by DCCP: options, and what it was told. */
#ifndef FRESHLINK_CLI_DCCP_RATE_H
#define FRESHLINK_CLI_DCCP_RATE_H

#include "../dccp/freshlink-dccp.h"
#include "cli.h"
#include "report.h"

#define DCCP_ROW_CCID							\
	{ .word = "--ccid", .type = FL_WORD, .words = dccp_ccid_words,	\
	  .def = FL_NO_DEFAULT,						\
	  .help = "congestion control: 2 is like TCP, 3 changes its rate smoothly, iftp and " \
		  "iftpv send at even gaps" }
#define DCCP_ROW_UNDO							\
	{ .word = "--undo", .type = FL_WORD, .words = dccp_undo_words,	\
	  .def = FDCCP_UNDO_AUTO,					\
	  .help = "CCID 3 goes on as before after a delay spike; auto: if --stale truncate" }
#define DCCP_ROW_FORGIVE						\
	{ .word = "--forgive", .type = FL_WORD, .words = dccp_forgive_words, \
	  .def = 0, .help = "packets that are no loss events to CCID 3" }
#define DCCP_ROW_SCALE							\
	{ .word = "--scale", .type = FL_FACTOR, .min = 1000, .max = 10000, .def = 1000, \
	  .help = "share of bandwidth of iftp and iftpv, in TCP flows" }
#define DCCP_ROW_WINDOW							\
	{ .word = "--window", .type = FL_COUNT, .unit = "packets", .min = 2, .max = 65535, \
	  .def = 50, .help = "largest window of iftp and iftpv" }
#define DCCP_ROW_TOLERANCE						\
	{ .word = "--tolerance", .type = FL_COUNT, .min = 0, .max = 127, .def = 0, \
	  .help = "loss_tolerance of iftpv: a sum of parts" }
#define DCCP_ROW_CAUSES							\
	{ .word = "--causes", .type = FL_WORD, .words = dccp_switch_words, .def = 1, \
	  .help = "tell congestion control why a packet is missing" }

extern const char *const dccp_ccid_words[];
extern const char *const dccp_undo_words[];
extern const char *const dccp_forgive_words[];
extern const char *const dccp_switch_words[];

/**
 * struct dccp_rate - options of congestion control; NULL: the command does not have it
 * @ccid: --ccid
 * @scale: --scale
 * @window: --window
 * @tolerance: --tolerance
 * @causes: --causes
 */
struct dccp_rate {
	const struct fl_value *ccid, *scale, *window, *tolerance, *causes;
};

/**
 * dccp_rate_ccid() - the CCID of a word of dccp_ccid_words
 * @ccid: value of --ccid, which is set
 */
uint8_t dccp_rate_ccid(const struct fl_value *ccid);

/* Whether --ccid is iftp or iftpv. */
bool dccp_rate_is_iftp(const struct fl_value *ccid);

/**
 * dccp_rate_fits() - check that options of IFTP come with it
 * @args: the command line
 * @rate: the options
 * @iftp: the connection uses IFTP or IFTPV
 *
 * Return: true, or false after a message on standard error
 */
bool dccp_rate_fits(const struct cli_args *args, const struct dccp_rate *rate, bool iftp);

/**
 * dccp_check_ccid3 - whether options that only CCID 3 has go with the CCID
 * @args: the command line
 * @undo: the value of DCCP_ROW_UNDO
 * @forgive: that of DCCP_ROW_FORGIVE
 * @ccid: that of DCCP_ROW_CCID
 *
 * Return: true, or false after a message on standard error
 */
bool dccp_check_ccid3(const struct cli_args *args, const struct fl_value *undo,
		      const struct fl_value *forgive, const struct fl_value *ccid);

/**
 * dccp_forgives - whether the peer's reports allow to forgive losses
 * @args: the command line
 * @conn: a connection that is open
 *
 * Return: true, or false after a message on standard error
 */
bool dccp_forgives(const struct cli_args *args, const struct fdccp_conn *conn);

/* Sets what the options of IFTP, and --causes, say. */
void dccp_rate_params(struct fdccp_params *params, const struct dccp_rate *rate);

/* A receiver takes packets of each congestion control that slows down; without --ccid. */
void dccp_rate_accept(struct fdccp_params *params, const struct fl_value *ccid);

/**
 * struct dccp_told - what congestion control was told, and decided, on several connections
 * @cause: packets and messages by cause
 * @verdict: verdicts of IFTP and IFTPV
 * @backlog: of the one that was added last, in 1/256 packet
 * @iftp: there was a connection with IFTP or IFTPV
 */
struct dccp_told {
	uint64_t cause[FDCCP_CAUSES];
	uint64_t verdict[FDCCP_VERDICTS];
	uint32_t backlog;
	bool iftp;
};

/* Adds a connection. */
void dccp_told_add(struct dccp_told *told, const struct fdccp_info *info);

/* Reports the causes, and of IFTP and IFTPV the verdicts and the backlog at the last loss. */
void dccp_told_report(const struct dccp_told *told, struct report *r);

#endif
