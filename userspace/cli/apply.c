// SPDX-License-Identifier: GPL-2.0-or-later
/* freshlink apply: applies configuration files, all or nothing. */
#include <fcntl.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "../advice/look.h"
#include "../conf/plan.h"
#include "conf.h"
#include "conf_file.h"
#include "conf_state.h"
#include "report.h"
#include "tool.h"
#include "wait.h"

enum { CHECK, DEVICE, JSON };

static const struct fl_option options[] = {
	[CHECK] = { .word = "--check", .type = FL_FLAG, .def = FL_NO_DEFAULT,
		    .help = "change nothing; print what differs, and end with status 1 if something does" },
	[DEVICE] = { .word = "--device", .type = FL_TEXT, .unit = "dev", .def = FL_NO_DEFAULT,
		     .help = "only the lines that need this network device" },
	[JSON] = { .word = "-j", .type = FL_FLAG, .def = FL_NO_DEFAULT,
		   .help = "what differs and what waits as JSON, one object for each line" },
	{ .word = NULL },
};

CLI_FITS(options);

static const char *const no_words[] = { NULL };
static const struct fl_option file_option = { .word = "FILE", .type = FL_WORD, .words = no_words };

/**
 * struct apply - a run of the command
 * @args: the command
 * @wanted: the statements in the files
 * @now: the statements of the present state
 * @items: what to do with each wanted statement
 * @before: the statement of the existing object of each wanted statement, or NULL
 * @waits: the device of the statement is missing
 * @differs: number of statements that differ from the state
 */
struct apply {
	const struct cli_args *args;
	struct conf wanted;
	struct conf now;
	struct plan_item *items;
	struct conf_statement **before;
	bool *waits;
	size_t differs;
};

static int read_files(struct apply *a)
{
	int worst = EXIT_OK;

	if (!a->args->word_count)
		return conf_read_folder(&a->wanted, CONF_FOLDER);
	for (int i = 0; i < a->args->word_count; i++) {
		int status = conf_read_file(&a->wanted, a->args->words[i]);

		if (worst != EXIT_FAILED && status)
			worst = status;
	}
	return worst;
}

/* Reads the state as the files are read. */
static bool read_state(struct apply *a)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	bool good;

	good = out && conf_state_write(a->args, false, out);
	if (out)
		fclose(out);
	good = good && conf_read(&a->now, "present state", text, len);
	free(text);
	return good;
}

static bool is_chosen(const struct apply *a, const struct conf_statement *s)
{
	const struct fl_value *device = &a->args->values[DEVICE];

	return !device->set || (s->device && !strcmp(s->device, device->text));
}

static bool load_module(const struct conf_statement *s)
{
	const char *module = s->kind->module;

	return !module || look_is_loaded(module) ||
	       tool_run_for(s->who, module, (const char *const[]){ "modprobe", module, NULL });
}

static bool load_modules(const struct apply *a)
{
	for (size_t i = 0; i < a->wanted.count; i++)
		if (is_chosen(a, a->wanted.items[i]) && !load_module(a->wanted.items[i]))
			return false;
	return true;
}

/* The kernel also finds a device by its alternative names, which the present state does not have. */
static bool exists(const char *device)
{
	char name[IF_NAMESIZE];
	unsigned int index = if_nametoindex(device);

	return index && if_indextoname(index, name) && !strcmp(name, device);
}

/* A device exists, or an earlier line creates it. */
static bool is_there(const struct apply *a, size_t count, const char *device)
{
	if (exists(device))
		return true;
	for (size_t i = 0; i < count; i++)
		if (!a->waits[i] && is_chosen(a, a->wanted.items[i]) &&
		    a->wanted.items[i]->device != a->wanted.items[i]->name &&
		    !strcmp(a->wanted.items[i]->name, device))
			return true;
	return false;
}

static bool differs(const struct apply *a, size_t i)
{
	const struct conf_statement *s = a->wanted.items[i];

	return is_chosen(a, s) && !a->waits[i] &&
	       !(a->before[i] && conf_holds(s, a->before[i]));
}

static void judge(struct apply *a, size_t i)
{
	const struct conf_statement *s = a->wanted.items[i];

	if (!is_chosen(a, s))
		return;
	a->before[i] = conf_find(&a->now, s);
	a->waits[i] = s->device && !is_there(a, i, s->device);
	if (a->waits[i])
		return;
	a->differs += differs(a, i);
	a->items[i] = (struct plan_item){
		.wanted = differs(a, i) || conf_has_secret(s),
		.exists = a->before[i],
		.replaced = s->kind->replaced,
		.last = conf_sets_key(s),
	};
}

/* Prints what waits, or what differs as in diff(1): the present state, and the line. */
static void print_text(const struct apply *a, size_t i)
{
	const struct conf_statement *s = a->wanted.items[i];

	if (a->waits[i]) {
		printf("%s: waits for %s: ", s->place, s->device);
	} else {
		if (a->before[i]) {
			printf("%s: - ", s->place);
			conf_put_line(a->before[i], stdout);
		}
		printf("%s: + ", s->place);
	}
	conf_put_line(s, stdout);
}

static void report_line(struct report *r, const char *key, const struct conf_statement *s)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return;
	conf_put_line(s, out);
	fclose(out);
	text[len - 1] = '\0';	/* the newline */
	report_text(r, key, text);
	free(text);
}

static void print_json(const struct apply *a, size_t i)
{
	const struct conf_statement *s = a->wanted.items[i];
	struct report r = report_begin(true);

	report_text(&r, "place", s->place);
	if (a->waits[i])
		report_text(&r, "waits_for", s->device);
	else if (a->before[i])
		report_line(&r, "present", a->before[i]);
	report_line(&r, "line", s);
	report_end(&r);
}

static void print_differences(const struct apply *a)
{
	for (size_t i = 0; i < a->wanted.count; i++) {
		if (!a->waits[i] && !differs(a, i))
			continue;
		if (a->args->values[JSON].set)
			print_json(a, i);
		else
			print_text(a, i);
	}
}

static int act(const struct apply *a, size_t item, enum plan_act act)
{
	struct conf_statement *s = a->wanted.items[item], *before = a->before[item];

	switch (act) {
	case PLAN_PUT:
		return s->kind->put(s, a->items[item].replaced ? NULL : before);
	case PLAN_RESTORE:
		return s->kind->put(before, a->items[item].replaced ? NULL : s);
	case PLAN_REMOVE:
		return s->kind->remove ? s->kind->remove(s) : EXIT_OK;
	default:
		return s->kind->remove(before);
	}
}

/* Undoes steps, the last one first. */
static void undo(const struct apply *a, const struct plan_step *steps, size_t count)
{
	size_t failed = 0;

	while (count--)
		if (act(a, steps[count].item, steps[count].undo)) {
			failed++;
			cli_error(a->args->who, "%s: could not be undone",
				  a->wanted.items[steps[count].item]->place);
		}
	if (!failed)
		cli_error(a->args->who, "nothing is applied: what was done before the error is undone");
}

/* A device may go at any time, also a moment before its line. */
static bool has_gone(const struct conf_statement *s)
{
	if (!s->device || exists(s->device))
		return false;
	cli_error(s->who, "%s has gone: the line waits for it", s->device);
	return true;
}

static int run_steps(const struct apply *a)
{
	struct plan_step *steps = calloc(2 * a->wanted.count + 1, sizeof(*steps));
	int status = EXIT_OK;
	size_t count;

	if (!steps) {
		cli_error(a->args->who, "out of memory");
		return EXIT_FAILED;
	}
	/* a signal would leave half of the statements */
	wait_hold_signals();
	count = plan_make(a->items, a->wanted.count, steps);
	for (size_t i = 0; i < count && !status; i++) {
		if (!act(a, steps[i].item, steps[i].act) ||
		    has_gone(a->wanted.items[steps[i].item]))
			continue;
		status = EXIT_FAILED;
		undo(a, steps, i);
	}
	free(steps);
	return status;
}

/* Waits until no other apply runs, which could add what this one is about to add. The kernel removes
 * the lock when the process ends. Only root has the file, so that no other user can keep root waiting.
 * Whoever may configure a network namespace but not write the file goes on without a lock.
 */
static void wait_for_others(void)
{
	int fd;

	mkdir(CONF_RUN_FOLDER, 0755);
	fd = open(CONF_RUN_FOLDER "/lock", O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0)
		flock(fd, LOCK_EX);
}

static int compare_and_change(struct apply *a)
{
	bool checks = a->args->values[CHECK].set;

	if (!checks)
		wait_for_others();
	if ((!checks && !load_modules(a)) || !read_state(a))
		return EXIT_FAILED;
	for (size_t i = 0; i < a->wanted.count; i++)
		judge(a, i);
	print_differences(a);
	if (checks)
		return a->differs ? EXIT_FAILED : EXIT_OK;
	return run_steps(a);
}

static int run_apply(const struct cli_args *args)
{
	struct apply a = {
		.args = args, .wanted = { .who = args->who }, .now = { .who = args->who },
	};
	int status = read_files(&a);

	a.items = calloc(a.wanted.count + 1, sizeof(*a.items));
	a.before = calloc(a.wanted.count + 1, sizeof(*a.before));
	a.waits = calloc(a.wanted.count + 1, sizeof(*a.waits));
	if (!a.items || !a.before || !a.waits) {
		cli_error(args->who, "out of memory");
		status = EXIT_FAILED;
	}
	if (!status)
		status = compare_and_change(&a);
	conf_free(&a.wanted);
	conf_free(&a.now);
	free(a.items);
	free(a.before);
	free(a.waits);
	return status;
}

const struct command apply_command = {
	.name = "apply",
	.words = &file_option,
	.summary = "apply configuration files, all or nothing",
	.options = options,
	.run = run_apply,
};
