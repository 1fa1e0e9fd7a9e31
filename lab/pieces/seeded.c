// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A library to preload into programs in C++. std::random_device of libstdc++ asks the processor
 * for random numbers, which no seed can repeat. With this library it asks the kernel.
 */
#include <sys/random.h>

unsigned int random_device_getval(void *self)
	__asm__("_ZNSt13random_device9_M_getvalEv");

unsigned int random_device_getval(void *self)
{
	unsigned int value = 0;

	(void)self;
	while (getrandom(&value, sizeof(value), 0) != sizeof(value))
		;
	return value;
}
