/* SPDX-License-Identifier: GPL-2.0 */
/* Received messages: hooks.c receives messages, and inbox.c acts on them. */
#ifndef _XLO_RTO_INBOX_H
#define _XLO_RTO_INBOX_H

#include <net/net_namespace.h>
#include "parse.h"

struct xrto_inbox;

struct xrto_inbox *xrto_inbox_new(struct net *net);
void xrto_inbox_free(struct xrto_inbox *inbox);
void xrto_inbox_add(struct xrto_inbox *inbox, const struct xrto_message *msg);

int xrto_hooks_start(struct net *net);
void xrto_hooks_stop(struct net *net);
void xrto_hooks_leave(struct net *net);
void xrto_hooks_exit(struct net *net);

#endif /* _XLO_RTO_INBOX_H */
