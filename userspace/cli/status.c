// SPDX-License-Identifier: GPL-2.0-or-later
/* freshlink status: prints settings, caps and counters of the modules xlo and xlo_rto. A module
 * that is not loaded is left out.
 */
#include "../lib/xlo.h"
#include "rto_family.h"
#include "xlo_family.h"

_Static_assert(XLO_STATS_MAX <= FAMILY_COUNTERS_MAX, "FAMILY_COUNTERS_MAX");

enum { JSON };

static const struct fl_option options[] = {
	[JSON] = { .word = "-j", .type = FL_FLAG, .def = FL_NO_DEFAULT,
		   .help = "as JSON, one object" },
	{ .word = NULL },
};

/* Answers of the modules. */
struct answers {
	bool has_xlo;
	struct xlo_answers state;
	struct xlo_answers caps;
	struct nl_msg *rto;		/* NULL if xlo_rto is not loaded */
};

static void report_xlo(struct report *r, const struct answers *a)
{
	struct nlattr *attrs[XLO_A_MAX + 1];

	if (!a->state.count || !xlo_parse(a->state.msgs[0], attrs))
		return;
	xlo_report_settings(r, attrs);
	report_break(r);
	xlo_report_caps(r, &a->caps);
	report_break(r);
	family_report_counters(r, attrs[XLO_A_STATS], xlo_counters,
			       XLO_STATS_MAX);
}

static void report_rto(struct report *r, const struct answers *a)
{
	report_open(r, "rto");
	rto_report(r, a->rto);
	report_close(r);
}

static void print_status(bool json, const struct answers *a)
{
	struct report r = report_begin(json);

	if (a->has_xlo)
		report_xlo(&r, a);
	if (a->has_xlo && a->rto)
		report_break(&r);
	if (a->rto)
		report_rto(&r, a);
	report_end(&r);
}

static bool read_status(struct family *x, struct answers *a)
{
	bool has_rto = family_is_there(x, XRTO_GENL_NAME);

	a->has_xlo = x->id >= 0;
	if (!a->has_xlo && !has_rto) {
		family_explain_absence(x);
		return false;
	}
	if (a->has_xlo && (!xlo_read(x, XLO_CMD_GET, &a->state) ||
			   !xlo_read(x, XLO_CMD_CAP_GET, &a->caps)))
		return false;
	if (has_rto)
		a->rto = rto_read(x->args);
	return !has_rto || a->rto;
}

static int run_status(const struct cli_args *args)
{
	struct answers a = { 0 };
	struct family x;
	bool done;

	if (!xlo_open_if_loaded(&x, args))
		return EXIT_FAILED;
	done = read_status(&x, &a);
	if (done)
		print_status(args->values[JSON].set, &a);
	nlmsg_free(a.rto);
	xlo_forget(&a.state);
	xlo_forget(&a.caps);
	family_close(&x);
	return done ? EXIT_OK : EXIT_FAILED;
}

const struct command status_command = {
	.name = "status",
	.summary = "show the modules' settings, limits and counters",
	.options = options,
	.run = run_status,
};
