// SPDX-License-Identifier: GPL-2.0
/*
 * This module causes one deliberate bug when it is loaded. A parameter chooses the bug, for example
 * "insmod provoke.ko bug=leak". The tests of the lab use the module to check that a warning of the
 * kernel fails the run. The module is never installed.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bug.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

static char *bug = "";
module_param(bug, charp, 0);
MODULE_PARM_DESC(bug, "warn, leak, use-after-free, deadlock, sleep or shift");

static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);
static DEFINE_SPINLOCK(spin);

static void provoke_warn(void)
{
	WARN(1, "provoked\n");
}

static void provoke_leak(void)
{
	int i;

	/* Several leaks, because kmemleak overlooks a leak if memory contains a stale copy of the
	 * address. The memory is zeroed, because a free object contains the address of the next
	 * free object: kmemleak would then overlook all leaks that follow one.
	 */
	for (i = 0; i < 16; i++)
		kzalloc(123, GFP_KERNEL);
}

static void provoke_use_after_free(void)
{
	char *p = kmalloc(123, GFP_KERNEL);

	kfree(p);
	OPTIMIZER_HIDE_VAR(p);
	pr_info("%d\n", *p);
}

static void provoke_deadlock(void)
{
	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);
	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
}

static void provoke_sleep(void)
{
	spin_lock(&spin);
	might_sleep();
	spin_unlock(&spin);
}

static void provoke_shift(void)
{
	int shift = 40;

	OPTIMIZER_HIDE_VAR(shift);
	pr_info("%d\n", 1 << shift);
}

static const struct {
	const char *name;
	void (*provoke)(void);
} bugs[] = {
	{ "warn", provoke_warn },
	{ "leak", provoke_leak },
	{ "use-after-free", provoke_use_after_free },
	{ "deadlock", provoke_deadlock },
	{ "sleep", provoke_sleep },
	{ "shift", provoke_shift },
};

static int __init provoke_init(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bugs); i++) {
		if (!strcmp(bug, bugs[i].name)) {
			bugs[i].provoke();
			return 0;
		}
	}
	pr_err("bug '%s': expected one of those in modinfo\n", bug);
	return -EINVAL;
}

static void __exit provoke_exit(void)
{
}

module_init(provoke_init);
module_exit(provoke_exit);

MODULE_DESCRIPTION("Deliberate bugs for the test machines");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
