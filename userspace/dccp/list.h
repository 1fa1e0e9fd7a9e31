/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of links inside other structures, first in, first out. */
#ifndef FDCCP_LIST_H
#define FDCCP_LIST_H

#include <stdbool.h>

struct fdccp_link {
	struct fdccp_link *next;
	bool listed;
};

struct fdccp_list {
	struct fdccp_link *first, *last;
};

/* Adds a link at the end, unless it is in a list. */
void fdccp_list_add(struct fdccp_list *list, struct fdccp_link *link);

/* Removes a link that is in the list. It takes time unless the link is the first one. */
void fdccp_list_remove(struct fdccp_list *list, struct fdccp_link *link);

#endif
