// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See reference.h. This code first makes a list of the options and then evaluates the
 * list, whereas the codec does both in one pass.
 */
#include "reference.h"

#include <stdlib.h>

struct bytes {
	const uint8_t *data;
	size_t size;
};

struct option {
	size_t offset;
	unsigned int type;
	size_t size;
};

struct options {
	struct option list[2048];
	size_t count;
	int broken;
};

static unsigned int byte_at(struct bytes bytes, size_t offset)
{
	if (offset >= bytes.size)
		abort();
	return bytes.data[offset];
}

size_t reference_header_size(const uint8_t *data, size_t size, int version)
{
	struct bytes bytes = { data, size };
	size_t fixed = version == 4 ? 20 : 40;

	if (size < fixed)
		return 0;
	if (byte_at(bytes, 0) / 16 != (unsigned int)version)
		return fixed;
	if (version == 4)
		return byte_at(bytes, 0) % 16 * 4;
	if (byte_at(bytes, 6) != 0)
		return 40;
	if (size < 42)
		return 0;
	return 40 + 8 + 8 * byte_at(bytes, 41);
}

static int is_single(unsigned int type, int version)
{
	return version == 4 ? type == 1 : type == 0;
}

static struct option option_at(struct bytes header, size_t offset, int version)
{
	struct option option = { offset, byte_at(header, offset), 1 };

	if (is_single(option.type, version))
		return option;
	option.size = 0;
	if (offset + 1 < header.size)
		option.size = byte_at(header, offset + 1);
	if (offset + 1 < header.size && version == 6)
		option.size += 2;
	return option;
}

static void cut_options(struct options *options, struct bytes header,
			size_t offset, int version)
{
	options->count = 0;
	options->broken = 0;
	while (offset < header.size) {
		struct option option = option_at(header, offset, version);

		if (version == 4 && option.type == 0)
			return;
		if (!is_single(option.type, version) && option.size < 2)
			options->broken = 1;
		offset += option.size;
		if (offset > header.size)
			options->broken = 1;
		if (options->broken)
			return;
		options->list[options->count++] = option;
	}
}

static int is_ours(unsigned int type, int version)
{
	return version == 4 ? type == 0x9e : type == 0x1e || type == 0x3e;
}

static int is_lifetime_good(unsigned int type, uint64_t lifetime)
{
	uint64_t last = 65535 + UINT64_C(24) * 60 * 60 * 1000 - 1;

	if (type == 0x3e)
		return lifetime <= 65535;
	if (type == 0x1e)
		return lifetime >= 65535 && lifetime <= last;
	return lifetime <= last;
}

static struct reference read_option(struct bytes header, struct option option)
{
	struct reference result = {
		.found = REFERENCE_FOUND,
		.offset = option.offset,
		.type = option.type,
	};
	size_t i;

	if (option.size != 8) {
		result.found = REFERENCE_MALFORMED;
		return result;
	}
	result.reorder = byte_at(header, option.offset + 2);
	result.flags = byte_at(header, option.offset + 3) % 32;
	for (i = 4; i < 8; i++)
		result.lifetime = result.lifetime * 256 +
				  byte_at(header, option.offset + i);
	if (!is_lifetime_good(result.type, result.lifetime))
		result.found = REFERENCE_MALFORMED;
	return result;
}

static struct reference reference_judge(struct bytes header,
					const struct options *all, int version)
{
	struct reference result = { .found = REFERENCE_NONE };
	size_t ours = 0;
	size_t i;

	for (i = 0; i < all->count; i++) {
		if (!is_ours(all->list[i].type, version))
			continue;
		result = read_option(header, all->list[i]);
		ours++;
	}
	if (all->broken || ours > 1)
		result.found = REFERENCE_MALFORMED;
	return result;
}

struct reference reference_find(const uint8_t *data, size_t size, int version)
{
	static struct options options;
	struct reference result = { .found = REFERENCE_SHORT };
	struct bytes header = { data, 0 };

	header.size = reference_header_size(data, size, version);
	if (size < (version == 4 ? 20 : 40))
		return result;
	if (data[0] / 16 != version || (version == 4 && header.size < 20)) {
		result.found = REFERENCE_MALFORMED;
		return result;
	}
	if (!header.size || header.size > size)
		return result;
	cut_options(&options, header, version == 4 ? 20 : 42, version);
	return reference_judge(header, &options, version);
}

uint32_t reference_ipv4_sum(const uint8_t *data, size_t size, int with_check)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < size; i++)
		if (with_check || (i != 10 && i != 11))
			sum += (uint64_t)data[i] << (i % 2 ? 0 : 8);
	return sum ? (uint32_t)((sum - 1) % 65535 + 1) : 0;
}

int64_t reference_delta_ms(uint64_t lifetime, uint64_t now)
{
	int64_t day = 24 * 60 * 60 * 1000;
	int64_t delta = (int64_t)lifetime - 65535 - (int64_t)now;

	while (delta > day / 2)
		delta -= day;
	while (delta <= -day / 2)
		delta += day;
	return delta;
}
