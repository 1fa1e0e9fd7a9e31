/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the running system lacks, in words for messages. */
#ifndef FRESHLINK_ADVICE_LOOK_H
#define FRESHLINK_ADVICE_LOOK_H

#include <stdbool.h>
#include <stddef.h>

#include "advice.h"

/**
 * look_for_module - say how to get a module that is not loaded
 * @module: name of the module
 *
 * Return: "CAUSE: COMMAND", which stays until the next call
 */
const char *look_for_module(const char *module);

/**
 * look_for_right - say who has a capability that the process lacks
 * @needs: words before its name, such as "it needs"
 * @capability: its name, such as "CAP_NET_ADMIN"
 *
 * Return: the words, the name and who has it, which stay until the next call
 */
const char *look_for_right(const char *needs, const char *capability);

/** look_whose_right - who has a capability that the process lacks, as advise_right() says it */
const char *look_whose_right(void);

/**
 * look_at_parts - find what is missing, or may be refused, for lifetimes to have an effect
 * @missing: written, three entries or less
 *
 * Return: the number of entries
 */
size_t look_at_parts(struct advice *missing);

/** look_is_loaded - whether a module is loaded */
bool look_is_loaded(const char *module);

/**
 * look_is_missing - whether a module is not loaded, and cannot be before a command has been typed
 * @module: name of the module
 */
bool look_is_missing(const char *module);

/**
 * look_needs_trust - whether a module is not loaded, and the kernel may refuse its signature
 * @module: name of the module
 *
 * Only the kernel knows whether it trusts the key: after an attempt to load the module, true means
 * that it does not.
 */
bool look_needs_trust(const char *module);

#endif
