// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of the codec of frames. */

#include <kunit/test.h>
#include <linux/module.h>
/* the tests include this file, because its functions are not exported */
#include "frame.c"

#define PIECE	250	/* bytes of payload */
#define WORDS	12	/* bytes of all words */
#define LONG	(ARQLINK_HLEN + WORDS + PIECE)
#define LONG_SENSITIVE	(ARQLINK_HLEN + WORDS + SENSITIVE)
#define WORD_FLAGS	(ARQLINK_FLAG_TOLERANT | ARQLINK_FLAG_STAMP | ARQLINK_FLAG_ECHO)
#define SENSITIVE	42	/* bytes of payload that must be right */

/* A frame, and its bytes. */
struct arql_test_frame {
	struct arql_frame frame;
	u8 bytes[ARQLINK_HLEN + WORDS + 5];
};

/* Another implementation of the format and of CRC-32C has written these bytes. */
static const struct arql_test_frame arql_frames[] = { {
	.frame = {
		.type = ARQLINK_DATA,
		.flags = ARQLINK_FLAG_FIRST | ARQLINK_FLAG_LAST,
		.length = 5, .session = 0x01020304, .source = 0xa5b6c7d8,
		.number = 0xfffe, .ack = 0x0102, .oldest = 0xff10,
	},
	.bytes = {
		0x11, 0x03, 0x00, 0x05, 0x01, 0x02, 0x03, 0x04,
		0xa5, 0xb6, 0xc7, 0xd8, 0xff, 0xfe, 0x01, 0x02,
		0xff, 0x10, 0x00, 0x05, 0x48, 0xea, 0x18, 0xd0,
		'h', 'e', 'l', 'l', 'o',
	},
}, {
	.frame = {
		.type = ARQLINK_ACK,
		.session = 0x01020304, .source = 0xa5b6c7d8,
		.ack = 0x8001, .oldest = 0x7fff,
	},
	.bytes = {
		0x12, 0x00, 0x00, 0x00, 0x01, 0x02, 0x03, 0x04,
		0xa5, 0xb6, 0xc7, 0xd8, 0x00, 0x00, 0x80, 0x01,
		0x7f, 0xff, 0x00, 0x00, 0x13, 0x8b, 0x36, 0x37,
	},
}, {
	.frame = {
		.type = ARQLINK_HELLO,
		.flags = ARQLINK_FLAG_ASK,
		.length = 4, .source = 1,
	},
	.bytes = {
		0x10, 0x01, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x04, 0xf4, 0x82, 0xfa, 0x4e,
		0x00, 0x08, 0x05, 0xc4,
	},
}, {
	.frame = {
		.type = ARQLINK_NACK,
		.length = 8, .session = 0xffffffff, .source = 0x80000000,
		.ack = 9, .oldest = 10,
	},
	.bytes = {
		0x13, 0x00, 0x00, 0x08, 0xff, 0xff, 0xff, 0xff,
		0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x09,
		0x00, 0x0a, 0x00, 0x08, 0x83, 0x4c, 0x81, 0x71,
		0xff, 0xff, 0x00, 0x02, 0x00, 0x05, 0x00, 0x01,
	},
}, {
	.frame = {
		.type = ARQLINK_DATA,
		.flags = ARQLINK_FLAG_FIRST | ARQLINK_FLAG_LAST | ARQLINK_FLAG_STAMP |
			 ARQLINK_FLAG_ECHO,
		.length = 5, .session = 0x01020304, .source = 0xa5b6c7d8,
		.number = 0xfffe, .ack = 0x0102, .oldest = 0xff10,
		.stamp = 0x11223344, .echo = 0xfffffffe,
	},
	.bytes = {
		0x11, 0x63, 0x00, 0x05, 0x01, 0x02, 0x03, 0x04,
		0xa5, 0xb6, 0xc7, 0xd8, 0xff, 0xfe, 0x01, 0x02,
		0xff, 0x10, 0x00, 0x05, 0xcc, 0x84, 0xb6, 0x6c,
		0x11, 0x22, 0x33, 0x44, 0xff, 0xff, 0xff, 0xfe,
		'h', 'e', 'l', 'l', 'o',
	},
}, {
	.frame = {
		.type = ARQLINK_DATA,
		.flags = ARQLINK_FLAG_STAMP,
		.length = 5, .session = 0x01020304, .source = 0xa5b6c7d8,
		.number = 7, .ack = 8, .oldest = 7, .stamp = 0x11223344,
	},
	.bytes = {
		0x11, 0x20, 0x00, 0x05, 0x01, 0x02, 0x03, 0x04,
		0xa5, 0xb6, 0xc7, 0xd8, 0x00, 0x07, 0x00, 0x08,
		0x00, 0x07, 0x00, 0x05, 0x85, 0xf9, 0x5e, 0x6f,
		0x11, 0x22, 0x33, 0x44, 'h', 'e', 'l', 'l', 'o',
	},
}, {
	.frame = {
		.type = ARQLINK_ACK,
		.flags = ARQLINK_FLAG_ECHO,
		.session = 0x01020304, .source = 0xa5b6c7d8,
		.ack = 0x8001, .oldest = 0x7fff, .echo = 0x55667788,
	},
	.bytes = {
		0x12, 0x40, 0x00, 0x00, 0x01, 0x02, 0x03, 0x04,
		0xa5, 0xb6, 0xc7, 0xd8, 0x00, 0x00, 0x80, 0x01,
		0x7f, 0xff, 0x00, 0x00, 0x68, 0x87, 0x82, 0x88,
		0x55, 0x66, 0x77, 0x88,
	},
}, {
	.frame = {
		.type = ARQLINK_DATA,
		.flags = ARQLINK_FLAG_FIRST | WORD_FLAGS,
		.length = 5, .session = 0x01020304, .source = 0xa5b6c7d8,
		.number = 0xfffe, .ack = 0x0102, .oldest = 0xff10,
		.sensitive = 2, .stamp = 0x11223344, .echo = 0xfffffffe,
	},
	.bytes = {
		0x11, 0x71, 0x00, 0x05, 0x01, 0x02, 0x03, 0x04,
		0xa5, 0xb6, 0xc7, 0xd8, 0xff, 0xfe, 0x01, 0x02,
		0xff, 0x10, 0x00, 0x02, 0x89, 0xb2, 0x22, 0xbc,
		0x8c, 0x1d, 0x6a, 0x4c, 0x11, 0x22, 0x33, 0x44,
		0xff, 0xff, 0xff, 0xfe, 'h', 'e', 'l', 'l', 'o',
	},
} };

static unsigned int arql_head(const struct arql_test_frame *f)
{
	return arql_frame_head(f->frame.type, f->frame.flags);
}

static void arql_expect_frame(struct kunit *test, const struct arql_frame *is,
			      const struct arql_frame *expected)
{
	KUNIT_EXPECT_EQ(test, is->type, expected->type);
	KUNIT_EXPECT_EQ(test, is->flags, expected->flags);
	KUNIT_EXPECT_EQ(test, is->length, expected->length);
	KUNIT_EXPECT_EQ(test, is->session, expected->session);
	KUNIT_EXPECT_EQ(test, is->source, expected->source);
	KUNIT_EXPECT_EQ(test, is->number, expected->number);
	KUNIT_EXPECT_EQ(test, is->ack, expected->ack);
	KUNIT_EXPECT_EQ(test, is->oldest, expected->oldest);
	KUNIT_EXPECT_EQ(test, is->sensitive, arql_covered(expected));
	KUNIT_EXPECT_FALSE(test, is->damaged);
	KUNIT_EXPECT_EQ(test, is->stamp, expected->stamp);
	KUNIT_EXPECT_EQ(test, is->echo, expected->echo);
}

/* The checksum is the CRC-32C of RFC 3720: its examples (B.4) have these values. */
static void arql_test_crc(struct kunit *test)
{
	u8 zeros[32] = {}, ones[32], up[32], down[32];
	int i;

	for (i = 0; i < 32; i++) {
		ones[i] = 0xff;
		up[i] = i;
		down[i] = 31 - i;
	}
	KUNIT_EXPECT_EQ(test, ~crc32c(~0, zeros, 32), 0x8a9136aaU);
	KUNIT_EXPECT_EQ(test, ~crc32c(~0, ones, 32), 0x62a8ab43U);
	KUNIT_EXPECT_EQ(test, ~crc32c(~0, up, 32), 0x46dd794eU);
	KUNIT_EXPECT_EQ(test, ~crc32c(~0, down, 32), 0x113fdb5cU);
	/* a frame of zeros, whatever its checksum field contains */
	KUNIT_EXPECT_EQ(test, arql_frame_checksum(zeros, 8), 0x8a9136aaU);
	memset(zeros + ARQL_OFF_CHECKSUM, 0xff, sizeof(u32));
	KUNIT_EXPECT_EQ(test, arql_frame_checksum(zeros, 8), 0x8a9136aaU);
}

/* The bytes of a frame are those that another implementation writes. */
static void arql_test_write(struct kunit *test)
{
	const struct arql_test_frame *f;

	for (f = arql_frames; f < arql_frames + ARRAY_SIZE(arql_frames); f++) {
		const unsigned int head = arql_head(f);
		u8 p[sizeof(f->bytes)];

		memset(p, 0xee, head);
		memcpy(p + head, f->bytes + head, sizeof(p) - head);
		arql_frame_write(p, &f->frame);
		KUNIT_EXPECT_EQ_MSG(test, memcmp(p, f->bytes, sizeof(p)), 0,
				    "type %u", f->frame.type);
	}
}

/* All fields of such bytes are read. Padding behind the payload is ignored. */
static void arql_test_read(struct kunit *test)
{
	const struct arql_test_frame *f;
	struct arql_frame frame;
	u8 padded[60];

	for (f = arql_frames; f < arql_frames + ARRAY_SIZE(arql_frames); f++) {
		const unsigned int len = arql_head(f) + f->frame.length;

		KUNIT_EXPECT_EQ(test, 0, arql_frame_read(&frame, f->bytes, len));
		arql_expect_frame(test, &frame, &f->frame);
		memset(padded, 0xa5, sizeof(padded));
		memcpy(padded, f->bytes, len);
		KUNIT_EXPECT_EQ(test, 0, arql_frame_read(&frame, padded, sizeof(padded)));
		arql_expect_frame(test, &frame, &f->frame);
	}
}

/* Writes a frame of a type with @length bytes of payload. Returns the result of reading it. */
static int arql_read_type(u8 type, u16 length)
{
	u8 p[ARQLINK_HLEN + 64] = {};
	struct arql_frame frame = { .type = type, .length = length, .source = 1 };

	arql_frame_write(p, &frame);
	return arql_frame_read(&frame, p, ARQLINK_HLEN + length);
}

/* May a payload have this length? An unknown type may not be used at all. */
static bool arql_length_fits(u8 type, u16 length)
{
	const struct {
		u16 min, max, multiple;
	} rules[] = {
		[ARQLINK_HELLO] = { 4, 64, 1 },
		[ARQLINK_DATA] = { 1, 64, 1 },
		[ARQLINK_ACK] = { 0, 0, 1 },
		[ARQLINK_NACK] = { 4, 32, 4 },
		[ARQLINK_SKIP] = { 0, 0, 1 },
		[ARQLINK_BYPASS] = { 14, 64, 1 },
	};

	return type < ARRAY_SIZE(rules) && length >= rules[type].min &&
	       length <= rules[type].max && length % rules[type].multiple == 0;
}

/* Each type accepts only the lengths that make sense. The other 10 types are malformed. */
static void arql_test_lengths(struct kunit *test)
{
	u16 length;
	u8 type;

	for (type = 0; type < 16; type++)
		for (length = 0; length <= 64; length++)
			KUNIT_EXPECT_EQ_MSG(test, arql_read_type(type, length),
					    arql_length_fits(type, length) ? 0 :
					    ARQLINK_STATS_MALFORMED,
					    "type %u, length %u", type, length);
}

/* A frame that ends within its header, its words or its payload is malformed, and no byte behind it
 * is read.
 */
static void arql_test_short(struct kunit *test)
{
	const struct arql_test_frame *f;
	struct arql_frame frame;
	unsigned int n;

	for (f = arql_frames; f < arql_frames + ARRAY_SIZE(arql_frames); f++) {
		for (n = 0; n < arql_head(f) + f->frame.length; n++) {
			/* KASAN sees a byte read behind the end */
			u8 *p = kunit_kzalloc(test, n, GFP_KERNEL);

			KUNIT_ASSERT_NOT_NULL(test, p);
			memcpy(p, f->bytes, n);
			KUNIT_EXPECT_EQ(test, arql_frame_read(&frame, p, n),
					ARQLINK_STATS_MALFORMED);
		}
	}
}

/* A flag that brings no word in a type is ignored. */
static void arql_test_no_words(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, arql_frame_head(ARQLINK_HELLO, 0xff), ARQLINK_HLEN);
	KUNIT_EXPECT_EQ(test, arql_frame_head(ARQLINK_ACK, 0xff & ~ARQLINK_FLAG_ECHO),
			ARQLINK_HLEN);
	KUNIT_EXPECT_EQ(test, arql_frame_head(ARQLINK_BYPASS, 0xff & ~WORD_FLAGS), ARQLINK_HLEN);
	KUNIT_EXPECT_EQ(test, arql_frame_head(ARQLINK_DATA, 0xff & ~WORD_FLAGS), ARQLINK_HLEN);
}

/* The version comes first, even if the rest is of no use. A frame of no other version is accepted.
 */
static void arql_test_version(struct kunit *test)
{
	u8 p[sizeof(arql_frames[0].bytes)];
	struct arql_frame frame;
	u8 version;

	memcpy(p, arql_frames[0].bytes, sizeof(p));
	for (version = 0; version < 16; version++) {
		if (version == 1)
			continue;
		p[0] = version << 4 | ARQLINK_DATA;
		KUNIT_EXPECT_EQ(test, arql_frame_read(&frame, p, sizeof(p)),
				ARQLINK_STATS_VERSION);
	}
	memset(p, 0xff, sizeof(p));
	KUNIT_EXPECT_EQ(test, arql_frame_read(&frame, p, sizeof(p)), ARQLINK_STATS_VERSION);
}

/* Computes the checksum again after a change. */
static void arql_seal(u8 *p)
{
	const unsigned int words = arql_frame_head(p[ARQL_OFF_TYPE] & 0xf, p[ARQL_OFF_FLAGS]) -
				   ARQLINK_HLEN;

	put_unaligned_be32(arql_frame_checksum(p, words + get_unaligned_be16(p + ARQL_OFF_LENGTH)),
			   p + ARQL_OFF_CHECKSUM);
}

/* A source 0, or another "sensitive" than the length, is malformed. All flags without a word or a
 * list are accepted.
 */
static void arql_test_fields(struct kunit *test)
{
	const struct arql_test_frame *f = &arql_frames[0];
	const unsigned int len = ARQLINK_HLEN + f->frame.length;
	u8 p[sizeof(f->bytes)];
	struct arql_frame frame;

	memcpy(p, f->bytes, sizeof(p));
	p[ARQL_OFF_FLAGS] = 0xff & ~(WORD_FLAGS | ARQLINK_FLAG_PACKED);
	arql_seal(p);
	KUNIT_EXPECT_EQ(test, arql_frame_read(&frame, p, len), 0);
	KUNIT_EXPECT_EQ(test, frame.flags, 0xff & ~(WORD_FLAGS | ARQLINK_FLAG_PACKED));
	memset(p + ARQL_OFF_SOURCE, 0, sizeof(u32));
	arql_seal(p);
	KUNIT_EXPECT_EQ(test, arql_frame_read(&frame, p, len), ARQLINK_STATS_MALFORMED);
	memcpy(p, f->bytes, sizeof(p));
	p[ARQL_OFF_SENSITIVE + 1]--;
	arql_seal(p);
	KUNIT_EXPECT_EQ(test, arql_frame_read(&frame, p, len), ARQLINK_STATS_MALFORMED);
}

/* The reason for which a frame with one wrong bit is dropped. */
static bool arql_reason_fits(unsigned int byte, int bit, int reason)
{
	if (byte == ARQL_OFF_TYPE && bit >= 4)
		return reason == ARQLINK_STATS_VERSION;
	/* the frame is shorter than a longer length, than more words, or than "sensitive" */
	if ((byte >= ARQL_OFF_TYPE && byte <= ARQL_OFF_LENGTH + 1) ||
	    byte == ARQL_OFF_SENSITIVE || byte == ARQL_OFF_SENSITIVE + 1)
		return reason == ARQLINK_STATS_CHECKSUM || reason == ARQLINK_STATS_MALFORMED;
	return reason == ARQLINK_STATS_CHECKSUM;
}

static u8 *arql_test_data(struct kunit *test)
{
	const struct arql_frame frame = {
		.type = ARQLINK_DATA, .flags = WORD_FLAGS, .length = PIECE,
		.session = 3, .source = 4, .sensitive = SENSITIVE, .stamp = 5, .echo = 6,
	};
	u8 *p = kunit_kzalloc(test, LONG, GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, p);
	for (i = 0; i < PIECE; i++)
		p[LONG - PIECE + i] = i;
	arql_frame_write(p, &frame);
	return p;
}

/* Each wrong bit of the header, of the words and of the sensitive part is detected. A wrong bit of
 * the rest leaves the frame acceptable, but damaged.
 */
static void arql_test_one_bit(struct kunit *test)
{
	u8 *p = arql_test_data(test);
	struct arql_frame frame;
	unsigned int i;
	int reason;

	for (i = 8 * LONG_SENSITIVE; i < 8 * LONG; i++) {
		p[i / 8] ^= 1 << i % 8;
		KUNIT_EXPECT_EQ(test, arql_frame_read(&frame, p, LONG), 0);
		KUNIT_EXPECT_TRUE(test, frame.damaged);
		p[i / 8] ^= 1 << i % 8;
	}
	for (i = 0; i < 8 * LONG_SENSITIVE; i++) {
		p[i / 8] ^= 1 << i % 8;
		reason = arql_frame_read(&frame, p, LONG);
		p[i / 8] ^= 1 << i % 8;
		KUNIT_EXPECT_TRUE_MSG(test, arql_reason_fits(i / 8, i % 8, reason),
				      "bit %u: counter %d", i, reason);
	}
	KUNIT_EXPECT_EQ(test, arql_frame_read(&frame, p, LONG), 0);
}

/* A sensitive part that is longer than the payload is malformed, and one of the same length leaves
 * no rest.
 */
static void arql_test_sensitive(struct kunit *test)
{
	struct arql_frame frame = {
		.type = ARQLINK_BYPASS, .flags = ARQLINK_FLAG_TOLERANT, .length = PIECE,
		.source = 4,
	};
	u8 *p = kunit_kzalloc(test, LONG, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	for (frame.sensitive = 0; frame.sensitive <= PIECE; frame.sensitive += 50) {
		frame.length = PIECE;
		arql_frame_write(p, &frame);
		KUNIT_EXPECT_EQ(test, arql_frame_read(&frame, p, LONG), 0);
		put_unaligned_be16(frame.sensitive - 1, p + ARQL_OFF_LENGTH);
		KUNIT_EXPECT_EQ(test, arql_frame_read(&frame, p, LONG), ARQLINK_STATS_MALFORMED);
	}
}

/* Two wrong bits are detected too, wherever the second one is. */
static void arql_test_two_bits(struct kunit *test)
{
	u8 *p = arql_test_data(test);
	int accepted = 0, first, second;
	struct arql_frame frame;

	for (first = 0; first < 8 * ARQLINK_HLEN; first += 7) {
		p[first / 8] ^= 1 << first % 8;
		for (second = first + 1; second < 8 * LONG_SENSITIVE; second++) {
			p[second / 8] ^= 1 << second % 8;
			accepted += !arql_frame_read(&frame, p, LONG);
			p[second / 8] ^= 1 << second % 8;
		}
		p[first / 8] ^= 1 << first % 8;
	}
	KUNIT_EXPECT_EQ(test, accepted, 0);
}

/* HELLO and the ranges of NACK are big endian. */
static void arql_test_payloads(struct kunit *test)
{
	const struct arql_hello hello = { .window = 0x1000, .piece = 0x05c4 };
	const struct arql_range range = { .first = 0xfffe, .count = 3 };
	const u8 hello_bytes[] = { 0x10, 0x00, 0x05, 0xc4 };
	const u8 range_bytes[] = { 0xff, 0xfe, 0x00, 0x03 };
	struct arql_hello hello_read;
	struct arql_range range_read;
	u8 p[4];

	arql_hello_write(p, &hello);
	KUNIT_EXPECT_EQ(test, memcmp(p, hello_bytes, 4), 0);
	arql_hello_read(&hello_read, p);
	KUNIT_EXPECT_EQ(test, hello_read.window, hello.window);
	KUNIT_EXPECT_EQ(test, hello_read.piece, hello.piece);
	arql_range_write(p, &range);
	KUNIT_EXPECT_EQ(test, memcmp(p, range_bytes, 4), 0);
	arql_range_read(&range_read, p);
	KUNIT_EXPECT_EQ(test, range_read.first, range.first);
	KUNIT_EXPECT_EQ(test, range_read.count, range.count);
}

/* Reads a DATA frame with these flags and this payload. */
static int arql_read_list(struct kunit *test, u8 flags, const u8 *list, u16 len)
{
	const struct arql_frame frame = {
		.type = ARQLINK_DATA, .flags = flags, .length = len, .source = 1,
	};
	u8 *p = kunit_kzalloc(test, ARQLINK_HLEN + len, GFP_KERNEL);
	struct arql_frame read;

	KUNIT_ASSERT_NOT_NULL(test, p);
	memcpy(p + ARQLINK_HLEN, list, len);
	arql_frame_write(p, &frame);
	return arql_frame_read(&read, p, ARQLINK_HLEN + len);
}

/* A list has two or more packets of at least 14 bytes and ends with the last of them. A list that
 * ends elsewhere is malformed, and no byte behind it is read.
 */
static void arql_test_lists(struct kunit *test)
{
	const u8 packed = ARQLINK_FLAG_FIRST | ARQLINK_FLAG_LAST | ARQLINK_FLAG_PACKED;
	const struct arql_item first = { .length = 14 }, second = { .length = 20, .bounded = true };
	u8 list[16 + 22 + 17] = {};
	int flags, n;

	arql_item_write(list, &first);
	arql_item_write(list + 16, &second);
	KUNIT_EXPECT_EQ(test, memcmp(list + 16, "\x80\x14", 2), 0);
	/* behind them a packet that is one byte too short */
	list[16 + 22 + 1] = 13;
	list[16 + 22 + 15] = 14;
	for (n = 1; n <= sizeof(list); n++)
		KUNIT_EXPECT_EQ_MSG(test, arql_read_list(test, packed, list, n),
				    n == 16 + 22 ? 0 : ARQLINK_STATS_MALFORMED, "%d bytes", n);
	for (flags = 0; flags <= packed + ARQLINK_FLAG_BOUNDED; flags++)
		if (flags & ARQLINK_FLAG_PACKED)
			KUNIT_EXPECT_EQ_MSG(test, arql_read_list(test, flags, list, 16 + 22),
					    flags == packed ? 0 : ARQLINK_STATS_MALFORMED,
					    "flags %x", flags);
}

/* The packets of a list are found one after the other, each with its own mark. */
static void arql_test_items(struct kunit *test)
{
	const u8 list[] = { 0x80, 1, 'a', 0, 2, 'b', 'c', 0x80, 0, 0, 3, 'd' };
	struct arql_item item = {};
	static const struct arql_item items[] = { { 2, 1, true }, { 5, 2, false }, { 9, 0, true } };
	int i;

	for (i = 0; i < ARRAY_SIZE(items); i++) {
		KUNIT_ASSERT_TRUE(test, arql_item_next(&item, list, sizeof(list)));
		KUNIT_EXPECT_EQ(test, item.at, items[i].at);
		KUNIT_EXPECT_EQ(test, item.length, items[i].length);
		KUNIT_EXPECT_EQ(test, item.bounded, items[i].bounded);
	}
	KUNIT_EXPECT_FALSE(test, arql_item_next(&item, list, sizeof(list)));
}

static struct kunit_case arql_frame_cases[] = {
	KUNIT_CASE(arql_test_crc),
	KUNIT_CASE(arql_test_write),
	KUNIT_CASE(arql_test_read),
	KUNIT_CASE(arql_test_lengths),
	KUNIT_CASE(arql_test_short),
	KUNIT_CASE(arql_test_no_words),
	KUNIT_CASE(arql_test_version),
	KUNIT_CASE(arql_test_fields),
	KUNIT_CASE(arql_test_one_bit),
	KUNIT_CASE(arql_test_sensitive),
	KUNIT_CASE(arql_test_two_bits),
	KUNIT_CASE(arql_test_payloads),
	KUNIT_CASE(arql_test_lists),
	KUNIT_CASE(arql_test_items),
	{}
};

static struct kunit_suite arql_frame_suite = {
	.name = "arqlink_frame",
	.test_cases = arql_frame_cases,
};

kunit_test_suite(arql_frame_suite);

MODULE_DESCRIPTION("KUnit tests of arqlink's frames");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
