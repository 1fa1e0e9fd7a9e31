/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pair of arqlink devices above the two ends of an emulated link, which exist as long as the
 * emulation:
 *
 *   near   arq-NEAR              arq-FAR   far
 *             |                     |
 *            NEAR ~~~ cellink ~~~> FAR
 */
#ifndef FRESHLINK_ARQ_H
#define FRESHLINK_ARQ_H

#include <net/if.h>
#include <stdbool.h>

#include "../lib/arqlink.h"
#include "port.h"

/**
 * struct arq_end - an arqlink device
 * @lower: the device below
 * @upper: the arqlink device, which exists if @upper.made. Its index is known after arq_set_up()
 * @name: its name
 */
struct arq_end {
	struct port lower;
	struct port upper;
	char name[IFNAMSIZ];
};

/**
 * struct arq - a pair of arqlink devices
 * @wanted: the user has asked for it
 * @values: the options of both devices
 * @near: the end at which packets are sent
 * @far: the end at which packets arrive
 */
struct arq {
	bool wanted;
	struct fl_value values[ARQL_OPTIONS];
	struct arq_end near;
	struct arq_end far;
};

/**
 * arq_parse - read "WORD VALUE WORD VALUE ..."
 * @arq: @wanted and @values are written
 * @who: prefix of error messages
 * @text: the options, as for "ip link ... type arqlink"
 *
 * Return: true if all words are correct, or false after a message on standard error
 */
bool arq_parse(struct arq *arq, const char *who, const char *text);

/**
 * arq_find - find the two devices below
 * @arq: the pair; the caller has set @who, @name and @netns of both lower devices
 *
 * Return: true if both devices exist, or false after a message on standard error
 */
bool arq_find(struct arq *arq);

/** arq_set_up - create both devices and set them up; after a failure, the caller uses arq_remove() */
bool arq_set_up(struct arq *arq);

/**
 * arq_remove - delete the devices, if they were created
 * @arq: the pair
 * @changed: set to true if a device was deleted, not written in all other cases
 *
 * Return: true if the devices do not exist any more, or false after a message on standard error
 */
bool arq_remove(const struct arq *arq, bool *changed);

#endif
