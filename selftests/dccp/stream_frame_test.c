// SPDX-License-Identifier: GPL-2.0-or-later
/* The frames of a stream have exactly the bytes of the diagrams in frame.h, each field at its
 * edges; what breaks the rules is not read, and numbers are extended to the nearest. Prints TAP.
 */
#include "../../userspace/stream/frame.c"

#include "../codec/unit.h"
#include "bytes.h"

/* Whether a frame is written with these bytes, and read from them with the same fields. */
static bool same(const struct fstream_frame *frame, const char *text)
{
	uint8_t bytes[FSTREAM_FRAME_MAX];
	struct fstream_frame again;
	size_t len = fstream_frame_write(frame, bytes), read_len;
	uint8_t *data;
	bool good;

	MUST(is_hex(bytes, len, text));
	data = hex(text, &read_len);
	if (frame->type == FSTREAM_MESSAGE) {
		data = realloc(data, read_len + 1);
		data[read_len++] = 0x99;
	}
	MUST(fstream_frame_read(&again, data, read_len));
	good = frame->type != FSTREAM_MESSAGE ||
	       (again.payload == data + len && again.len == 1);
	again.payload = NULL;
	again.len = 0;
	free(data);
	MUST(good && !memcmp(&again, frame, sizeof(again)));
	return true;
}

static bool test_message(void)
{
	struct fstream_frame frame = {
		.type = FSTREAM_MESSAGE, .flags = 0xa, .attempt = 0xff, .unfinished = 0x0102,
		.number = 0x03040506, .piece = 0x0708, .pieces = 0x090a, .submitted = 0x0b0c0d0e,
		.lifetime = 0x0f101112 };
	struct fstream_frame largest = {
		.type = FSTREAM_MESSAGE, .flags = 15, .attempt = 255, .unfinished = 65535,
		.number = UINT32_MAX, .piece = 65534, .pieces = 65535, .submitted = UINT32_MAX,
		.lifetime = UINT32_MAX };
	struct fstream_frame smallest = { .type = FSTREAM_MESSAGE, .pieces = 1 };

	MUST(same(&frame, "0aff0102 03040506 0708090a 0b0c0d0e 0f101112"));
	MUST(same(&largest, "0fffffff ffffffff fffeffff ffffffff ffffffff"));
	MUST(same(&smallest, "00000000 00000000 00000001 00000000 00000000"));
	return true;
}

static bool test_posts(void)
{
	struct fstream_frame skip = { .type = FSTREAM_SKIP, .flags = FSTREAM_FINAL,
		.number = 0xfedcba98 };
	struct fstream_frame terms = { .type = FSTREAM_TERMS, .attempt = 200,
		.lifetime = 0x01020304, .latency = 0x05060708, .way = 0x090a0b0c,
		.srtt = 0x0d0e0f10 };
	struct fstream_frame report = { .type = FSTREAM_REPORT, .flags = FSTREAM_FINAL,
		.on_time = 0x01020304, .late = 0x05060708, .missing = 0x090a0b0c };

	MUST(same(&skip, "11000000 fedcba98"));
	MUST(same(&terms, "20c80000 01020304 05060708 090a0b0c 0d0e0f10"));
	MUST(same(&report, "31000000 01020304 05060708 090a0b0c"));
	return true;
}

static bool reads(const char *text)
{
	struct fstream_frame frame;
	size_t len;
	uint8_t *data = hex(text, &len);
	bool good = fstream_frame_read(&frame, data, len);

	free(data);
	return good;
}

/* Fields that are 0 are ignored; lengths, types and pieces are checked. */
static bool test_rules(void)
{
	MUST(reads("11ffffff 00000000") && reads("20c8ffff 00000000 00000000 00000000 00000000"));
	MUST(!reads("") && !reads("00") && !reads("40000000 00000000"));
	MUST(!reads("f0000000 00000000 00000001 00000000 00000000 99"));
	/* no payload; piece 1 of 1; piece 0 of 0 */
	MUST(!reads("00000000 00000000 00000001 00000000 00000000"));
	MUST(!reads("00000000 00000000 00010001 00000000 00000000 99"));
	MUST(!reads("00000000 00000000 00000000 00000000 00000000 99"));
	/* one byte less, and one more */
	MUST(!reads("11000000 fedcba") && !reads("11000000 fedcba98 00"));
	MUST(!reads("20000000 00000000 00000000 00000000 000000"));
	MUST(!reads("20000000 00000000 00000000 00000000 00000000 00"));
	MUST(!reads("30000000 00000000 00000000 000000"));
	MUST(!reads("30000000 00000000 00000000 00000000 00"));
	return true;
}

/* A number is at most 2^31 - 1 after, or 2^31 before the one that it is near. */
static bool test_extend(void)
{
	static const uint64_t nears[] = { UINT64_C(1) << 31, UINT64_C(0xffffffff),
		UINT64_C(1) << 32, UINT64_C(0x123456789abc) };

	for (size_t i = 0; i < 4; i++) {
		uint64_t near = nears[i], first = near - (UINT64_C(1) << 31),
			last = near + (UINT64_C(1) << 31) - 1;

		MUST(fstream_frame_extend((uint32_t)near, near) == near);
		MUST(fstream_frame_extend((uint32_t)near + 1, near) == near + 1);
		MUST(fstream_frame_extend((uint32_t)near - 1, near) == near - 1);
		MUST(fstream_frame_extend((uint32_t)first, near) == first);
		MUST(fstream_frame_extend((uint32_t)last, near) == last);
	}
	return true;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "the frame of a piece", test_message },
		{ "the frames without a message", test_posts },
		{ "what breaks the rules is not read", test_rules },
		{ "numbers are extended to the nearest", test_extend },
	};

	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
