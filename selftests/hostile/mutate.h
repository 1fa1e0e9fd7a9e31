/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes good packets hostile, at random from a seed. */
#ifndef HOSTILE_MUTATE_H
#define HOSTILE_MUTATE_H

#include <linux/virtio_net.h>

#include "packet.h"

#define LINK_MAX	22	/* Ethernet's header with two tags */
#define CUTS		5

/**
 * struct shot - a packet and how it is handed to the kernel
 * @packet: the packet
 * @link: its link-layer header
 * @link_len: bytes of that
 * @virtio: whether a device completes its checksum, and how it is segmented
 * @begun: the checksum is right once a device completes it
 * @cuts: where it is split into pieces of memory, from the link-layer header on,
 *	ascending
 * @cut_count: how many of them there are
 */
struct shot {
	struct packet packet;
	uint8_t link[LINK_MAX];
	size_t link_len;
	struct virtio_net_hdr virtio;
	int begun;
	size_t cuts[CUTS];
	size_t cut_count;
};

void random_seed(uint64_t seed);
uint32_t random_below(uint32_t limit);

/* Name a packet in a field that nothing on the way changes: the high byte of IPv4's
 * identification, the middle of IPv6's flow label. The low byte numbers segments.
 */
void shot_name(struct packet *packet, unsigned int name);
unsigned int shot_named(const struct packet *packet);

/* Turn @shot's good packet into a hostile one. If @tags, also choose the tags of its
 * link-layer header.
 */
void shot_mutate(struct shot *shot, int tags);

/* Choose its layout in memory and the work that is left to devices. */
void shot_offload(struct shot *shot);

#endif /* HOSTILE_MUTATE_H */
