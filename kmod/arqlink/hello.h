/* SPDX-License-Identifier: GPL-2.0 */
/* The connection: which HELLO is sent, and what a HELLO of the peer changes. */
#ifndef _ARQLINK_HELLO_H
#define _ARQLINK_HELLO_H

#include "link.h"

void arql_hello_begin(struct arql_link *link);
void arql_hello_again(struct arql_link *link, s64 now);
void arql_hello_resized(struct arql_link *link);
void arql_hello_stranger(struct arql_link *link, const struct arql_frame *frame,
			 const u8 *address, s64 now);
int arql_hello_heard(struct arql_link *link, const struct arql_frame *frame,
		     const struct arql_hello *hello, const u8 *address,
		     s64 now);

#endif /* _ARQLINK_HELLO_H */
