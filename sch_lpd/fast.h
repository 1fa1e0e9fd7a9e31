/* SPDX-License-Identifier: GPL-2.0 */
/* Whether packets may take fast paths. Built with LPD_PLAIN_PATH, lpd does all work in the general
 * way. The test selftests/paths compares both builds.
 */
#ifndef _SCH_LPD_FAST_H
#define _SCH_LPD_FAST_H

#ifdef LPD_PLAIN_PATH
#define LPD_FAST	false
#else
#define LPD_FAST	true
#endif

#endif /* _SCH_LPD_FAST_H */
