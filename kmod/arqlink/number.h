/* SPDX-License-Identifier: GPL-2.0 */
/* Arithmetic with the numbers of frames, which count modulo 2^16. */
#ifndef _ARQLINK_NUMBER_H
#define _ARQLINK_NUMBER_H

#include <linux/arqlink.h>
#include <linux/types.h>

/**
 * arql_ahead() - how far a number is ahead of another
 * @number: the number
 * @base: the other number
 *
 * Return: -32768 to 32767, less than 0 if @number is before @base. The numbers of a connection are
 * at most ARQLINK_AHEAD + 2 * ARQLINK_WINDOW_MAX apart, so the result is exact for them
 */
static inline int arql_ahead(u16 number, u16 base)
{
	return (s16)(number - base);
}

/**
 * arql_within() - whether a number is in a window
 * @number: the number
 * @base: first number of the window
 * @size: numbers in the window
 */
static inline bool arql_within(u16 number, u16 base, u32 size)
{
	return (u16)(number - base) < size;
}

#endif /* _ARQLINK_NUMBER_H */
