/* SPDX-License-Identifier: GPL-2.0 */
/* Where packets are seen: netfilter hooks, while something needs them. */
#ifndef _XLO_HOOKS_H
#define _XLO_HOOKS_H

#include "config.h"

#define XLO_HOOK_OUTPUT		BIT(0)
#define XLO_HOOK_FORWARD	BIT(1)
#define XLO_HOOK_INGRESS	BIT(2)

unsigned int xlo_hooks_needed(const struct xlo_config *config);
int xlo_hooks_register(struct net *net, unsigned int hooks);
void xlo_hooks_unregister(struct net *net, unsigned int hooks);

#endif /* _XLO_HOOKS_H */
