// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "hash.h"

static struct fdccp_hash_node **bucket_of(const struct fdccp_hash *table, uint64_t hash)
{
	return &table->bucket[hash & (table->size - 1)];
}

static void link_node(struct fdccp_hash *table, struct fdccp_hash_node *node)
{
	struct fdccp_hash_node **bucket = bucket_of(table, node->hash);

	node->next = *bucket;
	*bucket = node;
}

bool fdccp_hash_init(struct fdccp_hash *table)
{
	table->bucket = calloc(FDCCP_HASH_MIN, sizeof(*table->bucket));
	table->size = table->bucket ? FDCCP_HASH_MIN : 0;
	table->count = 0;
	return table->bucket;
}

void fdccp_hash_free(struct fdccp_hash *table)
{
	free(table->bucket);
	table->bucket = NULL;
	table->size = 0;
}

static void grow(struct fdccp_hash *table)
{
	struct fdccp_hash larger = { .size = table->size * 2, .count = table->count };

	larger.bucket = calloc(larger.size, sizeof(*larger.bucket));
	if (!larger.bucket)
		return;
	for (size_t i = 0; i < table->size; i++) {
		while (table->bucket[i]) {
			struct fdccp_hash_node *node = table->bucket[i];

			table->bucket[i] = node->next;
			link_node(&larger, node);
		}
	}
	fdccp_hash_free(table);
	*table = larger;
}

void fdccp_hash_add(struct fdccp_hash *table, struct fdccp_hash_node *node, uint64_t hash)
{
	if (table->count == table->size)
		grow(table);
	node->hash = hash;
	link_node(table, node);
	table->count++;
}

void fdccp_hash_remove(struct fdccp_hash *table, struct fdccp_hash_node *node)
{
	struct fdccp_hash_node **at = bucket_of(table, node->hash);

	while (*at != node)
		at = &(*at)->next;
	*at = node->next;
	table->count--;
}

static struct fdccp_hash_node *with_hash(struct fdccp_hash_node *node, uint64_t hash)
{
	while (node && node->hash != hash)
		node = node->next;
	return node;
}

struct fdccp_hash_node *fdccp_hash_first(const struct fdccp_hash *table, uint64_t hash)
{
	return with_hash(*bucket_of(table, hash), hash);
}

struct fdccp_hash_node *fdccp_hash_next(const struct fdccp_hash_node *node)
{
	return with_hash(node->next, node->hash);
}

struct fdccp_hash_node *fdccp_hash_any(const struct fdccp_hash *table)
{
	for (size_t i = 0; i < table->size; i++)
		if (table->bucket[i])
			return table->bucket[i];
	return NULL;
}
