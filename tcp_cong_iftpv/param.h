/* SPDX-License-Identifier: GPL-2.0 */
/* The module's parameters: they are what they are from loading on. */
#ifndef _TCP_IFTPV_PARAM_H
#define _TCP_IFTPV_PARAM_H

#include <linux/types.h>

/**
 * struct iftpv_param - a parameter that is a number in a range
 * @value: the number, where param_get_uint() finds it
 * @min: least value
 * @max: greatest value
 * @unit: what it counts
 */
struct iftpv_param {
	unsigned int value;
	unsigned int min;
	unsigned int max;
	const char *unit;
};

extern struct iftpv_param iftpv_beta;
extern struct iftpv_param iftpv_base_window;
extern struct iftpv_param iftpv_ease;
extern struct iftpv_param iftpv_scale;
extern struct iftpv_param iftpv_loss_tolerance;
extern bool iftpv_veno_growth;

#endif /* _TCP_IFTPV_PARAM_H */
