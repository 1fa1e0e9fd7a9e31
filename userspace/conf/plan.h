/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order in which statements of configuration are put into effect, and how to undo them. */
#ifndef FRESHLINK_CONF_PLAN_H
#define FRESHLINK_CONF_PLAN_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct plan_item - a statement
 * @wanted: it has to be put into effect
 * @exists: its object exists, with other values
 * @replaced: the kernel cannot change the object, so it is removed before the new one is made
 * @last: nothing can undo the statement, so it comes after all others
 */
struct plan_item {
	bool wanted;
	bool exists;
	bool replaced;
	bool last;
};

/**
 * enum plan_act - what a step does
 * @PLAN_PUT: put the statement into effect
 * @PLAN_RESTORE: put the object's old values into effect
 * @PLAN_REMOVE: remove the object that the statement has made
 * @PLAN_REMOVE_OLD: remove the object with the old values
 */
enum plan_act {
	PLAN_PUT,
	PLAN_RESTORE,
	PLAN_REMOVE,
	PLAN_REMOVE_OLD,
};

/**
 * struct plan_step - a step
 * @item: the index of its statement
 * @act: what the step does
 * @undo: the act that undoes the step
 */
struct plan_step {
	size_t item;
	enum plan_act act;
	enum plan_act undo;
};

/**
 * plan_make - order the steps
 * @items: the statements, in the order of the files
 * @count: number of statements
 * @steps: array of 2 * @count steps, written
 *
 * All objects that are replaced are removed first, because the kernel may refuse a new object
 * beside an old one: two profiles may exchange their marks.
 *
 * Return: the number of steps
 */
size_t plan_make(const struct plan_item *items, size_t count, struct plan_step *steps);

#endif
