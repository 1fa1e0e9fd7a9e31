// SPDX-License-Identifier: GPL-2.0-or-later
#include "frame.h"

#define SHORT_LEN	8	/* SKIP */
#define REPORT_LEN	16
#define LONG_LEN	20	/* MESSAGE, TERMS */

static void put16(uint8_t *buf, uint16_t value)
{
	buf[0] = (uint8_t)(value >> 8);
	buf[1] = (uint8_t)value;
}

static void put32(uint8_t *buf, uint32_t value)
{
	put16(buf, (uint16_t)(value >> 16));
	put16(buf + 2, (uint16_t)value);
}

static uint16_t get16(const uint8_t *buf)
{
	return (uint16_t)(buf[0] << 8 | buf[1]);
}

static uint32_t get32(const uint8_t *buf)
{
	return (uint32_t)get16(buf) << 16 | get16(buf + 2);
}

static size_t header_len(unsigned int type)
{
	static const size_t len[] = {
		[FSTREAM_MESSAGE] = LONG_LEN,
		[FSTREAM_SKIP] = SHORT_LEN,
		[FSTREAM_TERMS] = LONG_LEN,
		[FSTREAM_REPORT] = REPORT_LEN,
	};

	return len[type];
}

size_t fstream_frame_write(const struct fstream_frame *frame, uint8_t *buf)
{
	buf[0] = (uint8_t)(frame->type << 4 | frame->flags);
	buf[1] = frame->attempt;
	put16(buf + 2, frame->unfinished);
	switch (frame->type) {
	case FSTREAM_MESSAGE:
		put32(buf + 4, frame->number);
		put16(buf + 8, frame->piece);
		put16(buf + 10, frame->pieces);
		put32(buf + 12, frame->submitted);
		put32(buf + 16, frame->lifetime);
		break;
	case FSTREAM_SKIP:
		put32(buf + 4, frame->number);
		break;
	case FSTREAM_TERMS:
		put32(buf + 4, frame->lifetime);
		put32(buf + 8, frame->latency);
		put32(buf + 12, frame->way);
		put32(buf + 16, frame->srtt);
		break;
	case FSTREAM_REPORT:
		put32(buf + 4, frame->on_time);
		put32(buf + 8, frame->late);
		put32(buf + 12, frame->missing);
		break;
	}
	return header_len(frame->type);
}

static bool read_message(struct fstream_frame *frame, const uint8_t *data, size_t len)
{
	frame->attempt = data[1];
	frame->unfinished = get16(data + 2);
	frame->number = get32(data + 4);
	frame->piece = get16(data + 8);
	frame->pieces = get16(data + 10);
	frame->submitted = get32(data + 12);
	frame->lifetime = get32(data + 16);
	frame->payload = data + LONG_LEN;
	frame->len = len - LONG_LEN;
	return frame->len && frame->piece < frame->pieces;
}

static void read_other(struct fstream_frame *frame, const uint8_t *data)
{
	switch (frame->type) {
	case FSTREAM_SKIP:
		frame->number = get32(data + 4);
		break;
	case FSTREAM_TERMS:
		frame->attempt = data[1];
		frame->lifetime = get32(data + 4);
		frame->latency = get32(data + 8);
		frame->way = get32(data + 12);
		frame->srtt = get32(data + 16);
		break;
	case FSTREAM_REPORT:
		frame->on_time = get32(data + 4);
		frame->late = get32(data + 8);
		frame->missing = get32(data + 12);
		break;
	default:
		break;
	}
}

bool fstream_frame_read(struct fstream_frame *frame, const uint8_t *data, size_t len)
{
	unsigned int type;

	*frame = (struct fstream_frame){ 0 };
	if (!len)
		return false;
	type = data[0] >> 4;
	if (type > FSTREAM_REPORT || len < header_len(type))
		return false;
	frame->type = type;
	frame->flags = data[0] & 0xf;
	if (type == FSTREAM_MESSAGE)
		return read_message(frame, data, len);
	read_other(frame, data);
	return len == header_len(type);
}

uint64_t fstream_frame_extend(uint32_t wire, uint64_t near)
{
	return near + (uint64_t)(int64_t)(int32_t)(wire - (uint32_t)near);
}
