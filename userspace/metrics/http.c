// SPDX-License-Identifier: GPL-2.0-or-later
/* Requests and answers of a scrape: see http.h. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "http.h"

#define END	"\r\n\r\n"

/* A part of the request line. */
struct part {
	const char *at;
	size_t len;
};

static bool is(const struct part *part, const char *text)
{
	return part->len == strlen(text) && !memcmp(part->at, text, part->len);
}

/* Takes the visible characters up to a character, and this character. Returns whether there are
 * any.
 */
static bool take(const char **at, const char *end, char stop, struct part *part)
{
	part->at = *at;
	while (*at < end && **at > ' ' && **at < 0x7f)
		(*at)++;
	part->len = *at - part->at;
	return part->len && *at < end && *(*at)++ == stop;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_version(const struct part *part)
{
	return part->len == 8 && !memcmp(part->at, "HTTP/", 5) && is_digit(part->at[5]) &&
	       part->at[6] == '.' && is_digit(part->at[7]);
}

static int judge_line(const char *at, const char *end)
{
	struct part method, target, version;

	if (!take(&at, end, ' ', &method) || !take(&at, end, ' ', &target) ||
	    !take(&at, end, '\r', &version) || !is_version(&version))
		return 400;
	if (!is(&version, "HTTP/1.0") && !is(&version, "HTTP/1.1"))
		return 505;
	if (!is(&target, "/metrics"))
		return 404;
	return is(&method, "GET") ? 200 : 405;
}

int http_judge(const char *bytes, size_t len)
{
	if (memmem(bytes, len, END, strlen(END)))
		return judge_line(bytes, bytes + len);
	return len < HTTP_REQUEST_MAX ? 0 : 431;
}

const char *http_reason(int status)
{
	switch (status) {
	case 200:
		return "OK";
	case 404:
		return "Not Found";
	case 405:
		return "Method Not Allowed";
	case 431:
		return "Request Header Fields Too Large";
	case 503:
		return "Service Unavailable";
	case 505:
		return "HTTP Version Not Supported";
	default:
		return "Bad Request";
	}
}

size_t http_head(int status, size_t length, char *buf)
{
	return snprintf(buf, HTTP_HEAD_MAX,
			"HTTP/1.1 %d %s\r\n"
			"Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
			"Content-Length: %zu\r\n"
			"%s"
			"Connection: close" END,
			status, http_reason(status), length,
			status == 405 ? "Allow: GET\r\n" : "");
}
