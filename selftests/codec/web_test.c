// SPDX-License-Identifier: GPL-2.0-or-later
/* The model of Web pages and the format of a request. Prints TAP. */
#include <math.h>
#include <string.h>

#include "../../userspace/cli/web.h"
#include "unit.h"

#define DRAWS		2000000
#define SHARES		7	/* maximum number of known shares of a distribution */

/* What is known of a distribution of Mah's, read from his data and not from our summary. */
struct known {
	const char *name;
	double mean;
	uint32_t least, greatest;
	struct { uint32_t value; double share; } shares[SHARES];	/* share of values up to @value */
};

static const struct known requests = {
	"requests", 337.3, sizeof(struct web_request), 1373,
	{ { 120, 0.0200 }, { 200, 0.2276 }, { 250, 0.6246 }, { 300, 0.8307 }, { 500, 0.8646 },
	  { 1060, 0.9180 }, { 1100, 0.9654 } },
};

static const struct known replies = {
	"replies", 7231.0, 1, 1636039,
	{ { 100, 0.0210 }, { 500, 0.2290 }, { 2000, 0.4746 }, { 5000, 0.7588 },
	  { 20000, 0.9383 }, { 100000, 0.9949 }, { 500000, 0.9985 } },
};

static const struct known numbers = {
	"numbers of files", 2.838, 1, 65,
	{ { 1, 0.5118 }, { 2, 0.7209 }, { 5, 0.8823 }, { 9, 0.9501 }, { 20, 0.9958 } },
};

/* The same facts of drawn values. */
struct seen {
	double sum;
	uint32_t least, greatest;
	uint64_t counts[SHARES];
};

static void count(struct seen *seen, const struct known *known, uint32_t value)
{
	if (!seen->sum || value < seen->least)
		seen->least = value;
	if (value > seen->greatest)
		seen->greatest = value;
	seen->sum += value;
	for (int i = 0; i < SHARES; i++)
		seen->counts[i] += value <= known->shares[i].value;
}

static bool is_near(const char *what, double value, double known, double off)
{
	if (fabs(value - known) <= off)
		return true;
	printf("# %s: %f, expected %f +- %f\n", what, value, known, off);
	return false;
}

/* The summary differs from Mah's data by at most 0.5 % of the values and 0.2 % of the mean. The
 * draws add at most four standard deviations: 0.15 % of the values, and 1.7 % of the mean length
 * of replies, whose deviation is six times their mean.
 */
static bool agrees(const struct seen *seen, const struct known *known)
{
	MUST(is_near(known->name, seen->sum / DRAWS / known->mean, 1, 0.019));
	for (int i = 0; i < SHARES && known->shares[i].value; i++)
		MUST(is_near(known->name, (double)seen->counts[i] / DRAWS, known->shares[i].share,
			     0.0065));
	MUST(seen->least == known->least && seen->greatest <= known->greatest);
	return is_near(known->name, seen->greatest, known->greatest, known->greatest / 100.0);
}

static bool test_lengths(void)
{
	struct seen asked = { 0 }, replied = { 0 };
	uint64_t random = 1;

	for (int i = 0; i < DRAWS; i++) {
		struct web_file file = web_draw_file(&random);

		count(&asked, &requests, file.request);
		count(&replied, &replies, file.reply);
	}
	return agrees(&asked, &requests) && agrees(&replied, &replies);
}

static bool test_numbers(void)
{
	struct seen seen = { 0 };
	uint64_t random = 1;

	for (int i = 0; i < DRAWS; i++)
		count(&seen, &numbers, web_draw_number(&random));
	return agrees(&seen, &numbers);
}

static bool test_format(void)
{
	static const uint8_t bytes[] = { 'F', 'L', 'W', 'B', 0, 0, 1, 2, 0, 3, 4, 5 };
	struct web_request request = web_write_request((struct web_file){ 0x102, 0x30405 });
	struct web_file file;

	MUST(sizeof(request) == sizeof(bytes) && !memcmp(&request, bytes, sizeof(bytes)));
	MUST(web_read_request(&request, &file) && file.request == 0x102 && file.reply == 0x30405);
	return true;
}

static bool accepts(uint32_t length, uint32_t reply)
{
	struct web_request request = web_write_request((struct web_file){ length, reply });
	struct web_file file = { 0 };

	return web_read_request(&request, &file) && file.request == length && file.reply == reply;
}

static bool test_limits(void)
{
	struct web_request request = web_write_request((struct web_file){ 12, 1 });
	struct web_file file;

	MUST(accepts(12, 1) && accepts(WEB_REQUEST_MAX, WEB_REPLY_MAX));
	MUST(!accepts(11, 1) && !accepts(0, 1) && !accepts(12, 0));
	MUST(!accepts(WEB_REQUEST_MAX + 1, 1) && !accepts(12, WEB_REPLY_MAX + 1));
	MUST(!accepts(UINT32_MAX, 1) && !accepts(12, UINT32_MAX));
	request.magic ^= 1;
	MUST(!web_read_request(&request, &file));
	return true;
}

static bool test_draws_within_limits(void)
{
	MUST(accepts(requests.least, replies.least) && accepts(requests.greatest, replies.greatest));
	return true;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "lengths have Mah's distributions", test_lengths },
		{ "numbers of files have Mah's distribution", test_numbers },
		{ "a request is exactly these bytes", test_format },
		{ "a request outside the limits is refused", test_limits },
		{ "the limits allow everything that is drawn", test_draws_within_limits },
	};

	return unit_run(tests, sizeof(tests) / sizeof(tests[0]));
}
