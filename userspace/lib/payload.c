// SPDX-License-Identifier: GPL-2.0-or-later
/* Options and counters as payloads of attributes: see payload.h. */
#include <string.h>

#include "payload.h"

int fl_encode(const struct fl_option *opt, uint64_t number,
	      union fl_payload *payload)
{
	switch (opt->type) {
	case FL_WORD:
	case FL_SWITCH:
		payload->u8 = number;
		return sizeof(payload->u8);
	case FL_COUNT:
	case FL_SIZE:
	case FL_PERCENT:
	case FL_FACTOR:
	case FL_MARK:
		payload->u32 = number;
		return sizeof(payload->u32);
	case FL_ADDRESS:
		for (int i = ETH_ALEN - 1; i >= 0; i--, number >>= 8)
			payload->address[i] = number;
		return sizeof(payload->address);
	default:
		payload->u64 = number;
		return sizeof(payload->u64);
	}
}

uint64_t fl_decode(const void *data, int len)
{
	union fl_payload payload = { 0 };
	uint64_t number = 0;

	if (len < 1 || len > (int)sizeof(payload))
		return 0;
	memcpy(&payload, data, len);
	switch (len) {
	case sizeof(payload.address):
		for (int i = 0; i < ETH_ALEN; i++)
			number = number << 8 | payload.address[i];
		return number;
	case sizeof(payload.u8):
		return payload.u8;
	case sizeof(payload.u32):
		return payload.u32;
	case sizeof(payload.u64):
		return payload.u64;
	default:
		return 0;
	}
}
