// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts the module's instructions between two marks. A mark is a breakpoint. Its handler lets the
 * processor trap after each instruction until the next mark.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <ucontext.h>
#include "host.h"

#define TRAP_FLAG	0x100

/* the linker's names for the section to which `build` has renamed those of the module */
extern const char __start_lpd_text[], __stop_lpd_text[];

static struct count {
	unsigned long instructions, calls, runs;
	bool inside;
} counts[HOST_MARKS];

static struct count *counted;

__attribute__((noinline)) void host_mark(unsigned int number)
{
	asm volatile("int3" : : "a" (number) : "memory");
}

/* Counts an instruction of the module, or notes that the module has called another function. */
static void step(struct count *c, unsigned long address)
{
	bool inside = address >= (unsigned long)__start_lpd_text &&
		      address < (unsigned long)__stop_lpd_text;

	c->instructions += inside;
	c->calls += c->inside && !inside;
	c->inside = inside;
}

static void mark(greg_t *regs)
{
	if (regs[REG_RAX]) {
		counted = &counts[regs[REG_RAX]];
		regs[REG_EFL] |= TRAP_FLAG;
		return;
	}
	regs[REG_EFL] &= ~TRAP_FLAG;
	counted->runs++;
	counted->calls--;	/* the return from the module */
}

static void trapped(int signal, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)signal;
	if (info->si_code == SI_KERNEL)
		mark(regs);
	else
		step(counted, regs[REG_RIP]);
}

static double mean(unsigned long sum, const struct count *c)
{
	return c->runs ? (double)sum / c->runs : 0;
}

static void print(const char *name)
{
	const struct count *in = &counts[HOST_ENQUEUE], *out = &counts[HOST_DEQUEUE];

	printf("%-32s %8.0f %8.0f %8.0f %7.1f\n", name, mean(in->instructions, in),
	       mean(out->instructions, out),
	       mean(in->instructions, in) + mean(out->instructions, out),
	       mean(in->calls, in) + mean(out->calls, out));
	counts[HOST_ENQUEUE] = counts[HOST_DEQUEUE] = (struct count){ 0 };
}

void host_count(void)
{
	struct sigaction action = { .sa_sigaction = trapped, .sa_flags = SA_SIGINFO };
	const char *name;
	unsigned int i;

	sigaction(SIGTRAP, &action, NULL);
	printf("%-32s %8s %8s %8s %7s\n", "instructions of lpd's own code", "enqueue", "dequeue", "sum", "calls");
	for (i = 0; (name = count_name(i)); i++) {
		count_run(i);
		print(name);
	}
}
