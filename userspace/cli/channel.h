/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The direction that a cellink device transmits: what freshlink emulate sets, and how
 * to put back exactly what was set there.
 */
#ifndef FRESHLINK_CHANNEL_H
#define FRESHLINK_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "netlink.h"
#include "port.h"

/**
 * struct channel - what a cellink device had
 * @there: the device is one
 * @data: its IFLA_INFO_DATA as the kernel told it
 * @len: bytes of @data
 * @made: something was set since, or is about to be
 */
struct channel {
	bool there;
	unsigned char data[2048] __attribute__((aligned(4)));
	int len;
	bool made;
};

/**
 * struct channel_settings - what is to be set
 * @rate: bytes/s
 * @delay: ns, NULL to leave it
 * @loss: millionths, NULL to leave it
 * @seed: of the losses
 */
struct channel_settings {
	uint64_t rate;
	const uint64_t *delay;
	const uint64_t *loss;
	uint32_t seed;
};

/**
 * channel_find - remember what a device transmits like
 * @ch: written; @ch->there is false if there is no such device, or it is none of cellink's
 * @name: the device, in the current namespace
 */
void channel_find(struct channel *ch, const char *name);

/**
 * channel_set - make it a link without outages
 * @port: the device
 * @nl: a socket of port_connect()
 * @set: what is set
 *
 * Return: whether the kernel took it; if not, standard error says why
 */
bool channel_set(const struct port *port, struct netlink *nl,
		 const struct channel_settings *set);

/** channel_stop - have nothing sent for @length ns from now on, as channel_set() */
bool channel_stop(const struct port *port, struct netlink *nl, uint64_t length);

/**
 * channel_restore - set again what was set, if anything was changed
 * @ch: of channel_find()
 * @port: the device
 *
 * Return: whether it has exactly that now; if not, standard error says why
 */
bool channel_restore(const struct channel *ch, const struct port *port);

#endif
