/* SPDX-License-Identifier: GPL-2.0 */
/* Interface of the module arqlink, which tells the quality of a link to the layers above. */
#ifndef _NET_FL_LINK_H
#define _NET_FL_LINK_H

#include <linux/netdevice.h>
#include <linux/types.h>

/**
 * struct fl_link_quality - the recent quality of a link in its direction to the peer
 * @loss: share of the transmissions of frames that have failed, in millionths
 * @attempts: mean number of transmissions of an acknowledged frame, in thousandths
 * @delay_50: median of the packets' delays in the device and on the link, in ns; 0 if unknown
 * @delay_90: 90th percentile of these delays
 * @delay_99: 99th percentile of these delays
 * @least: least delay on the link, in ns; 0 if unknown
 * @rate: bytes/s of the packets that the link delivers while packets wait; 0 if unknown
 * @length: mean length of the packets whose delays count, in bytes
 * @idle: the device holds no packet
 *
 * Documentation/arqlink.rst says what exactly is counted.
 */
struct fl_link_quality {
	u32 loss;
	u32 attempts;
	u64 delay_50;
	u64 delay_90;
	u64 delay_99;
	u64 least;
	u64 rate;
	u32 length;
	bool idle;
};

/*
 * A module that must work without arqlink calls symbol_get(fl_link_quality) instead of
 * fl_link_quality(). An example is sch_lpd/below.c.
 */
bool fl_link_quality(const struct net_device *dev, struct fl_link_quality *quality);

/* the type of fl_link_quality(), for callers that store a pointer to this function */
typedef bool fl_link_quality_fn(const struct net_device *dev, struct fl_link_quality *quality);

#endif /* _NET_FL_LINK_H */
