/* SPDX-License-Identifier: GPL-2.0 */
/* Shim over <linux/unaligned.h>; not needed from 6.12 on. */
#ifndef _COMPAT_LINUX_UNALIGNED_H
#define _COMPAT_LINUX_UNALIGNED_H

#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#include_next <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif

#endif /* _COMPAT_LINUX_UNALIGNED_H */
