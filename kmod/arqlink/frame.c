// SPDX-License-Identifier: GPL-2.0
/* Codec of frames. */

#include <linux/bitops.h>
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

/* The flags that bring a word in this type. Words are in the order of their flags' bits. */
static u8 arql_word_flags(u8 type)
{
	switch (type) {
	case ARQLINK_HELLO:
		return 0;
	case ARQLINK_DATA:
		return ARQLINK_FLAG_TOLERANT | ARQLINK_FLAG_STAMP | ARQLINK_FLAG_ECHO;
	case ARQLINK_BYPASS:
		return ARQLINK_FLAG_TOLERANT | ARQLINK_FLAG_ECHO;
	default:
		return ARQLINK_FLAG_ECHO;
	}
}

/**
 * arql_frame_head() - the bytes of a frame before its payload, which are header and words
 * @type: enum arqlink_type
 * @flags: ARQLINK_FLAG_*
 */
unsigned int arql_frame_head(u8 type, u8 flags)
{
	const u8 words = flags & arql_word_flags(type);

	/* most frames have no words, and the kernel's function is slow */
	return ARQLINK_HLEN + (words ? ARQLINK_WORD_LEN * hweight8(words) : 0);
}

static bool arql_has_word(const struct arql_frame *frame, u8 flag)
{
	return frame->flags & arql_word_flags(frame->type) & flag;
}

/* The offset of a word, 0 if the frame does not have it. */
static unsigned int arql_word_at(const struct arql_frame *frame, u8 flag)
{
	if (!arql_has_word(frame, flag))
		return 0;
	return arql_frame_head(frame->type, frame->flags & (flag - 1));
}

static void arql_word_write(u8 *p, const struct arql_frame *frame, u8 flag, u32 word)
{
	const unsigned int at = arql_word_at(frame, flag);

	if (at)
		put_unaligned_be32(word, p + at);
}

static u32 arql_word_read(const u8 *p, const struct arql_frame *frame, u8 flag)
{
	const unsigned int at = arql_word_at(frame, flag);

	return at ? get_unaligned_be32(p + at) : 0;
}

/* Bytes of the payload that the checksum covers. */
static u16 arql_covered(const struct arql_frame *frame)
{
	return arql_has_word(frame, ARQLINK_FLAG_TOLERANT) ? frame->sensitive : frame->length;
}

/* The checksum of the other bytes. */
static u32 arql_rest(const u8 *p, const struct arql_frame *frame)
{
	const u16 covered = arql_covered(frame);

	return ~crc32c(~0, p + arql_frame_head(frame->type, frame->flags) + covered,
		       frame->length - covered);
}

static void arql_words_write(u8 *p, const struct arql_frame *frame)
{
	if (arql_has_word(frame, ARQLINK_FLAG_TOLERANT))
		arql_word_write(p, frame, ARQLINK_FLAG_TOLERANT, arql_rest(p, frame));
	arql_word_write(p, frame, ARQLINK_FLAG_STAMP, frame->stamp);
	arql_word_write(p, frame, ARQLINK_FLAG_ECHO, frame->echo);
}

static void arql_words_read(struct arql_frame *frame, const u8 *p)
{
	frame->damaged = arql_has_word(frame, ARQLINK_FLAG_TOLERANT) &&
			 arql_word_read(p, frame, ARQLINK_FLAG_TOLERANT) != arql_rest(p, frame);
	frame->stamp = arql_word_read(p, frame, ARQLINK_FLAG_STAMP);
	frame->echo = arql_word_read(p, frame, ARQLINK_FLAG_ECHO);
}

/* The checksum of a frame with @len bytes behind its header, as if the checksum field were 0. */
static u32 arql_frame_checksum(const u8 *p, unsigned int len)
{
	u8 header[ARQLINK_HLEN];

	memcpy(header, p, ARQL_OFF_CHECKSUM);
	memset(header + ARQL_OFF_CHECKSUM, 0, sizeof(u32));
	return ~crc32c(crc32c(~0, header, sizeof(header)), p + ARQLINK_HLEN, len);
}

/**
 * arql_frame_write() - write the header of a frame, its words and its checksums
 * @p: arql_frame_head() bytes, followed by the payload
 * @frame: header and words
 */
void arql_frame_write(u8 *p, const struct arql_frame *frame)
{
	const unsigned int words = arql_frame_head(frame->type, frame->flags) - ARQLINK_HLEN;

	p[ARQL_OFF_TYPE] = ARQLINK_VERSION << 4 | frame->type;
	p[ARQL_OFF_FLAGS] = frame->flags;
	put_unaligned_be16(frame->length, p + ARQL_OFF_LENGTH);
	put_unaligned_be32(frame->session, p + ARQL_OFF_SESSION);
	put_unaligned_be32(frame->source, p + ARQL_OFF_SOURCE);
	put_unaligned_be16(frame->number, p + ARQL_OFF_NUMBER);
	put_unaligned_be16(frame->ack, p + ARQL_OFF_ACK);
	put_unaligned_be16(frame->oldest, p + ARQL_OFF_OLDEST);
	put_unaligned_be16(arql_covered(frame), p + ARQL_OFF_SENSITIVE);
	if (words)
		arql_words_write(p, frame);
	put_unaligned_be32(arql_frame_checksum(p, words + arql_covered(frame)),
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

/* Checks that a list consists of two or more packets, and of nothing else. */
static bool arql_list_is_sane(const u8 *list, u16 len)
{
	struct arql_item item = {};
	unsigned int count;

	for (count = 0; arql_item_next(&item, list, len); count++)
		if (item.length < ETH_HLEN)
			return false;
	return count >= 2 && item.at + item.length == len;
}

/* Checks the flags and the list of a frame with several packets. */
static bool arql_packed_is_sane(const struct arql_frame *frame, const u8 *list)
{
	const u8 whole = ARQLINK_FLAG_FIRST | ARQLINK_FLAG_LAST;
	const u8 single = ARQLINK_FLAG_BOUNDED | ARQLINK_FLAG_TOLERANT;

	if (frame->type != ARQLINK_DATA || !(frame->flags & ARQLINK_FLAG_PACKED))
		return true;
	return (frame->flags & (whole | single)) == whole &&
	       arql_list_is_sane(list, frame->length);
}

/* Checks the parts of a frame that do not depend on the connection. */
static bool arql_frame_is_sane(const struct arql_frame *frame, const u8 *p)
{
	return arql_frame_fits(frame->type, frame->length) && frame->source &&
	       frame->sensitive == arql_covered(frame) &&
	       arql_packed_is_sane(frame, p + arql_frame_head(frame->type, frame->flags));
}

/**
 * arql_frame_read() - check a frame and read its header and words
 * @frame: written, valid only if the result is 0
 * @p: the frame, which nobody else can write to
 * @len: number of bytes
 *
 * The version is checked first, because another version may have another header. The checksum is
 * checked before the fields: a damaged frame is not malformed. A frame whose payload may be damaged
 * is accepted if only bytes behind the sensitive ones are wrong.
 *
 * Return: 0, or the counter of enum arqlink_stats for the reason to drop the frame
 */
int arql_frame_read(struct arql_frame *frame, const u8 *p, unsigned int len)
{
	unsigned int words;

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
		.sensitive = get_unaligned_be16(p + ARQL_OFF_SENSITIVE),
	};
	words = arql_frame_head(frame->type, frame->flags) - ARQLINK_HLEN;
	if (words + frame->length > len - ARQLINK_HLEN || arql_covered(frame) > frame->length)
		return ARQLINK_STATS_MALFORMED;
	if (arql_frame_checksum(p, words + arql_covered(frame)) !=
	    get_unaligned_be32(p + ARQL_OFF_CHECKSUM))
		return ARQLINK_STATS_CHECKSUM;
	if (words)
		arql_words_read(frame, p);
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

/**
 * arql_item_write() - write the field before a packet of a list
 * @p: ARQLINK_ITEM_LEN bytes
 * @item: the packet
 */
void arql_item_write(u8 *p, const struct arql_item *item)
{
	put_unaligned_be16(item->length | (item->bounded ? ARQLINK_ITEM_BOUNDED : 0), p);
}

/**
 * arql_item_next() - find the next packet of a list
 * @item: the packet before, all 0 at the start of the list; written
 * @list: the list
 * @len: bytes of the list
 *
 * Return: true if @item is the next packet; false at the end of the list, or if the rest of the
 * list is shorter than the packet
 */
bool arql_item_next(struct arql_item *item, const u8 *list, unsigned int len)
{
	const unsigned int begin = item->at + item->length;
	u16 field;

	if (len - begin < ARQLINK_ITEM_LEN)
		return false;
	field = get_unaligned_be16(list + begin);
	item->at = begin + ARQLINK_ITEM_LEN;
	item->length = field & ~ARQLINK_ITEM_BOUNDED;
	item->bounded = field & ARQLINK_ITEM_BOUNDED;
	return item->length <= len - item->at;
}
