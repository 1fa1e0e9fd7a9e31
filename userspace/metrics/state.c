// SPDX-License-Identifier: GPL-2.0-or-later
/* The objects that count: see state.h. */
#include <stdlib.h>
#include <string.h>

#include "state.h"

struct state_object *state_add(struct state *state, enum state_kind kind)
{
	struct state_object *grown = reallocarray(state->objects, state->count + 1,
						  sizeof(*grown)), *object;

	if (!grown)
		return NULL;
	state->objects = grown;
	object = &grown[state->count++];
	*object = (struct state_object){ .kind = kind };
	return object;
}

void state_set(struct state_object *object, unsigned int number, uint64_t value)
{
	object->has[number] = true;
	object->number[number] = value;
}

void state_forget(struct state *state)
{
	free(state->objects);
	*state = (struct state){ 0 };
}

const struct state_object *state_same(const struct state *state, const struct state_object *object)
{
	for (size_t i = 0; i < state->count; i++) {
		const struct state_object *old = &state->objects[i];

		if (old->kind == object->kind && old->handle == object->handle &&
		    old->parent == object->parent && !strcmp(old->device, object->device) &&
		    !strcmp(old->name, object->name))
			return old;
	}
	return NULL;
}
