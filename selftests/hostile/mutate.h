/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets made hostile: from a good one, at random but for a seed. */
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
 * @virtio: whether its checksum is to be completed, and how it is to be cut
 * @begun: a device that completes its checksum makes it right
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

/* Name a packet where nothing on the way changes it: the high byte of IPv4's
 * identification, the middle of IPv6's flow label. Segments count in the low one.
 */
void shot_name(struct packet *packet, unsigned int name);
unsigned int shot_named(const struct packet *packet);

/* Make @shot's packet, which is a good one, a hostile one; of its link-layer
 * header only tags are chosen, if @tags.
 */
void shot_mutate(struct shot *shot, int tags);

/* Choose how it lies in memory and what is left to devices. */
void shot_offload(struct shot *shot);

#endif /* HOSTILE_MUTATE_H */
