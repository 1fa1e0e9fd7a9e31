/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interface between ip (iproute2) and a plugin for a kind of link.
 *
 * ip loads $IP_LIB_DIR/link_KIND.so and looks for the symbol KIND_link_util.
 * No package installs a header for this interface, so it is declared here.
 */
#ifndef FRESHLINK_IP_PLUGIN_H
#define FRESHLINK_IP_PLUGIN_H

#include "iproute2.h"

struct link_util;

/**
 * struct link_util - the functions that ip calls; ip writes @next, so it is not const
 * @next: ip's list
 * @id: the kind
 * @maxattr: the last attribute of IFLA_INFO_DATA
 * @parse_opt: converts words to attributes
 * @print_opt: prints attributes as text or JSON; @tb is NULL if the kernel sent no attributes
 * @print_xstats: the same for IFLA_INFO_XSTATS
 * @print_help: prints the help for "ip link help KIND"
 * @parse_ifla_xstats: parses the words of "ip link xstats"
 * @print_ifla_xstats: prints the answer of "ip link xstats"
 */
struct link_util {
	struct link_util *next;
	const char *id;
	int maxattr;
	int (*parse_opt)(struct link_util *lu, int argc, char **argv,
			 struct nlmsghdr *n);
	void (*print_opt)(struct link_util *lu, FILE *f, struct rtattr **tb);
	void (*print_xstats)(struct link_util *lu, FILE *f,
			     struct rtattr *xstats);
	void (*print_help)(struct link_util *lu, int argc, char **argv,
			   FILE *f);
	int (*parse_ifla_xstats)(struct link_util *lu, int argc, char **argv);
	int (*print_ifla_xstats)(struct nlmsghdr *n, void *arg);
};

_Static_assert(sizeof(struct link_util) == 9 * sizeof(void *),
	       "ip's plugin interface");

/* Parses the words of a link up to "type", which it writes to @type; returns the
 * number of parsed words. @n is an incomplete request for a link.
 */
int iplink_parse(int argc, char **argv, struct nlmsghdr *n, char **type);

#endif
