// SPDX-License-Identifier: GPL-2.0-or-later
/* The order of statements of configuration: see plan.h. */
#include "plan.h"

static struct plan_step put(const struct plan_item *item, size_t index)
{
	bool changes = item->exists && !item->replaced;

	return (struct plan_step){ index, PLAN_PUT, changes ? PLAN_RESTORE : PLAN_REMOVE };
}

size_t plan_make(const struct plan_item *items, size_t count, struct plan_step *steps)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		if (items[i].wanted && items[i].exists && items[i].replaced)
			steps[used++] = (struct plan_step){ i, PLAN_REMOVE_OLD, PLAN_RESTORE };
	for (int last = 0; last < 2; last++)
		for (size_t i = 0; i < count; i++)
			if (items[i].wanted && items[i].last == last)
				steps[used++] = put(&items[i], i);
	return used;
}
