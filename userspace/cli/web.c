// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A model of Web pages: see web.h.
 *
 * The model is from B. A. Mah, An Empirical Model of HTTP Network Traffic, INFOCOM 1997. Mah
 * measured 4100 requests and replies, and the number of connections for each of 1444 pages. The
 * simulator ns-2 contains these distributions (tcl/http/data). It has one distribution for the
 * replies with a page and with an embedded object. In Mah's time each file had its own connection.
 *
 * The tables are a summary of these distributions. Each point was measured. Between two points the
 * distribution function is a straight line, so all whole numbers there are equally likely. The line
 * differs from Mah's distribution by at most 0.5 % of the values, and the means differ by at most
 * 0.2 %. The 8 empty replies and the 9 requests shorter than struct web_request are in the first
 * steps, with larger sizes.
 */
#include <endian.h>
#include <stddef.h>

#include "random.h"
#include "web.h"

/* The number of measured values that are at most @value. */
struct point {
	uint32_t value;
	uint32_t count;
};

/* lengths of requests in bytes; the second point is the first that was measured */
static const struct point requests[] = {
	{ sizeof(struct web_request) - 1, 0 },
	{ 114, 23 }, { 129, 144 }, { 136, 234 }, { 137, 322 }, { 140, 392 },
	{ 176, 492 }, { 190, 618 }, { 197, 803 }, { 228, 1961 }, { 242, 2369 },
	{ 259, 2745 }, { 276, 2969 }, { 287, 3173 }, { 293, 3349 },
	{ 310, 3479 }, { 389, 3538 }, { 1035, 3578 }, { 1052, 3623 },
	{ 1062, 3789 }, { 1079, 3898 }, { 1148, 4083 }, { 1373, 4100 },
};

/* lengths of replies in bytes */
static const struct point replies[] = {
	{ 0, 0 },
	{ 82, 9 }, { 83, 73 }, { 101, 86 }, { 102, 115 }, { 104, 394 },
	{ 112, 426 }, { 201, 437 }, { 440, 867 }, { 520, 974 }, { 1053, 1419 },
	{ 1339, 1607 }, { 2100, 2000 }, { 2118, 2061 }, { 2436, 2202 },
	{ 2787, 2452 }, { 3309, 2690 }, { 4211, 2974 }, { 5985, 3277 },
	{ 8781, 3541 }, { 12247, 3687 }, { 19250, 3838 }, { 30122, 3959 },
	{ 57745, 4052 }, { 98052, 4078 }, { 141820, 4085 }, { 322757, 4094 },
	{ 1636039, 4100 },
};

/* connections of a page */
static const struct point connections[] = {
	{ 0, 0 },
	{ 1, 739 }, { 2, 1041 }, { 3, 1149 }, { 4, 1202 }, { 5, 1274 },
	{ 6, 1310 }, { 8, 1356 }, { 10, 1389 }, { 11, 1398 }, { 15, 1415 },
	{ 16, 1426 }, { 21, 1439 }, { 63, 1443 }, { 65, 1444 },
};

/* Draws a step of the table by the number of values in the step, and then a number of the step. */
static uint32_t draw(uint64_t *random, const struct point *from, size_t points)
{
	uint32_t rank = random_between(random, 1, from[points - 1].count);

	while (from[1].count < rank)
		from++;
	return random_between(random, from[0].value + 1, from[1].value);
}

#define DRAW(random, table) \
	draw(random, table, sizeof(table) / sizeof((table)[0]))

uint32_t web_draw_number(uint64_t *random)
{
	return DRAW(random, connections);
}

struct web_file web_draw_file(uint64_t *random)
{
	struct web_file file = { .request = DRAW(random, requests) };

	file.reply = DRAW(random, replies);
	return file;
}

struct web_request web_write_request(struct web_file file)
{
	return (struct web_request){
		.magic = htobe32(WEB_MAGIC),
		.length = htobe32(file.request),
		.reply = htobe32(file.reply),
	};
}

bool web_read_request(const struct web_request *request, struct web_file *file)
{
	const struct web_file asked = {
		.request = be32toh(request->length),
		.reply = be32toh(request->reply),
	};

	if (be32toh(request->magic) != WEB_MAGIC ||
	    asked.request < sizeof(*request) ||
	    asked.request > WEB_REQUEST_MAX ||
	    !asked.reply || asked.reply > WEB_REPLY_MAX)
		return false;
	*file = asked;
	return true;
}
