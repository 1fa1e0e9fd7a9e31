// SPDX-License-Identifier: GPL-2.0-or-later
/* The window of BBR: the greatest rate of a time, times the least delay. It never shrinks because
 * answers are late.
 */
#include "../../../userspace/pace/model.h"

double pace_rule(const struct pace *p, double round)
{
	(void)round;
	return p->rate.bytes_per_s * p->delay.base / FL_SEC + pace_extra(p);
}
