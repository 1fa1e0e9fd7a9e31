// SPDX-License-Identifier: GPL-2.0-or-later
/* The whole screen: see view.h. */
#include <string.h>

#include "view.h"

#define WIDTH_MIN	6	/* of "DEVICE" */

static bool is_row(const struct state_object *object)
{
	return object->kind == STATE_LPD || object->kind == STATE_CLASS ||
	       object->kind == STATE_ARQ;
}

static int device_width(const struct state *state)
{
	int width = WIDTH_MIN;

	for (size_t i = 0; i < state->count; i++) {
		int own = top_device_width(state->objects[i].device);

		if (is_row(&state->objects[i]) && own > width)
			width = own;
	}
	return width;
}

static int64_t passed(const struct top_view *v)
{
	int64_t ns = v->now->time - v->before->time;

	return ns > 0 ? ns : 1;
}

static const struct state_object *find_rto(const struct state *state)
{
	for (size_t i = 0; i < state->count; i++)
		if (state->objects[i].kind == STATE_RTO)
			return &state->objects[i];
	return NULL;
}

static void print_timeouts(const struct top_view *v, FILE *out)
{
	const struct state_object *now = find_rto(v->now);
	struct top_cause causes[TOP_CAUSES];
	char number[TOP_NUMBER];
	double sum = 0;
	int count;

	if (!now) {
		fputs("timeouts moved: unknown, without xlo_rto or CAP_NET_ADMIN\n", out);
		return;
	}
	count = top_causes(causes, "rto_moved_timeouts_total", now, state_same(v->before, now),
			   passed(v));
	for (int i = 0; i < count; i++)
		sum += causes[i].rate;
	fprintf(out, "timeouts moved: %s/s", top_count(sum, number));
	for (int i = 0; i < count; i++)
		fprintf(out, " %s %s", causes[i].word, top_count(causes[i].rate, number));
	putc('\n', out);
}

static void print_row(const struct top_view *v, const struct state_object *now, int width,
		      FILE *out)
{
	char line[TOP_WIDTH];
	struct top_row row;

	top_row_make(&row, now, state_same(v->before, now), passed(v));
	if (v->hide_idle && top_row_is_idle(&row))
		return;
	top_line(&row, width, line);
	fprintf(out, "%s\n", line);
}

static bool is_class_of(const struct state_object *object, const struct state_object *lpd)
{
	return object->kind == STATE_CLASS && object->parent == lpd->handle &&
	       !strcmp(object->device, lpd->device);
}

/* A class follows its lpd. */
static void print_rows(const struct top_view *v, int width, FILE *out)
{
	const struct state *s = v->now;

	for (size_t i = 0; i < s->count; i++) {
		const struct state_object *object = &s->objects[i];

		if (object->kind == STATE_LPD || object->kind == STATE_ARQ)
			print_row(v, object, width, out);
		for (size_t j = 0; object->kind == STATE_LPD && j < s->count; j++)
			if (is_class_of(&s->objects[j], object))
				print_row(v, &s->objects[j], width, out);
	}
}

static bool has_rows(const struct state *state)
{
	for (size_t i = 0; i < state->count; i++)
		if (is_row(&state->objects[i]))
			return true;
	return false;
}

static void print_table(const struct top_view *v, int width, FILE *out)
{
	char line[TOP_WIDTH];

	top_head(width, line);
	fprintf(out, "%s\n", line);
	print_rows(v, width, out);
	if (!has_rows(v->now))
		fputs("no lpd and no arqlink is there: tc qdisc replace dev DEV root lpd\n", out);
}

static bool is_shown(const struct top_view *v, const char *device)
{
	for (size_t i = 0; i < v->now->count; i++)
		if (is_row(&v->now->objects[i]) && !strcmp(v->now->objects[i].device, device))
			return true;
	return false;
}

static void print_flows(const struct top_view *v, int width, FILE *out)
{
	char line[TOP_WIDTH], name[IF_NAMESIZE];
	int left = v->flows;

	top_flow_head(width, line);
	fprintf(out, "\n%s\n", line);
	for (int i = 0; i < v->sample->count && left; i++) {
		const struct top_flow *f = &v->sample->flows[i];

		v->device_name(f->ifindex, name);
		if (!v->one_device && !is_shown(v, name))
			continue;
		top_flow_line(f, v->sample, v->one_in, v->sample_ns, name, width, line);
		fprintf(out, "%s\n", line);
		left--;
	}
	fprintf(out, "sample: one packet in %u, %llu packets, %u lost\n", v->one_in,
		(unsigned long long)v->sample->packets, v->lost);
}

void top_view_print(const struct top_view *v, FILE *out)
{
	int width = device_width(v->now);

	print_timeouts(v, out);
	print_table(v, width, out);
	if (v->sample)
		print_flows(v, width, out);
	else if (v->flows)
		fputs("\nflows: unknown without CAP_NET_RAW\n", out);
}
