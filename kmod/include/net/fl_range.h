/* SPDX-License-Identifier: GPL-2.0 */
/* A table of the ranges of netlink attributes. A refusal states the range in its text, while
 * netlink's own policies say only that a number is out of range.
 */
#ifndef _NET_FL_RANGE_H
#define _NET_FL_RANGE_H

#include <net/netlink.h>

/**
 * struct fl_range - the range of an attribute
 * @min: least value
 * @max: greatest value
 * @text: message for a value outside; without a text any value is accepted
 */
struct fl_range {
	u64 min;
	u64 max;
	const char *text;
};

/**
 * fl_range_number() - read an attribute of 8, 32 or 64 bits
 * @attr: the attribute
 */
static inline u64 fl_range_number(const struct nlattr *attr)
{
	switch (nla_len(attr)) {
	case sizeof(u8):
		return nla_get_u8(attr);
	case sizeof(u32):
		return nla_get_u32(attr);
	default:
		return nla_get_u64(attr);
	}
}

/**
 * fl_range_check() - check the ranges of all attributes of a request
 * @ranges: ranges by attribute
 * @tb: the attributes, NULL for those not in the request
 * @max: the last index of @ranges and @tb
 * @extack: receives the first attribute that is out of range, and its text
 *
 * Return: 0, or -ERANGE
 */
static inline int fl_range_check(const struct fl_range *ranges,
				 struct nlattr **tb, int max,
				 struct netlink_ext_ack *extack)
{
	const struct fl_range *range;
	u64 number;
	int i;

	for (i = 0; i <= max; i++) {
		range = &ranges[i];
		if (!tb[i] || !range->text)
			continue;
		number = fl_range_number(tb[i]);
		if (number >= range->min && number <= range->max)
			continue;
		/* NL_SET_ERR_MSG_ATTR() takes only string literals */
		do_trace_netlink_extack(range->text);
		NL_SET_BAD_ATTR(extack, tb[i]);
		if (extack)
			extack->_msg = range->text;
		return -ERANGE;
	}
	return 0;
}

#endif /* _NET_FL_RANGE_H */
