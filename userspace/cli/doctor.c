// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * freshlink doctor: says where packets wait on a device, and what to do about it.
 *
 * inspect.c and flowtable.c ask the kernel, trial.c sends probes, and ../doctor/ judges.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../advice/look.h"
#include "../doctor/judge.h"
#include "../lib/text.h"
#include "cli.h"
#include "device.h"
#include "inspect.h"
#include "report.h"
#include "service.h"
#include "trial.h"
#include "wait.h"

enum { REFLECTOR, PORT, KEY, JSON };

static const struct fl_option options[] = {
	[REFLECTOR] = { .word = "--reflector", .type = FL_TEXT, .unit = "host",
			.def = FL_NO_DEFAULT,
			.help = "host on the other side of the link that answers probes; without it nothing is sent" },
	[PORT] = PROBER_ROW_PORT,
	[KEY] = PROBER_ROW_KEY,
	[JSON] = { .word = "-j", .type = FL_FLAG, .def = FL_NO_DEFAULT,
		   .help = "as JSON, one object on a line" },
	{ .word = NULL },
};

CLI_FITS(options);

#define COLUMNS	78
#define LOOKS	10	/* number of looks at the qdiscs without a reflector */
#define LOOK	(100 * (int64_t)FL_MS)	/* time between two looks */

/* Begins a line of JSON that says what will be sent. */
static struct report plan(const struct cli_args *args, uint32_t bytes)
{
	struct report r = report_begin(true);

	report_text(&r, "dev", args->operand);
	if (args->values[REFLECTOR].set)
		report_text(&r, "reflector", args->values[REFLECTOR].text);
	report_number(&r, "bytes_at_most", bytes);
	report_number(&r, "seconds_at_most", bytes ? TRIAL_SECONDS : 1);
	return r;
}

/* Says what will be sent, before anything is sent. */
static void print_plan(const struct cli_args *args, uint32_t bytes)
{
	struct report r;

	if (args->values[JSON].set) {
		r = plan(args, bytes);
		report_end(&r);
		return;
	}
	fl_put_text(args->operand, stdout);
	if (bytes) {
		printf(": sends at most %u bytes within %d s to ", bytes, TRIAL_SECONDS);
		fl_put_text(args->values[REFLECTOR].text, stdout);
		puts(", which answers with as many");
	} else {
		puts(": sends nothing");
	}
	fflush(stdout);
}

static void print_measured(const struct doctor_trial *t)
{
	struct report r = report_begin(true);

	report_seconds(&r, "base", t->base);
	report_seconds(&r, "spread", t->spread);
	report_number(&r, "load_bytes", t->load_bytes);
	report_seconds(&r, "load_late", t->load_late);
	report_seconds(&r, "probe_late", t->probe_late);
	report_number(&r, "backlog", t->waiting);
	report_seconds(&r, "held", t->held);
	report_number(&r, "rate", t->rate);
	report_end(&r);
}

static void print_json(const struct doctor_finding *f)
{
	struct report r = report_begin(true);
	char key[] = "advice1";

	report_text(&r, "finding", f->name);
	report_text(&r, "state", f->state);
	report_text(&r, "text", f->text);
	for (int i = 0; i < DOCTOR_LINES && f->advice[i][0]; i++) {
		key[sizeof(key) - 2] = '1' + i;
		report_text(&r, key, f->advice[i]);
	}
	report_end(&r);
}

/* Prints words, and begins a new line where a word would not fit. */
static void print_words(const char *text, size_t column)
{
	for (size_t len; *text; text += len + strspn(text + len, " ")) {
		char word[512];

		len = strcspn(text, " ");
		snprintf(word, sizeof(word), "%.*s", (int)len, text);
		if (column + 1 + len > COLUMNS) {
			fputs("\n   ", stdout);
			column = 3;
		}
		putchar(' ');
		fl_put_text(word, stdout);
		column += 1 + len;
	}
	putchar('\n');
}

static void print_text(const struct doctor_finding *f)
{
	printf("%s:", f->name);
	print_words(f->text, strlen(f->name) + 1);
	for (int i = 0; i < DOCTOR_LINES && f->advice[i][0]; i++) {
		fputs("        ", stdout);
		fl_put_text(f->advice[i], stdout);
		putchar('\n');
	}
}

static void print_findings(const struct cli_args *args, const struct doctor_facts *facts)
{
	struct doctor_finding findings[DOCTOR_FINDINGS];
	bool json = args->values[JSON].set;

	if (json && facts->trial.state >= DOCTOR_BUSY)
		print_measured(&facts->trial);
	doctor_judge(facts, findings);
	for (int i = 0; i < DOCTOR_FINDINGS; i++) {
		if (json)
			print_json(&findings[i]);
		else
			print_text(&findings[i]);
	}
}

static bool find_reflector(const struct cli_args *args, struct prober *prober)
{
	const struct fl_value *values = args->values;

	if (!values[REFLECTOR].set)
		return true;
	if (!prober_find(prober, args->who, values[REFLECTOR].text, values[PORT].number) ||
	    !prober_read_key(prober, args->who, &values[KEY]))
		return false;
	if (prober->count == 1)
		return true;
	cli_error(args->who, "--reflector %s: expected one host", values[REFLECTOR].text);
	return false;
}

/* Asks the kernel for everything that can be known without sending a packet. */
static bool inspect(const struct cli_args *args, struct trial *t)
{
	if (!inspect_device(t->route, t->ifindex, t->facts)) {
		cli_error(args->who, "%s: no such network device", args->operand);
		return false;
	}
	if (!inspect_qdiscs(t->route, t->ifindex, t->facts)) {
		cli_error(args->who, "%s: cannot list its qdiscs: %s", args->operand,
			  netlink_reason(t->route));
		return false;
	}
	inspect_flowtables(args->operand, &t->facts->flowtable);
	t->facts->installation.count = look_at_parts(t->facts->installation.missing);
	t->facts->installation.right = look_whose_right();
	return true;
}

/* Looks whether packets of other programs wait in the qdiscs all the time. Returns false after a
 * signal.
 */
static bool observe(struct trial *t)
{
	int64_t start = fl_now();

	for (int i = 1; i <= LOOKS; i++) {
		inspect_backlog(t->route, t->ifindex, t->facts);
		if (wait_until(start + i * LOOK))
			return false;
	}
	return true;
}

/* All sockets of the trial are open, so the trial needs no privilege. */
static bool watch(const struct cli_args *args, struct trial *t, bool opened)
{
	const struct doctor_lpd before = t->facts->lpd;
	bool done;

	if (opened && !service_drop_privileges(0)) {
		cli_error(args->who, "cannot give up privileges: %s", strerror(errno));
		return false;
	}
	wait_hold_signals();
	t->facts->present = UINT32_MAX;
	done = opened ? trial_run(t) : observe(t);
	/* the counters of lpd also count the trial */
	t->facts->lpd = before;
	return done;
}

static bool examine(const struct cli_args *args, struct trial *t)
{
	bool opened, done;

	if (!find_reflector(args, &t->probe.prober) || !inspect(args, t))
		return false;
	opened = args->values[REFLECTOR].set && trial_open(t);
	print_plan(args, opened ? trial_bytes(t) : 0);
	done = watch(args, t, opened);
	if (opened)
		trial_close(t);
	if (done)
		print_findings(args, t->facts);
	return done;
}

static int run_doctor(const struct cli_args *args)
{
	static struct doctor_facts facts;
	static struct trial trial;
	struct netlink route;
	bool done;

	facts.dev = args->operand;
	facts.reflector = args->values[REFLECTOR].text;
	trial.facts = &facts;
	trial.route = &route;
	trial.ifindex = device_find(args->who, args->operand);
	if (!trial.ifindex)
		return EXIT_FAILED;
	if (!netlink_open(&route, NETLINK_ROUTE, -1)) {
		cli_error(args->who, "cannot open a netlink socket: %s", netlink_reason(&route));
		return EXIT_FAILED;
	}
	done = examine(args, &trial);
	netlink_close(&route);
	return done ? EXIT_OK : EXIT_FAILED;
}

const struct command doctor_command = {
	.name = "doctor",
	.operand = "DEV",
	.summary = "find out where packets wait, and what to do about it",
	.options = options,
	.run = run_doctor,
};
