// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * step OUT COMMAND...: runs COMMAND, a User-Mode Linux, and counts the instructions that its kernel
 * executes between two breakpoints of the module in lab/bench/module, by single-stepping. At the
 * first breakpoint rax has the number of the case. At the second breakpoint rax is 0.
 *
 * Writes a line "case N runs N sum N least N most N" for each case to OUT, followed by
 * a line "at ADDRESS N" for each address that was executed.
 *
 * Signals of timers and devices that arrive between the breakpoints are delivered after the second
 * breakpoint; otherwise their handlers would be counted. The signal of a page fault is delivered
 * immediately, because the instruction needs the page.
 */
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define CASES	1024
#define SLOTS	(1 << 14)	/* addresses of one case, a power of two */
#define SIGNALS	65

struct slot {
	uint64_t address;
	uint64_t hits;
};

struct count {
	uint64_t runs, sum, least, most;
	struct slot *slots;
};

static struct count counts[CASES];

static uint64_t reg(pid_t pid, size_t offset)
{
	errno = 0;
	uint64_t value = ptrace(PTRACE_PEEKUSER, pid, offset, NULL);

	if (errno)
		err(2, "PTRACE_PEEKUSER");
	return value;
}

/* Continues the process and waits for its next signal. Returns the number of the signal. If the
 * process has ended, returns -1 minus the exit status.
 */
static int go(pid_t pid, int how, int signal)
{
	int status;

	if (ptrace(how, pid, NULL, signal))
		err(2, "ptrace");
	if (waitpid(pid, &status, __WALL) < 0)
		err(2, "waitpid");
	if (WIFEXITED(status))
		return -1 - WEXITSTATUS(status);
	if (WIFSIGNALED(status))
		return -1 - 128 - WTERMSIG(status);
	return WSTOPSIG(status);
}

/* Returns whether a SIGTRAP comes from a breakpoint and not from a single step. */
static bool at_breakpoint(pid_t pid)
{
	siginfo_t info;

	if (ptrace(PTRACE_GETSIGINFO, pid, NULL, &info))
		err(2, "PTRACE_GETSIGINFO");
	return info.si_code == SI_KERNEL;
}

static void hit(struct count *c, uint64_t address)
{
	uint64_t i = address * 0x9e3779b97f4a7c15u >> 50;

	while (c->slots[i].hits && c->slots[i].address != address)
		i = (i + 1) % SLOTS;
	c->slots[i].address = address;
	c->slots[i].hits++;
}

static void add(struct count *c, uint64_t steps)
{
	if (!c->runs || steps < c->least)
		c->least = steps;
	if (steps > c->most)
		c->most = steps;
	c->runs++;
	c->sum += steps;
}

/* Single-steps from the first breakpoint to the second breakpoint. Returns 0, or go()'s result if
 * the process has ended.
 */
static int step_through(pid_t pid, struct count *c)
{
	bool put_off[SIGNALS] = { false };
	uint64_t steps = 0, address;
	int got = 0;

	for (;;) {
		address = reg(pid, offsetof(struct user_regs_struct, rip));
		got = go(pid, PTRACE_SINGLESTEP, got == SIGSEGV ? got : 0);
		if (got < 0)
			return got;
		if (got == SIGTRAP && at_breakpoint(pid))
			break;
		if (got == SIGTRAP) {
			hit(c, address);
			steps++;
		} else if (got != SIGSEGV) {
			put_off[got] = true;
		}
	}
	add(c, steps);
	for (int i = 1; i < SIGNALS; i++)
		if (put_off[i])
			kill(pid, i);
	return 0;
}

static void report(const char *path)
{
	FILE *out = fopen(path, "w");

	if (!out)
		err(2, "%s", path);
	for (int i = 1; i < CASES; i++) {
		const struct count *c = &counts[i];

		if (!c->runs)
			continue;
		fprintf(out, "case %d runs %ju sum %ju least %ju most %ju\n", i,
			(uintmax_t)c->runs, (uintmax_t)c->sum,
			(uintmax_t)c->least, (uintmax_t)c->most);
		for (int j = 0; j < SLOTS; j++)
			if (c->slots[j].hits)
				fprintf(out, "at %jx %ju\n",
					(uintmax_t)c->slots[j].address,
					(uintmax_t)c->slots[j].hits);
	}
	if (fclose(out))
		err(2, "%s", path);
}

/* The counters of the case whose number is in rax at the first breakpoint. */
static struct count *count_of_case(pid_t pid)
{
	uint64_t number = reg(pid, offsetof(struct user_regs_struct, rax));

	if (!number || number >= CASES)
		errx(2, "case %ju: expected 1 to %d", (uintmax_t)number, CASES - 1);
	if (!counts[number].slots)
		counts[number].slots = calloc(SLOTS, sizeof(struct slot));
	if (!counts[number].slots)
		err(2, "memory");
	return &counts[number];
}

static int watch(pid_t pid)
{
	int got = 0;

	while (got >= 0) {
		got = go(pid, PTRACE_CONT, got);
		if (got == SIGTRAP && at_breakpoint(pid))
			got = step_through(pid, count_of_case(pid));
	}
	return -1 - got;
}

int main(int argc, char **argv)
{
	int status;
	pid_t pid;

	if (argc < 3)
		errx(2, "expected OUT COMMAND...");
	pid = fork();
	if (pid < 0)
		err(2, "fork");
	if (!pid) {
		ptrace(PTRACE_TRACEME);
		execvp(argv[2], argv + 2);
		err(127, "%s", argv[2]);
	}
	if (waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status))
		errx(2, "%s does not start", argv[2]);
	ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_EXITKILL);
	status = watch(pid);
	report(argv[1]);
	return status;
}
