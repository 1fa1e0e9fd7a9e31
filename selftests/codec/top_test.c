// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The screen of freshlink top shows what has happened between two looks. Counters that fell,
 * foreign bytes in names and any number of flows do not disturb it.
 */
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/pkt_sched.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "../../userspace/cli/address.h"
#include "../../userspace/lib/units.h"
#include "../../userspace/top/view.h"
#include "unit.h"

static struct state_object *add(struct state *state, enum state_kind kind, const char *device,
				uint32_t handle)
{
	struct state_object *object = state_add(state, kind);

	snprintf(object->device, sizeof(object->device), "%s", device);
	object->handle = handle;
	return object;
}

static bool is(const char *got, const char *wanted)
{
	if (!strcmp(got, wanted))
		return true;
	printf("# got %s\n# expected %s\n", got, wanted);
	return false;
}

static bool test_numbers(void)
{
	static const struct {
		double rate;
		const char *text;
	} rates[] = {
		{ 0, "0" }, { 0.05, "0.40" }, { 1, "8" }, { 124.9, "999" },
		{ 124.95, "1.00k" }, { 125, "1k" }, { 250000, "2M" }, { 256250, "2.05M" }, { 1.25e9, "10G" }, { 1.24e18, "9.92E" },
		{ 1.8e19, "144E" },
	};
	char buf[TOP_NUMBER];

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		MUST(is(top_bits(rates[i].rate, buf), rates[i].text) && strlen(buf) <= 6);
	MUST(is(top_bytes(1023, buf), "1.00k") && is(top_bytes(1024, buf), "1k"));
	MUST(is(top_bytes(12595, buf), "12.3k") && is(top_bytes(999, buf), "999"));
	MUST(is(top_bytes(UINT32_MAX, buf), "4.00G"));
	MUST(is(top_count(0.25, buf), "0.25") && is(top_count(1234567, buf), "1.23M"));
	return true;
}

static bool test_times(void)
{
	char buf[TOP_NUMBER];

	MUST(is(top_time(0, buf), "0us") && is(top_time(999999, buf), "999us"));
	MUST(is(top_time(20000000, buf), "20ms") && is(top_time(9999999999, buf), "9999ms"));
	MUST(is(top_time(10500000000, buf), "10.5s") && is(top_time(60000000000, buf), "60s"));
	MUST(strlen(top_time(UINT64_MAX, buf)) <= 9);
	return true;
}

static bool test_histogram(void)
{
	uint64_t before[TC_LPD_HIST_BUCKETS] = { 5, 5, 5 }, now[TC_LPD_HIST_BUCKETS] = { 5, 5, 5 };
	char text[TOP_LEFT + 1];

	top_histogram(now, before, text);
	MUST(is(text, ""));
	now[0] = 6;
	now[1] = 7;
	now[7] = 1;
	now[19] = 6;
	top_histogram(now, before, text);
	MUST(is(text, "3..1.....6"));
	/* the qdisc was made anew */
	top_histogram(before, now, text);
	MUST(is(text, ""));
	memset(now, 0, sizeof(now));
	now[5] = UINT64_MAX;
	top_histogram(now, before, text);
	MUST(is(text, "..#......."));
	return true;
}

static bool test_rates(void)
{
	struct state before = { 0 }, now = { 0 };
	struct state_object *old = add(&before, STATE_LPD, "d", 0x10000);
	struct state_object *new = add(&now, STATE_LPD, "d", 0x10000);
	struct top_row row;

	state_set(old, STATE_BYTES, 1000);
	state_set(new, STATE_BYTES, 3000);
	state_set(old, TCA_LPD_STATS_ADU, 9);
	state_set(new, TCA_LPD_STATS_ADU, 8);
	state_set(new, TCA_LPD_STATS_STALE_TIMER, 2);
	state_set(new, TCA_LPD_STATS_OVERFLOW_LIMIT, 6);
	top_row_make(&row, new, old, 2 * FL_SEC);
	MUST(row.rate == 1000 && row.lost == 4 && row.causes == 2);
	MUST(row.cause[0].rate == 3 && !strcmp(row.cause[0].word, "overflow_limit"));
	MUST(row.cause[1].rate == 1 && !strcmp(row.cause[1].word, "stale_timer"));
	MUST(!top_row_is_idle(&row));
	/* an object that was not there before has no rates yet */
	top_row_make(&row, new, NULL, 1);
	MUST(row.rate == 0 && !row.causes && !*row.left && top_row_is_idle(&row));
	state_forget(&before);
	state_forget(&now);
	return true;
}

static bool test_estimate(void)
{
	struct state state = { 0 };
	struct state_object *object = add(&state, STATE_LPD, "d", 0x10000);
	struct top_row row;

	state_set(object, TCA_LPD_STATS_GATE_RATE, 5);
	state_set(object, TCA_LPD_STATS_LINK_RATE, 7);
	state_set(object, TCA_LPD_STATS_LINK_DELAY, 8);
	top_row_make(&row, object, NULL, 1);
	MUST(row.link_rate == 7 && row.link_delay == 8);
	state_set(object, TCA_LPD_STATS_GATE, 1);
	top_row_make(&row, object, NULL, 1);
	MUST(row.link_rate == 5 && row.link_delay == 0);
	state_forget(&state);
	return true;
}

static const char *name_of(unsigned int index, char *buf)
{
	snprintf(buf, IF_NAMESIZE, "dev%u", index);
	return buf;
}

/* Returns the text of a view, which the caller frees. */
static char *text_of(const struct top_view *view)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	top_view_print(view, out);
	fclose(out);
	return text;
}

static struct flow flow_of(uint16_t port)
{
	struct in_addr ipv4 = { htonl(0xc0000201) };

	return (struct flow){ .ethertype = ETH_P_IP, .is_ip = true, .protocol = IPPROTO_UDP,
			      .address = { address_map(ipv4), address_map(ipv4) },
			      .has_ports = true, .port = { port, 5004 } };
}

static void fill(struct state *state, int64_t time, uint64_t n)
{
	struct state_object *object;

	state->time = time;
	object = add(state, STATE_LPD, "dev1", 0x80000);
	state_set(object, STATE_BYTES, n * 250000);
	state_set(object, STATE_BACKLOG, 12595);
	state_set(object, TCA_LPD_STATS_QUEUED, 12);
	state_set(object, TCA_LPD_STATS_STALE_TIMER, n * 40);
	state_set(object, TCA_LPD_STATS_GATE, 1);
	state_set(object, TCA_LPD_STATS_GATE_RATE, 256250);
	state_set(object, TCA_LPD_STATS_GATE_DELAY, 20000000);
	object->remaining[5] = n;
	add(state, STATE_CLASS, "dev1", 0x80001)->parent = 0x80000;
	/* an lpd without a class on the same device */
	add(state, STATE_LPD, "dev1", 0x90000);
	object = add(state, STATE_ARQ, "a\x1b", 0);
	state_set(object, ARQLINK_STATS_HELD, 3);
	object = state_add(state, STATE_RTO);
	state_set(object, XRTO_STATS_AT_ONCE, n);
	state_set(object, XRTO_STATS_RECEIVED, 5 * n);
}

static bool test_screen(void)
{
	struct state before = { 0 }, now = { 0 };
	static struct top_sample sample;
	struct flow flow = flow_of(4000);
	struct top_view view = { .now = &now, .before = &before, .sample = &sample, .one_in = 16,
				 .sample_ns = FL_SEC, .flows = 5, .device_name = name_of };
	char *text;

	fill(&before, 0, 1);
	fill(&now, 2 * FL_SEC, 3);
	top_sample_add(&sample, &flow, 1, 3000);
	top_sample_add(&sample, &flow, 7, 1000);
	text = text_of(&view);
	MUST(is(text,
"timeouts moved: 1/s at_once 1\n"
"DEVICE HANDLE   BIT/S BACKLOG 2ms...131s   LINK  DELAY LOST/S BY CAUSE\n"
"dev1   8:          2M   12.3k ..#.......  2.05M   20ms     40 stale_timer 40\n"
"dev1   8:1          0       0                 -      -      0 \n"
"dev1   9:           0       0                 -      -      0 \n"
"a\\x1b  arqlink      0      3p                 -      -      0 \n"
"\n"
"DEVICE  BIT/S  SHARE  FLOW\n"
"dev1     384k    75%  udp 192.0.2.1:4000 > 192.0.2.1:5004\n"
"sample: one packet in 16, 2 packets, 0 lost\n"));
	free(text);
	view.one_device = true;
	text = text_of(&view);
	MUST(strstr(text, "\ndev7     128k    25%  udp "));
	free(text);
	view.hide_idle = true;
	view.sample = NULL;
	text = text_of(&view);
	MUST(!strstr(text, "8:1") && strstr(text, "arqlink"));
	MUST(strstr(text, "\nflows: unknown without CAP_NET_RAW\n"));
	free(text);
	view.flows = 0;
	text = text_of(&view);
	MUST(!strstr(text, "flows"));
	free(text);
	state_forget(&before);
	state_forget(&now);
	return true;
}

static bool test_nothing(void)
{
	struct state state = { 0 };
	struct top_view view = { .now = &state, .before = &state };
	char *text = text_of(&view);

	MUST(strstr(text, "timeouts moved: unknown, without xlo_rto or CAP_NET_ADMIN\n"));
	MUST(strstr(text, "\nno lpd and no arqlink is there: "));
	free(text);
	return true;
}

/* A flow with a large share stays in the sample, however many flows somebody makes. */
static bool test_many_flows(void)
{
	static struct top_sample s;
	struct flow large = flow_of(1), flow;
	uint64_t sum = 0;

	for (int i = 0; i < 60000; i++) {
		flow = flow_of(i + 2);
		top_sample_add(&s, &flow, 1, 100);
		if (i % 100 == 0)
			top_sample_add(&s, &large, 1, 1000);
	}
	top_sample_sort(&s);
	MUST(s.count == TOP_FLOWS && s.packets == 60600);
	MUST(flow_is_same(&s.flows[0].flow, &large) && s.flows[0].bytes >= 600000);
	for (int i = 0; i < s.count; i++)
		sum += s.flows[i].bytes;
	MUST(sum == s.bytes && s.bytes == 60000 * 100 + 600 * 1000);
	return true;
}

static bool test_flows(void)
{
	struct flow flow = flow_of(4000), other = flow;
	char buf[FLOW_TEXT];

	other.port[1]++;
	MUST(!flow_is_same(&flow, &other));
	inet_pton(AF_INET6, "2001:db8::1", &flow.address[1]);
	MUST(is(flow_format(&flow, buf), "udp 192.0.2.1:4000 > [2001:db8::1]:5004"));
	flow.protocol = 253;
	flow.has_ports = false;
	MUST(is(flow_format(&flow, buf), "253 192.0.2.1 > 2001:db8::1"));
	inet_pton(AF_INET6, "1111:2222:3333:4444:5555:6666:7777:8888", &flow.address[1]);
	flow.address[0] = flow.address[1];
	flow.protocol = IPPROTO_UDPLITE;
	flow.has_ports = true;
	flow.port[0] = flow.port[1] = 65535;
	MUST(strlen(flow_format(&flow, buf)) == 7 + 3 + 2 * 47 + 1);
	MUST(is(flow_format(&(struct flow){ .ethertype = 0x88cc }, buf), "0x88cc"));
	return true;
}

static enum top_typed type(const char *keys, int64_t *delay)
{
	enum top_typed typed = TOP_TYPING;
	struct top_prompt p = { 0 };

	for (; *keys && typed == TOP_TYPING; keys++)
		typed = top_prompt_key(&p, *keys, delay);
	return typed;
}

static bool test_prompt(void)
{
	static const char *const wrong[] = {
		"\n", "0\n", "0.09\n", "3601\n", "..\n", "1.2.3\n", "5\033", "99999999999\n", ".\n",
	};
	int64_t delay = 0;

	MUST(type("0.1\n", &delay) == TOP_DONE && delay == 100000000);
	MUST(type("x3-6\tq00\r", &delay) == TOP_DONE && delay == (int64_t)TOP_DELAY_MAX);
	MUST(type("\b12\b\1775\n", &delay) == TOP_DONE && delay == 5000000000);
	MUST(type("111111111111111111111\n", &delay) == TOP_CANCELLED);
	MUST(type("5", &delay) == TOP_TYPING);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		MUST(type(wrong[i], &delay) == TOP_CANCELLED);
	MUST(delay == 5000000000);
	return true;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "numbers", test_numbers },
		{ "times", test_times },
		{ "histogram", test_histogram },
		{ "rates and causes", test_rates },
		{ "estimate of the link", test_estimate },
		{ "screen", test_screen },
		{ "screen without an object", test_nothing },
		{ "many flows", test_many_flows },
		{ "flows as text", test_flows },
		{ "typed delay", test_prompt },
	};

	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
