/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An emulated link: a slow device that can be given delay spikes.
 *
 * Packets must wait in the queue under test, so that the queue can act on them. A
 * cellink makes the packets wait there:
 *
 *   near   root 7f01:       the queue under test
 *          cellink:         rate, propagation delay and loss; a spike is an outage
 *
 * On any other device the queue is the child of a token bucket; a spike is this bucket at
 * 8 bit/s:
 *
 *   near   root tbf 7f01:   rate, burst = one frame
 *            child 7f02:    the queue under test
 *   far    root netem 7f01: propagation delay and loss, behind the bottleneck
 *
 * tbf fills its bucket on each change, so packets of up to one frame in total get
 * through at the start of a spike. At the end of a spike tbf does not look at its
 * queue until a packet arrives. Therefore tbf is offered a frame that is longer
 * than its burst; it drops this frame itself.
 *
 * In the third mode near has only a root netem, whose delay makes the spikes.
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
 * @LINK_CELLINK: the device itself, which is a cellink
 */
enum link_mode {
	LINK_TBF,
	LINK_NETEM,
	LINK_CELLINK,
};

/**
 * struct link - an emulated link
 * @near: the device at the bottleneck
 * @far: the device behind the bottleneck; without a name there is none
 * @mode: what makes the link; with netem there is no child
 * @settings: settings of @near if it is a cellink; otherwise only the rate is used
 * @channel: the original settings of @near if it is a cellink
 * @child: the queue under test
 * @propagation: delay and loss of @far
 * @nl: socket for changes of @near, valid after link_set_up()
 * @wake_fd: packet socket on @near, valid after link_set_up()
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
 * link_find - look the devices up and save their settings
 * @link: the link to make, with the names and namespaces of its ports
 * @replace: existing root qdiscs are accepted if they can be restored
 *
 * Return: whether the link can be made; if not, standard error says why
 */
bool link_find(struct link *link, bool replace);

/** link_set_up - make the link; if it fails, link_restore() cleans up */
bool link_set_up(struct link *link);

/** link_begin_spike - stop the link; @length in ns */
bool link_begin_spike(struct link *link, uint64_t length);

/** link_end_spike - start the link again, even if no packet arrives */
bool link_end_spike(struct link *link);

/**
 * link_restore - restore the devices
 * @link: a link after link_find(), in any state
 * @changed: set if a device had a qdisc of ours; otherwise not written
 *
 * Return: whether the devices have exactly their old qdiscs and settings; if not, standard error
 * says why
 */
bool link_restore(const struct link *link, bool *changed);

#endif
