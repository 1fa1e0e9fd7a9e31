/* SPDX-License-Identifier: GPL-2.0 */
/* The generic netlink family "cellink". */
#ifndef _CELLINK_FAMILY_H
#define _CELLINK_FAMILY_H

int cell_family_init(void);
void cell_family_exit(void);

#endif /* _CELLINK_FAMILY_H */
