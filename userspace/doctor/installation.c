// SPDX-License-Identifier: GPL-2.0-or-later
/* What is missing of Freshlink itself: see judge.h. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "judge.h"

_Static_assert(DOCTOR_PARTS <= DOCTOR_LINES, "a line of advice for each part");

/* Several parts may have the same advice. */
static bool is_said(const struct doctor_installation *in, size_t part)
{
	for (size_t i = 0; i < part; i++)
		if (!strcmp(in->missing[i].command, in->missing[part].command))
			return true;
	return false;
}

static size_t add_sentence(struct doctor_finding *f, size_t len, const char *cause)
{
	int added = snprintf(f->text + len, sizeof(f->text) - len, "%s%c%s.", len ? " " : "",
			     toupper(*cause), cause + 1);

	return len + added < sizeof(f->text) ? len + added : sizeof(f->text) - 1;
}

void doctor_judge_installation(const struct doctor_facts *facts, struct doctor_finding *f)
{
	const struct doctor_installation *in = &facts->installation;
	size_t len = 0;

	doctor_say(f, in->count ? "missing" : "whole",
		   "The modules sch_lpd and xlo, and tc's plugin for lpd, are there.");
	for (size_t i = 0; i < in->count; i++) {
		len = add_sentence(f, len, in->missing[i].cause);
		if (!is_said(in, i))
			doctor_advise(f, "%s", in->missing[i].command);
	}
}
