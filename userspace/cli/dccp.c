// SPDX-License-Identifier: GPL-2.0-or-later
/* What freshlink traffic dccp-source and dccp-sink share: see dccp.h. */
#include <string.h>

#include "dccp.h"
#include "wait.h"

const char *const dccp_carrier_words[] = {
	[FDCCP_CARRIER_UDP] = "udp", [FDCCP_CARRIER_IP] = "ip", NULL,
};

const char *const dccp_lifetimes_words[] = {
	[FDCCP_LIFETIMES_AUTO] = "auto", [FDCCP_LIFETIMES_OFF] = "off",
	[FDCCP_LIFETIMES_DEADLINE] = "txtime", [FDCCP_LIFETIMES_OPTION] = "option", NULL,
};

static const char *const state_names[] = {
	[FDCCP_CLOSED] = "closed", [FDCCP_REQUEST] = "request", [FDCCP_RESPOND] = "respond",
	[FDCCP_PARTOPEN] = "partopen", [FDCCP_OPEN] = "open", [FDCCP_CLOSEREQ] = "closereq",
	[FDCCP_CLOSING] = "closing", [FDCCP_TIMEWAIT] = "timewait",
};

static const char *const fate_names[FDCCP_FATES] = {
	[FDCCP_FATE_ACKNOWLEDGED] = "acknowledged", [FDCCP_FATE_MARKED] = "marked",
	[FDCCP_FATE_LOST] = "lost", [FDCCP_FATE_EXPIRED] = "expired",
	[FDCCP_FATE_DISCARDED] = "discarded", [FDCCP_FATE_CUT] = "cut",
	[FDCCP_FATE_DAMAGED] = "damaged", [FDCCP_FATE_DROPPED] = "dropped",
	[FDCCP_FATE_UNKNOWN] = "unknown",
};

static const char *const reset_texts[] = {
	[FDCCP_RESET_UNSPECIFIED] = "unspecified", [FDCCP_RESET_CLOSED] = "closed",
	[FDCCP_RESET_ABORTED] = "aborted", [FDCCP_RESET_NO_CONNECTION] = "no connection",
	[FDCCP_RESET_PACKET_ERROR] = "packet error", [FDCCP_RESET_OPTION_ERROR] = "option error",
	[FDCCP_RESET_MANDATORY_ERROR] = "mandatory error",
	[FDCCP_RESET_CONNECTION_REFUSED] = "connection refused",
	[FDCCP_RESET_BAD_SERVICE_CODE] = "bad service code",
	[FDCCP_RESET_TOO_BUSY] = "too busy", [FDCCP_RESET_BAD_INIT_COOKIE] = "bad init cookie",
	[FDCCP_RESET_AGGRESSION_PENALTY] = "aggression penalty",
	[FDCCP_RESET_ENCAPSULATED_PORT_REUSE] = "encapsulated port reuse",
};

bool dccp_service(const struct cli_args *args, int option, uint32_t *service)
{
	const char *text = args->values[option].set ? args->values[option].text : DCCP_SERVICE;

	if (!fdccp_service_parse(text, service))
		return true;
	cli_error(args->who,
		  "--service %s: expected four characters, SC: and up to four, SC= and a number, "
		  "or SC=x and a hexadecimal number", text);
	return false;
}

void dccp_params(struct fdccp_params *params, const struct fl_value *ccid)
{
	fdccp_params_init(params);
	if (!ccid->set)
		return;
	params->ccids[0] = dccp_rate_ccid(ccid);
	params->ccids[1] = 0;
	/* the other end's own data has the controls that everybody has */
	if (params->ccids[0] >= FDCCP_CCID_IFTP)
		return;
	params->peer_ccids[0] = params->ccids[0];
	params->peer_ccids[1] = 0;
}

bool dccp_check_partial(const struct cli_args *args, uint64_t carrier,
			const struct fl_value *sensitive, const struct fl_value *no_udp_checksum)
{
	bool udp = carrier == FDCCP_CARRIER_UDP;

	if (no_udp_checksum->set && !udp) {
		cli_error(args->who, "--no-udp-checksum: expected --carrier udp");
		return false;
	}
	if (!sensitive || !sensitive->set || !udp || no_udp_checksum->set)
		return true;
	cli_error(args->who, "--sensitive %s: the checksum of UDP covers everything, expected "
		  "--no-udp-checksum or --carrier ip", sensitive->text);
	return false;
}

enum fdccp_lifetimes dccp_sensitive_via(uint64_t via)
{
	return via == FDCCP_LIFETIMES_AUTO ? FDCCP_LIFETIMES_OPTION : (enum fdccp_lifetimes)via;
}

/* Return: why the peer takes no packets that are damaged in part, or NULL. */
static const char *refuses_partial(const struct fdccp_info *info, bool udp)
{
	if (!info->ours)
		return "the peer is no end of freshlink, and does not know such packets";
	if (info->peer_coverage != 1)
		return "the peer takes no damaged packets: expected recv --damaged deliver, or "
		       "dccp-sink --coverage 1";
	if (udp && !info->bare)
		return "the peer needs the checksum of UDP: expected --no-udp-checksum there, too";
	return NULL;
}

bool dccp_takes_partial(const struct cli_args *args, const struct fdccp_conn *conn,
			uint64_t carrier)
{
	struct fdccp_info info;
	const char *why;

	fdccp_info(conn, &info);
	why = refuses_partial(&info, carrier == FDCCP_CARRIER_UDP);
	if (why)
		cli_error(args->who, "--sensitive: %s", why);
	return !why;
}

void dccp_open_error(const struct cli_args *args, const char *why, int err)
{
	cli_error(args->who, "%s: %s", why ? why : "cannot open DCCP's socket", strerror(-err));
}

bool dccp_open(const struct cli_args *args, const struct fdccp_io_config *config,
	       struct fdccp_io **io)
{
	const char *why = NULL;
	int err = fdccp_io_open(config, io, &why);

	if (err)
		dccp_open_error(args, why, err);
	return !err;
}

bool dccp_next(struct fdccp_io *io, struct fdccp_event *event, int64_t until, int *signal)
{
	*signal = 0;
	for (;;) {
		if (fdccp_io_event(io, event))
			return true;
		/* a signal must not get lost among packets */
		if (!wait_input(fdccp_io_fd(io), until, signal) || *signal || fl_now() >= until)
			return false;
	}
}

static void report_features(struct report *r, const struct fdccp_info *info)
{
	report_open(r, "features");
	report_number(r, "ccid", info->ccid);
	report_number(r, "peer_ccid", info->peer_ccid);
	report_text(r, "freshlink", info->ours ? "yes" : "no");
	report_text(r, "ack_vector", info->ack_vector ? "yes" : "no");
	report_number(r, "sequence_window", (int64_t)info->sequence_window);
	report_number(r, "peer_sequence_window", (int64_t)info->peer_sequence_window);
	report_number(r, "ack_ratio", info->ack_ratio);
	report_number(r, "min_coverage", info->peer_coverage);
	report_close(r);
}

void dccp_report_info(struct report *r, const struct fdccp_info *info)
{
	char service[16];

	fdccp_service_format(info->service, service, sizeof(service));
	report_text(r, "state", state_names[info->state]);
	report_text(r, "service", service);
	report_features(r, info);
	report_break(r);
	report_seconds(r, "rtt", info->rtt);
	report_number(r, "rate", (int64_t)info->rate);
	if (info->ccid != FDCCP_CCID3)
		report_number(r, "cwnd", info->cwnd);
	else
		report_share(r, "loss_event_rate", info->loss_event_rate, 1000000);
	report_number(r, "mtu", info->mtu);
	report_number(r, "payload_max", (int64_t)info->payload_max);
}

void dccp_report_counters(struct report *r, const struct fdccp_endpoint *ep)
{
	const char *name;

	report_open(r, "counters");
	for (unsigned int i = 0;; i++) {
		uint64_t value = fdccp_counter(ep, i, &name);

		if (!name)
			break;
		if (value)
			report_number(r, name, (int64_t)value);
	}
	report_close(r);
}

const char *dccp_fate_name(enum fdccp_fate fate)
{
	return fate_names[fate];
}

const char *dccp_reason_text(const struct fdccp_event *event)
{
	switch (event->reason) {
	case FDCCP_REASON_CLOSED:
		return "closed";
	case FDCCP_REASON_TIMEOUT:
		return "the peer does not answer";
	case FDCCP_REASON_ABORTED:
		return "aborted";
	case FDCCP_REASON_UNREACHABLE:
		return "the peer is unreachable";
	case FDCCP_REASON_CIRCUIT_BREAKER:
		return "the circuit breaker has tripped";
	default:
		return (size_t)event->reset < sizeof(reset_texts) / sizeof(reset_texts[0]) ?
			reset_texts[event->reset] : "unknown reset code";
	}
}
