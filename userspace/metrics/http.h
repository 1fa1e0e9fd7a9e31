/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of HTTP (RFC 9112) that a scrape needs: GET /metrics, without a body. */
#ifndef FRESHLINK_HTTP_H
#define FRESHLINK_HTTP_H

#include <stddef.h>

#define HTTP_REQUEST_MAX	4096	/* bytes of a request */
#define HTTP_HEAD_MAX		256	/* bytes of the head of an answer */

/**
 * http_judge - judge a request
 * @bytes: its bytes so far, any bytes
 * @len: number of bytes, up to HTTP_REQUEST_MAX
 *
 * Return: 0 if the request may still become complete, or else the status of the answer: 200, 400
 * (not HTTP), 404 (not /metrics), 405 (not GET), 431 (too long) or 505 (not HTTP/1.0 or 1.1)
 */
int http_judge(const char *bytes, size_t len);

/** http_reason - reason phrase of a status */
const char *http_reason(int status);

/**
 * http_head - write the head of an answer
 * @status: the status
 * @length: bytes of the content that follows
 * @buf: written, HTTP_HEAD_MAX bytes
 *
 * Return: length of the head
 */
size_t http_head(int status, size_t length, char *buf);

#endif
