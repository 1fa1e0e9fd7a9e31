/* SPDX-License-Identifier: GPL-2.0 */
/* Configuration of an arqlink device. */
#ifndef _ARQLINK_CONFIG_H
#define _ARQLINK_CONFIG_H

#include <linux/arqlink.h>
#include <linux/if_ether.h>
#include <linux/types.h>

/**
 * struct arql_match - packets chosen by their mark or DSCP
 * @mark: value of the mark
 * @mask: compared bits of the mark, 0 if no mark matches
 * @dscp: bit N is set if DSCP N matches
 */
struct arql_match {
	u32 mark;
	u32 mask;
	u64 dscp;
};

/**
 * struct arql_timer_config - the retransmission timer
 * @kind: enum arqlink_timer
 * @gains: enum arqlink_gains
 * @variance: enum arqlink_variance
 * @timeout: of a fixed timer, and of an adaptive timer before its first sample, in ns
 * @floor: least timeout of an adaptive timer, in ns
 * @ceiling: longest timeout of an adaptive timer, in ns
 * @mean: weight of the mean, in thousandths
 * @deviation: weight of the deviation, in thousandths
 */
struct arql_timer_config {
	u8 kind;
	u8 gains;
	u8 variance;
	u64 timeout;
	u64 floor;
	u64 ceiling;
	u32 mean;
	u32 deviation;
};

/**
 * struct arql_config - the attributes of enum arqlink_attr, in their units
 * @remote: address of the peer, all 0 to learn it
 * @frame: bytes of a packet in one frame
 * @window: frames
 * @timer: the retransmission timer
 * @clock: enum arqlink_clock
 * @reject: enum arqlink_reject
 * @ack_delay: in ns
 * @attempts: transmissions of a frame, 0 for unlimited
 * @persist: in ns, 0 for unlimited
 * @lifetime: of packets that carry none, in ns, 0 for unlimited
 * @rate: in bytes/s, 0 for as fast as the lower device
 * @below: frames
 * @ring: bytes
 * @copies: frames in the queue of frames are out of the sender's reach
 * @flush: enum arqlink_flush
 * @notify: report to the sources of packets
 * @backlog: packets, 0 for no report of a backlog
 * @estimate: enum arqlink_estimate
 * @order: enum arqlink_order
 * @pack: small packets may share a frame
 * @bypass: packets that bypass the protocol
 * @reliable: packets whose lifetime does not count
 */
struct arql_config {
	u8 remote[ETH_ALEN];
	u32 frame;
	u32 window;
	struct arql_timer_config timer;
	u8 clock;
	u8 reject;
	u64 ack_delay;
	u32 attempts;
	u64 persist;
	u64 lifetime;
	u64 rate;
	u32 below;
	u32 ring;
	bool copies;
	u8 flush;
	bool notify;
	u32 backlog;
	u8 estimate;
	u8 order;
	bool pack;
	struct arql_match bypass;
	struct arql_match reliable;
};

#endif /* _ARQLINK_CONFIG_H */
