// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * twin SEED SEEDS STEPS: runs the sequences of SEEDS seeds, beginning with SEED. Prints a line with
 * the seed and the digest of all outcomes for each of them. Tells stderr how many packets took which path.
 * twin show SEED STEPS: prints the outcome of each step.
 * twin count: counts instructions.
 */
#include <err.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include "host.h"

static unsigned long long seed;

void *host_alloc(unsigned long size)
{
	void *memory = calloc(1, size);

	if (!memory)
		err(2, "memory");
	return memory;
}

void host_free(void *memory)
{
	memset(memory, 0x6b, malloc_usable_size(memory));
	free(memory);
}

void host_print(const char *text)
{
	fputs(text, stdout);
}

void host_die(const char *text)
{
	fflush(stdout);
	printf("\nseed %llu: %s\n", seed, text);
	exit(1);
}

void host_absent(const char *function)
{
	char text[256];

	snprintf(text, sizeof(text), "the module calls %s(), which the simulated kernel lacks", function);
	host_die(text);
}

static void print_paths(void)
{
	static const char * const names[] = { "fast", "form", "shared", "order", "config" };
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		fprintf(stderr, "%s %llu\n", names[i], sequence_path(i));
}

static void run(char **argv)
{
	unsigned int steps = strtoul(argv[3], NULL, 10);
	unsigned long long last;

	if (!strcmp(argv[1], "show")) {
		seed = strtoull(argv[2], NULL, 10);
		sequence_run(seed, steps, 1);
		return;
	}
	seed = strtoull(argv[1], NULL, 10);
	for (last = seed + strtoull(argv[2], NULL, 10); seed < last; seed++)
		printf("%llu %016llx\n", seed, sequence_run(seed, steps, 0));
	print_paths();
}

static ucontext_t outside, inside;
static char **arguments;

static void start(void)
{
	init_module();
	if (arguments[2])
		run(arguments);
	else
		host_count();
}

/* Runs the simulated kernel on a stack as in the kernel: at its lower end is what the kernel knows of
 * the thread. Below it is a page that cannot be used.
 */
static void start_on_stack(void)
{
	char *space = mmap(NULL, 3 * sim_stack_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *stack = space + 2 * sim_stack_size - (unsigned long)space % sim_stack_size;

	if (space == MAP_FAILED || mprotect(stack, sim_stack_size, PROT_READ | PROT_WRITE))
		err(2, "stack");
	getcontext(&inside);
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = sim_stack_size;
	inside.uc_link = &outside;
	makecontext(&inside, start, 0);
	swapcontext(&outside, &inside);
}

int main(int argc, char **argv)
{
	if (argc != 4 && (argc != 2 || strcmp(argv[1], "count")))
		errx(2, "expected SEED SEEDS STEPS, show SEED STEPS, or count");
	arguments = argv;
	start_on_stack();
	return 0;
}
