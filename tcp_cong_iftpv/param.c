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
MODULE_PARM_DESC(beta, "Least backlog that means congestion, in packets (3)");

/* The default is the same as in BBR. The time is long enough to see an empty queue once,
 * and short enough to forget an old path.
 */
struct iftpv_param iftpv_base_window __read_mostly = {
	.value = 10000, .min = 100, .max = 3600000, .unit = "ms",
};
module_param_cb(base_window, &iftpv_param_ops, &iftpv_base_window, 0444);
MODULE_PARM_DESC(base_window, "Time for which the least round-trip time counts as the path's own, in ms (10000)");

struct iftpv_param iftpv_ease __read_mostly = {
	.value = 80, .min = 50, .max = 100, .unit = "percent",
};
module_param_cb(ease, &iftpv_param_ops, &iftpv_ease, 0444);
MODULE_PARM_DESC(ease, "Share of the window that a random loss leaves while congestion rises, in percent (80)");

struct iftpv_param iftpv_scale __read_mostly = {
	.value = 100, .min = 100, .max = 1000, .unit = "percent",
};
module_param_cb(scale, &iftpv_param_ops, &iftpv_scale, 0444);
MODULE_PARM_DESC(scale, "Number of TCP flows that a flow behaves like, in percent (100)");

/* The value is a sum of IFTPV_PART_* values, or 0 for the paper's rule. */
struct iftpv_param iftpv_loss_tolerance __read_mostly = {
	.value = 0, .min = 0, .max = IFTPV_PARTS, .unit = "(a sum of parts)",
};
module_param_cb(loss_tolerance, &iftpv_param_ops, &iftpv_loss_tolerance, 0444);
MODULE_PARM_DESC(loss_tolerance, "Tolerate random losses beyond the paper's rule: 127 for all parts, or a sum of parts (0)");

bool iftpv_veno_growth __read_mostly;
module_param_named(veno_growth, iftpv_veno_growth, bool, 0444);
MODULE_PARM_DESC(veno_growth, "With a backlog of beta packets, grow in every second round trip only, as Veno does (N)");
