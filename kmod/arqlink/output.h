/* SPDX-License-Identifier: GPL-2.0 */
/* The queue of frames: which frame leaves next, and its bytes. */
#ifndef _ARQLINK_OUTPUT_H
#define _ARQLINK_OUTPUT_H

#include "link.h"

void arql_output_bypass(struct arql_link *link, struct sk_buff *skb);
struct sk_buff *arql_output_next(struct arql_link *link, s64 now);
bool arql_output_wanted(const struct arql_link *link);
bool arql_output_paced(const struct arql_link *link);
bool arql_output_ready(const struct arql_link *link, s64 now);
void arql_output_purge(struct arql_link *link);

#endif /* _ARQLINK_OUTPUT_H */
