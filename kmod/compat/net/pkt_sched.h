/* SPDX-License-Identifier: GPL-2.0 */
/* Shim over <net/pkt_sched.h>; not needed from 6.8 on. */
#ifndef _COMPAT_NET_PKT_SCHED_H
#define _COMPAT_NET_PKT_SCHED_H

#include_next <net/pkt_sched.h>

/* Before 6.8, the core loaded a qdisc by the module's file name, sch_<id>. */
#ifndef MODULE_ALIAS_NET_SCH
#define MODULE_ALIAS_NET_SCH(id)	MODULE_ALIAS("net-sch-" id)
#endif

#endif /* _COMPAT_NET_PKT_SCHED_H */
