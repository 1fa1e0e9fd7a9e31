// SPDX-License-Identifier: GPL-2.0-or-later
/* What freshlink send and recv share: see send.h. */
#include "send.h"

/* A silent peer is asked so often that it counts as gone after five questions without an answer. */
#define QUESTIONS	5

void send_params(struct fdccp_params *params, const struct fl_value *ccid,
		 const struct fl_value *silence)
{
	dccp_params(params, ccid);
	params->silence = (int64_t)silence->number;
	params->keepalive = params->silence / (QUESTIONS + 1);
}

bool send_open(const struct cli_args *args, const struct fdccp_io_config *config,
	       struct fstream_io **io)
{
	const char *why = NULL;
	int err = fstream_io_open(config, io, &why);

	if (err)
		dccp_open_error(args, why, err);
	return !err;
}

void send_sum(struct fstream_totals *sum, const struct fstream_totals *totals)
{
	sum->submitted += totals->submitted;
	for (int end = 0; end < FSTREAM_ENDS; end++)
		sum->end[end] += totals->end[end];
	sum->outstanding += totals->outstanding;
	sum->on_time += totals->on_time;
	sum->late += totals->late;
	sum->delivered += totals->delivered;
	sum->overdue += totals->overdue;
	sum->missing += totals->missing;
	sum->pieces += totals->pieces;
	sum->repeats += totals->repeats;
	sum->needless += totals->needless;
	sum->full += totals->full;
	sum->bytes += totals->bytes;
	sum->bytes_whole += totals->bytes_whole;
	sum->bytes_damaged += totals->bytes_damaged;
	sum->damaged += totals->damaged;
	sum->refused += totals->refused;
	sum->expiries += totals->expiries;
}

static void report_packets(struct report *r, const struct fstream_totals *totals, bool partial)
{
	report_open(r, "packets");
	report_number(r, "pieces", (int64_t)totals->pieces);
	report_number(r, "repeats", (int64_t)totals->repeats);
	report_number(r, "needless", (int64_t)totals->needless);
	report_number(r, "bytes", (int64_t)totals->bytes);
	if (partial) {
		report_number(r, "bytes_whole", (int64_t)totals->bytes_whole);
		report_number(r, "bytes_damaged", (int64_t)totals->bytes_damaged);
	}
	report_number(r, "refused", (int64_t)totals->refused);
	report_close(r);
}

void send_report_sender(struct report *r, const struct fstream_totals *totals, bool partial)
{
	report_number(r, "submitted", (int64_t)totals->submitted);
	report_number(r, "outstanding", (int64_t)totals->outstanding);
	report_open(r, "ends");
	for (int end = 0; end < FSTREAM_ENDS; end++)
		report_number(r, fstream_end_name(end), (int64_t)totals->end[end]);
	report_close(r);
	report_number(r, "on_time", (int64_t)totals->on_time);
	report_number(r, "late", (int64_t)totals->late);
	report_break(r);
	report_packets(r, totals, partial);
}

void send_report_receiver(struct report *r, const struct fstream_totals *totals, bool partial)
{
	report_number(r, "delivered", (int64_t)totals->delivered);
	report_number(r, "on_time", (int64_t)totals->on_time);
	report_number(r, "late", (int64_t)totals->late);
	report_number(r, "missing", (int64_t)totals->missing);
	report_number(r, "overdue", (int64_t)totals->overdue);
	report_number(r, "full", (int64_t)totals->full);
	if (partial)
		report_number(r, "damaged", (int64_t)totals->damaged);
	report_break(r);
	report_packets(r, totals, partial);
}
