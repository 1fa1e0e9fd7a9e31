// SPDX-License-Identifier: GPL-2.0
/*
 * An object of this module's own. make compiles the folders of modules at the same time, and would
 * write an object of two modules twice.
 */
#include "../compat/genl_listeners.c"
