/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes hostile packets from valid packets, with random changes that depend on a seed. */
#ifndef HOSTILE_MUTATE_H
#define HOSTILE_MUTATE_H

#include <linux/virtio_net.h>

#include "packet.h"

#define LINK_MAX	22	/* Ethernet's header with two tags */
#define CUTS		5

/**
 * struct shot - a packet, and the form in which the kernel gets it
 * @packet: the packet
 * @link: link-layer header
 * @link_len: length of the link-layer header in bytes
 * @virtio: whether a device completes the checksum, and how it segments the packet
 * @begun: whether the checksum is right after a device has completed it
 * @cuts: offsets from the link-layer header, ascending, at which the packet is split
 *	into pieces of memory
 * @cut_count: number of these offsets
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

/* Write a packet's name into a field that does not change on the way: the high byte of
 * the IPv4 identification, or the middle of the IPv6 flow label. The low byte is reserved
 * for the numbers of segments.
 */
void shot_name(struct packet *packet, unsigned int name);
unsigned int shot_named(const struct packet *packet);

/* Turn the valid packet of @shot into a hostile packet. With @tags, its link-layer header
 * may get VLAN tags.
 */
void shot_mutate(struct shot *shot, int tags);

/* Choose the packet's layout in memory and the work that devices must do. */
void shot_offload(struct shot *shot);

#endif /* HOSTILE_MUTATE_H */
