// SPDX-License-Identifier: GPL-2.0-or-later
#include "list.h"

void fdccp_list_remove(struct fdccp_list *list, struct fdccp_link *link)
{
	struct fdccp_link *before = NULL, *at = list->first;

	for (; at != link; at = at->next)
		before = at;
	if (before)
		before->next = link->next;
	else
		list->first = link->next;
	if (list->last == link)
		list->last = before;
	link->listed = false;
}
