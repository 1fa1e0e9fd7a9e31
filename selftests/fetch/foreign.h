/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that the sender of a packet still writes to. The packet has several forms of
 * the same length, and each read returns bytes of one of them.
 */
#ifndef FETCH_FOREIGN_H
#define FETCH_FOREIGN_H

#include <linux/types.h>
#include <stdbool.h>

#define FOREIGN_MAX	4096	/* bytes of a packet */
#define FOREIGN_FORMS	4

/* The forms; written for each packet before its parser begins. */
extern __u8 foreign_forms[FOREIGN_FORMS][FOREIGN_MAX];

/**
 * foreign_begin() - from now on reads return bytes of the forms
 * @len: bytes of the packet
 * @seed: without a thread it chooses the form for each read
 */
void foreign_begin(__u32 len, __u64 seed);

/**
 * foreign_thread() - a thread copies one form after another over the memory
 *
 * From then on reads return what the thread has written.
 */
void foreign_thread(void);

/**
 * chance() - a number from 0 to @below - 1
 * @state: of the generator, its seed at the beginning
 */
__u32 chance(__u64 *state, __u32 below);

#endif /* FETCH_FOREIGN_H */
