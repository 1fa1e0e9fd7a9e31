/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options, and other parts of packets, as an attacker makes them. */
#ifndef DCCP_HOSTILE_H
#define DCCP_HOSTILE_H

#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>
#include <string.h>

#include "seeded.h"
#include "wire.h"

static inline uint8_t hostile_feature(void)
{
	static const uint8_t known[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 120, 192 };

	return seeded_below(10) ? known[seeded_below(sizeof(known))] : seeded();
}

/* A length that an option of @type might have, or with luck not. */
static inline size_t hostile_len(uint8_t type)
{
	static const uint8_t lens[][2] = {
		{ FDCCP_OPT_NDP_COUNT, 1 }, { FDCCP_OPT_TIMESTAMP, 4 },
		{ FDCCP_OPT_TIMESTAMP_ECHO, 6 }, { FDCCP_OPT_ELAPSED_TIME, 4 },
		{ FDCCP_OPT_DATA_CHECKSUM, 4 }, { FDCCP_OPT_LENGTH, 2 },
		{ FDCCP_OPT_MOVE_TOKEN, 16 }, { FDCCP_OPT_CHALLENGE, 8 },
		{ FDCCP_OPT_CHALLENGE_ANSWER, 8 }, { FDCCP_OPT_LOSS_EVENT_RATE, 4 },
		{ FDCCP_OPT_LOSS_INTERVALS, 28 }, { FDCCP_OPT_RECEIVE_RATE, 4 },
	};

	for (size_t i = 0; seeded_below(8) && i < sizeof(lens) / sizeof(lens[0]); i++)
		if (lens[i][0] == type)
			return lens[i][1];
	return seeded_below(12);
}

static inline uint8_t hostile_option_type(void)
{
	static const uint8_t known[] = { 0, 1, 2, 32, 33, 34, 35, 32, 34, 36, 37, 38, 39, 40, 41,
		42, 43, 44, 120, 121, 122, 123, 192, 193, 194 };

	return seeded_below(12) ? known[seeded_below(sizeof(known))] : seeded();
}

/* Fills @room bytes, a multiple of 4, with options. Return: @room */
static inline size_t hostile_options(uint8_t *out, size_t room)
{
	size_t at = 0;

	while (at < room) {
		uint8_t type = hostile_option_type();
		size_t len = hostile_len(type);

		out[at++] = type;
		if (type < 32 || at == room)
			continue;
		out[at++] = seeded_below(50) ? len + 2 : seeded();
		for (size_t i = 0; i < len && at < room; i++)
			out[at++] = seeded_below(2) ? seeded() : 0;
		/* small numbers are the more likely values of a feature */
		if (type <= FDCCP_OPT_CONFIRM_R && len && at < room)
			out[at - len] = hostile_feature();
	}
	return room;
}

static inline uint8_t hostile_icmp_type(void)
{
	static const uint8_t types[] = { ICMP_DEST_UNREACH, ICMP6_DST_UNREACH,
		ICMP6_PACKET_TOO_BIG, ICMP6_PARAM_PROB, ICMP_TIME_EXCEEDED, 253, 200 };

	return seeded_below(8) ? types[seeded_below(sizeof(types))] : seeded();
}

#endif
