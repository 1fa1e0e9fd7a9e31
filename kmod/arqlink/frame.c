// SPDX-License-Identifier: GPL-2.0
/* Codec of frames. */

#include <linux/crc32.h>
#include <linux/if_ether.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include "frame.h"

/* Offsets of the fields. */
enum {
	ARQL_OFF_TYPE		= 0,	/* version in the upper 4 bits */
	ARQL_OFF_FLAGS		= 1,
	ARQL_OFF_LENGTH		= 2,
	ARQL_OFF_SESSION	= 4,
	ARQL_OFF_SOURCE		= 8,
	ARQL_OFF_NUMBER		= 12,
	ARQL_OFF_ACK		= 14,
	ARQL_OFF_OLDEST		= 16,
	ARQL_OFF_SENSITIVE	= 18,
	ARQL_OFF_CHECKSUM	= 20,
};

/* The checksum of a frame with @len bytes of payload, as if the checksum field were 0. */
static u32 arql_frame_checksum(const u8 *p, u16 len)
{
	u8 header[ARQLINK_HLEN];

	memcpy(header, p, ARQL_OFF_CHECKSUM);
	memset(header + ARQL_OFF_CHECKSUM, 0, sizeof(u32));
	return ~crc32c(crc32c(~0, header, sizeof(header)), p + ARQLINK_HLEN, len);
}

/**
 * arql_frame_write() - write the header of a frame and its checksum
 * @p: ARQLINK_HLEN bytes for the header, followed by the payload
 * @frame: the header
 */
void arql_frame_write(u8 *p, const struct arql_frame *frame)
{
	p[ARQL_OFF_TYPE] = ARQLINK_VERSION << 4 | frame->type;
	p[ARQL_OFF_FLAGS] = frame->flags;
	put_unaligned_be16(frame->length, p + ARQL_OFF_LENGTH);
	put_unaligned_be32(frame->session, p + ARQL_OFF_SESSION);
	put_unaligned_be32(frame->source, p + ARQL_OFF_SOURCE);
	put_unaligned_be16(frame->number, p + ARQL_OFF_NUMBER);
	put_unaligned_be16(frame->ack, p + ARQL_OFF_ACK);
	put_unaligned_be16(frame->oldest, p + ARQL_OFF_OLDEST);
	put_unaligned_be16(frame->length, p + ARQL_OFF_SENSITIVE);
	put_unaligned_be32(arql_frame_checksum(p, frame->length),
			   p + ARQL_OFF_CHECKSUM);
}

/* Checks whether a type can have a payload of this length. */
static bool arql_frame_fits(u8 type, u16 length)
{
	switch (type) {
	case ARQLINK_HELLO:
		return length >= ARQLINK_HELLO_LEN;
	case ARQLINK_DATA:
		return length;
	case ARQLINK_BYPASS:
		return length >= ETH_HLEN;
	case ARQLINK_NACK:
		return length && !(length % ARQLINK_RANGE_LEN) &&
		       length <= ARQLINK_RANGES_MAX * ARQLINK_RANGE_LEN;
	case ARQLINK_ACK:
	case ARQLINK_SKIP:
		return !length;
	default:
		return false;
	}
}

/* Checks the parts of a header that do not depend on the connection. */
static bool arql_frame_is_sane(const struct arql_frame *frame, const u8 *p)
{
	return arql_frame_fits(frame->type, frame->length) && frame->source &&
	       get_unaligned_be16(p + ARQL_OFF_SENSITIVE) == frame->length;
}

/**
 * arql_frame_read() - check a frame and read its header
 * @frame: written, valid only if the result is 0
 * @p: the frame, which nobody else can write to
 * @len: number of bytes
 *
 * The version is checked first, because another version may have another header. The checksum is
 * checked before the fields: a damaged frame is not malformed.
 *
 * Return: 0, or the counter of enum arqlink_stats for the reason to drop the frame
 */
int arql_frame_read(struct arql_frame *frame, const u8 *p, unsigned int len)
{
	if (len < ARQLINK_HLEN)
		return ARQLINK_STATS_MALFORMED;
	if (p[ARQL_OFF_TYPE] >> 4 != ARQLINK_VERSION)
		return ARQLINK_STATS_VERSION;
	*frame = (struct arql_frame){
		.type = p[ARQL_OFF_TYPE] & 0xf,
		.flags = p[ARQL_OFF_FLAGS],
		.length = get_unaligned_be16(p + ARQL_OFF_LENGTH),
		.session = get_unaligned_be32(p + ARQL_OFF_SESSION),
		.source = get_unaligned_be32(p + ARQL_OFF_SOURCE),
		.number = get_unaligned_be16(p + ARQL_OFF_NUMBER),
		.ack = get_unaligned_be16(p + ARQL_OFF_ACK),
		.oldest = get_unaligned_be16(p + ARQL_OFF_OLDEST),
	};
	if (frame->length > len - ARQLINK_HLEN)
		return ARQLINK_STATS_MALFORMED;
	if (arql_frame_checksum(p, frame->length) !=
	    get_unaligned_be32(p + ARQL_OFF_CHECKSUM))
		return ARQLINK_STATS_CHECKSUM;
	return arql_frame_is_sane(frame, p) ? 0 : ARQLINK_STATS_MALFORMED;
}

/**
 * arql_hello_write() - write the payload of HELLO
 * @p: ARQLINK_HELLO_LEN bytes
 * @hello: the payload
 */
void arql_hello_write(u8 *p, const struct arql_hello *hello)
{
	put_unaligned_be16(hello->window, p);
	put_unaligned_be16(hello->piece, p + 2);
}

/**
 * arql_hello_read() - read the payload of HELLO
 * @hello: written
 * @p: ARQLINK_HELLO_LEN bytes
 */
void arql_hello_read(struct arql_hello *hello, const u8 *p)
{
	hello->window = get_unaligned_be16(p);
	hello->piece = get_unaligned_be16(p + 2);
}

/**
 * arql_range_write() - write a range of NACK
 * @p: ARQLINK_RANGE_LEN bytes
 * @range: the range
 */
void arql_range_write(u8 *p, const struct arql_range *range)
{
	put_unaligned_be16(range->first, p);
	put_unaligned_be16(range->count, p + 2);
}

/**
 * arql_range_read() - read a range of NACK
 * @range: written
 * @p: ARQLINK_RANGE_LEN bytes
 */
void arql_range_read(struct arql_range *range, const u8 *p)
{
	range->first = get_unaligned_be16(p);
	range->count = get_unaligned_be16(p + 2);
}
