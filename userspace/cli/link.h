/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An emulated link: a slow device with delay spikes.
 *
 * All queued packets must be in the queue under test, so that it can discard and reorder them. On a
 * cellink device the queue under test is the root qdisc:
 *
 *   near   root 7f01:       the queue under test
 *          cellink:         rate, propagation delay and loss; a spike is an outage
 *
 * With --arq there are two more devices (see arq.h), and the cellink keeps its qdisc:
 *
 *   arq    root mq 7f01:
 *            child 7f02:    the queue under test
 *   near   cellink:         rate, propagation delay and loss; a spike is an outage
 *
 * On any other device the queue under test is the child of a token bucket. During a spike the
 * rate of the token bucket is 8 bit/s:
 *
 *   near   root tbf 7f01:   rate, burst = one frame
 *            child 7f02:    the queue under test
 *   far    root netem 7f01: propagation delay and loss, after the bottleneck
 *
 * tbf fills its bucket on each change. At the start of a spike, packets of up to one frame in
 * total are therefore still sent. At the end of a spike tbf does not look at its queue until a
 * packet arrives. The emulation therefore sends a frame that is longer than the burst. tbf
 * looks at its queue and drops this frame.
 *
 * In mode netem the device near has only a root netem, whose delay makes the spikes.
 */
#ifndef FRESHLINK_LINK_H
#define FRESHLINK_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "arq.h"
#include "channel.h"
#include "child.h"
#include "netlink.h"
#include "port.h"
#include "qdisc.h"

/**
 * enum link_mode - what emulates the link
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
 * @far: the device after the bottleneck; its name is NULL if there is no such device
 * @mode: what emulates the link. With netem there is no child
 * @settings: settings of @near if it is a cellink. For other devices only the rate is used
 * @channel: the original settings of @near if @near is a cellink
 * @arq: the arqlink devices above a cellink, if the user wants them
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
	struct arq arq;
	struct child child;
	struct netem propagation;
	struct netlink nl;
	int wake_fd;
};

/**
 * link_find - find the devices and save their settings
 * @link: the link to make, with the names and namespaces of its ports
 * @replace: accept existing root qdiscs that can be restored
 *
 * Return: true if the link can be made, or false after a message on standard error
 */
bool link_find(struct link *link, bool replace);

/** link_set_up - make the link. After a failure, the caller uses link_restore() */
bool link_set_up(struct link *link);

/** link_begin_spike - stop the link for @length ns */
bool link_begin_spike(struct link *link, uint64_t length);

/** link_end_spike - end the spike, even if no packet arrives */
bool link_end_spike(struct link *link);

/**
 * link_restore - restore the devices
 * @link: a link after link_find(), also after a failure
 * @changed: set to true if a device had a qdisc of the emulation, not written in all other
 *	cases
 *
 * Return: true if the devices have exactly their old qdiscs and settings, or false after a
 * message on standard error
 */
bool link_restore(const struct link *link, bool *changed);

#endif
