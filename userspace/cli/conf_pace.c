// SPDX-License-Identifier: GPL-2.0-or-later
/* Units of freshlink pace as statements of configuration: see conf_pace.h. */
#include <errno.h>
#include <glob.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf_pace.h"
#include "conf_state.h"
#include "tool.h"

#define FILES	CONF_RUN_FOLDER "/pace-"
#define BEGIN	"OPTIONS=\""

/* Characters that systemd's file of options and its unit take as they are. */
static bool is_plain(const char *word)
{
	return !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789_./:,@+=-")];
}

/* Options of a command that somebody watches. */
static bool is_for_terminals(const struct fl_option *opt)
{
	return !strcmp(opt->word, "--show") || !strcmp(opt->word, "-j") ||
	       !strcmp(opt->word, "--duration");
}

bool conf_pace_check(const struct conf_statement *s)
{
	const struct fl_option *options = conf_options(s->kind);

	for (int i = 0; options[i].word; i++) {
		if (!s->args.values[i].set || !is_for_terminals(&options[i]))
			continue;
		cli_error(s->who, "%s: expected no such option, because a unit runs the command",
			  options[i].word);
		return false;
	}
	for (int i = 1; i < s->count; i++) {
		if (is_plain(s->words[i]))
			continue;
		cli_error(s->who, "%s: expected only letters, digits and _./:,@+=-, which a unit can have",
			  s->words[i]);
		return false;
	}
	return true;
}

/* Units run in the network namespace of the first process. A namespace that may not be seen is
 * taken for the same, because a confined service does not see other processes.
 */
static bool is_system_namespace(void)
{
	struct stat own, first;

	return stat("/proc/self/ns/net", &own) || stat("/proc/1/ns/net", &first) ||
	       (own.st_ino == first.st_ino && own.st_dev == first.st_dev);
}

static int systemctl(const char *who, const char *verb, const char *option, const char *device)
{
	char unit[64];

	snprintf(unit, sizeof(unit), "freshlink-pace@%s.service", device);
	return tool_status(who, (const char *const[]){ "systemctl", verb, option, unit, NULL });
}

static void path_of(const struct conf_statement *s, const char *more, char *path, size_t len)
{
	snprintf(path, len, FILES "%s%s", s->name, more);
}

static bool write_options(const struct conf_statement *s, const char *path)
{
	FILE *file = fopen(path, "we");
	bool good;

	if (!file)
		return false;
	fputs(BEGIN, file);
	for (int i = 2; i < s->count; i++)
		fprintf(file, "%s%s", i > 2 ? " " : "", s->words[i]);
	fputs("\"\n", file);
	good = !fflush(file) && !ferror(file);
	return !fclose(file) && good;
}

/* Replaces the file at once, because systemd may read it at any time. */
static bool replace_options(const struct conf_statement *s)
{
	char path[128], fresh[128];

	path_of(s, "", path, sizeof(path));
	path_of(s, ".new", fresh, sizeof(fresh));
	if ((!mkdir(CONF_RUN_FOLDER, 0755) || errno == EEXIST) && write_options(s, fresh) &&
	    !rename(fresh, path))
		return true;
	cli_error(s->who, "cannot write %s: %s", path, strerror(errno));
	return false;
}

static void remove_options(const struct conf_statement *s)
{
	char path[128];

	path_of(s, "", path, sizeof(path));
	unlink(path);
}

/* Somebody may have started the unit with options in /etc. Returns false after a message. */
static bool note_whether_it_runs(struct conf_statement *s)
{
	int status = systemctl(s->who, "is-active", "-q", s->name);

	s->ran = !status;
	return status >= 0;
}

int conf_pace_put(struct conf_statement *s, const struct conf_statement *before)
{
	int status;

	if (!is_system_namespace()) {
		cli_error(s->who, "units run in the network namespace of the system: expected the same here");
		return EXIT_FAILED;
	}
	if ((!before && !note_whether_it_runs(s)) || !replace_options(s))
		return EXIT_FAILED;
	/* the unit waits for a network, which may wait for freshlink apply */
	status = systemctl(s->who, "restart", "--no-block", s->name);
	if (!status)
		return EXIT_OK;
	if (status > 0)
		cli_error(s->who, "systemctl failed with status %d", status);
	if (!before || !replace_options(before))
		remove_options(s);
	return EXIT_FAILED;
}

int conf_pace_remove(const struct conf_statement *s)
{
	const char *verb = s->ran ? "restart" : "stop";

	remove_options(s);
	return systemctl(s->who, verb, "--no-block", s->name) ? EXIT_FAILED : EXIT_OK;
}

/* Writes the statement in a file of options, if its unit runs. */
static void write_file(const struct cli_args *args, const char *path, FILE *out)
{
	const char *device = path + strlen(FILES);
	char line[4096];
	FILE *file = fopen(path, "re");

	if (!file)
		return;
	if (fgets(line, sizeof(line), file) && !strncmp(line, BEGIN, strlen(BEGIN)) &&
	    conf_device_is_typed(device) && !systemctl(args->who, "is-active", "-q", device)) {
		line[strcspn(line, "\n")] = '\0';
		line[strlen(line) - 1] = '\0';	/* the quote */
		fprintf(out, "pace %s %s\n", device, line + strlen(BEGIN));
	}
	fclose(file);
}

bool conf_pace_write(const struct cli_args *args, FILE *out)
{
	glob_t found;

	if (!is_system_namespace() || glob(FILES "*[!.]", 0, NULL, &found))
		return true;
	for (size_t i = 0; i < found.gl_pathc; i++)
		write_file(args, found.gl_pathv[i], out);
	globfree(&found);
	return true;
}
