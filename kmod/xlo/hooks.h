/* SPDX-License-Identifier: GPL-2.0 */
/* Netfilter hooks, which are registered only while the configuration needs them. */
#ifndef _XLO_HOOKS_H
#define _XLO_HOOKS_H

#include "config.h"

int xlo_hooks_commit(struct net *net, struct xlo_net *xn,
		     struct xlo_config *config);
void xlo_hooks_leave(struct net *net, struct xlo_net *xn);

#endif /* _XLO_HOOKS_H */
