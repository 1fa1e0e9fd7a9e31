/* SPDX-License-Identifier: GPL-2.0 */
/* Shim over <linux/crc32.h>; not needed from 6.15 on. Before, libcrc32c had crc32c(). */
#ifndef _COMPAT_LINUX_CRC32_H
#define _COMPAT_LINUX_CRC32_H

#include_next <linux/crc32.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
#include <linux/crc32c.h>
#endif

#endif /* _COMPAT_LINUX_CRC32_H */
