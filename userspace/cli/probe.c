// SPDX-License-Identifier: GPL-2.0-or-later
/* freshlink probe: finds out what the path to a host does with lifetimes, and keeps the verdict. */
#include <stdio.h>
#include <string.h>

#include "../probe/store.h"
#include "dccp.h"
#include "probe.h"
#include "report.h"
#include "send.h"
#include "wait.h"

enum { VIA, CARRIER, KERNEL_SILENT, UDP_PORT, PORT, SERVICE, LIST, FORGET, JSON };

enum { BY_ANY, BY_DCCP, BY_ICMP };

static const char *const via_words[] = {
	[BY_ANY] = "any", [BY_DCCP] = "dccp", [BY_ICMP] = "icmp", NULL,
};

static const struct fl_option options[] = {
	[VIA] = { .word = "--via", .type = FL_WORD, .words = via_words, .def = BY_ANY,
		  .help = "what is sent: Syncs, echo requests, or these where no peer answers those" },
	[CARRIER] = DCCP_ROW_CARRIER,
	[KERNEL_SILENT] = DCCP_ROW_KERNEL_SILENT,
	[UDP_PORT] = DCCP_ROW_UDP_PORT("UDP port of the peer"),
	[PORT] = SEND_ROW_PORT("DCCP port of the peer"),
	[SERVICE] = { .word = "--service", .type = FL_TEXT, .unit = "code", .def = FL_NO_DEFAULT,
		      .help = "service code, SC:flpr by default, which every end of Freshlink accepts" },
	[LIST] = { .word = "--list", .type = FL_FLAG, .def = FL_NO_DEFAULT,
		   .help = "send nothing, and print the verdicts that are kept" },
	[FORGET] = { .word = "--forget", .type = FL_FLAG, .def = FL_NO_DEFAULT,
		     .help = "send nothing, and forget the verdicts on these hosts, or all" },
	[JSON] = { .word = "-j", .type = FL_FLAG, .def = FL_NO_DEFAULT, .help = "output as JSON" },
	{ .word = NULL },
};

CLI_FITS(options);

static const char *const no_words[] = { NULL };
static const struct fl_option host_option = { .word = "HOST", .type = FL_WORD, .words = no_words };

static const char *const texts[] = {
	[PROBE_TOLERATES] = "the option passes, and nothing is enforced",
	[PROBE_DISCARDS] = "stale packets vanish, valid ones pass",
	[PROBE_CUTS] = "of stale packets that shall be cut, the headers arrive",
	[PROBE_STRIPS] = "the option is removed, so that stale packets arrive whole",
	[PROBE_DROPS] = "packets with the option vanish, others pass",
	[PROBE_NO_ANSWER] = "nothing comes back",
	[PROBE_UNDECIDED] = "the answers do not say which",
};

/**
 * struct session - the command
 * @args: the command line
 * @dccp: how to reach a DCCP peer
 * @cache: the verdicts that are kept
 * @signal: the signal that ended it, or 0
 */
struct session {
	const struct cli_args *args;
	struct probe_dccp_config dccp;
	struct probe_cache cache;
	int signal;
};

static bool given(const struct session *s, int option)
{
	return s->args->values[option].set;
}

/* A file that cannot be used is no reason to fail. */
static void warn(const struct session *s, const char *why)
{
	if (*why)
		cli_error(s->args->who, "%s", why);
}

static enum probe_via via_of(const struct session *s, bool icmp)
{
	if (icmp)
		return PROBE_VIA_ICMP;
	return s->dccp.carrier == FDCCP_CARRIER_UDP ? PROBE_VIA_UDP : PROBE_VIA_IP;
}

static void report_entry(struct report *r, const struct probe_entry *e)
{
	char remote[INET6_ADDRSTRLEN], local[INET6_ADDRSTRLEN];

	probe_address(&e->remote, remote);
	probe_address(&e->local, local);
	report_text(r, "address", remote);
	report_text(r, "local", local);
	report_text(r, "via", probe_via_names[e->via]);
	report_text(r, "verdict", probe_verdict_names[e->verdict]);
}

static void print_kept(const struct session *s, const struct probe_entry *e)
{
	struct report r = report_begin(given(s, JSON));
	int64_t left = e->until - probe_now();

	report_entry(&r, e);
	report_number(&r, "kept", left > 0 ? left : 0);
	report_advice(&r, "verdict", texts[e->verdict]);
	report_end(&r);
}

static void print_result(const struct session *s, const struct probe_entry *e,
			 const struct probe_result *result)
{
	struct report r = report_begin(given(s, JSON));

	report_entry(&r, e);
	report_number(&r, "probes", result->sent);
	report_number(&r, "answered", result->answered);
	report_number(&r, "here", result->here);
	report_share(&r, "wrong", (uint32_t)(result->wrong * 1000000 + 0.5), 1000000);
	report_advice(&r, "verdict", texts[e->verdict]);
	if (result->here)
		report_advice(&r, "here", "a queue of this host discards stale packets");
	report_end(&r);
}

/* Finds a verdict that is kept. */
static const struct probe_entry *find_kept(const struct session *s, const struct probe_entry *key)
{
	struct probe_entry e = *key;
	const struct probe_entry *kept = NULL;

	if (s->args->values[VIA].number != BY_ICMP)
		kept = probe_cache_find(&s->cache, &e);
	e.via = PROBE_VIA_ICMP;
	if (!kept && s->args->values[VIA].number != BY_DCCP)
		kept = probe_cache_find(&s->cache, &e);
	return kept;
}

/* Sends probes. Writes what they travelled in. */
static enum probe_reached send_probes(const struct session *s, const struct probe_host *host,
				      struct probe_entry *e, struct probe_result *result)
{
	uint64_t via = s->args->values[VIA].number;
	enum probe_reached reached = PROBE_NO_PEER;
	const char *why = "";

	if (via != BY_ICMP)
		reached = probe_by_dccp(s->args->who, host, &s->dccp, result, &why);
	if (reached != PROBE_NO_PEER)
		return reached;
	if (via != BY_DCCP) {
		e->via = PROBE_VIA_ICMP;
		return probe_by_icmp(s->args->who, host, result);
	}
	if (result->verdict == PROBE_NO_ANSWER)
		return PROBE_REACHED;
	cli_error(s->args->who, "HOST %s: there is no DCCP peer on port %u: %s", host->name,
		  s->dccp.port, why);
	return PROBE_FAILED;
}

/* Prints what the path to a host does. Return: whether that is known */
static bool probe_one(struct session *s, const char *name)
{
	char why[PROBE_WHY_MAX];
	const struct probe_entry *kept;
	struct probe_result result;
	struct probe_host host;
	struct probe_entry e;

	if (!probe_find_host(&host, s->args->who, name))
		return false;
	e = (struct probe_entry){ .remote = probe_mapped(&host.remote),
				  .local = probe_mapped(&host.local), .via = via_of(s, false) };
	kept = find_kept(s, &e);
	if (kept) {
		print_kept(s, kept);
		return true;
	}
	if (send_probes(s, &host, &e, &result) == PROBE_FAILED)
		return false;
	s->signal = result.signal;
	e.verdict = result.verdict;
	if (s->signal)
		return false;
	if (e.verdict < PROBE_VERDICTS) {
		probe_store_put(&e, why);
		warn(s, why);
	}
	print_result(s, &e, &result);
	return e.verdict < PROBE_NO_ANSWER;
}

static bool probe_all(struct session *s)
{
	bool known = true;

	wait_hold_signals();
	for (int i = 0; i < s->args->word_count && !s->signal; i++)
		known = probe_one(s, s->args->words[i]) && known;
	return known && !s->signal;
}

static void print_forgotten(const struct session *s, unsigned int count)
{
	struct report r = report_begin(given(s, JSON));

	report_number(&r, "forgotten", count);
	report_end(&r);
}

/* Forgets the verdicts on the hosts, or all. Return: whether the file could be used */
static bool forget(struct session *s)
{
	unsigned int count, sum = 0;
	char why[PROBE_WHY_MAX] = "";

	if (!s->args->word_count)
		probe_store_forget(NULL, &sum, why);
	for (int i = 0; i < s->args->word_count && !*why; i++) {
		struct probe_host host;
		struct in6_addr remote;

		if (!probe_find_host(&host, s->args->who, s->args->words[i]))
			return false;
		remote = probe_mapped(&host.remote);
		probe_store_forget(&remote, &count, why);
		sum += count;
	}
	warn(s, why);
	print_forgotten(s, sum);
	return !*why;
}

static bool check_words(const struct cli_args *args)
{
	if (args->values[LIST].set && args->values[FORGET].set) {
		cli_error(args->who, "--list and --forget: expected one of them");
		return false;
	}
	if (args->values[LIST].set && args->word_count) {
		cli_error(args->who, "HOST %s: expected no host with --list", args->words[0]);
		return false;
	}
	if (!args->values[LIST].set && !args->values[FORGET].set && !args->word_count) {
		cli_error(args->who, "HOST is missing: expected an address or a name");
		return false;
	}
	return true;
}

/* Reads the options of the DCCP peer. */
static bool read_peer(struct session *s)
{
	const struct fl_value *values = s->args->values;

	s->dccp = (struct probe_dccp_config){
		.carrier = values[CARRIER].number,
		.kernel_silent = values[KERNEL_SILENT].set,
		.udp_port = (uint16_t)values[UDP_PORT].number,
		.port = (uint16_t)values[PORT].number,
		.service = FDCCP_SERVICE_PROBE,
	};
	return !values[SERVICE].set || dccp_service(s->args, SERVICE, &s->dccp.service);
}

static int run_probe(const struct cli_args *args)
{
	static struct session s;
	char why[PROBE_WHY_MAX];
	bool done = true;

	s.args = args;
	if (!read_peer(&s) || !check_words(args))
		return EXIT_USAGE;
	if (args->values[FORGET].set)
		return forget(&s) ? EXIT_OK : EXIT_FAILED;
	probe_store_read(&s.cache, why);
	warn(&s, why);
	if (args->values[LIST].set) {
		for (unsigned int i = 0; i < s.cache.count; i++)
			print_kept(&s, &s.cache.entry[i]);
	} else {
		done = probe_all(&s);
	}
	return done ? EXIT_OK : EXIT_FAILED;
}

const struct command probe_command = {
	.name = "probe",
	.words = &host_option,
	.summary = "find out what the path to a host does with lifetimes",
	.options = options,
	.run = run_probe,
};
