// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The parsers of our modules do nothing wrong if others write to a packet while a parser
 * reads it. A parser that reads a value twice may get two different values. Each parser
 * runs against memory that changes with each read (foreign.h), under AddressSanitizer.
 * Most tests also check the length of the packet afterwards.
 *
 *	fetch [-n PACKETS | -t SECONDS] [-s SEED] [PARSER...]
 *
 * PACKETS is the number for each parser and adversary. SECONDS is the time for all
 * parsers and adversaries together. Prints TAP. Each combination of parser and
 * adversary runs in its own process.
 */
#include "kernel.h"
#include "parser.h"

#include <stdio.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct parser *const groups[] = {
	lpd_parsers, usual_parsers, xlo_parsers, rto_parsers, cell_parsers,
};

static u32 packets = 40000, seconds;
static u64 seed;
static unsigned int results, failures;

/* The number of bytes that are linear at first: in half of the cases, as few bytes as
 * possible. In a netfilter hook at least the IP header is linear.
 */
static u32 linear_part(const struct packet *p, u64 *state)
{
	u32 least = p->ip;

	if (!least)
		least = p->ipv6 ? 40 : (foreign_forms[0][0] & 15) * 4;
	if (least > p->len)
		least = p->len;
	return chance(state, 2) ? least :
	       least + chance(state, p->len - least + 1);
}

static void run_packet(const struct parser *parser, u64 *state)
{
	struct packet p = parser->packet;
	struct sk_buff *skb;
	int i;

	p.ipv6 = chance(state, 3);
	p.len = chance(state, 8) ? 100 + chance(state, 300) :
				   100 + chance(state, FOREIGN_MAX - 100);
	for (i = 0; i < FOREIGN_FORMS; i++)
		(parser->form ?: form_packet)(foreign_forms[i], &p, state);
	foreign_begin(p.len, *state);
	skb = skb_make(foreign_forms[0], linear_part(&p, state), p.len, p.ip);
	skb->protocol = htons(p.ipv6 ? ETH_P_IPV6 : ETH_P_IP);
	skb->cloned = chance(state, 2);
	parser->run(skb, &p, state);
	kfree_skb(skb);
}

static void run_packets(const struct parser *parser, bool thread)
{
	time_t end = time(NULL) + seconds;
	u64 state;
	u32 i;

	if (thread)
		foreign_thread();
	for (i = 0; seconds ? time(NULL) < end : i < packets; i++) {
		state = seed + ((u64)i << 32);
		run_packet(parser, &state);
	}
	printf("# %s: %u packets, %u parsed to the end\n", parser->name, i,
	       fetch_completed());
	fflush(stdout);
	/* if no parser reached its end, the forms test nothing */
	_exit(!fetch_completed());
}

/* Print the output of the process before its result. */
static void show(FILE *log)
{
	char line[256];
	int lines;

	rewind(log);
	for (lines = 0; lines < 40 && fgets(line, sizeof(line), log); lines++)
		printf("# %s", line);
	fclose(log);
}

static void run_parser(const struct parser *parser, bool thread)
{
	FILE *log = tmpfile();
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		dup2(fileno(log), STDERR_FILENO);
		run_packets(parser, thread);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0)
		abort();
	if (status)
		show(log);
	else
		fclose(log);
	failures += !!status;
	printf("%sok %u - %s, %s\n", status ? "not " : "", ++results,
	       parser->name, thread ? "a thread writes" : "each read differs");
}

static bool wanted(const struct parser *parser, char **names)
{
	if (!*names)
		return true;
	for (; *names; names++)
		if (!strcmp(parser->name, *names))
			return true;
	return false;
}

/* Run the requested parsers, or only count the runs if @dry. */
static u32 run_parsers(char **names, bool dry)
{
	const struct parser *parser;
	u32 runs = 0, i;

	for (i = 0; i < ARRAY_SIZE(groups); i++)
		for (parser = groups[i]; parser->name; parser++) {
			if (!wanted(parser, names))
				continue;
			runs += 2;
			if (dry)
				continue;
			run_parser(parser, false);
			run_parser(parser, true);
		}
	return runs;
}

int main(int argc, char **argv)
{
	u32 runs;
	int c;

	if (getrandom(&seed, sizeof(u32), 0) < 0)
		abort();
	while ((c = getopt(argc, argv, "n:t:s:")) != -1) {
		if (c == 'n')
			packets = strtoul(optarg, NULL, 0);
		else if (c == 't')
			seconds = strtoul(optarg, NULL, 0);
		else if (c == 's')
			seed = strtoull(optarg, NULL, 0);
		else
			return 2;
	}
	runs = run_parsers(argv + optind, true);
	if (seconds && runs)
		seconds = max(seconds / runs, 1U);
	printf("# seed %llu\n1..%u\n", (unsigned long long)seed, runs);
	run_parsers(argv + optind, false);
	return failures || !results;
}
