/* SPDX-License-Identifier: GPL-2.0 */
/* Codec of frames (linux/arqlink.h). All functions only compute. */
#ifndef _ARQLINK_FRAME_H
#define _ARQLINK_FRAME_H

#include <linux/arqlink.h>
#include <linux/types.h>

/**
 * struct arql_frame - the header of a frame, in host byte order
 * @type: enum arqlink_type
 * @flags: ARQLINK_FLAG_*
 * @length: length of the payload
 * @session: session of the receiver
 * @source: session of the sender
 * @number: number of a DATA frame
 * @ack: number of the first DATA frame that the sender of this frame misses
 * @oldest: number of the first DATA frame that the sender of this frame may still send
 * @sensitive: bytes of the payload that the checksum covers, with ARQLINK_FLAG_TOLERANT in DATA and
 *	BYPASS; in other frames it covers all bytes
 * @damaged: other bytes of the payload are wrong; set by arql_frame_read()
 * @stamp: time of this transmission, in us modulo 2^32, with ARQLINK_FLAG_STAMP in DATA
 * @echo: a stamp that returns, with ARQLINK_FLAG_ECHO, not in HELLO
 */
struct arql_frame {
	u8 type;
	u8 flags;
	u16 length;
	u32 session;
	u32 source;
	u16 number;
	u16 ack;
	u16 oldest;
	u16 sensitive;
	bool damaged;
	u32 stamp;
	u32 echo;
};

/**
 * struct arql_hello - the payload of HELLO, in host byte order
 * @window: frames that the sender of HELLO can store as a receiver
 * @piece: the largest payload of a DATA frame that it accepts
 */
struct arql_hello {
	u16 window;
	u16 piece;
};

/**
 * struct arql_range - DATA frames with consecutive numbers
 * @first: number of the first frame
 * @count: number of frames, at least 1
 */
struct arql_range {
	u16 first;
	u16 count;
};

/**
 * struct arql_item - a packet in the list of a PACKED frame
 * @at: offset of the packet in the payload
 * @length: bytes of the packet
 * @bounded: the packet is useless after its lifetime
 */
struct arql_item {
	unsigned int at;
	unsigned int length;
	bool bounded;
};

unsigned int arql_frame_head(u8 type, u8 flags);
void arql_frame_write(u8 *p, const struct arql_frame *frame);
int arql_frame_read(struct arql_frame *frame, const u8 *p, unsigned int len);
void arql_hello_write(u8 *p, const struct arql_hello *hello);
void arql_hello_read(struct arql_hello *hello, const u8 *p);
void arql_range_write(u8 *p, const struct arql_range *range);
void arql_range_read(struct arql_range *range, const u8 *p);
void arql_item_write(u8 *p, const struct arql_item *item);
bool arql_item_next(struct arql_item *item, const u8 *list, unsigned int len);

#endif /* _ARQLINK_FRAME_H */
