// SPDX-License-Identifier: GPL-2.0-or-later
/* The running system: see look.h. */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "look.h"

#define MODULES		"/lib/modules"
#define PACKAGES	"/usr/share/doc"
#define LOCKDOWN	"/sys/kernel/security/lockdown"
#define FIRST_NAMESPACE	0xeffffffdU	/* inode number of the first user namespace */

/* the project's modules: no package or command of the project provides others */
static const char *const ours[] = {
	"xlo", "xlo_rto", "sch_lpd", "cellink", "arqlink", "tcp_iftpv",
};

__attribute__((format(printf, 1, 2)))
static bool exists(const char *format, ...)
{
	char path[PATH_MAX];
	va_list ap;

	va_start(ap, format);
	vsnprintf(path, sizeof(path), format, ap);
	va_end(ap);
	return !access(path, F_OK);
}

/* Whether a line of a file contains a text. A file that cannot be read contains nothing. */
static bool has_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "re");
	char line[4096];
	bool found = false;

	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		found = strstr(line, text);
	fclose(file);
	return found;
}

static bool is_inner(void)
{
	struct stat st;

	return !stat("/proc/self/ns/user", &st) && st.st_ino != FIRST_NAMESPACE;
}

/* Debian's kernels lock down integrity if they were started by Secure Boot. */
static bool loads_signed_only(void)
{
	return has_text("/sys/module/module/parameters/sig_enforce", "Y") ||
	       has_text(LOCKDOWN, "[integrity]") || has_text(LOCKDOWN, "[confidentiality]");
}

static struct advice_system look(void)
{
	struct advice_system system = {
		.is_root = !geteuid(),
		.is_inner = is_inner(),
		.has_packages = exists(PACKAGES "/freshlink/copyright"),
		.has_dkms = exists(PACKAGES "/freshlink-dkms/copyright"),
		.signed_only = loads_signed_only(),
	};
	struct utsname name;

	uname(&name);
	snprintf(system.release, sizeof(system.release), "%s", name.release);
	system.has_headers = exists(MODULES "/%s/build/Makefile", system.release);
	return system;
}

static bool is_ours(const char *module)
{
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (!strcmp(module, ours[i]))
			return true;
	return false;
}

/* Whether a list in the kernel's folder has the module. */
static bool is_listed(const char *release, const char *list, const char *module)
{
	char path[PATH_MAX], text[64];

	snprintf(path, sizeof(path), MODULES "/%s/%s", release, list);
	snprintf(text, sizeof(text), "/%s.ko", module);
	return has_text(path, text);
}

/* Whether the module's file is where "make install" or DKMS put it. */
static bool is_installed(const char *release, const char *module)
{
	static const char *const endings[] = { "", ".xz", ".zst", ".gz" };

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (exists(MODULES "/%s/updates/freshlink/%s.ko%s", release, module, endings[i]) ||
		    exists(MODULES "/%s/updates/dkms/%s.ko%s", release, module, endings[i]))
			return true;
	return false;
}

static enum advice_file find_file(const char *release, const char *module)
{
	if (!is_ours(module) || !exists(MODULES "/%s/modules.dep", release))
		return ADVICE_FILE_UNKNOWN;
	if (is_listed(release, "modules.dep", module))
		return ADVICE_FILE_LISTED;
	return is_installed(release, module) ? ADVICE_FILE_UNLISTED : ADVICE_FILE_MISSING;
}

static struct advice module_advice(const char *module)
{
	struct advice_system system = look();

	return advise_module(&system, module, find_file(system.release, module));
}

const char *look_for_module(const char *module)
{
	static char text[sizeof(struct advice) + 2];
	struct advice advice = module_advice(module);

	snprintf(text, sizeof(text), "%s: %s", advice.cause, advice.command);
	return text;
}

const char *look_whose_right(void)
{
	struct advice_system system = look();

	return advise_right(&system);
}

const char *look_for_right(const char *needs, const char *capability)
{
	static char text[192];

	snprintf(text, sizeof(text), "%s %s%s", needs, capability, look_whose_right());
	return text;
}

bool look_is_loaded(const char *module)
{
	return exists("/sys/module/%s", module);
}

/* Whether the kernel has to load the module first. A container cannot know. */
static bool is_absent(const struct advice_system *system, const char *module)
{
	return !system->is_inner && !look_is_loaded(module) &&
	       !is_listed(system->release, "modules.builtin", module);
}

bool look_is_missing(const char *module)
{
	struct advice_system system = look();
	enum advice_file file = find_file(system.release, module);

	return is_absent(&system, module) &&
	       (file == ADVICE_FILE_MISSING || file == ADVICE_FILE_UNLISTED);
}

bool look_needs_trust(const char *module)
{
	struct advice_system system = look();

	return is_absent(&system, module) && system.signed_only &&
	       find_file(system.release, module) == ADVICE_FILE_LISTED;
}

/* TC_LIB_DIR replaces the folder where tc was told to look when it was built. */
static bool has_plugin(void)
{
	const char *folder = getenv("TC_LIB_DIR");

	return exists("%s/q_lpd.so", folder ? folder : FL_TC_DIR);
}

size_t look_at_parts(struct advice *missing)
{
	static const char *const modules[] = { "sch_lpd", "xlo" };
	size_t count = 0;

	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++)
		if (look_is_missing(modules[i]) || look_needs_trust(modules[i]))
			missing[count++] = module_advice(modules[i]);
	if (!has_plugin()) {
		struct advice_system system = look();

		missing[count++] = advise_plugin(&system);
	}
	return count;
}
