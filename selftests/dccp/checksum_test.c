// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The header checksum covers what RFC 4340 section 9 says and nothing else, and Data Checksum is
 * SCTP's CRC-32c. The sums are compared with a sum word by word over the pseudo-header's bytes.
 * Prints TAP.
 */
#include "../../userspace/dccp/checksum.c"

#include "../codec/unit.h"
#include "bytes.h"

#define PACKET_MAX	100
#define HEADER		24

static struct fdccp_path path4(void)
{
	struct fdccp_path path = { 0 };

	path.local.in.sin_family = path.remote.in.sin_family = AF_INET;
	inet_pton(AF_INET, "192.0.2.1", &path.local.in.sin_addr);
	inet_pton(AF_INET, "203.0.113.254", &path.remote.in.sin_addr);
	return path;
}

static struct fdccp_path path6(void)
{
	struct fdccp_path path = { 0 };

	path.local.in6.sin6_family = path.remote.in6.sin6_family = AF_INET6;
	inet_pton(AF_INET6, "2001:db8:1:2:3:4:5:6", &path.local.in6.sin6_addr);
	inet_pton(AF_INET6, "fe80::ffff:fedc:ba98", &path.remote.in6.sin6_addr);
	return path;
}

/* Puts the pseudo-header of RFC 793 section 3.1 or RFC 2460 section 8.1. Returns its length. */
static size_t put_pseudo_header(uint8_t *out, const struct fdccp_path *path, size_t len)
{
	memset(out, 0, 40);
	if (path->local.sa.sa_family == AF_INET) {
		memcpy(out, &path->local.in.sin_addr, 4);
		memcpy(out + 4, &path->remote.in.sin_addr, 4);
		out[9] = 33;
		out[10] = len >> 8;
		out[11] = len;
		return 12;
	}
	memcpy(out, &path->local.in6.sin6_addr, 16);
	memcpy(out + 16, &path->remote.in6.sin6_addr, 16);
	out[33] = len >> 16;
	out[34] = len >> 8;
	out[35] = len;
	out[39] = 33;
	return 40;
}

/* The checksum as RFC 4340 section 9.1 describes it. */
static uint16_t slow_checksum(const struct fdccp_path *path, const uint8_t *packet, size_t len,
			      size_t covered)
{
	uint8_t bytes[40 + PACKET_MAX + 1] = { 0 };
	size_t end = put_pseudo_header(bytes, path, len);
	uint32_t sum = 0;

	memcpy(bytes + end, packet, covered);
	end += covered;
	bytes[end] = 0;
	for (size_t i = 0; i < end; i += 2) {
		sum += bytes[i] << 8 | bytes[i + 1];
		if (sum > UINT16_MAX)
			sum -= UINT16_MAX;
	}
	return htons(~sum);
}

static uint8_t *some_packet(size_t len)
{
	uint8_t *packet = malloc(len);

	for (size_t i = 0; i < len; i++)
		packet[i] = i * 151 + len * 7;
	return packet;
}

/* The example of RFC 1071 section 3. */
static bool test_internet_checksum(void)
{
	static const uint8_t data[] = { 0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7 };
	uint16_t sum = fdccp_checksum(NULL, data, sizeof(data), sizeof(data));

	MUST(is_hex(&sum, sizeof(sum), "22 0d"));
	return true;
}

static bool sums_agree(const struct fdccp_path *path)
{
	for (size_t len = 12; len <= PACKET_MAX; len++) {
		uint8_t *packet = some_packet(len);

		for (size_t covered = 12; covered <= len; covered++)
			MUST(fdccp_checksum(path, packet, len, covered) ==
			     slow_checksum(path, packet, len, covered));
		free(packet);
	}
	return true;
}

static bool test_ipv4(void)
{
	struct fdccp_path path = path4();

	return sums_agree(&path);
}

static bool test_ipv6(void)
{
	struct fdccp_path path = path6();

	return sums_agree(&path);
}

/* Changes each bit of a correct packet. Only those that the checksum covers matter. */
static bool bits_matter(const struct fdccp_path *path, size_t len, size_t covered)
{
	uint8_t *packet = some_packet(len);
	uint16_t sum;

	memset(packet + 6, 0, 2);
	sum = fdccp_checksum(path, packet, len, covered);
	memcpy(packet + 6, &sum, sizeof(sum));
	MUST(fdccp_checksum(path, packet, len, covered) == 0);
	MUST(fdccp_checksum(path, packet, len + 1, covered) != 0);
	for (size_t bit = 0; bit < len * 8; bit++) {
		packet[bit / 8] ^= 1 << bit % 8;
		MUST((fdccp_checksum(path, packet, len, covered) == 0) == (bit / 8 >= covered));
		packet[bit / 8] ^= 1 << bit % 8;
	}
	free(packet);
	return true;
}

static bool test_each_bit(void)
{
	struct fdccp_path paths[] = { path4(), path6() };

	for (int i = 0; i < 2; i++) {
		for (size_t len = HEADER; len < HEADER + 9; len++)
			for (size_t covered = HEADER; covered <= len; covered++)
				MUST(bits_matter(&paths[i], len, covered));
	}
	return true;
}

/* Both ends compute the same sum, of which each byte of both addresses is a part. */
static bool each_byte_matters(struct fdccp_path *path, void *address, size_t len)
{
	uint8_t *packet = some_packet(30), *bytes = address;
	struct fdccp_path other = { .local = path->remote, .remote = path->local };
	uint16_t sum = fdccp_checksum(path, packet, 30, 30);

	MUST(fdccp_checksum(&other, packet, 30, 30) == sum);
	for (size_t i = 0; i < len; i++) {
		bytes[i] ^= 0x10;
		MUST(fdccp_checksum(path, packet, 30, 30) != sum);
		bytes[i] ^= 0x10;
	}
	free(packet);
	return true;
}

static bool test_addresses(void)
{
	struct fdccp_path v4 = path4(), v6 = path6();

	MUST(each_byte_matters(&v4, &v4.local.in.sin_addr, 4));
	MUST(each_byte_matters(&v4, &v4.remote.in.sin_addr, 4));
	MUST(each_byte_matters(&v6, &v6.local.in6.sin6_addr, 16));
	MUST(each_byte_matters(&v6, &v6.remote.in6.sin6_addr, 16));
	return true;
}

/* The carries of the longest packet are all added. */
static bool test_carries(void)
{
	size_t len = UINT16_MAX;
	uint8_t *packet = malloc(len);
	uint16_t sum;

	memset(packet, 0xff, len);
	/* 32767 words of 0xffff, which is 0, and a byte of the last word */
	sum = fdccp_checksum(NULL, packet, len, len);
	MUST(is_hex(&sum, sizeof(sum), "00 ff"));
	memset(packet, 0, len);
	MUST(fdccp_checksum(NULL, packet, len, len) == 0xffff);
	free(packet);
	return true;
}

/* RFC 4340 section 9.2: the value is at most the length of the application data. */
static bool test_coverage(void)
{
	for (size_t data = 0; data <= 60; data++) {
		size_t len = HEADER + data;

		MUST(fdccp_covered(0, HEADER, len) == (long)len);
		for (unsigned int coverage = 1; coverage <= 15; coverage++) {
			size_t of_data = (coverage - 1) * 4;

			MUST(fdccp_covered(coverage, HEADER, len) ==
			     (of_data <= data ? (long)(HEADER + of_data) : -1));
		}
	}
	return true;
}

/* The examples of RFC 3720 section B.4, and the usual one. */
static bool test_crc32c(void)
{
	uint8_t bytes[32];

	MUST(fdccp_crc32c(NULL, 0) == 0);
	MUST(fdccp_crc32c("123456789", 9) == 0x839206e3);
	memset(bytes, 0, sizeof(bytes));
	MUST(fdccp_crc32c(bytes, sizeof(bytes)) == 0xaa36918a);
	memset(bytes, 0xff, sizeof(bytes));
	MUST(fdccp_crc32c(bytes, sizeof(bytes)) == 0x43aba862);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = i;
	MUST(fdccp_crc32c(bytes, sizeof(bytes)) == 0x4e79dd46);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = 31 - i;
	MUST(fdccp_crc32c(bytes, sizeof(bytes)) == 0x5cdb3f11);
	return true;
}

/* Each entry of the table is the CRC of its byte, by its definition. */
static bool test_crc_table(void)
{
	for (uint32_t byte = 0; byte < 256; byte++) {
		uint32_t crc = byte;

		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
		MUST(crc_table[byte] == crc);
	}
	return true;
}

static const struct unit tests[] = {
	{ "the Internet checksum", test_internet_checksum },
	{ "IPv4's pseudo-header", test_ipv4 },
	{ "IPv6's pseudo-header", test_ipv6 },
	{ "each covered bit matters, and no other", test_each_bit },
	{ "each byte of the addresses matters", test_addresses },
	{ "all carries are added", test_carries },
	{ "Checksum Coverage has its bounds", test_coverage },
	{ "CRC-32c of known data", test_crc32c },
	{ "CRC-32c of each byte", test_crc_table },
};

int main(void)
{
	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
