// SPDX-License-Identifier: GPL-2.0-or-later
/* freshlink rto set and rto show: let links adjust TCP's retransmission timeouts (module
 * xlo_rto).
 */
#include <arpa/inet.h>
#include <linux/xlo_rto.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <string.h>

#include "../lib/rto.h"
#include "../lib/xlo.h"
#include "key.h"
#include "rto_family.h"

enum { ACCEPT, ONE_HOP, ENCODING, EARLY, KEY };

static const struct fl_option settings[] = {
	[ACCEPT] = { .word = "--accept", .type = FL_WORD, .attr = XRTO_A_ACCEPT,
	  .words = rto_accept_words, .def = FL_NO_DEFAULT,
	  .help = "accept messages in these encodings" },
	[ONE_HOP] = { .word = "--one-hop", .type = FL_WORD, .attr = XRTO_A_ONE_HOP,
	  .words = xlo_switch_words, .def = FL_NO_DEFAULT,
	  .help = "accept only messages that no router has forwarded" },
	[ENCODING] = { .word = "--encoding", .type = FL_WORD,
	  .attr = XRTO_A_ENCODING, .words = rto_encoding_words,
	  .def = FL_NO_DEFAULT, .help = "send messages in this encoding" },
	[EARLY] = { .word = "--early", .type = FL_WORD, .attr = XRTO_A_EARLY,
	  .words = rto_early_words, .def = FL_NO_DEFAULT,
	  .help = "how long a DROP is ignored: for a round-trip time, or a quarter of the timeout" },
	[KEY] = { .word = "--key", .type = FL_TEXT, .attr = XRTO_A_KEY,
	  .def = FL_NO_DEFAULT, .unit = "file",
	  .help = "file with a key of 32 hexadecimal digits; sent messages carry a token made with it, and received messages must; none: no token" },
	{ .word = NULL },
};

CLI_FITS(settings);

bool rto_open(struct family *x, const struct cli_args *args)
{
	static const uint16_t operands[] = { 0 };

	x->name = XRTO_GENL_NAME;
	x->operands = operands;
	return family_open(x, args);
}

/* Reads the key, if the option names a file. The key "none" has no bytes. */
static bool read_key(const struct cli_args *args, struct key *key)
{
	const char *path = args->values[KEY].text;

	key->len = 0;
	return !args->values[KEY].set || !strcmp(path, "none") ||
	       key_read(args->who, path, XRTO_KEY_LEN, XRTO_KEY_LEN, key);
}

static int run_set(const struct cli_args *args)
{
	struct nl_msg *msg;
	struct family x;
	struct key key;
	bool done;

	if (!read_key(args, &key) || !rto_open(&x, args))
		return EXIT_FAILED;
	msg = family_message(&x, XRTO_CMD_SET);
	for (int i = 0; i < KEY; i++)
		if (args->values[i].set)
			nla_put_u8(msg, settings[i].attr,
				   args->values[i].number);
	if (args->values[KEY].set)
		nla_put(msg, XRTO_A_KEY, key.len, key.byte);
	done = family_request(&x, msg);
	family_close(&x);
	return done ? EXIT_OK : EXIT_FAILED;
}

static bool check_set(const struct cli_args *args)
{
	for (int i = 0; settings[i].word; i++)
		if (args->values[i].set)
			return true;
	cli_error(args->who, "nothing to set: expected --accept, --one-hop, --encoding, --early or --key");
	return false;
}

const struct command rto_set_command = {
	.name = "rto set",
	.summary = "let links adjust TCP's retransmission timeouts",
	.options = settings,
	.check = check_set,
	.run = run_set,
};

enum { JSON };

static const struct fl_option show_options[] = {
	[JSON] = { .word = "-j", .type = FL_FLAG, .def = FL_NO_DEFAULT,
		   .help = "as JSON, one object" },
	{ .word = NULL },
};

bool rto_parse(struct nl_msg *msg, struct nlattr **attrs)
{
	return genlmsg_parse(nlmsg_hdr(msg), 0, attrs, XRTO_A_MAX, NULL) >= 0;
}

void rto_report_settings(struct report *r, struct nlattr **attrs)
{
	family_report(r, settings, attrs);
	if (attrs[XRTO_A_KEYED])
		report_text(r, "key",
			    nla_get_u8(attrs[XRTO_A_KEYED]) ? "set" : "none");
}

static void report_ms(struct report *r, const char *key, struct nlattr *attr)
{
	if (attr)
		report_seconds(r, key, nla_get_u32(attr) * (FL_SEC / 1000));
}

static void report_end_of(struct report *r, const char *key, struct nlattr *address,
			  const char *port_key, struct nlattr *port)
{
	char text[INET6_ADDRSTRLEN];

	if (!address || !port)
		return;
	inet_ntop(nla_len(address) == sizeof(struct in_addr) ? AF_INET : AF_INET6,
		  nla_data(address), text, sizeof(text));
	report_text(r, key, text);
	report_number(r, port_key, nla_get_u16(port));
}

void rto_report_moved(struct report *r, struct nlattr **attrs)
{
	family_report_cause(r, attrs[XRTO_A_CAUSE], rto_counters,
			    XRTO_STATS_MAX);
	report_ms(r, "rto_s", attrs[XRTO_A_RTO]);
	report_ms(r, "run_s", attrs[XRTO_A_RUN]);
	report_ms(r, "timeout_s", attrs[XRTO_A_TIMEOUT]);
	report_end_of(r, "local", attrs[XRTO_A_LOCAL], "local_port",
		      attrs[XRTO_A_LOCAL_PORT]);
	report_end_of(r, "peer", attrs[XRTO_A_PEER], "peer_port",
		      attrs[XRTO_A_PEER_PORT]);
}

_Static_assert(XRTO_STATS_MAX <= FAMILY_COUNTERS_MAX &&
	       XRTO_NOTICES_MAX <= FAMILY_COUNTERS_MAX, "FAMILY_COUNTERS_MAX");

void rto_report(struct report *r, struct nl_msg *told)
{
	struct nlattr *attrs[XRTO_A_MAX + 1];

	if (!rto_parse(told, attrs))
		return;
	rto_report_settings(r, attrs);
	/* without privilege the kernel does not report the counters */
	if (!attrs[XRTO_A_STATS] || !attrs[XRTO_A_NOTICES])
		return;
	report_break(r);
	family_report_counters(r, attrs[XRTO_A_STATS], rto_counters,
			       XRTO_STATS_MAX);
	report_break(r);
	report_open(r, "notices");
	family_report_counters(r, attrs[XRTO_A_NOTICES], rto_notices,
			       XRTO_NOTICES_MAX);
	report_close(r);
}

static int keep_answer(struct nl_msg *msg, void *arg)
{
	struct nl_msg **told = arg;

	nlmsg_get(msg);
	*told = msg;
	return NL_OK;
}

struct nl_msg *rto_read(const struct cli_args *args)
{
	struct nl_msg *msg, *told = NULL;
	struct family x;

	if (!rto_open(&x, args))
		return NULL;
	msg = family_message(&x, XRTO_CMD_GET);
	if (!netlink_ask(&x.nl, msg, keep_answer, &told)) {
		family_explain(&x, msg);
		nlmsg_free(told);
		told = NULL;
	}
	nlmsg_free(msg);
	family_close(&x);
	return told;
}

static int run_show(const struct cli_args *args)
{
	struct nl_msg *told = rto_read(args);
	struct report r;

	if (!told)
		return EXIT_FAILED;
	r = report_begin(args->values[JSON].set);
	rto_report(&r, told);
	report_end(&r);
	nlmsg_free(told);
	return EXIT_OK;
}

const struct command rto_show_command = {
	.name = "rto show",
	.summary = "show the settings and counters of rto",
	.options = show_options,
	.run = run_show,
};
