/* SPDX-License-Identifier: GPL-2.0 */
/* The generic netlink family "lpd" (<linux/lpd_genl.h>). */
#ifndef _SCH_LPD_GENL_H
#define _SCH_LPD_GENL_H

#include <net/sch_generic.h>

int lpd_genl_init(const struct Qdisc_ops *ops);
void lpd_genl_exit(void);

#endif /* _SCH_LPD_GENL_H */
