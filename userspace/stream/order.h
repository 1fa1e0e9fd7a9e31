/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a receiver delivers the messages that are whole. */
#ifndef FSTREAM_ORDER_H
#define FSTREAM_ORDER_H

#include "inbox.h"

/**
 * struct fstream_delivery - the messages that are whole
 * @order: when they are delivered
 * @lifetime: the longest that the program wants, ns; 0: no limit
 * @latency: order "paced": from submission to delivery, ns; 0: a message's lifetime
 * @by_number: messages that wait
 * @by_deadline: the same messages, by fstream_delivery_deadline()
 * @by_submitted: order "paced": the same messages, by their submission
 * @first: messages that are delivered now
 * @last: of these
 * @passed: messages before this number are not waited for
 */
struct fstream_delivery {
	enum fstream_order order;
	int64_t lifetime, latency;
	struct fdccp_heap by_number, by_deadline, by_submitted;
	struct fstream_in *first, *last;
	uint64_t passed;
};

/* Makes room for @count messages. Return: whether there was memory. */
bool fstream_delivery_reserve(struct fstream_delivery *d, uint32_t count);
void fstream_delivery_free(struct fstream_delivery *d, struct fstream_inbox *inbox);

/* When a message becomes stale, or FDCCP_NEVER. */
int64_t fstream_delivery_deadline(const struct fstream_delivery *d, const struct fstream_in *m);

/* Whether it is too late at @now to deliver a message in its place. */
bool fstream_delivery_late(const struct fstream_delivery *d, const struct fstream_in *m,
			   int64_t now);

/* Adds a message that is whole. There is room for it. A late one is delivered at once. */
void fstream_delivery_add(struct fstream_delivery *d, struct fstream_in *m);

/* Changes the terms, also of messages that wait. Another lifetime sorts those anew. */
void fstream_delivery_terms(struct fstream_delivery *d, int64_t lifetime, int64_t latency);

/* Moves messages whose time has come to those that are delivered now. */
void fstream_delivery_run(struct fstream_delivery *d, struct fstream_inbox *inbox, int64_t now);

/* Moves all that wait to them. */
void fstream_delivery_flush(struct fstream_delivery *d);

/* When fstream_delivery_run() has something to do, or FDCCP_NEVER. */
int64_t fstream_delivery_timer(const struct fstream_delivery *d, const struct fstream_inbox *inbox);

/* Fetches a message that is delivered now. Return: it or NULL. */
struct fstream_in *fstream_delivery_take(struct fstream_delivery *d);

/* Drops those of them whose deadline has passed. Return: how many */
uint64_t fstream_delivery_expire(struct fstream_delivery *d, struct fstream_inbox *inbox,
				 int64_t now);

#endif
