// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libFuzzer target: for any bytes, the option codec and the reference agree. The codec
 * reads nothing after the bytes, and rewrites only the right bytes.
 *
 * The input is an IP header, which is read as IPv4 and as IPv6. libFuzzer passes the input
 * in a buffer of exactly its size, and AddressSanitizer guards the buffer's end.
 */
#include <net/xlo.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "reference.h"

static enum reference_found as_reference(int found)
{
	switch (found) {
	case XLO_NONE:
		return REFERENCE_NONE;
	case XLO_FOUND:
		return REFERENCE_FOUND;
	case XLO_MALFORMED:
		return REFERENCE_MALFORMED;
	case XLO_SHORT:
		return REFERENCE_SHORT;
	}
	abort();
}

static void must_agree(int found, const struct xlo_ref *ref,
		       const struct xlo *opt, const struct reference *want)
{
	MUST(as_reference(found) == want->found);
	if (found != XLO_FOUND)
		return;
	MUST(ref->off == want->offset);
	MUST(ref->type == want->type);
	MUST(opt->reorder == want->reorder);
	MUST(opt->flags == want->flags);
	MUST(opt->lifetime == want->lifetime);
}

/* A lifetime that depends on @salt. The limits 0 and @limit are frequent. */
static uint32_t some_lifetime(uint32_t salt, uint32_t limit)
{
	switch (salt % 4) {
	case 0:
		return 0;
	case 1:
		return limit;
	default:
		return salt * 2654435761U % (limit + 1);
	}
}

static uint8_t *copy_of(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size);

	MUST(copy);
	return memcpy(copy, data, size);
}

static void must_differ_only(const uint8_t *before, const uint8_t *after,
			     size_t size, size_t lifetime_at, int version)
{
	size_t i;

	for (i = 0; i < size; i++) {
		if (i >= lifetime_at && i < lifetime_at + 4)
			continue;
		if (version == 4 && (i == 10 || i == 11))
			continue;
		MUST(before[i] == after[i]);
	}
}

/* A rewrite keeps the sum over a header. A right checksum therefore stays right, and a
 * wrong checksum stays wrong. A right checksum equals a newly computed checksum.
 */
static void must_keep_checksum(const uint8_t *before, const uint8_t *after,
			       size_t header)
{
	uint32_t sum = reference_ipv4_sum(before, header, 1);
	uint32_t check = (uint32_t)after[10] << 8 | after[11];

	MUST(reference_ipv4_sum(after, header, 1) == sum);
	if (sum == 0xffff)
		MUST(check == 0xffff - reference_ipv4_sum(after, header, 0));
}

static void set_checksum(uint8_t *data, size_t header)
{
	uint32_t check = 0xffff - reference_ipv4_sum(data, header, 0);

	data[10] = check >> 8;
	data[11] = check & 0xff;
}

/* Give half of the headers a right checksum first, because few headers have a right
 * checksum by chance.
 */
static void try_rewrite4(const uint8_t *data, size_t size,
			 const struct xlo_ref *ref, const struct xlo *opt)
{
	uint32_t lifetime = some_lifetime(opt->lifetime ^ opt->reorder,
					  XLO_LIFETIME_MAX);
	uint8_t *before = copy_of(data, size);
	size_t header = data[0] % 16 * 4;
	struct xlo_ref again;
	uint8_t *after;
	struct xlo now;

	if (opt->flags & 1)
		set_checksum(before, header);
	after = copy_of(before, size);
	xlo_set_lifetime4(after, ref, lifetime);
	must_differ_only(before, after, size, ref->off + 4, 4);
	must_keep_checksum(before, after, header);
	MUST(xlo_find4(after, size, &again, &now) == XLO_FOUND);
	MUST(again.off == ref->off && now.lifetime == lifetime);
	MUST(now.flags == opt->flags && now.reorder == opt->reorder);
	free(before);
	free(after);
}

static void try_rewrite6(const uint8_t *data, size_t size,
			 const struct xlo_ref *ref, const struct xlo *opt)
{
	uint32_t lifetime = some_lifetime(opt->reorder, XLO_RELATIVE_MAX);
	uint8_t *copy;
	struct xlo_ref again;
	struct xlo now;

	if (ref->type != XLO_TYPE_IPV6_RELATIVE)
		return;
	copy = copy_of(data, size);
	xlo_set_lifetime6(copy, ref, lifetime);
	must_differ_only(data, copy, size, ref->off + 4, 6);
	MUST(xlo_find6(copy, size, &again, &now) == XLO_FOUND);
	MUST(again.off == ref->off && now.lifetime == lifetime);
	free(copy);
}

/* Write an option with any contents. If its lifetime is too large, the codec refuses it. Otherwise
 * the reference finds it.
 */
static void try_write(const struct xlo *opt)
{
	uint8_t ipv4[28] = { 0x47 };
	uint8_t ipv6[56] = { 0x60 };
	int good = opt->lifetime <= XLO_LIFETIME_MAX;
	struct reference seen;

	MUST(xlo_write4(ipv4 + 20, opt) == (good ? 8 : XLO_MALFORMED));
	MUST(xlo_write6(ipv6 + 40, 17, opt) == (good ? 16 : XLO_MALFORMED));
	if (!good)
		return;
	seen = reference_find(ipv4, sizeof(ipv4), 4);
	MUST(seen.found == REFERENCE_FOUND && seen.offset == 20);
	MUST(seen.lifetime == opt->lifetime && seen.reorder == opt->reorder);
	MUST(ipv4[23] == opt->flags % 32);
	seen = reference_find(ipv6, sizeof(ipv6), 6);
	MUST(seen.found == REFERENCE_FOUND && seen.offset == 44);
	MUST(seen.lifetime == opt->lifetime && seen.reorder == opt->reorder);
	MUST(ipv6[47] == opt->flags % 32);
}

static void try_delta(uint32_t lifetime, uint32_t salt)
{
	uint32_t now = some_lifetime(salt, XLO_DAY_MS - 1);

	if (xlo_is_absolute(lifetime))
		MUST(xlo_absolute_delta_ms(lifetime, now) ==
		     reference_delta_ms(lifetime, now));
}

static void try_ipv4(const uint8_t *data, size_t size)
{
	struct reference want = reference_find(data, size, 4);
	struct xlo_ref ref;
	struct xlo opt;
	int found = xlo_find4(data, size, &ref, &opt);

	must_agree(found, &ref, &opt, &want);
	if (found != XLO_FOUND)
		return;
	try_delta(opt.lifetime, opt.reorder);
	try_rewrite4(data, size, &ref, &opt);
}

static void try_ipv6(const uint8_t *data, size_t size)
{
	struct reference want = reference_find(data, size, 6);
	size_t header = reference_header_size(data, size, 6);
	int told = xlo_hdrlen6(data, size);
	struct xlo_ref ref;
	struct xlo opt;
	int found = xlo_find6(data, size, &ref, &opt);

	MUST(header ? told == (int)header : told == XLO_SHORT);
	must_agree(found, &ref, &opt, &want);
	if (found == XLO_FOUND)
		try_rewrite6(data, size, &ref, &opt);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xlo opt;

	try_ipv4(data, size);
	try_ipv6(data, size);
	if (size >= sizeof(opt)) {
		memcpy(&opt, data, sizeof(opt));
		try_write(&opt);
	}
	return 0;
}
