// SPDX-License-Identifier: GPL-2.0-or-later
/* The versions of the command and of the loaded modules: see version.h. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <net/fl_version.h>

#include "../lib/text.h"
#include "version.h"

static const char *const modules[] = {
	"arqlink", "cellink", "sch_lpd", "tcp_iftpv", "xlo", "xlo_rto",
};

/* Returns false if the module is not loaded. */
static bool read_version(const char *folder, const char *module, char *version, size_t size)
{
	char path[256];
	FILE *file;
	bool read;

	snprintf(path, sizeof(path), "%s/%s/version", folder, module);
	file = fopen(path, "re");
	if (!file)
		return false;
	read = fgets(version, size, file);
	fclose(file);
	if (read)
		version[strcspn(version, "\n")] = '\0';
	return read;
}

void print_versions(const char *folder)
{
	char version[32];

	puts("freshlink " FL_VERSION);
	for (size_t i = 0; i < sizeof(modules) / sizeof(*modules); i++) {
		if (!read_version(folder, modules[i], version, sizeof(version)) ||
		    !strcmp(version, FL_VERSION))
			continue;
		printf("%s ", modules[i]);
		fl_put_text(version, stdout);
		puts(" is loaded: it stays until a reboot or \"modprobe -r\"");
	}
}
