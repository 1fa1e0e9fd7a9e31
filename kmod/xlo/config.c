// SPDX-License-Identifier: GPL-2.0
/*
 * A namespace's configuration: one object that is never changed while packets
 * read it. A change makes a copy, alters that, and puts it in the old one's
 * place if all went well; so it is whole or not at all, under traffic too.
 */

#include <linux/netdevice.h>
#include <linux/slab.h>
#include "config.h"

unsigned int xlo_net_id __read_mostly;

static struct xlo_config *xlo_config_locked(struct xlo_net *xn)
{
	return rcu_dereference_protected(xn->config,
					 lockdep_is_held(&xn->lock));
}

/**
 * xlo_config_begin() - begin a change
 * @xn: the namespace; its lock is held until the change ends
 *
 * Return: a copy of the configuration to be altered, then committed or
 * aborted; NULL without memory or with the namespace going, and the lock is not
 * held then
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
 * xlo_config_abort() - end a change that is not to happen
 * @xn: the namespace
 * @config: of xlo_config_begin()
 */
void xlo_config_abort(struct xlo_net *xn, struct xlo_config *config)
{
	mutex_unlock(&xn->lock);
	kfree(config);
}

/**
 * xlo_config_end() - end a change that is in force
 * @xn: the namespace
 */
void xlo_config_end(struct xlo_net *xn)
{
	mutex_unlock(&xn->lock);
}

/**
 * xlo_config_init() - begin with nothing configured
 * @xn: the namespace, all 0
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
 * xlo_config_exit() - free what a namespace had
 * @xn: the namespace; no packet can be in a hook any more
 */
void xlo_config_exit(struct xlo_net *xn)
{
	free_percpu(xn->counters);
	kfree(rcu_dereference_protected(xn->config, true));
}

/**
 * xlo_profile_find() - look a profile up by its name
 * @config: the configuration
 * @name: the name
 *
 * Return: its index, or -ENOENT
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
 * xlo_profile_overlap() - whether some packet would be another profile's too
 * @config: the configuration
 * @profile: a profile that is not in it
 *
 * Two marks under two masks have a packet in common if they agree in the bits
 * that both masks have.
 *
 * Return: the index of a profile that has a packet in common, or -ENOENT
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

/**
 * xlo_profile_add() - add a profile
 * @xn: the namespace
 * @config: a configuration not yet in use, with less than XLO_PROFILES_MAX
 * @profile: the profile; its counter is chosen here
 */
void xlo_profile_add(const struct xlo_net *xn, struct xlo_config *config,
		     const struct xlo_profile *profile)
{
	u8 slot = xlo_profile_free_slot(config);
	struct xlo_profile *p = &config->profiles[config->profile_count++];

	*p = *profile;
	p->slot = slot;
	p->base = xlo_counter_profile(xn, slot);
}

/**
 * xlo_profile_remove() - remove a profile
 * @config: a configuration not yet in use
 * @index: which
 */
void xlo_profile_remove(struct xlo_config *config, int index)
{
	struct xlo_profile *p = &config->profiles[index];

	memmove(p, p + 1, (--config->profile_count - index) * sizeof(*p));
}

/**
 * xlo_cap_find() - look a cap up
 * @config: the configuration
 * @ifindex: the interface
 *
 * Return: its index, or -ENOENT
 */
int xlo_cap_find(const struct xlo_config *config, int ifindex)
{
	int i;

	for (i = 0; i < config->cap_count; i++)
		if (config->caps[i].ifindex == ifindex)
			return i;
	return -ENOENT;
}

/* The sum over all CPUs of the counter that is @offset into the struct. */
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
 * xlo_counter() - read a counter
 * @xn: the namespace
 * @which: the counter
 */
u64 xlo_counter(const struct xlo_net *xn, enum xlo_stats which)
{
	return xlo_counter_sum(xn, offsetof(struct xlo_counters, count) +
				   which * sizeof(u64_stats_t));
}

/**
 * xlo_counter_profile() - read a profile's counter
 * @xn: the namespace
 * @slot: the profile's
 */
u64 xlo_counter_profile(const struct xlo_net *xn, u8 slot)
{
	return xlo_counter_sum(xn, offsetof(struct xlo_counters, profile) +
				   slot * sizeof(u64_stats_t));
}
