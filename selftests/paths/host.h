/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the part that is compiled with the kernel's headers, and the part that is compiled with those
 * of the C library, know of each other. This header includes no other header.
 */
#ifndef _PATHS_HOST_H
#define _PATHS_HOST_H

/* host.c, with the C library */
void *host_alloc(unsigned long size);
void host_free(void *memory);
void host_print(const char *text);
_Noreturn void host_die(const char *text);
_Noreturn void host_absent(const char *function);

/* kernel.c: size of a stack, in the same multiple of which the kernel's headers find the thread */
extern const unsigned long sim_stack_size;

/* sequence.c: runs the sequence of a seed, and returns a digest of all outcomes. @show prints each
 * step.
 */
unsigned long long sequence_run(unsigned long long seed, unsigned int steps, int show);

/* counters.c: how many packets of all sequences took the fast path (0), or did not for another reason
 * (1 to 4, in the order of enum tca_lpd_stats)
 */
unsigned long long sequence_path(unsigned int path);

/* count.c: runs the packets of a case between marks. There is no name after that of the last case. */
const char *count_name(unsigned int number);
void count_run(unsigned int number);

/* step.c: the marks around a call of the module; 0 is the mark after the call */
enum {
	HOST_ENQUEUE = 1,
	HOST_DEQUEUE,
	HOST_MARKS,
};

void host_mark(unsigned int number);
void host_count(void);

/* the module's own functions */
int init_module(void);

#endif /* _PATHS_HOST_H */
