/* SPDX-License-Identifier: GPL-2.0 */
/* Shim over <net/psp.h>; not needed from 6.18 on. */
#ifndef _COMPAT_NET_PSP_H
#define _COMPAT_NET_PSP_H

#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
#include_next <net/psp.h>
#else
struct sock;

/* Before 6.18, the kernel had no PSP. Since then this function returns the length of the headers of
 * PSP, which icsk_ext_hdr_len includes.
 */
static inline unsigned int psp_sk_overhead(const struct sock *sk)
{
	return 0;
}
#endif

#endif /* _COMPAT_NET_PSP_H */
