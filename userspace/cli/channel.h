/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The settings of a cellink device. The command freshlink emulate changes them and restores
 * them exactly.
 */
#ifndef FRESHLINK_CHANNEL_H
#define FRESHLINK_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "netlink.h"
#include "port.h"

/**
 * struct channel - the original settings of a cellink device
 * @there: the device is a cellink, and its settings fit into @data
 * @data: IFLA_INFO_DATA of the device without traces, as the kernel reported it
 * @len: bytes of @data
 * @made: the settings have been changed, or the change is about to begin
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
 * @delay: delay in ns, NULL to keep the old delay
 * @loss: loss in millionths, NULL to keep the old loss
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
 * @ch: the settings, written. @ch->there is false if the device does not exist or is not a
 *	cellink
 * @name: the device, in the current namespace
 */
void channel_find(struct channel *ch, const char *name);

/**
 * channel_set - apply settings and remove outages
 * @port: the device
 * @nl: a socket of port_connect()
 * @set: the settings
 *
 * Return: true if the kernel accepted the settings, or false after a message on standard error
 */
bool channel_set(const struct port *port, struct netlink *nl,
		 const struct channel_settings *set);

/** channel_stop - begin an outage of @length ns; returns the same values as channel_set() */
bool channel_stop(const struct port *port, struct netlink *nl, uint64_t length);

/**
 * channel_restore - restore the original settings, if they were changed
 * @ch: the settings that channel_find() has written
 * @port: the device
 *
 * Return: true if the device has exactly these settings, or false after a message on standard
 * error
 */
bool channel_restore(const struct channel *ch, const struct port *port);

#endif
