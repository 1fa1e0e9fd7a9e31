/* SPDX-License-Identifier: GPL-2.0 */
/* Where messages arrive. */
#ifndef _XLO_RTO_HOOKS_H
#define _XLO_RTO_HOOKS_H

#include <net/net_namespace.h>

int xrto_hooks_start(struct net *net);
void xrto_hooks_stop(struct net *net);
void xrto_hooks_leave(struct net *net);
void xrto_hooks_exit(struct net *net);

#endif /* _XLO_RTO_HOOKS_H */
