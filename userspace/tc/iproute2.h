/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that the programs tc and ip (iproute2) export to their plugins. No
 * package installs a header for these functions.
 */
#ifndef FRESHLINK_IPROUTE2_H
#define FRESHLINK_IPROUTE2_H

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The output format to which a call applies. */
enum plugin_output {
	OUT_TEXT = 1,
	OUT_JSON = 2,
	OUT_ANY = 4,
};

#define NO_COLOR	6

int addattr_l(struct nlmsghdr *n, int maxlen, int type, const void *data,
	      int len);
int parse_rtattr_flags(struct rtattr *tb[], int max, struct rtattr *rta,
		       int len, unsigned short flags);
int print_color_u64(int output, int color, const char *key, const char *fmt,
		    uint64_t value);
int print_color_s64(int output, int color, const char *key, const char *fmt,
		    int64_t value);
int print_color_bool(int output, int color, const char *key, const char *fmt,
		     bool value);
int print_color_string(int output, int color, const char *key, const char *fmt,
		       const char *value);
void open_json_object(const char *key);
void close_json_object(void);
void open_json_array(int output, const char *key);
void close_json_array(int output, const char *key);

#endif
