// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * twin SEED SEEDS STEPS: runs the sequences of SEEDS seeds, beginning with SEED. Prints a line with
 * the seed and the digest of all outcomes for each of them. Tells stderr how many packets took which path.
 * twin show SEED STEPS: prints the outcome of each step.
 * twin count: counts instructions.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

int main(int argc, char **argv)
{
	unsigned long long last;
	unsigned int steps;

	init_module();
	if (argc == 2 && !strcmp(argv[1], "count")) {
		host_count();
		return 0;
	}
	if (argc != 4)
		errx(2, "expected SEED SEEDS STEPS, show SEED STEPS, or count");
	steps = strtoul(argv[3], NULL, 10);
	if (!strcmp(argv[1], "show")) {
		seed = strtoull(argv[2], NULL, 10);
		sequence_run(seed, steps, 1);
		return 0;
	}
	seed = strtoull(argv[1], NULL, 10);
	for (last = seed + strtoull(argv[2], NULL, 10); seed < last; seed++)
		printf("%llu %016llx\n", seed, sequence_run(seed, steps, 0));
	print_paths();
	return 0;
}
