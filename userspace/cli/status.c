// SPDX-License-Identifier: GPL-2.0-or-later
/* freshlink status: settings, caps and counters of the module xlo, and of xlo_rto if it is
 * loaded.
 */
#include "../lib/xlo.h"
#include "rto_family.h"
#include "xlo_family.h"

enum { JSON };

static const struct fl_option options[] = {
	[JSON] = { .word = "-j", .type = FL_FLAG, .def = FL_NO_DEFAULT,
		   .help = "as JSON, one object" },
	{ .word = NULL },
};

/* Reports the counters, then the advice for those that call for an action. A kernel may have
 * fewer counters.
 */
static void report_counters(struct report *r, struct nlattr *nest)
{
	struct nlattr *stats[XLO_STATS_MAX + 1];

	if (!nest || nla_parse_nested(stats, XLO_STATS_MAX, nest, NULL))
		return;
	for (int i = 0; i <= XLO_STATS_MAX; i++) {
		const struct xlo_counter *c = &xlo_counters[i];

		if (c->word && stats[i])
			report_number(r, c->word, nla_get_u64(stats[i]));
		if (c->ends_line && i < XLO_STATS_MAX)
			report_break(r);
	}
	for (int i = 0; i <= XLO_STATS_MAX; i++) {
		const struct xlo_counter *c = &xlo_counters[i];

		if (c->advice && stats[i] && nla_get_u64(stats[i]))
			report_advice(r, c->word, c->advice);
	}
}

static void report_rto(struct report *r, struct nl_msg *told)
{
	report_break(r);
	report_open(r, "rto");
	rto_report(r, told);
	report_close(r);
}

/* @rto: NULL without that module */
static void print_status(bool json, struct nlattr **attrs,
			 const struct xlo_answers *caps, struct nl_msg *rto)
{
	struct report r = report_begin(json);

	xlo_report_settings(&r, attrs);
	report_break(&r);
	xlo_report_caps(&r, caps);
	report_break(&r);
	report_counters(&r, attrs[XLO_A_STATS]);
	if (rto)
		report_rto(&r, rto);
	report_end(&r);
}

static int run_status(const struct cli_args *args)
{
	struct xlo_answers state = { 0 }, caps = { 0 };
	struct nlattr *attrs[XLO_A_MAX + 1];
	struct nl_msg *rto = NULL;
	struct family x;
	bool done;

	if (!xlo_open(&x, args))
		return EXIT_FAILED;
	done = xlo_read(&x, XLO_CMD_GET, &state) &&
	       xlo_read(&x, XLO_CMD_CAP_GET, &caps);
	if (done && family_is_there(&x, XRTO_GENL_NAME)) {
		rto = rto_read(args);
		done = rto;
	}
	if (done && state.count && xlo_parse(state.msgs[0], attrs))
		print_status(args->values[JSON].set, attrs, &caps, rto);
	nlmsg_free(rto);
	xlo_forget(&state);
	xlo_forget(&caps);
	family_close(&x);
	return done ? EXIT_OK : EXIT_FAILED;
}

const struct command status_command = {
	.name = "status",
	.summary = "show the modules' settings, limits and counters",
	.options = options,
	.run = run_status,
};
