/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The transmit direction of a cellink device: freshlink emulate changes its settings, and
 * restores them exactly.
 */
#ifndef FRESHLINK_CHANNEL_H
#define FRESHLINK_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "netlink.h"
#include "port.h"

/**
 * struct channel - the original settings of a cellink device
 * @there: the device is a cellink
 * @data: its IFLA_INFO_DATA as the kernel reported it
 * @len: bytes of @data
 * @made: the settings have been changed, or are about to be
 */
struct channel {
	bool there;
	unsigned char data[2048] __attribute__((aligned(4)));
	int len;
	bool made;
};

/**
 * struct channel_settings - settings to apply
 * @rate: bytes/s
 * @delay: ns, NULL to keep the old one
 * @loss: millionths, NULL to keep the old one
 * @seed: seed of the losses
 */
struct channel_settings {
	uint64_t rate;
	const uint64_t *delay;
	const uint64_t *loss;
	uint32_t seed;
};

/**
 * channel_find - read the settings of a device
 * @ch: written; @ch->there is false if there is no such device, or it is not a cellink
 * @name: the device, in the current namespace
 */
void channel_find(struct channel *ch, const char *name);

/**
 * channel_set - apply settings and remove outages
 * @port: the device
 * @nl: a socket of port_connect()
 * @set: the settings
 *
 * Return: whether the kernel accepted them; if not, standard error says why
 */
bool channel_set(const struct port *port, struct netlink *nl,
		 const struct channel_settings *set);

/** channel_stop - send nothing for @length ns from now on; returns as channel_set() */
bool channel_stop(const struct port *port, struct netlink *nl, uint64_t length);

/**
 * channel_restore - restore the original settings, if they were changed
 * @ch: as channel_find() wrote it
 * @port: the device
 *
 * Return: whether the device has exactly these settings now; if not, standard error says why
 */
bool channel_restore(const struct channel *ch, const struct port *port);

#endif
