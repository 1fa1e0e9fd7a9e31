/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file of the verdicts that freshlink probe keeps: freshlink/probes in the user's runtime
 * directory ($XDG_RUNTIME_DIR), or in /run for root without one. It ends with the boot.
 */
#ifndef FRESHLINK_PROBE_STORE_H
#define FRESHLINK_PROBE_STORE_H

#include "cache.h"

#define PROBE_WHY_MAX	256	/* bytes of a reason */

/** probe_now - s of CLOCK_BOOTTIME, which counts while the computer sleeps */
int64_t probe_now(void);

/**
 * probe_store_read - read the verdicts that are kept
 * @cache: written; empty if the file cannot be used
 * @why: written: why the file cannot be used, or "". A file that does not exist is no reason
 *
 * A file is ignored if it is not a regular file of this user that only the user can read and write,
 * or if its text has an error.
 */
void probe_store_read(struct probe_cache *cache, char why[PROBE_WHY_MAX]);

/**
 * probe_store_put - keep a verdict
 * @entry: the verdict; its @until is set here. A verdict that is not kept removes the former one
 * @why: written: why it was not kept, or ""
 *
 * A file with an error is replaced, one of another user is not.
 */
void probe_store_put(const struct probe_entry *entry, char why[PROBE_WHY_MAX]);

/**
 * probe_store_forget - remove the verdicts of a destination, or all
 * @remote: the destination, or NULL
 * @count: written: how many
 * @why: written: why the file could not be used, or "". A file with an error is replaced
 */
void probe_store_forget(const struct in6_addr *remote, unsigned int *count,
			char why[PROBE_WHY_MAX]);

#endif
