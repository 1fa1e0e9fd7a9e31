// SPDX-License-Identifier: GPL-2.0-or-later
/* What freshlink send prints of its streams. */
#include "send_parts.h"
#include "wait.h"

/* A stream, as it is now or was at its end. */
static struct fstream_info info_of(const struct flow *f)
{
	struct fstream_info info = f->last;

	if (f->stream)
		fstream_info(f->stream, &info);
	return info;
}

/* The totals of all streams, the ended ones, too. */
static void sum_all(const struct sender *s, struct fstream_totals *sum)
{
	*sum = (struct fstream_totals){ 0 };
	for (unsigned int i = 0; i < s->flows; i++) {
		struct fstream_info info = info_of(&s->flow[i]);

		send_sum(sum, &info.totals);
	}
}

/* Persistent expiry: the sum of all streams' events, and the worst stream. */
static void report_expiry(const struct sender *s, struct report *r)
{
	struct fstream_info worst = { 0 };
	uint64_t events = 0;

	for (unsigned int i = 0; i < s->flows; i++) {
		struct fstream_info info = info_of(&s->flow[i]);

		events += info.totals.expiries;
		if (!i || info.share > worst.share)
			worst = info;
	}
	report_open(r, "expiry");
	report_number(r, "events", (int64_t)events);
	report_share(r, "share", worst.share, 1000);
	report_text(r, "place", events ? fstream_place_name(worst.place) : "none");
	report_seconds(r, "lifetime", worst.lifetime);
	report_number(r, "limit", (int64_t)worst.limit);
	report_close(r);
}

/* What congestion control was told on all connections. */
static void report_told(const struct sender *s, struct report *r)
{
	struct dccp_told told = s->told;
	struct fdccp_info info;

	for (unsigned int i = 0; i < s->flows; i++) {
		if (!s->flow[i].stream)
			continue;
		fstream_io_conn_info(s->flow[i].stream, &info);
		dccp_told_add(&told, &info);
	}
	dccp_told_report(&told, r);
}

static void report_path(const struct sender *s, struct report *r)
{
	struct fstream_info info;
	size_t backlog = 0;
	uint64_t rate = 0;
	int64_t srtt = 0;

	for (unsigned int i = 0; i < s->flows; i++) {
		if (!s->flow[i].stream)
			continue;
		fstream_info(s->flow[i].stream, &info);
		rate += info.rate;
		backlog += info.backlog;
		srtt = info.srtt > srtt ? info.srtt : srtt;
	}
	report_number(r, "rate", (int64_t)rate);
	report_number(r, "backlog", (int64_t)backlog);
	report_seconds(r, "rtt", srtt);
}

static void print_stats(struct sender *s)
{
	struct report r = report_event(given(s, JSON), "stats", fl_real());
	struct fstream_totals sum;

	sum_all(s, &sum);
	report_path(s, &r);
	send_report_sender(&r, &sum, given(s, SENSITIVE));
	report_expiry(s, &r);
	send_stamp_report(s, &r);
	report_told(s, &r);
	report_end(&r);
}

/* The encryption of all streams, also of those whose end nobody has answered. */
static void report_secrecy(const struct sender *s, struct report *r)
{
	struct send_secrecy all = s->secrecy;

	for (unsigned int i = 0; i < s->flows; i++)
		if (s->flow[i].stream)
			send_secrecy_add(&all, s->flow[i].stream);
	send_secrecy_report(r, &all);
}

void send_print_summary(struct sender *s)
{
	struct report r = report_begin(given(s, JSON));
	struct fstream_totals sum;

	sum_all(s, &sum);
	report_number(&r, "streams", s->flows);
	report_seconds(&r, "seconds", fl_now() - s->start);
	send_report_sender(&r, &sum, given(s, SENSITIVE));
	report_told(s, &r);
	report_number(&r, "held_back", (int64_t)s->held_back);
	report_number(&r, "socket_drops", send_input_drops(&s->input));
	report_expiry(s, &r);
	report_break(&r);
	spread_report(&r, "latency", &s->latency);
	spread_report(&r, "rtt", &s->rtt);
	report_break(&r);
	if (s->dtls)
		report_secrecy(s, &r);
	report_text(&r, "via", dccp_lifetimes_words[fdccp_io_lifetimes(fstream_io_dccp(s->io))]);
	send_stamp_report(s, &r);
	report_text(&r, "end", s->waiting ? "interrupted" :
		    s->failed ? dccp_reason_text(&s->end) : "closed");
	report_end(&r);
}

/* Prints a line of totals if it is time. Return: when the next one is due. */
int64_t send_do_stats(struct sender *s)
{
	if (!given(s, STATS))
		return FL_NEVER;
	if (fl_now() >= s->next_stats) {
		print_stats(s);
		s->next_stats += (int64_t)s->values[STATS].number;
	}
	return s->next_stats;
}
