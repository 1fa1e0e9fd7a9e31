// SPDX-License-Identifier: GPL-2.0-or-later
/* The text format of Prometheus, version 0.0.4: see prometheus.h. */
#include <inttypes.h>
#include <linux/pkt_sched.h>
#include <net/fl_version.h>
#include <string.h>

#include "../lib/text.h"
#include "prometheus.h"

static const char *const types[] = {
	[METRIC_COUNTER] = "counter", [METRIC_GAUGE] = "gauge",
	[METRIC_HISTOGRAM] = "histogram",
};

/* Names of devices may have any bytes, and a byte that is not UTF-8 would spoil the whole text. */
static void put_value(const char *text, FILE *out)
{
	char buf[FL_ESCAPED(XLO_NAME_LEN)];

	for (const char *c = fl_escape(text, strnlen(text, XLO_NAME_LEN), buf); *c; c++) {
		if (*c == '\\' || *c == '"')
			putc('\\', out);
		putc(*c, out);
	}
}

static void put_label(const char *key, const char *text, char *before, FILE *out)
{
	fprintf(out, "%c%s=\"", *before, key);
	put_value(text, out);
	putc('"', out);
	*before = ',';
}

static void put_handle(const char *key, uint32_t handle, char *before, FILE *out)
{
	unsigned int minor = TC_H_MIN(handle);
	char text[16] = "root";

	if (handle != TC_H_ROOT)
		snprintf(text, sizeof(text), minor ? "%x:%x" : "%x:", TC_H_MAJ(handle) >> 16, minor);
	put_label(key, text, before, out);
}

/* The queues of a device may all have lpd with the handle 0, and differ only in the parent. */
static void put_place(const struct state_object *object, char *before, FILE *out)
{
	if (*object->device)
		put_label("device", object->device, before, out);
	if (object->kind == STATE_LPD || object->kind == STATE_CLASS) {
		put_handle("handle", object->handle, before, out);
		put_handle("parent", object->parent, before, out);
	}
	if (*object->name)
		put_label("profile", object->name, before, out);
}

/* Begins a sample. The last label may be missing. */
static void put_name(const struct metric *m, const char *suffix, const struct state_object *object,
		     const char *key, const char *text, FILE *out)
{
	char before = '{';

	fprintf(out, PROMETHEUS_PREFIX "%s%s", m->name, suffix);
	put_place(object, &before, out);
	if (key)
		put_label(key, text, &before, out);
	if (before == ',')
		putc('}', out);
	putc(' ', out);
}

static void put_fraction(uint64_t n, uint64_t one, int digits, FILE *out)
{
	fprintf(out, "%" PRIu64 ".%0*" PRIu64 "\n", n / one, digits, n % one);
}

static void put_number(enum metric_unit unit, uint64_t n, FILE *out)
{
	if (unit == METRIC_NS)
		put_fraction(n, 1000000000, 9, out);
	else if (unit == METRIC_MILLIONTHS)
		put_fraction(n, 1000000, 6, out);
	else if (unit == METRIC_THOUSANDTHS)
		put_fraction(n, 1000, 3, out);
	else if (unit == METRIC_WINDOW && n > INT64_MAX)
		fputs("+Inf\n", out);
	else
		fprintf(out, "%" PRIu64 "\n", n);
}

/* The kernel counts less than 2^i ms in bucket i, and everything else in the last. */
static void put_histogram(const struct metric *m, const struct state_object *object, FILE *out)
{
	uint64_t sum = 0;
	char bound[32];

	for (int i = 0; i < TC_LPD_HIST_BUCKETS; i++) {
		sum += object->remaining[i];
		snprintf(bound, sizeof(bound), "%u.%03u", (1U << i) / 1000, (1U << i) % 1000);
		put_name(m, "_bucket", object, "le",
			 i == TC_LPD_HIST_BUCKETS - 1 ? "+Inf" : bound, out);
		put_number(METRIC_ONE, sum, out);
	}
	put_name(m, "_count", object, NULL, NULL, out);
	put_number(METRIC_ONE, sum, out);
}

static void put_sample(const struct metric *m, const struct state_object *object, uint16_t number,
		       FILE *out)
{
	if (m->type == METRIC_HISTOGRAM) {
		put_histogram(m, object, out);
		return;
	}
	put_name(m, "", object, m->label, m->label ? metric_word(m->kind, number) : NULL, out);
	put_number(m->unit, object->number[number], out);
}

static void put_head(const struct metric *m, FILE *out)
{
	fprintf(out, "# HELP " PROMETHEUS_PREFIX "%s %s\n# TYPE " PROMETHEUS_PREFIX "%s %s\n",
		m->name, m->help, m->name, types[m->type]);
}

static bool has_metric(const struct metric *m, const struct state_object *object)
{
	return object->kind == m->kind && (!m->needs || object->number[m->needs] == 1);
}

/* The samples of a metric follow its head without a gap. */
static void put_metric(const struct metric *m, const struct state *state, FILE *out)
{
	bool begun = false;

	for (size_t i = 0; i < state->count; i++) {
		const struct state_object *object = &state->objects[i];

		for (const uint16_t *number = m->numbers; *number; number++) {
			if (!has_metric(m, object) || !object->has[*number])
				continue;
			if (!begun)
				put_head(m, out);
			begun = true;
			put_sample(m, object, *number, out);
		}
	}
}

void prometheus_print(const struct state *state, FILE *out)
{
	static const struct metric build = {
		.name = "build_info", .type = METRIC_GAUGE,
		.help = "1, with the version of the command.",
	};

	put_head(&build, out);
	fprintf(out, PROMETHEUS_PREFIX "build_info{version=\"" FL_VERSION "\"} 1\n");
	for (const struct metric *m = metric_table; m->name; m++)
		put_metric(m, state, out);
}
