// SPDX-License-Identifier: GPL-2.0-or-later
/* freshlink pace: keeps packets queued in the qdisc lpd instead of in the modem. */
#include <errno.h>
#include <linux/capability.h>
#include <string.h>

#include "device.h"
#include "pacer.h"
#include "report.h"
#include "service.h"
#include "wait.h"

#define INTERVAL	(20 * (int64_t)FL_MS)	/* time between probes to a reflector */
#define INTERVAL_ECHO	(100 * (int64_t)FL_MS)	/* longer, because other people may own the hosts */

enum { REFLECTOR, PORT, KEY, ECHO, TARGET, GIVE_UP, DURATION, SHOW, JSON };

static const struct fl_option options[] = {
	[REFLECTOR] = { .word = "--reflector", .type = FL_TEXT,
			.unit = "host[,host]", .def = FL_NO_DEFAULT,
			.help = "hosts on the other side of the link that answer probes; the next one takes over if one is silent" },
	[PORT] = PROBER_ROW_PORT,
	[KEY] = PROBER_ROW_KEY,
	[ECHO] = { .word = "--echo", .type = FL_FLAG, .def = FL_NO_DEFAULT,
		   .help = "ask with ICMP echo, for hosts without a reflector; a full downlink then slows the uplink" },
	[TARGET] = { .word = "--target", .type = FL_TIME, .min = FL_MS,
		     .max = FL_SEC, .def = 20 * FL_MS,
		     .help = "delay that packets may have in the modem" },
	[GIVE_UP] = { .word = "--give-up", .type = FL_TIME, .min = FL_SEC,
		      .max = 86400 * FL_SEC, .def = 30 * FL_SEC,
		      .help = "let all packets pass after a silence of this time" },
	[DURATION] = CLI_ROW_DURATION,
	[SHOW] = { .word = "--show", .type = FL_FLAG, .def = FL_NO_DEFAULT,
		   .help = "show the gate of the device, which another freshlink pace has set" },
	[JSON] = { .word = "-j", .type = FL_FLAG, .def = FL_NO_DEFAULT,
		   .help = "events as JSON, and a line each second" },
	{ .word = NULL },
};

CLI_FITS(options);

static void print_gate(const struct cli_args *args, const struct gate_state *s)
{
	struct report r = report_begin(args->values[JSON].set);

	report_text(&r, "dev", args->operand);
	if (s->window <= INT64_MAX)
		report_number(&r, "window", s->window);
	else
		report_text(&r, "window", "open");
	report_number(&r, "unacked", s->bytes - s->acked);
	report_number(&r, "backlog", s->backlog);
	report_number(&r, "rate", s->rate);
	report_seconds(&r, "delay", s->delay);
	report_end(&r);
}

static int show(const struct cli_args *args)
{
	struct gate gate = { .ifindex = device_find(args->who, args->operand) };
	struct gate_state state;
	int error;

	if (!gate.ifindex || !gate_open(&gate, args))
		return EXIT_FAILED;
	error = gate_get(&gate, &state);
	if (error)
		cli_error(args->who, "%s: %s", args->operand,
			  netlink_reason(&gate.family.nl));
	else
		print_gate(args, &state);
	gate_close(&gate);
	return error ? EXIT_FAILED : EXIT_OK;
}

static bool prepare(struct pacer *p)
{
	const struct cli_args *args = p->args;
	const struct fl_value *values = args->values;

	p->prober.echo = values[ECHO].set;
	if (!prober_find(&p->prober, args->who, values[REFLECTOR].text,
			 values[PORT].number) ||
	    !prober_read_key(&p->prober, args->who, &values[KEY]) || !device_find(args->who, p->device))
		return false;
	p->config = (struct pace_config){
		.target = values[TARGET].number,
		.give_up = values[GIVE_UP].number,
		.probe_bytes = prober_bytes(&p->prober),
		.interval = p->prober.echo ? INTERVAL_ECHO : INTERVAL,
	};
	return true;
}

/* The process keeps CAP_NET_ADMIN, because each change of the gate needs this capability. */
static bool serve(struct pacer *p)
{
	int64_t end = FL_NEVER;

	if (!service_drop_privileges(1 << CAP_NET_ADMIN)) {
		cli_error(p->args->who, "cannot give up privileges: %s",
			  strerror(errno));
		return false;
	}
	service_notify("READY=1");
	if (p->args->values[DURATION].set)
		end = fl_now() + p->args->values[DURATION].number;
	pacer_run(p, end);
	return true;
}

static bool check_pace(const struct cli_args *args)
{
	if (args->values[SHOW].set || args->values[REFLECTOR].set)
		return true;
	cli_error(args->who, "--reflector is missing: expected --reflector HOST[,HOST] or --show");
	return false;
}

static int run_pace(const struct cli_args *args)
{
	static struct pacer pacer;
	bool good;

	if (args->values[SHOW].set)
		return show(args);
	pacer = (struct pacer){ .args = args, .device = args->operand,
				.json = args->values[JSON].set };
	if (!prepare(&pacer))
		return EXIT_FAILED;
	wait_hold_signals();
	if (!pacer_start(&pacer))
		return EXIT_FAILED;
	good = serve(&pacer);
	pacer_stop(&pacer);
	return good ? EXIT_OK : EXIT_FAILED;
}

const struct command pace_command = {
	.name = "pace",
	.operand = "DEV",
	.summary = "keep packets in lpd instead of in the modem below",
	.options = options,
	.check = check_pace,
	.run = run_pace,
};
