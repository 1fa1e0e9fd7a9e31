/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of links inside other structures, first in, first out. */
#ifndef FDCCP_LIST_H
#define FDCCP_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct fdccp_link {
	struct fdccp_link *next;
	bool listed;
};

/* @last is of no use while the list is empty */
struct fdccp_list {
	struct fdccp_link *first, *last;
};

/* Adds a link at the end, unless it is in a list. */
static inline void fdccp_list_add(struct fdccp_list *list, struct fdccp_link *link)
{
	if (link->listed)
		return;
	link->listed = true;
	link->next = NULL;
	if (list->first)
		list->last->next = link;
	else
		list->first = link;
	list->last = link;
}

/* Removes the first link. */
static inline void fdccp_list_shift(struct fdccp_list *list)
{
	list->first->listed = false;
	list->first = list->first->next;
}

/* Removes a link that is in the list. It takes time unless the link is the first one. */
void fdccp_list_remove(struct fdccp_list *list, struct fdccp_link *link);

#endif
