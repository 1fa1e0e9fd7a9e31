/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interface between tc (iproute2) and a qdisc plugin.
 *
 * tc loads $TC_LIB_DIR/q_KIND.so and looks for the symbol KIND_qdisc_util. No package installs a
 * header for this interface, so it is declared here. This interface has not changed since iproute2
 * 5.9. (6.9 made the hooks' first argument const, which does not change the binary.)
 */
#ifndef FRESHLINK_TC_PLUGIN_H
#define FRESHLINK_TC_PLUGIN_H

#include <stdbool.h>

#include "iproute2.h"

struct qdisc_util;

typedef int (*tc_parse_fn)(struct qdisc_util *qu, int argc, char **argv,
			   struct nlmsghdr *n, const char *dev);
typedef int (*tc_print_fn)(struct qdisc_util *qu, FILE *f, struct rtattr *attr);

/**
 * struct qdisc_util - the functions that tc calls; tc writes @next, so it is not const
 * @next: tc's list
 * @id: the kind
 * @parse_qopt: converts words to attributes
 * @print_qopt: prints attributes as text or JSON; must not be NULL
 * @print_xstats: the same for TCA_STATS_APP
 * @parse_copt: converts the words of a class to attributes
 * @print_copt: prints the attributes of a class
 * @has_block: whether the qdisc has a filter block
 */
struct qdisc_util {
	struct qdisc_util *next;
	const char *id;
	tc_parse_fn parse_qopt;
	tc_print_fn print_qopt;
	tc_print_fn print_xstats;
	tc_parse_fn parse_copt;
	tc_print_fn print_copt;
	int (*has_block)(struct qdisc_util *qu, struct rtattr *opt,
			 uint32_t block_idx, bool *p_has);
};

_Static_assert(sizeof(struct qdisc_util) == 8 * sizeof(void *),
	       "tc's plugin interface");

#endif
