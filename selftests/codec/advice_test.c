// SPDX-License-Identifier: GPL-2.0-or-later
/* What is said about a missing module or capability, for every state of a system. Prints TAP. */
#include <string.h>

#include "../../userspace/advice/advice.h"
#include "unit.h"

#define SYSTEMS	64	/* six facts that are true or false */
#define FILES	(ADVICE_FILE_MISSING + 1)

static struct advice_system system_of(int facts)
{
	return (struct advice_system){
		.release = "6.1.0-56-amd64",
		.is_root = facts & 1, .is_inner = facts & 2, .has_packages = facts & 4,
		.has_dkms = facts & 8, .has_headers = facts & 16, .signed_only = facts & 32,
	};
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Without DKMS's package, no command of DKMS is said, and without a package, none of apt. */
static bool fits(const struct advice_system *system, enum advice_file file,
		 const struct advice *advice)
{
	const char *command = advice->command;

	if (system->is_inner)
		return strstr(command, "outside");
	if (file == ADVICE_FILE_UNLISTED)
		return begins(command, "depmod");
	if (file != ADVICE_FILE_MISSING)
		return begins(command, "modprobe tcp_iftpv") &&
		       !strstr(command, "mokutil") == !system->signed_only;
	if (!system->has_dkms)
		return begins(command, system->has_packages ?
			      "apt install ./freshlink-dkms_*.deb" : "make ");
	return begins(command, system->has_headers ? "dkms install" : "apt install linux-headers");
}

static bool test_every_system(void)
{
	for (int facts = 0; facts < SYSTEMS; facts++) {
		struct advice_system system = system_of(facts);

		for (int file = 0; file < FILES; file++) {
			struct advice advice = advise_module(&system, "tcp_iftpv", file);

			MUST(strstr(advice.cause, "tcp_iftpv"));
			MUST(!strchr(advice.cause, '%') && !strchr(advice.command, '%'));
			MUST(fits(&system, file, &advice));
		}
	}
	return true;
}

static bool test_long_release(void)
{
	struct advice_system system = { .has_dkms = true };
	struct advice advice;

	memset(system.release, 'x', sizeof(system.release) - 1);
	advice = advise_module(&system, "tcp_iftpv", ADVICE_FILE_MISSING);
	MUST(strlen(advice.cause) < sizeof(advice.cause) - 1);
	MUST(!strcmp(advice.command + strlen("apt install linux-headers-"), system.release));
	return true;
}

static bool test_right(void)
{
	for (int facts = 0; facts < SYSTEMS; facts++) {
		struct advice_system system = system_of(facts);
		const char *text = advise_right(&system);

		MUST(!strcmp(text, " (root has it)") == !system.is_root);
		MUST(!strstr(text, "user namespace") == !(system.is_root && system.is_inner));
	}
	return true;
}

static const struct unit tests[] = {
	{ "a module, on every system", test_every_system },
	{ "the longest name of a release", test_long_release },
	{ "a capability, on every system", test_right },
};

int main(void)
{
	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) > 0;
}
