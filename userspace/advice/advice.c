// SPDX-License-Identifier: GPL-2.0-or-later
/* Causes and advice: see advice.h. */
#include <stdio.h>

#include <net/fl_version.h>

#include "advice.h"

enum cause {
	INNER,
	UNLOADED,
	UNSIGNED,
	UNLISTED,
	NO_HEADERS,
	UNBUILT,
	NO_PACKAGE,
	NO_FILE,
};

/* Formats: in a cause, the first argument is the module, and the second is the kernel's release. A
 * command has one of them.
 */
static const struct {
	const char *cause;
	const char *command;
	bool is_for_release;
} table[] = {
	[INNER] = {
		.cause = "the kernel module %1$s is not loaded, and a container cannot load it",
		.command = "modprobe %s, outside of the container",
	},
	[UNLOADED] = {
		.cause = "the kernel module %1$s is not loaded",
		.command = "modprobe %s",
	},
	[UNSIGNED] = {
		.cause = "the kernel module %1$s is not loaded, and this kernel loads only signed modules",
		.command = "modprobe %s; if its key is rejected, mokutil --import /var/lib/dkms/mok.pub, and reboot",
	},
	[UNLISTED] = {
		.cause = "modprobe does not know the kernel module %1$s, although it is installed",
		.command = "depmod && modprobe %s",
	},
	[NO_HEADERS] = {
		.cause = "Linux %2$s has no kernel module %1$s, and the headers to build it are missing",
		.command = "apt install linux-headers-%s",
		.is_for_release = true,
	},
	[UNBUILT] = {
		.cause = "DKMS has not built the kernel module %1$s for Linux %2$s",
		.command = "dkms install freshlink/" FL_VERSION " -k %s",
		.is_for_release = true,
	},
	[NO_PACKAGE] = {
		.cause = "Linux %2$s has no kernel module %1$s",
		.command = "apt install ./freshlink-dkms_*.deb linux-headers-%s, in the folder of the packages",
		.is_for_release = true,
	},
	[NO_FILE] = {
		.cause = "Linux %2$s has no kernel module %1$s",
		.command = "make modules tools MACHINE=host && make install, in Freshlink's source",
	},
};

static enum cause cause_of_missing(const struct advice_system *system)
{
	if (system->has_dkms)
		return system->has_headers ? UNBUILT : NO_HEADERS;
	return system->has_packages ? NO_PACKAGE : NO_FILE;
}

static enum cause find_cause(const struct advice_system *system, enum advice_file file)
{
	if (system->is_inner)
		return INNER;
	if (file == ADVICE_FILE_UNLISTED)
		return UNLISTED;
	if (file == ADVICE_FILE_MISSING)
		return cause_of_missing(system);
	return system->signed_only ? UNSIGNED : UNLOADED;
}

struct advice advise_module(const struct advice_system *system, const char *module,
			    enum advice_file file)
{
	enum cause cause = find_cause(system, file);
	struct advice advice;

	snprintf(advice.cause, sizeof(advice.cause), table[cause].cause, module,
		 system->release);
	snprintf(advice.command, sizeof(advice.command), table[cause].command,
		 table[cause].is_for_release ? system->release : module);
	return advice;
}

struct advice advise_plugin(const struct advice_system *system)
{
	struct advice advice = { .cause = "the plugin of tc for lpd is missing" };

	snprintf(advice.command, sizeof(advice.command), "%s", system->has_packages ?
		 "apt install --reinstall ./freshlink_*.deb, in the folder of the packages" :
		 "make tools && make install, in Freshlink's source");
	return advice;
}

const char *advise_right(const struct advice_system *system)
{
	if (!system->is_root)
		return " (root has it)";
	if (system->is_inner)
		return " (root outside of this user namespace has it)";
	return ", which this root lacks (docker run --cap-add gives it to a container)";
}
