// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * freshlink emulate: a slow link with delay spikes on a device (see link.h).
 *
 * Two processes make sure that the devices are restored. The first process is a worker, which
 * makes the changes. The second process is the worker's parent, which restores the devices
 * when the worker has ended for any reason. If the parent is killed, the kernel sends SIGTERM
 * to the worker, and the worker restores the devices.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "link.h"
#include "report.h"
#include "spikes.h"
#include "wait.h"

#define DAY		(86400 * FL_SEC)

enum {
	RATE, PERIOD, SPIKE, JITTER, FIRST, SCHEDULE, SEED, DURATION, MODE,
	FAR, DELAY, LOSS, ARQ, REPLACE, JSON, CHILD,
};

static const char *const mode_words[] = {
	[LINK_TBF] = "tbf", [LINK_NETEM] = "netem", [LINK_CELLINK] = "cellink",
	NULL,
};

static const struct fl_option options[] = {
	[RATE] = { .word = "--rate", .type = FL_RATE, .min = 100,
		   .max = 1250000000, .def = 3750,
		   .help = "rate of the link" },
	[PERIOD] = { .word = "--period", .type = FL_TIME, .min = FL_MS,
		     .max = DAY, .def = 30 * FL_SEC,
		     .help = "time from the start of a spike to the start of the next" },
	[SPIKE] = { .word = "--spike", .type = FL_TIME, .min = FL_MS,
		    .max = DAY, .def = 10 * FL_SEC,
		    .help = "length of a spike" },
	[JITTER] = { .word = "--jitter", .type = FL_TIME, .min = 0, .max = DAY,
		     .def = 0,
		     .help = "a spike is shorter by up to this much, drawn for each spike" },
	[FIRST] = { .word = "--first", .type = FL_TIME, .min = 0, .max = DAY,
		    .def = FL_NO_DEFAULT,
		    .help = "start of the first spike, by default after one period" },
	[SCHEDULE] = { .word = "--schedule", .type = FL_TEXT, .unit = "file",
		       .def = FL_NO_DEFAULT,
		       .help = "read the spikes from a file: lines of START LENGTH" },
	[SEED] = CLI_ROW_SEED,
	[DURATION] = { .word = "--duration", .type = FL_TIME, .min = FL_MS,
		       .max = 365 * DAY, .def = FL_NO_DEFAULT,
		       .help = "end after this time" },
	[MODE] = { .word = "--mode", .type = FL_WORD, .words = mode_words,
		   .def = FL_NO_DEFAULT,
		   .help = "cellink, tbf: packets wait in the queue under test; cellink if DEV is one, tbf for other devices; netem: packets wait after this queue" },
	[FAR] = { .word = "--far", .type = FL_TEXT, .unit = "dev[@netns]",
		  .def = FL_NO_DEFAULT,
		  .help = "device behind the bottleneck, for --delay and --loss if DEV is not a cellink; with --arq, the other end of the cellink DEV" },
	[DELAY] = { .word = "--delay", .type = FL_TIME, .min = 0,
		    .max = 60 * FL_SEC, .def = 0,
		    .help = "propagation delay" },
	[LOSS] = { .word = "--loss", .type = FL_PERCENT, .min = 0,
		   .max = 1000000, .def = 0,
		   .help = "share of the packets that are lost" },
	[ARQ] = { .word = "--arq", .type = FL_TEXT, .unit = "words",
		  .def = FL_NO_DEFAULT,
		  .help = "retransmit what the cellink loses, by the devices arq-DEV and arq-FAR, with options as for \"ip link ... type arqlink\" in one word" },
	[REPLACE] = { .word = "--replace", .type = FL_FLAG,
		      .def = FL_NO_DEFAULT,
		      .help = "replace a root qdisc and restore it afterwards" },
	[JSON] = { .word = "-j", .type = FL_FLAG, .def = FL_NO_DEFAULT,
		   .help = "events as JSON, one object a line" },
	[CHILD] = { .word = "--child", .type = FL_TEXT,
		    .unit = "kind [word value]...", .def = FL_NO_DEFAULT,
		    .help = "the queue under test, last on the line: lpd, pfifo, bfifo or fq_codel with options as for tc; by default pfifo limit 100" },
	{ .word = NULL },
};

CLI_FITS(options);

/* The command at work. */
struct emulation {
	const struct cli_args *args;
	const struct fl_value *values;	/* args->values */
	struct link link;
	struct spikes spikes;
	pid_t parent;
	int64_t begin;			/* CLOCK_MONOTONIC */
	int64_t real_offset;		/* CLOCK_REALTIME minus CLOCK_MONOTONIC, at the beginning */
};

/* Prints "WORD VALUE" with the given or the default value of an option. Prints only the word if
 * the option has no value.
 */
static const char *shown(const struct emulation *e, int option, char *buf,
			 size_t len)
{
	const struct fl_option *opt = &options[option];
	const struct fl_value *v = &e->values[option];
	char value[32] = "";

	if (!v->set && opt->def != FL_NO_DEFAULT)
		fl_print_value(opt, opt->def, value, sizeof(value));
	snprintf(buf, len, "%s%s%s", opt->word, v->text || *value ? " " : "",
		 v->text ? v->text : value);
	return buf;
}

/* Reports two options that contradict each other. Returns false. */
static bool mismatch(const struct emulation *e, int option,
		     const char *expected, int other)
{
	char first[256], second[256];

	cli_error(e->args->who, "%s: expected %s %s",
		  shown(e, option, first, sizeof(first)), expected,
		  shown(e, other, second, sizeof(second)));
	return false;
}

static bool check_lengths(const struct emulation *e)
{
	const struct fl_value *v = e->values;

	if (v[SPIKE].number >= v[PERIOD].number)
		return v[SPIKE].set ?
		       mismatch(e, SPIKE, "shorter than", PERIOD) :
		       mismatch(e, PERIOD, "longer than", SPIKE);
	if (v[JITTER].number > v[SPIKE].number)
		return mismatch(e, JITTER, "at most", SPIKE);
	return true;
}

static bool check_arq(const struct emulation *e)
{
	if (e->link.mode != LINK_CELLINK)
		return mismatch(e, ARQ, "without", MODE);
	if (!e->values[FAR].set)
		return mismatch(e, ARQ, "with", FAR);
	if (e->values[REPLACE].set)
		return mismatch(e, ARQ, "without", REPLACE);
	return check_lengths(e);
}

static bool check_options(const struct emulation *e)
{
	const struct fl_value *v = e->values;

	for (int i = PERIOD; i <= FIRST; i++)
		if (v[i].set && v[SCHEDULE].set)
			return mismatch(e, SCHEDULE, "without", i);
	for (int i = DELAY; i <= LOSS; i++)
		if (v[i].set && !v[FAR].set && e->link.mode != LINK_CELLINK)
			return mismatch(e, i, "with", FAR);
	if (v[CHILD].set && e->link.mode == LINK_NETEM)
		return mismatch(e, CHILD, "without", MODE);
	if (v[ARQ].set)
		return check_arq(e);
	if (v[FAR].set && v[MODE].set && e->link.mode == LINK_CELLINK)
		return mismatch(e, FAR, "without", MODE);
	return check_lengths(e);
}

/* Chooses the mode that the user has given, or the default mode for the device. With --far the
 * default is not cellink, because the device of --far then makes the delay and the loss. The
 * devices of --arq are always above a cellink.
 */
static void choose_mode(struct emulation *e)
{
	const struct fl_value *v = e->values;

	channel_find(&e->link.channel, e->args->operand);
	if (v[MODE].set)
		e->link.mode = v[MODE].number;
	else if (v[ARQ].set || (e->link.channel.there && !v[FAR].set))
		e->link.mode = LINK_CELLINK;
}

static bool check_device(const struct emulation *e)
{
	if (e->link.mode != LINK_CELLINK || e->link.channel.there)
		return true;
	cli_error(e->args->who, "%s: expected a cellink device, made with \"ip link add type cellink\"",
		  e->args->operand);
	return false;
}

static bool make_spikes(struct emulation *e)
{
	const struct fl_value *v = e->values;

	e->spikes = (struct spikes){
		.first = v[FIRST].set ? v[FIRST].number : v[PERIOD].number,
		.period = v[PERIOD].number,
		.longest = v[SPIKE].number,
		.jitter = v[JITTER].number,
		.random = v[SEED].number,
	};
	return !v[SCHEDULE].set ||
	       spikes_load(&e->spikes, e->args->who, v[SCHEDULE].text);
}

static bool make_child(struct emulation *e)
{
	static char fallback[] = "pfifo limit 100";
	char *words[] = { fallback };

	if (e->values[CHILD].set)
		return child_parse(&e->link.child, e->args->who,
				   e->args->rest_count, e->args->rest);
	return child_parse(&e->link.child, e->args->who, 1, words);
}

static bool make_arq(struct emulation *e)
{
	const struct fl_value *v = &e->values[ARQ];

	return !v->set || arq_parse(&e->link.arq, e->args->who, v->text);
}

static int open_netns(const char *name)
{
	char path[256];

	if (strchr(name, '/'))
		return open(name, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/run/netns/%s", name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Reads "DEV" or "DEV@NETNS". */
static bool make_far(struct emulation *e, struct port *far)
{
	const char *text = e->values[FAR].text, *at = strchrnul(text, '@');

	*far = (struct port){ .who = e->args->who, .netns = -1,
			      .name = strndup(text, at - text) };
	if (at == text || (*at && !at[1])) {
		cli_error(e->args->who, "--far %s: expected DEV[@NETNS]", text);
		return false;
	}
	if (*at)
		far->netns = open_netns(at + 1);
	if (!*at || far->netns >= 0)
		return true;
	cli_error(e->args->who, "--far %s: expected a network namespace, by its \"ip netns\" name or its path: %s: %s",
		  text, at + 1, strerror(errno));
	return false;
}

static bool make_ports(struct emulation *e)
{
	struct arq *arq = &e->link.arq;

	e->link.near = (struct port){ .who = e->args->who, .netns = -1,
				      .name = e->args->operand };
	arq->near.lower = e->link.near;
	return !e->values[FAR].set ||
	       make_far(e, arq->wanted ? &arq->far.lower : &e->link.far);
}

static bool make_link(struct emulation *e)
{
	const struct fl_value *v = e->values;

	e->link.settings = (struct channel_settings){
		.rate = v[RATE].number,
		.delay = v[DELAY].set ? &v[DELAY].number : NULL,
		.loss = v[LOSS].set ? &v[LOSS].number : NULL,
		.seed = v[SEED].number,
	};
	e->link.propagation = (struct netem){
		/* space for the smallest frames that the link can send during the delay, too */
		.limit = NETEM_LIMIT + v[RATE].number / ETH_ZLEN *
			 (v[DELAY].number / FL_MS) / 1000,
		.delay = v[DELAY].number,
		.loss = v[LOSS].number,
		.seed = v[SEED].number,
	};
	return check_device(e) && make_ports(e) &&
	       link_find(&e->link, v[REPLACE].set);
}

static void begin(struct emulation *e)
{
	e->begin = fl_now();
	e->real_offset = fl_real() - e->begin;
}

/* Begins the report of an event. @time is CLOCK_MONOTONIC. */
static struct report begin_event(const struct emulation *e, const char *event,
				 int64_t time)
{
	return report_event(e->values[JSON].set, event, time + e->real_offset);
}

static void print_event(const struct emulation *e, const char *event)
{
	struct report r = begin_event(e, event, fl_now());

	report_end(&r);
}

static void print_ready(const struct emulation *e)
{
	struct report r = begin_event(e, "ready", e->begin);

	report_text(&r, "dev", e->link.near.name);
	report_text(&r, "queue", e->link.mode == LINK_NETEM ? "netem" :
		    e->link.child.kind->name);
	if (e->link.arq.wanted) {
		report_text(&r, "arq", e->link.arq.near.name);
		report_text(&r, "arq_far", e->link.arq.far.name);
	}
	report_number(&r, "seed", e->values[SEED].number);
	report_end(&r);
}

static void print_spike(const struct emulation *e, const struct spike *spike)
{
	struct report r = begin_event(e, "spike_start", fl_now());

	report_seconds(&r, "length_s", spike->length);
	report_end(&r);
}

static bool restore(const struct emulation *e)
{
	bool changed = false, good = link_restore(&e->link, &changed);

	if (good && changed)
		print_event(e, "restored");
	return good;
}

static int64_t end_time(const struct emulation *e)
{
	if (!e->values[DURATION].set)
		return FL_NEVER;
	return e->begin + e->values[DURATION].number;
}

/* Returns true if the wait ended without a signal and before the end of the emulation. */
static bool wait_for(const struct emulation *e, int64_t time)
{
	int64_t end = end_time(e);

	return !wait_until(time < end ? time : end) && time < end;
}

static bool run_spikes(struct emulation *e)
{
	struct spike spike;

	while (spikes_next(&e->spikes, &spike)) {
		int64_t start = e->begin + spike.start;

		if (!wait_for(e, start))
			return true;
		if (!link_begin_spike(&e->link, spike.length))
			return false;
		print_spike(e, &spike);
		if (!wait_for(e, start + spike.length))
			return true;
		if (!link_end_spike(&e->link))
			return false;
		print_event(e, "spike_end");
	}
	wait_for(e, FL_NEVER);
	return true;
}

static int work(struct emulation *e)
{
	bool good;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != e->parent)
		return EXIT_FAILED;
	good = link_set_up(&e->link);
	if (good) {
		begin(e);
		print_ready(e);
		good = run_spikes(e);
	}
	if (getppid() != e->parent)
		restore(e);
	return good ? EXIT_OK : EXIT_FAILED;
}

static int wait_for_worker(pid_t worker)
{
	int status;

	for (;;) {
		int signal = wait_until(FL_NEVER);

		if (signal != SIGCHLD)
			kill(worker, SIGTERM);
		else if (waitpid(worker, &status, WNOHANG) == worker)
			return status;
	}
}

static int guard(struct emulation *e)
{
	pid_t worker;
	int status;

	begin(e);
	e->parent = getpid();
	fflush(NULL);
	worker = fork();
	if (worker < 0) {
		cli_error(e->args->who, "cannot start a process: %s",
			  strerror(errno));
		return EXIT_FAILED;
	}
	if (!worker)
		exit(work(e));
	status = wait_for_worker(worker);
	if (WIFSIGNALED(status))
		cli_error(e->args->who, "the worker was killed by signal %d",
			  WTERMSIG(status));
	if (!restore(e) || !WIFEXITED(status))
		return EXIT_FAILED;
	return WEXITSTATUS(status);
}

static int run_emulate(const struct cli_args *args)
{
	/* the worker writes its changes to shared memory, which the parent reads */
	struct emulation *e = mmap(NULL, sizeof(*e), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (e == MAP_FAILED) {
		cli_error(args->who, "out of memory");
		return EXIT_FAILED;
	}
	e->args = args;
	e->values = args->values;
	choose_mode(e);
	if (!check_options(e) || !make_child(e) || !make_arq(e))
		return EXIT_USAGE;
	if (!make_spikes(e) || !make_link(e))
		return EXIT_FAILED;
	wait_hold_signals();
	wait_hold_child();
	return guard(e);
}

const struct command emulate_command = {
	.name = "emulate",
	.operand = "DEV",
	.summary = "make a device a slow link with delay spikes",
	.options = options,
	.rest = "--child",
	.run = run_emulate,
};
