/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Targets of libFuzzer. */
#ifndef CODEC_FUZZ_H
#define CODEC_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the fuzzer, which then saves its input, if the condition is false. */
#define MUST(condition)							\
	do {								\
		if (!(condition)) {					\
			fprintf(stderr, "%s:%d: %s\n", __FILE__,	\
				__LINE__, #condition);			\
			abort();					\
		}							\
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
