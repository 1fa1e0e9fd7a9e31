/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sample of the packets that leave a device, through a packet socket. */
#ifndef FRESHLINK_SAMPLER_H
#define FRESHLINK_SAMPLER_H

#include "../top/sample.h"

/**
 * sampler_open - open a packet socket that receives one in so many packets
 * @one_in: 1 or more
 *
 * Needs CAP_NET_RAW. The kernel itself chooses the packets, at random.
 *
 * Return: the socket, which receives nothing yet, or -1 with errno
 */
int sampler_open(uint32_t one_in);

/**
 * sampler_bind - begin to receive
 * @fd: the socket
 * @ifindex: index of the device, 0 for all devices
 *
 * Return: true, or false with errno
 */
bool sampler_bind(int fd, unsigned int ifindex);

/** sampler_read - add the packets that have arrived to a sample */
void sampler_read(int fd, struct top_sample *sample);

#endif
