/* SPDX-License-Identifier: GPL-2.0 */
/* Shim over <linux/win_minmax.h>; not needed from 7.2 on. */
#ifndef _COMPAT_LINUX_WIN_MINMAX_H
#define _COMPAT_LINUX_WIN_MINMAX_H

#include_next <linux/win_minmax.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 2, 0)
#define minmax_running_min compat_minmax_running_min

static inline void compat_minmax_complement(struct minmax *m)
{
	m->s[0].v = ~m->s[0].v;
	m->s[1].v = ~m->s[1].v;
	m->s[2].v = ~m->s[2].v;
}

/* On older kernels modules can call only the function for the maximum. Some versions of 6.12 have
 * both: 6.12.117 has, 6.12.95 has not. The minimum of some numbers is the complement of the maximum
 * of their complements.
 */
static inline u32 minmax_running_min(struct minmax *m, u32 win, u32 t, u32 meas)
{
	compat_minmax_complement(m);
	minmax_running_max(m, win, t, ~meas);
	compat_minmax_complement(m);
	return minmax_get(m);
}
#endif

#endif /* _COMPAT_LINUX_WIN_MINMAX_H */
