/* SPDX-License-Identifier: GPL-2.0 */
/* Shim over <net/inet_connection_sock.h>; not needed from 6.19 on. The function has its own name,
 * because a stable series may backport the original.
 */
#ifndef _COMPAT_NET_INET_CONNECTION_SOCK_H
#define _COMPAT_NET_INET_CONNECTION_SOCK_H

#include_next <net/inet_connection_sock.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 19, 0)
#define tcp_timeout_expires compat_tcp_timeout_expires
/* Before 6.19, icsk_timeout contained the time of expiry, because the timer itself could fire
 * sooner.
 */
static inline unsigned long tcp_timeout_expires(const struct sock *sk)
{
	return READ_ONCE(inet_csk(sk)->icsk_timeout);
}
#endif

#endif /* _COMPAT_NET_INET_CONNECTION_SOCK_H */
