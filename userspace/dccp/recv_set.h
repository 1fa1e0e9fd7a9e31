/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recent receive rates of CCID 3, X_recv_set of RFC 5348 section 4.3. */
#ifndef FDCCP_RECV_SET_H
#define FDCCP_RECV_SET_H

#include <stdint.h>

#define FDCCP_RECV_SET	3	/* N of RFC 5348 section 8.2.2 */

/**
 * struct fdccp_recv_set - receive rates, the latest first
 * @at: each rate, in bytes a second, and when it was reported. INFINITY stands for the time before
 *	the first report
 * @count: their number
 */
struct fdccp_recv_set {
	struct {
		double rate;
		int64_t at;
	} at[FDCCP_RECV_SET];
	unsigned int count;
};

double fdccp_recv_set_greatest(const struct fdccp_recv_set *set);
/* The set has one rate from now on. */
void fdccp_recv_set_replace(struct fdccp_recv_set *set, double rate, int64_t now);
/* Update X_recv_set(): adds a rate. Those from before @since are forgotten. */
void fdccp_recv_set_add(struct fdccp_recv_set *set, double rate, int64_t since, int64_t now);
/* Maximize X_recv_set(): only the greatest of the set and @rate remains. */
void fdccp_recv_set_maximize(struct fdccp_recv_set *set, double rate, int64_t now);
void fdccp_recv_set_halve(struct fdccp_recv_set *set);

#endif
