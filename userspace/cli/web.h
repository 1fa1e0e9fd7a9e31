/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A model of Web pages, and the format of a request. A client of the model draws all sizes, and
 * its request says how long the reply must be, so the server needs no model.
 *
 * A request has struct web_request and then any bytes up to its length. A reply has any bytes. A
 * client sends its next request after the whole reply.
 */
#ifndef FRESHLINK_WEB_H
#define FRESHLINK_WEB_H

#include <stdbool.h>
#include <stdint.h>

#define WEB_MAGIC	0x464c5742U	/* "FLWB" */
#define WEB_REQUEST_MAX	65536		/* maximum length of a request, in bytes */
#define WEB_REPLY_MAX	(1 << 24)	/* maximum length of a reply, in bytes */

/**
 * struct web_request - start of a request; all fields are big endian
 * @magic: WEB_MAGIC
 * @length: length of the whole request in bytes
 * @reply: length of the reply in bytes
 */
struct web_request {
	uint32_t magic;
	uint32_t length;
	uint32_t reply;
} __attribute__((packed));

/**
 * struct web_file - the transfer of a page or of an object of a page
 * @request: length of the request in bytes
 * @reply: length of the reply in bytes
 */
struct web_file {
	uint32_t request;
	uint32_t reply;
};

/** web_draw_number - draw the model's number of files of a page, from 1 */
uint32_t web_draw_number(uint64_t *random);

/** web_draw_file - draw the lengths of a transfer */
struct web_file web_draw_file(uint64_t *random);

/** web_write_request - make the start of a request */
struct web_request web_write_request(struct web_file file);

/**
 * web_read_request - read the start of a request, which may come from anywhere
 * @request: the bytes
 * @file: written, if the request is right
 *
 * Return: whether this is the start of a request, and both lengths are within their limits
 */
bool web_read_request(const struct web_request *request, struct web_file *file);

#endif
