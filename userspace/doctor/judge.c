// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of findings: see judge.h. */
#include <stdarg.h>
#include <stdio.h>

#include "judge.h"

static const struct {
	const char *name;
	void (*judge)(const struct doctor_facts *facts, struct doctor_finding *f);
} list[DOCTOR_FINDINGS] = {
	{ "backlog", doctor_judge_backlog },
	{ "overtaking", doctor_judge_overtaking },
	{ "lpd", doctor_judge_lpd },
	{ "shaper", doctor_judge_shaper },
	{ "lifetimes", doctor_judge_lifetimes },
	{ "options", doctor_judge_options },
	{ "device", doctor_judge_device },
	{ "flowtable", doctor_judge_flowtable },
	{ "installation", doctor_judge_installation },
};

void doctor_judge(const struct doctor_facts *facts, struct doctor_finding *findings)
{
	for (int i = 0; i < DOCTOR_FINDINGS; i++) {
		findings[i] = (struct doctor_finding){ .name = list[i].name };
		list[i].judge(facts, &findings[i]);
	}
}

void doctor_say(struct doctor_finding *f, const char *state, const char *fmt, ...)
{
	va_list ap;

	f->state = state;
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
}

void doctor_advise(struct doctor_finding *f, const char *fmt, ...)
{
	va_list ap;

	for (int i = 0; i < DOCTOR_LINES; i++) {
		if (f->advice[i][0])
			continue;
		va_start(ap, fmt);
		vsnprintf(f->advice[i], sizeof(f->advice[i]), fmt, ap);
		va_end(ap);
		return;
	}
}
