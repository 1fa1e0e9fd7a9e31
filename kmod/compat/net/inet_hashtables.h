/* SPDX-License-Identifier: GPL-2.0 */
/* Shim over <net/inet_hashtables.h>; not needed from 6.18 on. */
#ifndef _COMPAT_NET_INET_HASHTABLES_H
#define _COMPAT_NET_INET_HASHTABLES_H

#include_next <net/inet_hashtables.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0)
/* Before 6.18, the caller named the hash table. In this shim, the hash table is the table of
 * the namespace's TCP sockets.
 */
static inline struct sock *
compat_inet_lookup_established(struct net *net, const __be32 saddr,
			       const __be16 sport, const __be32 daddr,
			       const u16 hnum, const int dif, const int sdif)
{
	return __inet_lookup_established(net, net->ipv4.tcp_death_row.hashinfo,
					 saddr, sport, daddr, hnum, dif, sdif);
}

#define __inet_lookup_established compat_inet_lookup_established
#endif

#endif /* _COMPAT_NET_INET_HASHTABLES_H */
