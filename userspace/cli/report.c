// SPDX-License-Identifier: GPL-2.0-or-later
/* Output as text or JSON: see report.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../lib/units.h"
#include "report.h"

struct report report_begin(bool json)
{
	if (json)
		putchar('{');
	return (struct report){ .json = json };
}

static void print_key(struct report *r, const char *key)
{
	if (r->any)
		fputs(r->json ? ", " : " ", stdout);
	r->any = true;
	printf(r->json ? "\"%s\": " : "%s ", key);
}

void report_number(struct report *r, const char *key, int64_t value)
{
	print_key(r, key);
	printf("%" PRId64, value);
}

void report_seconds(struct report *r, const char *key, int64_t ns)
{
	lldiv_t split = lldiv(ns, FL_SEC);

	print_key(r, key);
	printf("%lld.%09lld", split.quot, split.rem);
}

void report_text(struct report *r, const char *key, const char *text)
{
	print_key(r, key);
	if (!r->json) {
		fputs(text, stdout);
		return;
	}
	putchar('"');
	for (; *text; text++) {
		unsigned char c = *text;

		if (c < ' ' || c == '"' || c == '\\')
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
}

void report_end(struct report *r)
{
	fputs(r->json ? "}\n" : "\n", stdout);
	fflush(stdout);
}
