// SPDX-License-Identifier: GPL-2.0-or-later
/* What the sending half of CCID 3 reads from a feedback packet: RFC 4342 sections 8.3 to 8.6. */
#include "ccid3.h"
#include "seq.h"
#include "tfrc.h"

#define LOSS_BITS	0x7fffff	/* the bit above is the ECN nonce echo: RFC 8311 */

static uint32_t limited(uint32_t number, uint32_t limit)
{
	if (number > limit)
		return limit;
	return number ? number : 1;
}

/* Adds an interval that ends before @end. Return: whether older ones may follow. */
static bool add(struct fdccp_ccid3_report *report, const uint8_t *value, uint64_t end,
		uint64_t first)
{
	struct fdccp_loss_intervals *intervals = &report->intervals;
	uint32_t lossless = fdccp_get_number(value, 3);
	uint32_t loss = fdccp_get_number(value + 3, 3) & LOSS_BITS;
	struct fdccp_loss_interval interval = {
		.start = fdccp_seq_add(end, -(int64_t)(lossless + loss)), .loss = loss,
	};

	if (fdccp_seq_before(interval.start, first))
		interval.loss = 0;
	interval.length = limited(fdccp_get_number(value + 6, 3),
				  interval.loss ? lossless + loss : FDCCP_INTERVAL_MAX);
	if (!intervals->count)
		report->endless = lossless == FDCCP_INTERVAL_MAX;
	intervals->at[intervals->count++] = interval;
	return interval.loss;
}

static int read_intervals(struct fdccp_ccid3_report *report, const struct fdccp_option *option,
			  uint64_t ack, uint64_t first)
{
	const uint8_t *value = option->value + 1;
	uint64_t end;

	if (option->len < 1 + FDCCP_INTERVAL_LEN || (option->len - 1) % FDCCP_INTERVAL_LEN)
		return FDCCP_RESET_OPTION_ERROR;
	/* a second option has only older intervals than those that count */
	if (report->has_intervals || option->value[0] > FDCCP_NDUPACK)
		return 0;
	report->has_intervals = true;
	end = fdccp_seq_add(ack, 1 - (int64_t)option->value[0]);
	for (; value < option->value + option->len; value += FDCCP_INTERVAL_LEN) {
		if (report->intervals.count == FDCCP_INTERVALS || !add(report, value, end, first))
			break;
		end = report->intervals.at[report->intervals.count - 1].start;
	}
	return 0;
}

static int read_number(const struct fdccp_option *option, bool *has, uint32_t *number)
{
	if (option->len != 4)
		return FDCCP_RESET_OPTION_ERROR;
	*has = true;
	*number = fdccp_get_number(option->value, 4);
	return 0;
}

int fdccp_ccid3_read(struct fdccp_ccid3_report *report, const struct fdccp_option *option,
		     uint64_t ack, uint64_t first)
{
	switch (option->type) {
	case FDCCP_OPT_LOSS_EVENT_RATE:
		return read_number(option, &report->has_event_rate, &report->event_rate);
	case FDCCP_OPT_RECEIVE_RATE:
		return read_number(option, &report->has_rate, &report->rate);
	case FDCCP_OPT_LOSS_INTERVALS:
		return read_intervals(report, option, ack, first);
	default:
		return option->mandatory ? FDCCP_RESET_MANDATORY_ERROR : 0;
	}
}
