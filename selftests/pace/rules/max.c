// SPDX-License-Identifier: GPL-2.0-or-later
/* The window of BBR: the maximum rate of a period multiplied by the minimum delay. Late answers
 * never make the window smaller.
 */
#include "../../../userspace/pace/model.h"

double pace_rule(const struct pace *p, double round)
{
	(void)round;
	return p->rate.bytes_per_s * p->delay.base / FL_SEC + pace_extra(p);
}
