// SPDX-License-Identifier: GPL-2.0-or-later
/* Other programs: see tool.h. */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../advice/look.h"
#include "cli.h"
#include "tool.h"

/* Starts a program with no signal blocked. Returns 0 or an errno value. */
static int start(const char *const *words, pid_t *pid)
{
	posix_spawnattr_t attr;
	sigset_t none;
	int error;

	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	error = posix_spawnp(pid, words[0], NULL, &attr, (char *const *)words, environ);
	posix_spawnattr_destroy(&attr);
	return error;
}

int tool_status(const char *who, const char *const *words)
{
	int status, error;
	pid_t pid;

	fflush(stdout);
	error = start(words, &pid);
	if (error) {
		cli_error(who, "cannot run %s: %s", words[0], strerror(error));
		return -1;
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	cli_error(who, "%s was killed by signal %d", words[0], WTERMSIG(status));
	return -1;
}

bool tool_run(const char *who, const char *const *words)
{
	int status = tool_status(who, words);

	if (status > 0)
		cli_error(who, "%s failed with status %d", words[0], status);
	return !status;
}

bool tool_run_for(const char *who, const char *module, const char *const *words)
{
	bool done = tool_run(who, words);

	if (!done && !look_is_loaded(module))
		cli_error(who, "%s", look_for_module(module));
	return done;
}
