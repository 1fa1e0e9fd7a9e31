/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An emulated link: a slow device that can be given delay spikes.
 *
 * Packets must wait in the queue under test, so that it can act on them. A cellink
 * holds them back itself:
 *
 *   near   root 7f01:       the queue under test
 *          cellink:         rate, propagation delay and loss; a spike is an outage
 *
 * On any other device the queue hangs below a token bucket; a spike is that bucket at
 * 8 bit/s:
 *
 *   near   root tbf 7f01:   rate, burst = one frame
 *            child 7f02:    the queue under test
 *   far    root netem 7f01: propagation delay and loss, behind the bottleneck
 *
 * tbf fills its bucket on each change, so at a spike's start one frame's worth
 * of packets gets through. At a spike's end it does not look at its queue until
 * a packet arrives: it is offered a frame longer than its burst, which it drops
 * itself.
 *
 * In the third mode near has a root netem alone, whose delay makes the spikes.
 */
#ifndef FRESHLINK_LINK_H
#define FRESHLINK_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "channel.h"
#include "child.h"
#include "netlink.h"
#include "port.h"
#include "qdisc.h"

/**
 * enum link_mode - what makes the link
 * @LINK_TBF: a token bucket
 * @LINK_NETEM: netem
 * @LINK_CELLINK: the device, which is a cellink
 */
enum link_mode {
	LINK_TBF,
	LINK_NETEM,
	LINK_CELLINK,
};

/**
 * struct link - an emulated link
 * @near: the device at the bottleneck
 * @far: the device behind it; without a name there is none
 * @mode: what makes it; with netem there is no child
 * @settings: of @near, if it is a cellink; else only the rate is of use
 * @channel: what it had then
 * @child: the queue under test
 * @propagation: delay and loss of @far
 * @nl: for changes of @near, once set up
 * @wake_fd: packet socket on @near, once set up
 */
struct link {
	struct port near;
	struct port far;
	enum link_mode mode;
	struct channel_settings settings;
	struct channel channel;
	struct child child;
	struct netem propagation;
	struct netlink nl;
	int wake_fd;
};

/**
 * link_find - look the devices up and remember what they have
 * @link: what is to be made, with the ports' names and namespaces
 * @replace: root qdiscs may be there, if they can be restored
 *
 * Return: whether all can be done; if not, standard error says why
 */
bool link_find(struct link *link, bool replace);

/** link_set_up - make the link; if it fails, link_restore() cleans up */
bool link_set_up(struct link *link);

/** link_begin_spike - let nothing through; @length in ns */
bool link_begin_spike(struct link *link, uint64_t length);

/** link_end_spike - let packets through again, also when none arrives */
bool link_end_spike(struct link *link);

/**
 * link_restore - give the devices back what they had
 * @link: a link of link_find(), whatever has happened to it since
 * @changed: set if a device had something of ours; otherwise left alone
 *
 * Return: whether they have exactly that; if not, standard error says why
 */
bool link_restore(const struct link *link, bool *changed);

#endif
