/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What freshlink traffic dccp-source and dccp-sink share. */
#ifndef FRESHLINK_CLI_DCCP_H
#define FRESHLINK_CLI_DCCP_H

#include "../dccp/freshlink-dccp.h"
#include "cli.h"
#include "dccp_rate.h"
#include "report.h"

#define DCCP_SERVICE	"SC:flnk"

/* Rows that both tables of options have. */
#define DCCP_ROW_CARRIER						\
	{ .word = "--carrier", .type = FL_WORD, .words = dccp_carrier_words, \
	  .def = FDCCP_CARRIER_UDP,					\
	  .help = "send DCCP in UDP, or as IP protocol 33, which needs CAP_NET_RAW" }
#define DCCP_ROW_KERNEL_SILENT						\
	{ .word = "--kernel-silent", .type = FL_FLAG, .def = FL_NO_DEFAULT, \
	  .help = "a firewall rule keeps the kernel's own DCCP from answering" }
#define DCCP_ROW_COVERAGE(text)						\
	{ .word = "--coverage", .type = FL_COUNT, .min = 0, .max = 15,	\
	  .def = 0, .help = text }
#define DCCP_ROW_UDP_PORT(text)						\
	{ .word = "--udp-port", .type = FL_COUNT, .min = 1, .max = 65535, \
	  .def = FDCCP_UDP_PORT, .help = text }
#define DCCP_ROW_SERVICE						\
	{ .word = "--service", .type = FL_TEXT, .unit = "code", .def = FL_NO_DEFAULT, \
	  .help = "service code, such as SC:flnk (the default), SC=42 or SC=x2a" }
#define DCCP_ROW_LIFETIMES						\
	{ .word = "--via", .type = FL_WORD, .words = dccp_lifetimes_words, \
	  .def = FDCCP_LIFETIMES_AUTO,					\
	  .help = "how packets carry their lifetime" }

#define DCCP_ROW_MTU							\
	{ .word = "--mtu", .type = FL_SIZE, .min = 576, .max = FDCCP_DATAGRAM_MAX, \
	  .def = FL_NO_DEFAULT, .help = "path MTU; without it, the path MTU is discovered" }
#define DCCP_ROW_SENSITIVE(largest, text)				\
	{ .word = "--sensitive", .type = FL_SIZE, .min = 0, .max = (largest), \
	  .def = FL_NO_DEFAULT, .help = text }
#define DCCP_ROW_NO_UDP_CHECKSUM					\
	{ .word = "--no-udp-checksum", .type = FL_FLAG, .def = FL_NO_DEFAULT, \
	  .help = "packets that may be damaged have no UDP checksum, if the peer agrees" }

extern const char *const dccp_carrier_words[];
extern const char *const dccp_lifetimes_words[];

/**
 * dccp_service - read the option for the service code
 * @args: the command line
 * @option: index of the option
 * @service: written
 *
 * Return: true, or false after a message on standard error
 */
bool dccp_service(const struct cli_args *args, int option, uint32_t *service);

/**
 * dccp_params - the parameters of a connection with the option for the CCID
 * @params: written
 * @ccid: the option's value
 */
void dccp_params(struct fdccp_params *params, const struct fl_value *ccid);

/**
 * dccp_check_partial - whether the options for partial protection go with the carrier
 * @args: the command line
 * @carrier: enum fdccp_carrier
 * @sensitive: the value of DCCP_ROW_SENSITIVE, or NULL
 * @no_udp_checksum: that of DCCP_ROW_NO_UDP_CHECKSUM
 *
 * Return: true, or false after a message on standard error
 */
bool dccp_check_partial(const struct cli_args *args, uint64_t carrier,
			const struct fl_value *sensitive, const struct fl_value *no_udp_checksum);

/** dccp_sensitive_via - how packets with a sensitive part carry options: an option must say so */
enum fdccp_lifetimes dccp_sensitive_via(uint64_t via);

/**
 * dccp_takes_partial - whether a connected peer takes packets that are damaged in part
 * @args: the command line
 * @conn: the connection
 * @carrier: enum fdccp_carrier
 *
 * Return: true, or false after a message on standard error
 */
bool dccp_takes_partial(const struct cli_args *args, const struct fdccp_conn *conn,
			uint64_t carrier);

/** dccp_open_error - say why there is no adapter; @why may be NULL */
void dccp_open_error(const struct cli_args *args, const char *why, int err);

/**
 * dccp_open - make an adapter
 * @args: the command line
 * @config: its configuration
 * @io: written
 *
 * Return: true, or false after a message on standard error
 */
bool dccp_open(const struct cli_args *args, const struct fdccp_io_config *config,
	       struct fdccp_io **io);

/**
 * dccp_next - wait for an event
 * @io: the adapter
 * @event: written
 * @until: end of the wait, CLOCK_MONOTONIC in ns, or FL_NEVER
 * @signal: written, the signal that ended the wait, or 0
 *
 * Return: whether there was an event
 */
bool dccp_next(struct fdccp_io *io, struct fdccp_event *event, int64_t until, int *signal);

/** dccp_report_info - add a connection's state, features and rate to a report */
void dccp_report_info(struct report *r, const struct fdccp_info *info);

/** dccp_report_counters - add all counters of an endpoint that are not 0, as an object */
void dccp_report_counters(struct report *r, const struct fdccp_endpoint *ep);

/** dccp_fate_name - the name of a fate */
const char *dccp_fate_name(enum fdccp_fate fate);

/** dccp_reason_text - why a connection ended, in words */
const char *dccp_reason_text(const struct fdccp_event *event);

#endif
