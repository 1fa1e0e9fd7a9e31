/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hash table of nodes inside other structures. It grows by doubling. */
#ifndef FDCCP_HASH_H
#define FDCCP_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FDCCP_HASH_MIN	64	/* buckets at first */

#define fdccp_container(node, type, member) \
	((type *)((char *)(node) - offsetof(type, member)))

struct fdccp_hash_node {
	struct fdccp_hash_node *next;
	uint64_t hash;
};

/**
 * struct fdccp_hash - a table
 * @bucket: lists of nodes; a node is in bucket @hash modulo @size
 * @size: buckets, a power of two
 * @count: nodes
 */
struct fdccp_hash {
	struct fdccp_hash_node **bucket;
	size_t size, count;
};

/* Return: whether there was memory */
bool fdccp_hash_init(struct fdccp_hash *table);
void fdccp_hash_free(struct fdccp_hash *table);

/* Adds a node in front of those with the same hash. Without memory to grow the lists get longer. */
void fdccp_hash_add(struct fdccp_hash *table, struct fdccp_hash_node *node, uint64_t hash);
void fdccp_hash_remove(struct fdccp_hash *table, struct fdccp_hash_node *node);

/* The first node with @hash, or the next one after @node. Return: it or NULL. */
struct fdccp_hash_node *fdccp_hash_first(const struct fdccp_hash *table, uint64_t hash);
struct fdccp_hash_node *fdccp_hash_next(const struct fdccp_hash_node *node);

/* Any node, for emptying a table. Return: it or NULL. */
struct fdccp_hash_node *fdccp_hash_any(const struct fdccp_hash *table);

#endif
