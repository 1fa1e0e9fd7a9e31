/* SPDX-License-Identifier: GPL-2.0 */
/* The ranges of netlink attributes as a table, and a refusal in words for what is
 * outside: the policies of netlink know only that a number is out of range.
 */
#ifndef _NET_FL_RANGE_H
#define _NET_FL_RANGE_H

#include <net/netlink.h>

/**
 * struct fl_range - what an attribute may hold, and the words for it
 * @min: least value
 * @max: greatest value
 * @text: says so; an attribute without a text takes any number
 */
struct fl_range {
	u64 min;
	u64 max;
	const char *text;
};

/**
 * fl_range_number() - an attribute's number
 * @attr: of 8, 32 or 64 bits
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
 * fl_range_check() - check every attribute that is given, before any of them is used
 * @ranges: by attribute
 * @tb: the attributes, NULL for those not given
 * @max: the last attribute of both
 * @extack: gets the attribute that is wrong, and its range
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
		/* what NL_SET_ERR_MSG_ATTR() does, which takes literals only */
		do_trace_netlink_extack(range->text);
		NL_SET_BAD_ATTR(extack, tb[i]);
		if (extack)
			extack->_msg = range->text;
		return -ERANGE;
	}
	return 0;
}

#endif /* _NET_FL_RANGE_H */
