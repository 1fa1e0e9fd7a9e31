// SPDX-License-Identifier: GPL-2.0-or-later
/* An emulated link with delay spikes: see link.h. */
#include <endian.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "../advice/look.h"
#include "cli.h"
#include "link.h"
#include "root.h"

#define SPIKE_RATE	1	/* bytes/s, the minimum rate of tbf */
#define VLAN_TAG	4

static unsigned int frame_max(const struct link *link)
{
	return link->near.mtu + ETH_HLEN;
}

static bool set_rate(struct link *link, int flags, uint32_t rate)
{
	const struct child_kind *kind = link->child.kind;
	const struct tbf tbf = {
		.rate = rate,
		.burst = frame_max(link),
		.fifo_limit = kind->fifo_limit ?
			      kind->fifo_limit(&link->child) : frame_max(link),
	};

	return qdisc_set_tbf(&link->near, &link->nl, flags, &tbf);
}

static bool set_delay(struct link *link, int flags, uint64_t delay)
{
	const struct netem netem = {
		.limit = NETEM_LIMIT, .delay = delay,
		.rate = link->settings.rate,
	};

	return qdisc_set_netem(&link->near, &link->nl, flags, &netem);
}

static bool open_wake(struct link *link)
{
	const struct sockaddr_ll to = {
		.sll_family = AF_PACKET,
		.sll_ifindex = link->near.ifindex,
	};

	link->wake_fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (link->wake_fd >= 0 &&
	    !bind(link->wake_fd, (const void *)&to, sizeof(to)))
		return true;
	cli_error(link->near.who, "%s: cannot open a packet socket: %s",
		  link->near.name, errno == EPERM ?
		  look_for_right("it needs", "CAP_NET_RAW") : strerror(errno));
	return false;
}

/* Makes tbf look at its queue, by sending a frame that is longer than the burst. The frame has a
 * VLAN tag, because a tagged frame may be longer than the MTU. tbf drops the frame, and send()
 * returns ENOBUFS.
 */
static bool wake(const struct link *link)
{
	size_t len = frame_max(link) + VLAN_TAG;
	struct ethhdr *frame = calloc(1, len);
	ssize_t sent;

	if (!frame)
		return false;
	frame->h_proto = htobe16(ETH_P_8021Q);
	sent = send(link->wake_fd, frame, len, 0);
	free(frame);
	if (sent < 0 && errno != ENOBUFS && errno != ENETDOWN) {
		cli_error(link->near.who, "%s: cannot wake the queue: %s",
			  link->near.name, strerror(errno));
		return false;
	}
	return true;
}

static int create_flags(const struct port *port)
{
	return NLM_F_CREATE | (port->before.handle ? NLM_F_REPLACE :
						     NLM_F_EXCL);
}

static bool set_up_root(struct link *link, int flags)
{
	switch (link->mode) {
	case LINK_NETEM:
		return set_delay(link, flags, 0);
	case LINK_CELLINK:
		return qdisc_set_child(&link->near, &link->nl, flags,
				       &link->child);
	default:
		return open_wake(link) &&
		       set_rate(link, flags, link->settings.rate);
	}
}

/* Sets up the child qdisc of tbf, or the cellink device. */
static bool set_up_rest(struct link *link)
{
	switch (link->mode) {
	case LINK_NETEM:
		return true;
	case LINK_CELLINK:
		link->channel.made = true;
		return channel_set(&link->near, &link->nl, &link->settings);
	default:
		return qdisc_add_child(&link->near, &link->nl, &link->child);
	}
}

/* The queue under test holds the packets that arqlink's own queue 0 has no space for. */
static bool set_up_arq(struct link *link)
{
	struct port *port = &link->arq.near.upper;

	return arq_set_up(&link->arq) && qdisc_set_mq(port, &link->nl) &&
	       qdisc_add_child(port, &link->nl, &link->child);
}

static bool set_up_near(struct link *link)
{
	if (!port_connect(&link->near, &link->nl))
		return false;
	if (link->arq.wanted)
		return set_up_arq(link) && set_up_rest(link);
	/* set before the request, because this process may be killed during the request */
	link->near.made = true;
	link->near.made = set_up_root(link, create_flags(&link->near));
	return link->near.made && set_up_rest(link);
}

static bool set_up_far(struct link *link)
{
	struct netlink nl;

	if (!link->far.name)
		return true;
	if (!port_connect(&link->far, &nl))
		return false;
	link->far.made = true;
	link->far.made = qdisc_set_netem(&link->far, &nl,
					 create_flags(&link->far),
					 &link->propagation);
	netlink_close(&nl);
	return link->far.made;
}

static bool find_arq(struct link *link)
{
	if (!arq_find(&link->arq))
		return false;
	link->near = link->arq.near.lower;
	return true;
}

bool link_find(struct link *link, bool replace)
{
	if (link->arq.wanted)
		return find_arq(link);
	if (!root_save(&link->near, replace) ||
	    (link->far.name && !root_save(&link->far, replace)))
		return false;
	if (link->mode != LINK_TBF || link->near.is_ethernet)
		return true;
	cli_error(link->near.who, "%s: expected an Ethernet device (veth is one)",
		  link->near.name);
	return false;
}

bool link_set_up(struct link *link)
{
	return set_up_far(link) && set_up_near(link);
}

bool link_begin_spike(struct link *link, uint64_t length)
{
	switch (link->mode) {
	case LINK_NETEM:
		return set_delay(link, 0, length);
	case LINK_CELLINK:
		return channel_stop(&link->near, &link->nl, length);
	default:
		return set_rate(link, 0, SPIKE_RATE);
	}
}

bool link_end_spike(struct link *link)
{
	switch (link->mode) {
	case LINK_NETEM:
		return set_delay(link, 0, 0);
	case LINK_CELLINK:
		/* the kernel itself ends the outage */
		return true;
	default:
		return set_rate(link, 0, link->settings.rate) && wake(link);
	}
}

bool link_restore(const struct link *link, bool *changed)
{
	bool near = arq_remove(&link->arq, changed);

	if (!root_restore(&link->near, changed))
		near = false;
	if (!channel_restore(&link->channel, &link->near))
		near = false;
	return (!link->far.name || root_restore(&link->far, changed)) && near;
}
