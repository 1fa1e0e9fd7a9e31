// SPDX-License-Identifier: GPL-2.0-or-later
/* A delay that is typed in seconds: see top.h. */
#include <ctype.h>
#include <string.h>

#include "../lib/units.h"
#include "top.h"

#define ESCAPE		27
#define BACKSPACE	'\b'
#define DEL		127

static enum top_typed end(const struct top_prompt *p, int64_t *delay)
{
	uint64_t millionths;

	/* as millionths of a second */
	if (!fl_parse(p->text, fl_units_decimal, &millionths) ||
	    millionths > TOP_DELAY_MAX / 1000 || millionths < TOP_DELAY_MIN / 1000)
		return TOP_CANCELLED;
	*delay = millionths * 1000;
	return TOP_DONE;
}

enum top_typed top_prompt_key(struct top_prompt *p, int key, int64_t *delay)
{
	if (key == '\n' || key == '\r')
		return end(p, delay);
	if (key == ESCAPE)
		return TOP_CANCELLED;
	if ((key == BACKSPACE || key == DEL) && p->len)
		p->text[--p->len] = '\0';
	else if (key > 0 && key < 128 && (isdigit(key) || key == '.') && p->len < TOP_PROMPT - 1) {
		p->text[p->len++] = key;
		p->text[p->len] = '\0';
	}
	return TOP_TYPING;
}
