/* SPDX-License-Identifier: GPL-2.0 */
/* From a message to a socket's timer. */
#ifndef _XLO_RTO_SOCKET_H
#define _XLO_RTO_SOCKET_H

#include <net/net_namespace.h>
#include "flow.h"
#include "message.h"

enum xrto_stats xrto_socket_message(struct net *net, struct xrto_flows *flows,
				    const struct xrto_message *msg);

#endif /* _XLO_RTO_SOCKET_H */
