/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that the sender of a packet still writes to. The packet has several forms of
 * the same length, and each read returns bytes of one form.
 */
#ifndef FETCH_FOREIGN_H
#define FETCH_FOREIGN_H

#include <linux/types.h>
#include <stdbool.h>

#define FOREIGN_MAX	4096	/* bytes of a packet */
#define FOREIGN_FORMS	4

/* The forms. The forms are written for each packet before its parser begins. */
extern __u8 foreign_forms[FOREIGN_FORMS][FOREIGN_MAX];

/**
 * foreign_begin() - let reads return bytes of the forms from now on
 * @len: length of the packet in bytes
 * @seed: chooses the form for each read, unless a thread does
 */
void foreign_begin(__u32 len, __u64 seed);

/**
 * foreign_thread() - start a thread that copies one form after another over the memory
 *
 * From then on reads return the bytes that the thread has written.
 */
void foreign_thread(void);

/**
 * chance() - return a random number from 0 to @below - 1
 * @state: state of the generator; at first its seed
 */
__u32 chance(__u64 *state, __u32 below);

#endif /* FETCH_FOREIGN_H */
