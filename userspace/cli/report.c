// SPDX-License-Identifier: GPL-2.0-or-later
/* Output as text or JSON: see report.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/text.h"
#include "../lib/units.h"
#include "report.h"

struct report report_begin(bool json)
{
	if (json)
		putchar('{');
	return (struct report){ .json = json };
}

struct report report_event(bool json, const char *event, int64_t time_ns)
{
	struct report r = report_begin(json);

	report_text(&r, "event", event);
	report_number(&r, "time_ns", time_ns);
	return r;
}

static void print_string(const struct report *r, const char *text)
{
	if (r->json)
		fl_put_json(text, stdout);
	else
		fl_put_text(text, stdout);
}

static void print_key(struct report *r, const char *key)
{
	if (r->any)
		fputs(r->json ? ", " : " ", stdout);
	r->any = true;
	print_string(r, key);
	fputs(r->json ? ": " : " ", stdout);
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
	printf("%s%lld.%09lld", ns < 0 ? "-" : "", llabs(split.quot), llabs(split.rem));
}

void report_share(struct report *r, const char *key, uint32_t part,
		  uint32_t whole)
{
	lldiv_t split = lldiv((part * 1000000LL + whole / 2) / whole, 1000000);

	print_key(r, key);
	printf("%lld.%06lld", split.quot, split.rem);
}

void report_text(struct report *r, const char *key, const char *text)
{
	print_key(r, key);
	print_string(r, text);
}

/* the option "--corrupt-ok" has the key "corrupt_ok" */
static void make_key(const char *word, char *key, size_t len)
{
	snprintf(key, len, "%s", word + strspn(word, "-"));
	for (; *key; key++)
		if (*key == '-')
			*key = '_';
}

static void report_mark(struct report *r, const char *key,
			const struct fl_value *value)
{
	print_key(r, key);
	if (!r->json)
		printf("0x%" PRIx64 "/0x%" PRIx64, value->number,
		       value->second);
	else
		printf("%" PRIu64 ", \"mask\": %" PRIu64, value->number,
		       value->second);
}

static void report_flag(struct report *r, const char *key, bool on)
{
	print_key(r, key);
	if (r->json)
		fputs(on ? "true" : "false", stdout);
	else
		fputs(on ? "yes" : "no", stdout);
}

void report_value(struct report *r, const char *key,
		  const struct fl_option *opt, const struct fl_value *value)
{
	char buf[32];

	if (opt->type == FL_MARK)
		report_mark(r, key, value);
	else if (opt->type == FL_FLAG)
		report_flag(r, key, value->set);
	else if (r->json && opt->type != FL_WORD &&
		 !fl_is_other(opt, value->number))
		report_number(r, key, value->number);
	else
		report_text(r, key, fl_print_value(opt, value->number, buf,
						   sizeof(buf)));
}

void report_option(struct report *r, const struct fl_option *opt,
		   const struct fl_value *value)
{
	char key[32];

	make_key(opt->word, key, sizeof(key));
	report_value(r, key, opt, value);
}

void report_advice(struct report *r, const char *key, const char *advice)
{
	if (r->json)
		return;
	report_break(r);
	printf("%s: %s", key, advice);
}

void report_open(struct report *r, const char *key)
{
	print_key(r, key);
	if (r->json)
		putchar('{');
	r->any = false;
}

void report_close(struct report *r)
{
	if (r->json)
		putchar('}');
	else if (!r->any)
		fputs("none", stdout);
	r->any = true;
}

void report_break(struct report *r)
{
	if (r->json)
		return;
	putchar('\n');
	r->any = false;
}

void report_end(struct report *r)
{
	fputs(r->json ? "}\n" : "\n", stdout);
	fflush(stdout);
}
