/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DCCP's checksums: the Internet checksum with partial coverage, and Data Checksum's CRC-32c. */
#ifndef FDCCP_CHECKSUM_H
#define FDCCP_CHECKSUM_H

#include "freshlink-dccp.h"

/**
 * fdccp_covered() - how many bytes of a packet the checksum covers
 * @coverage: the field CsCov, 0 to 15
 * @header: bytes of header and options
 * @len: bytes of the packet
 *
 * Return: the number of bytes, or -1 if the coverage exceeds the packet (RFC 4340 section 9.2:
 * such a packet is ignored)
 */
long fdccp_covered(unsigned int coverage, size_t header, size_t len);

/**
 * fdccp_checksum() - the checksum of a packet
 * @path: the addresses, for the pseudo-header; NULL for a sum without it
 * @packet: the packet; a correct packet's sum, its checksum field included, is 0
 * @len: its length, which is in the pseudo-header
 * @covered: bytes to sum up, from fdccp_covered()
 *
 * Return: the value for the field Checksum, in the byte order of the wire
 */
uint16_t fdccp_checksum(const struct fdccp_path *path, const uint8_t *packet, size_t len,
			size_t covered);

/*
 * CRC-32c of @len bytes: the big-endian number in the option Data Checksum (RFC 4340 section 9.3).
 * As in SCTP, the CRC's least significant byte goes first (RFC 3309).
 */
uint32_t fdccp_crc32c(const void *data, size_t len);

#endif
