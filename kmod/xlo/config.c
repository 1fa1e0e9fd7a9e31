// SPDX-License-Identifier: GPL-2.0
/*
 * The configuration of a network namespace is one object. The configuration object never changes
 * while packets read it. A change modifies a copy. The copy replaces the old object only if every
 * step of the change has succeeded. Packets therefore see either the old or the new configuration.
 */

#include <linux/netdevice.h>
#include <linux/slab.h>
#include <net/xlo.h>
#include "config.h"

unsigned int xlo_net_id __read_mostly;

static struct xlo_config *xlo_config_locked(struct xlo_net *xn)
{
	return rcu_dereference_protected(xn->config,
					 lockdep_is_held(&xn->lock));
}

/**
 * xlo_config_begin() - begin a change
 * @xn: data of the network namespace; its lock is held until the change ends
 *
 * The caller modifies the copy, and then passes it to xlo_hooks_commit() or
 * xlo_config_abort().
 *
 * Return: a copy of the configuration. If no memory is available or the network namespace is being
 * removed, the function releases the lock and returns NULL
 */
struct xlo_config *xlo_config_begin(struct xlo_net *xn)
{
	struct xlo_config *config = NULL;

	mutex_lock(&xn->lock);
	if (!xn->leaving)
		config = kmemdup(xlo_config_locked(xn), sizeof(*config),
				 GFP_KERNEL_ACCOUNT);
	if (config)
		config->generation++;
	else
		mutex_unlock(&xn->lock);
	return config;
}

/**
 * xlo_config_abort() - discard a change and release the lock
 * @xn: data of the network namespace
 * @config: from xlo_config_begin(); this function frees it
 */
void xlo_config_abort(struct xlo_net *xn, struct xlo_config *config)
{
	mutex_unlock(&xn->lock);
	kfree(config);
}

/**
 * xlo_config_end() - release the lock after xlo_hooks_commit()
 * @xn: data of the network namespace
 */
void xlo_config_end(struct xlo_net *xn)
{
	mutex_unlock(&xn->lock);
}

/**
 * xlo_config_init() - set up an empty configuration
 * @xn: data of the network namespace, filled with zeros
 *
 * Return: 0 or -ENOMEM
 */
int xlo_config_init(struct xlo_net *xn)
{
	struct xlo_config *config;

	mutex_init(&xn->lock);
	config = kzalloc(sizeof(*config), GFP_KERNEL_ACCOUNT);
	if (!config)
		return -ENOMEM;
	xn->counters = __netdev_alloc_pcpu_stats(struct xlo_counters,
						 GFP_KERNEL_ACCOUNT);
	if (!xn->counters) {
		kfree(config);
		return -ENOMEM;
	}
	RCU_INIT_POINTER(xn->config, config);
	return 0;
}

/**
 * xlo_config_exit() - free the configuration and the counters of a network namespace
 * @xn: data of the network namespace; no packet may be in a hook
 */
void xlo_config_exit(struct xlo_net *xn)
{
	free_percpu(xn->counters);
	kfree(rcu_dereference_protected(xn->config, true));
}

/**
 * xlo_profile_find() - find a profile by its name
 * @config: the configuration
 * @name: the name
 *
 * Return: the index of the profile, or -ENOENT
 */
int xlo_profile_find(const struct xlo_config *config, const char *name)
{
	int i;

	for (i = 0; i < config->profile_count; i++)
		if (!strcmp(config->profiles[i].name, name))
			return i;
	return -ENOENT;
}

/**
 * xlo_profile_overlap() - find a profile that can match the same packet as a new profile
 * @config: the configuration
 * @profile: the new profile, which is not in @config
 *
 * Two profiles can match the same packet if their marks are equal in all bits that both masks
 * contain, and if the profiles share at least one path.
 *
 * Return: the index of a profile in @config that can match the same packet, or -ENOENT
 */
int xlo_profile_overlap(const struct xlo_config *config,
			const struct xlo_profile *profile)
{
	int i;

	for (i = 0; i < config->profile_count; i++) {
		const struct xlo_profile *p = &config->profiles[i];

		if (!((p->mark ^ profile->mark) & p->mask & profile->mask) &&
		    p->path & profile->path)
			return i;
	}
	return -ENOENT;
}

static u8 xlo_profile_free_slot(const struct xlo_config *config)
{
	DECLARE_BITMAP(used, XLO_PROFILES_MAX) = { 0 };
	int i;

	for (i = 0; i < config->profile_count; i++)
		__set_bit(config->profiles[i].slot, used);
	return find_first_zero_bit(used, XLO_PROFILES_MAX);
}

/* Returns the option of a profile if each packet gets the same option and if the option carries the
 * whole lifetime. Otherwise returns 0.
 */
static u64 xlo_profile_option(const struct xlo_profile *p)
{
	struct xlo opt = {
		.reorder = p->reorder,
		.flags = p->flags,
		.lifetime = p->lifetime,
	};
	u64 option = 0;

	if (!p->rto && p->clock == XLO_CLOCK_RELATIVE &&
	    p->lifetime <= XLO_RELATIVE_MAX)
		xlo_write4(&option, &opt);
	return option;
}

/**
 * xlo_profile_add() - add a profile
 * @xn: data of the network namespace
 * @config: a configuration not yet in use, with fewer than XLO_PROFILES_MAX profiles
 * @profile: the new profile; the function sets the slot, the base and the option of the stored
 *	copy
 */
void xlo_profile_add(const struct xlo_net *xn, struct xlo_config *config,
		     const struct xlo_profile *profile)
{
	u8 slot = xlo_profile_free_slot(config);
	struct xlo_profile *p = &config->profiles[config->profile_count++];

	*p = *profile;
	p->slot = slot;
	p->base = xlo_counter_profile(xn, slot);
	p->option = xlo_profile_option(p);
}

/**
 * xlo_profile_remove() - remove a profile
 * @config: a configuration not yet in use
 * @index: index of the profile
 */
void xlo_profile_remove(struct xlo_config *config, int index)
{
	struct xlo_profile *p = &config->profiles[index];

	memmove(p, p + 1, (--config->profile_count - index) * sizeof(*p));
}

/**
 * xlo_cap_find() - find the cap of an interface
 * @config: the configuration
 * @ifindex: the interface
 *
 * Return: the index of the cap, or -ENOENT
 */
int xlo_cap_find(const struct xlo_config *config, int ifindex)
{
	int i;

	for (i = 0; i < config->cap_count; i++)
		if (config->caps[i].ifindex == ifindex)
			return i;
	return -ENOENT;
}

/* Sums the counter at @offset in struct xlo_counters over all CPUs. */
static u64 xlo_counter_sum(const struct xlo_net *xn, size_t offset)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct xlo_counters *c = per_cpu_ptr(xn->counters, cpu);
		const u64_stats_t *counter = (const void *)c + offset;
		unsigned int start;
		u64 value;

		do {
			start = u64_stats_fetch_begin(&c->syncp);
			value = u64_stats_read(counter);
		} while (u64_stats_fetch_retry(&c->syncp, start));
		sum += value;
	}
	return sum;
}

/**
 * xlo_counter() - read a counter, summed over all CPUs
 * @xn: data of the network namespace
 * @which: the counter
 */
u64 xlo_counter(const struct xlo_net *xn, enum xlo_stats which)
{
	return xlo_counter_sum(xn, offsetof(struct xlo_counters, count) +
				   which * sizeof(u64_stats_t));
}

/**
 * xlo_counter_profile() - read a profile's counter, summed over all CPUs
 * @xn: data of the network namespace
 * @slot: slot of the profile; its counter starts at 0 when the network namespace is created
 */
u64 xlo_counter_profile(const struct xlo_net *xn, u8 slot)
{
	return xlo_counter_sum(xn, offsetof(struct xlo_counters, profile) +
				   slot * sizeof(u64_stats_t));
}
