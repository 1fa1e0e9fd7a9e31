// SPDX-License-Identifier: GPL-2.0-or-later
/* A fuzzer of the parser: whatever the bytes are, the packet's parts stay within them, the walk
 * over options ends, and a packet that was understood is written again with the same header.
 */
#include <stdlib.h>
#include <string.h>

#include "wire.h"

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void walk(const struct fdccp_packet *p)
{
	struct fdccp_option_walk at = { p->options, p->options + p->options_len };
	struct fdccp_option option;

	while (fdccp_option_next(&at, &option) > 0) {
		require(option.value >= p->options);
		require(option.value + option.len <= p->options + p->options_len);
		require(option.type != FDCCP_OPT_PADDING && option.type != FDCCP_OPT_MANDATORY);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fdccp_packet p, again;
	uint8_t header[32];

	if (fdccp_packet_parse(&p, data, size))
		return 0;
	require(p.options >= data && p.options + p.options_len <= data + size);
	require(p.data == p.options + p.options_len && p.data + p.data_len == data + size);
	walk(&p);
	if (!p.extended)
		return 0;
	fdccp_packet_write(&p, header, 0);
	require(!fdccp_packet_parse(&again, header, fdccp_header_size(p.type)));
	require(again.type == p.type && again.source == p.source && again.dest == p.dest);
	require(again.seq == p.seq && again.ccval == p.ccval && again.coverage == p.coverage);
	require(again.has_ack == p.has_ack && (!p.has_ack || again.ack == p.ack));
	return 0;
}
