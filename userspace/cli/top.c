// SPDX-License-Identifier: GPL-2.0-or-later
/* freshlink top: shows what the modules do, again and again. */
#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "../top/view.h"
#include "device.h"
#include "sampler.h"
#include "screen.h"
#include "service.h"
#include "snapshot.h"
#include "socket.h"
#include "wait.h"

enum { DELAY, SAMPLE, FLOWS, BATCH, COUNT };

static const struct fl_option options[] = {
	[DELAY] = { .word = "--delay", .type = FL_TIME, .min = TOP_DELAY_MIN,
		    .max = TOP_DELAY_MAX, .def = 2 * FL_SEC, .help = "time between two looks" },
	[SAMPLE] = { .word = "--sample", .type = FL_COUNT, .unit = "packets", .min = 1,
		     .max = 1000000, .def = 16,
		     .help = "sample one packet in this many, to find the flows" },
	[FLOWS] = { .word = "--flows", .type = FL_COUNT, .unit = "flows", .min = 0,
		    .max = TOP_FLOWS, .def = 10, .help = "number of flows to show, 0 for none" },
	[BATCH] = { .word = "--batch", .type = FL_FLAG, .def = FL_NO_DEFAULT,
		    .help = "print text instead of a screen" },
	[COUNT] = { .word = "--count", .type = FL_COUNT, .unit = "looks", .min = 1,
		    .max = INT64_MAX, .def = FL_NO_DEFAULT, .help = "end after this many looks" },
	{ .word = NULL },
};

CLI_FITS(options);

static const char help[] =
	"\n"
	"  q          end\n"
	"  space      look now\n"
	"  d or s     change the delay between two looks\n"
	"  i          show or hide lines where nothing happens\n"
	"  h or ?     this help; any key ends it\n"
	"\n"
	"  2ms...131s lifetime left of the packets sent since the last look: below 2 ms, 8 ms,\n"
	"             32 ms, 128 ms, 512 ms, 2 s, 8 s, 33 s, 131 s, and more. A digit means so\n"
	"             many tenths of the packets, # all, . none\n"
	"  LINK DELAY estimates of freshlink pace, or of the device below\n"
	"  LOST/S     discarded packets in a second, and BY CAUSE the same by cause\n"
	"\n"
	"  See freshlink-top(8).\n";

struct top {
	const struct cli_args *args;
	unsigned int ifindex;		/* of the device, 0: all devices */
	bool absent;			/* the device has gone */
	int64_t delay;
	int64_t next;			/* time of the next look */
	uint64_t looks;
	struct state now;
	struct state before;
	int sampler;			/* -1: there is no sample */
	struct top_sample sample;	/* being taken */
	struct top_sample shown;
	int64_t sample_start;
	int64_t shown_ns;
	bool hide_idle;
	bool help;
	bool prompting;
	struct top_prompt prompt;
	bool over;
};

/* A modem may come back under the same name with another index. */
static void find_device(struct top *t)
{
	unsigned int ifindex;

	if (!t->args->operand)
		return;
	ifindex = device_index(t->args->operand);
	t->absent = !ifindex;
	if (!ifindex || ifindex == t->ifindex)
		return;
	t->ifindex = ifindex;
	if (t->sampler >= 0)
		sampler_bind(t->sampler, ifindex);
}

static bool look(struct top *t)
{
	struct state state;

	find_device(t);
	if (!snapshot_read(t->args, t->ifindex, &state)) {
		state_forget(&state);
		return false;
	}
	state_forget(&t->before);
	t->before = t->now;
	t->now = state;
	return true;
}

static void turn_sample(struct top *t)
{
	int64_t now = fl_now();

	if (t->sampler >= 0)
		sampler_read(t->sampler, &t->sample);
	t->shown = t->sample;
	t->shown_ns = now > t->sample_start ? now - t->sample_start : 1;
	t->sample = (struct top_sample){ 0 };
	t->sample_start = now;
	top_sample_sort(&t->shown);
}

static int max_flows(const struct top *t)
{
	return t->args->values[FLOWS].number;
}

static void print(const struct top *t, FILE *out)
{
	const struct top_view view = {
		.now = &t->now, .before = &t->before, .hide_idle = t->hide_idle,
		.sample = t->sampler >= 0 ? &t->shown : NULL,
		.one_device = t->args->operand, .one_in = t->args->values[SAMPLE].number,
		.sample_ns = t->shown_ns,
		.lost = t->sampler >= 0 ? socket_drops(t->sampler) : 0,
		.flows = max_flows(t), .device_name = device_name,
	};

	top_view_print(&view, out);
}

static void print_title(const struct top *t, FILE *out)
{
	time_t seconds = fl_real() / FL_SEC;
	struct tm tm;

	localtime_r(&seconds, &tm);
	fprintf(out, "freshlink top - %02d:%02d:%02d, every %.4g s", tm.tm_hour, tm.tm_min,
		tm.tm_sec, t->delay / 1e9);
	if (t->absent)
		fputs(", the device is not there", out);
	if (t->prompting)
		fprintf(out, ", new delay in s: %s_", t->prompt.text);
}

static char *text_of(const struct top *t, void (*fill)(const struct top *t, FILE *out))
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	fill(t, out);
	fclose(out);
	return text;
}

static void draw(const struct top *t)
{
	char *title = text_of(t, print_title), *text = t->help ? NULL : text_of(t, print);

	if (title && (text || t->help))
		screen_show(title, t->help ? help : text);
	free(title);
	free(text);
}

static void take_delay(struct top *t, int key)
{
	int64_t delay;

	switch (top_prompt_key(&t->prompt, key, &delay)) {
	case TOP_TYPING:
		return;
	case TOP_DONE:
		t->delay = delay;
		t->next = 0;
		break;
	case TOP_CANCELLED:
		break;
	}
	t->prompting = false;
}

static void take_key(struct top *t, int key)
{
	if (t->prompting) {
		take_delay(t, key);
		return;
	}
	if (t->help) {
		t->help = false;
		return;
	}
	if (key == 'q')
		t->over = true;
	else if (key == ' ' || key == '\n')
		t->next = 0;
	else if (key == 'i')
		t->hide_idle = !t->hide_idle;
	else if (key == 'h' || key == '?')
		t->help = true;
	if (key == 'd' || key == 's') {
		t->prompting = true;
		t->prompt = (struct top_prompt){ 0 };
	}
}

static void take_keys(struct top *t)
{
	int key;

	while ((key = screen_key()) != SCREEN_NO_KEY)
		take_key(t, key);
}

/* Reads what has arrived. Returns false if the terminal has gone. */
static bool take_input(struct top *t, int epoll)
{
	struct epoll_event events[2];
	int count = epoll_wait(epoll, events, 2, 0);

	for (int i = 0; i < count; i++) {
		if (events[i].data.fd == t->sampler)
			sampler_read(t->sampler, &t->sample);
		else if (events[i].events & (EPOLLHUP | EPOLLERR))
			return false;
	}
	return true;
}

static int watch(const struct top *t)
{
	struct epoll_event keys = { .events = EPOLLIN, .data.fd = STDIN_FILENO };
	struct epoll_event packets = { .events = EPOLLIN, .data.fd = t->sampler };
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	if (t->sampler >= 0)
		epoll_ctl(epoll, EPOLL_CTL_ADD, t->sampler, &packets);
	if (!t->args->values[BATCH].set)
		epoll_ctl(epoll, EPOLL_CTL_ADD, STDIN_FILENO, &keys);
	return epoll;
}

static bool look_again(struct top *t)
{
	bool done = look(t);

	t->next = fl_now() + t->delay;
	turn_sample(t);
	t->looks++;
	t->over |= t->looks > t->args->values[COUNT].number;
	return done;
}

/* An error must not be printed into the screen, where it would be lost. */
static bool look_on_screen(struct top *t)
{
	if (look_again(t))
		return true;
	screen_close();
	if (!look_again(t))
		return false;
	screen_begin();
	return true;
}

static bool run_screen(struct top *t)
{
	int epoll = watch(t), signal = 0;

	while (!signal && !t->over) {
		if (fl_now() >= t->next && !look_on_screen(t))
			return false;
		draw(t);
		/* a changed size of the terminal ends the wait, too */
		if (wait_input(epoll, t->next, &signal) && !take_input(t, epoll))
			break;
		take_keys(t);
	}
	screen_close();
	return true;
}

static void print_batch(const struct top *t)
{
	print_title(t, stdout);
	putchar('\n');
	print(t, stdout);
	putchar('\n');
	fflush(stdout);
}

static bool run_batch(struct top *t)
{
	int epoll = watch(t), signal = 0;

	while (!signal) {
		if (fl_now() < t->next) {
			if (wait_input(epoll, t->next, &signal))
				take_input(t, epoll);
			continue;
		}
		if (!look_again(t))
			return false;
		/* the first look has no rates yet */
		if (t->looks > 1)
			print_batch(t);
		if (t->over)
			break;
	}
	return true;
}

/* The kernel copies the head of each packet for a packet socket, so there is none without need. */
static bool open_sampler(struct top *t)
{
	if (!max_flows(t))
		return true;
	t->sampler = sampler_open(t->args->values[SAMPLE].number);
	if (t->sampler < 0)
		return errno == EPERM;
	return sampler_bind(t->sampler, t->ifindex);
}

/* The process keeps CAP_NET_ADMIN, because the counters of xlo_rto need it. */
static bool prepare(struct top *t)
{
	const struct cli_args *args = t->args;

	t->sampler = -1;
	if (args->operand) {
		t->ifindex = device_find(args->who, args->operand);
		if (!t->ifindex)
			return false;
	}
	if (!open_sampler(t)) {
		cli_error(args->who, "cannot receive packets: %s", strerror(errno));
		return false;
	}
	if (service_drop_privileges(1 << CAP_NET_ADMIN))
		return true;
	cli_error(args->who, "cannot give up privileges: %s", strerror(errno));
	return false;
}

static bool has_terminal(const struct cli_args *args)
{
	if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && screen_open())
		return true;
	cli_error(args->who, "expected a terminal, or --batch");
	return false;
}

static bool run(struct top *t)
{
	if (!prepare(t))
		return false;
	wait_hold_signals();
	if (t->args->values[BATCH].set)
		return run_batch(t);
	return has_terminal(t->args) && run_screen(t);
}

static int run_top(const struct cli_args *args)
{
	static struct top top;
	bool done;

	top = (struct top){ .args = args, .delay = args->values[DELAY].number };
	done = run(&top);
	state_forget(&top.now);
	state_forget(&top.before);
	return done ? EXIT_OK : EXIT_FAILED;
}

const struct command top_command = {
	.name = "top",
	.operand = "[DEV]",
	.summary = "show devices, classes and flows, again and again",
	.options = options,
	.run = run_top,
};
