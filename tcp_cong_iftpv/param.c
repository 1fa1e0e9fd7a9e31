// SPDX-License-Identifier: GPL-2.0
/* Module parameters. If a value is out of range, the module does not load. */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cache.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include "iftpv.h"

static int iftpv_param_set(const char *val, const struct kernel_param *kp)
{
	const struct iftpv_param *param = kp->arg;
	int err;

	err = param_set_uint_minmax(val, kp, param->min, param->max);
	if (err)
		pr_err("%s=%s: expected %u to %u %s\n", kp->name, val,
		       param->min, param->max, param->unit);
	return err;
}

static const struct kernel_param_ops iftpv_param_ops = {
	.set = iftpv_param_set,
	.get = param_get_uint,
};

/* 3 is a good value according to Fu and Liew (IEEE JSAC 2003, section III). */
struct iftpv_param iftpv_beta __read_mostly = {
	.value = 3, .min = 1, .max = 1000, .unit = "packets",
};
module_param_cb(beta, &iftpv_param_ops, &iftpv_beta, 0444);
MODULE_PARM_DESC(beta, "Backlog from which on a loss is congestion, in packets (3)");

/* As in BBR: long enough to see the queue empty once, short enough to forget an old path. */
struct iftpv_param iftpv_base_window __read_mostly = {
	.value = 10000, .min = 100, .max = 3600000, .unit = "ms",
};
module_param_cb(base_window, &iftpv_param_ops, &iftpv_base_window, 0444);
MODULE_PARM_DESC(base_window, "Time within which the least round-trip time is the path's own, in ms (10000)");

struct iftpv_param iftpv_ease __read_mostly = {
	.value = 80, .min = 50, .max = 100, .unit = "percent",
};
module_param_cb(ease, &iftpv_param_ops, &iftpv_ease, 0444);
MODULE_PARM_DESC(ease, "What a random loss leaves of the window while congestion rises, in percent (80)");

struct iftpv_param iftpv_scale __read_mostly = {
	.value = 100, .min = 100, .max = 1000, .unit = "percent",
};
module_param_cb(scale, &iftpv_param_ops, &iftpv_scale, 0444);
MODULE_PARM_DESC(scale, "TCP flows that a flow is worth, in percent of one (100)");

/* The sum of IFTPV_PART_*; 0 is the paper's rule. */
struct iftpv_param iftpv_loss_tolerance __read_mostly = {
	.value = 0, .min = 0, .max = IFTPV_PARTS, .unit = "(a sum of parts)",
};
module_param_cb(loss_tolerance, &iftpv_param_ops, &iftpv_loss_tolerance, 0444);
MODULE_PARM_DESC(loss_tolerance, "Go beyond the paper's rule where losses are random: 127 for all parts, or a sum of some (0)");

bool iftpv_veno_growth __read_mostly;
module_param_named(veno_growth, iftpv_veno_growth, bool, 0444);
MODULE_PARM_DESC(veno_growth, "Grow every other round trip with a backlog of beta packets, as Veno does (N)");
