/* SPDX-License-Identifier: GPL-2.0 */
/* Where messages arrive. */
#ifndef _XLO_RTO_HOOKS_H
#define _XLO_RTO_HOOKS_H

#include <net/net_namespace.h>

int xrto_hooks_register(struct net *net);
void xrto_hooks_unregister(struct net *net);

#endif /* _XLO_RTO_HOOKS_H */
