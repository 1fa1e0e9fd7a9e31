/* SPDX-License-Identifier: GPL-2.0 */
/* Shim over <linux/hrtimer.h>; not needed from 6.13 on. The function has its own name, because a
 * stable series may backport the original.
 */
#ifndef _COMPAT_LINUX_HRTIMER_H
#define _COMPAT_LINUX_HRTIMER_H

#include_next <linux/hrtimer.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define hrtimer_setup compat_hrtimer_setup
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock_id, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock_id, mode);
	timer->function = function;
}
#endif

#endif /* _COMPAT_LINUX_HRTIMER_H */
