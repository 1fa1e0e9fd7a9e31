/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The metrics of freshlink export, as a table. */
#ifndef FRESHLINK_METRIC_H
#define FRESHLINK_METRIC_H

#include "state.h"

/** enum metric_type - type of a metric of Prometheus */
enum metric_type {
	METRIC_COUNTER,
	METRIC_GAUGE,
	METRIC_HISTOGRAM,
};

/**
 * enum metric_unit - unit of the kernel's number, which the metric has in base units
 * @METRIC_ONE: packets, bytes and others, as they are
 * @METRIC_NS: ns, a metric in seconds
 * @METRIC_MILLIONTHS: 10^-6
 * @METRIC_THOUSANDTHS: 10^-3
 * @METRIC_WINDOW: bytes; a number above INT64_MAX is without bound
 */
enum metric_unit {
	METRIC_ONE,
	METRIC_NS,
	METRIC_MILLIONTHS,
	METRIC_THOUSANDTHS,
	METRIC_WINDOW,
};

/**
 * struct metric - a metric; a table of metrics ends with a NULL name
 * @name: its name without the prefix
 * @help: one sentence
 * @kind: objects that have the metric
 * @type: its type
 * @unit: unit of its numbers
 * @label: label that tells its numbers apart, NULL if it has one number
 * @numbers: its numbers, up to a 0
 * @needs: number of a switch that must be 1, or 0
 */
struct metric {
	const char *name;
	const char *help;
	enum state_kind kind;
	enum metric_type type;
	enum metric_unit unit;
	const char *label;
	const uint16_t *numbers;
	uint16_t needs;
};

/** metric_table - all metrics */
extern const struct metric metric_table[];

/**
 * metric_word - word of a number, the same as in the other commands and in tc and ip
 * @kind: kind of the object
 * @number: the number
 *
 * Return: the word, or NULL
 */
const char *metric_word(enum state_kind kind, unsigned int number);

#endif
