/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Metrics in the text format of Prometheus. */
#ifndef FRESHLINK_PROMETHEUS_H
#define FRESHLINK_PROMETHEUS_H

#include <stdio.h>

#include "metric.h"

#define PROMETHEUS_PREFIX	"freshlink_"

/**
 * prometheus_print - print all metrics that a state has
 * @state: the state
 * @out: the output file
 *
 * A metric without a sample is left out.
 */
void prometheus_print(const struct state *state, FILE *out);

#endif
