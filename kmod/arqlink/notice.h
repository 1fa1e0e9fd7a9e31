/* SPDX-License-Identifier: GPL-2.0 */
/* The notifier chain. */
#ifndef _ARQLINK_NOTICE_H
#define _ARQLINK_NOTICE_H

#include <net/arqlink.h>

void arql_notice_tell(u8 event, struct arql_notice *notice);

#endif /* _ARQLINK_NOTICE_H */
