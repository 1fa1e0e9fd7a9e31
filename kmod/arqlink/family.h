/* SPDX-License-Identifier: GPL-2.0 */
/* The generic netlink family "arqlink". */
#ifndef _ARQLINK_FAMILY_H
#define _ARQLINK_FAMILY_H

int arql_family_init(void);
void arql_family_exit(void);

#endif /* _ARQLINK_FAMILY_H */
