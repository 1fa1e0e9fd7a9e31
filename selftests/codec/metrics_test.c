// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The metrics of freshlink export have every counter once, names as Prometheus asks for, and labels
 * that nothing from the network can multiply. Requests are judged whatever their bytes are.
 *
 * "metrics_test print" prints the text of a state that has every number.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <linux/pkt_sched.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "../../userspace/metrics/http.h"
#include "../../userspace/metrics/listen.h"
#include "../../userspace/metrics/prometheus.h"
#include "unit.h"

#define KINDS	(STATE_NOTICES + 1)

/* Returns the text of a state, which the caller frees. */
static char *text_of(const struct state *state)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	prometheus_print(state, out);
	fclose(out);
	return text;
}

static bool has(const struct state *state, const char *wanted)
{
	char *text = text_of(state);
	bool found = strstr(text, wanted);

	if (!found)
		printf("# expected %s\n# got %s\n", wanted, text);
	free(text);
	return found;
}

static struct state_object *lpd(struct state *state, const char *device, uint32_t handle,
				uint32_t parent)
{
	struct state_object *object = state_add(state, STATE_LPD);

	snprintf(object->device, sizeof(object->device), "%s", device);
	object->handle = handle;
	object->parent = parent;
	return object;
}

static int metrics_with(enum state_kind kind, unsigned int number)
{
	int count = 0;

	for (const struct metric *m = metric_table; m->name; m++)
		for (const uint16_t *n = m->numbers; m->kind == kind && *n; n++)
			count += *n == number;
	return count;
}

static bool test_every_counter_once(void)
{
	int checked = 0;

	for (int kind = 0; kind < KINDS; kind++) {
		for (int number = 0; number < STATE_BYTES; number++) {
			if (!metric_word(kind, number))
				continue;
			checked++;
			if (metrics_with(kind, number) != 1)
				printf("# kind %d: %s\n", kind, metric_word(kind, number));
			MUST(metrics_with(kind, number) == 1);
		}
	}
	MUST(metrics_with(STATE_LPD, TCA_LPD_STATS_REMAINING) == 1);
	MUST(checked > 150);
	return true;
}

static bool ends(const char *text, const char *end)
{
	return strlen(text) >= strlen(end) && !strcmp(text + strlen(text) - strlen(end), end);
}

static bool test_names(void)
{
	for (const struct metric *m = metric_table; m->name; m++) {
		for (const char *c = m->name; *c; c++)
			MUST(islower(*c) || isdigit(*c) || *c == '_');
		MUST(ends(m->name, "_total") == (m->type == METRIC_COUNTER));
		MUST((m->unit != METRIC_NS && m->type != METRIC_HISTOGRAM) ||
		     strstr(m->name, "_seconds"));
		MUST(ends(m->help, "."));
		MUST(m->label || !m->numbers[1]);
		for (const struct metric *other = metric_table; other < m; other++)
			MUST(strcmp(other->name, m->name));
	}
	return true;
}

static bool test_text(void)
{
	struct state state = { 0 };
	struct state_object *object = lpd(&state, "wwan0", 0x80010000, TC_H_ROOT);
	char *text;

	state_set(object, TCA_LPD_STATS_STALE_TIMER, 7);
	state_set(object, TCA_LPD_STATS_GATE_CLOSED_NS, 1500000001);
	object = state_add(&state, STATE_PROFILE);
	strcpy(object->name, "video");
	state_set(object, STATE_PACKETS, 18446744073709551615ULL);
	text = text_of(&state);
	MUST(!strncmp(text, "# HELP freshlink_build_info ", 28));
	MUST(!strcmp(strstr(text, "# HELP freshlink_lpd_d"),
"# HELP freshlink_lpd_discarded_packets_total Packets that lpd discarded.\n"
"# TYPE freshlink_lpd_discarded_packets_total counter\n"
"freshlink_lpd_discarded_packets_total{device=\"wwan0\",handle=\"8001:\",parent=\"root\",cause=\"stale_timer\"} 7\n"
"# HELP freshlink_lpd_gate_closed_seconds_total Time for which gates held packets back.\n"
"# TYPE freshlink_lpd_gate_closed_seconds_total counter\n"
"freshlink_lpd_gate_closed_seconds_total{device=\"wwan0\",handle=\"8001:\",parent=\"root\"} 1.500000001\n"
"# HELP freshlink_profile_stamped_packets_total Packets that got the lifetime of a profile.\n"
"# TYPE freshlink_profile_stamped_packets_total counter\n"
"freshlink_profile_stamped_packets_total{profile=\"video\"} 18446744073709551615\n"));
	free(text);
	state_forget(&state);
	return true;
}

static bool test_labels(void)
{
	struct state state = { 0 };

	/* a name without a final 0 would be read beyond its end */
	state_set(lpd(&state, "e\"\\\n\xff" "0123456789", 0, 0x00000002), STATE_BACKLOG, 3);
	MUST(has(&state, "freshlink_lpd_backlog_bytes{device=\"e\\\"\\\\\\\\x0a\\\\xff0123456789\""
		 ",handle=\"0:\",parent=\"0:2\"} 3\n"));
	state_forget(&state);
	return true;
}

static bool test_histogram(void)
{
	struct state state = { 0 };
	struct state_object *object = lpd(&state, "d", 0x10000, TC_H_ROOT);

	object->has[TCA_LPD_STATS_REMAINING] = true;
	object->remaining[0] = 2;
	object->remaining[3] = 5;
	object->remaining[TC_LPD_HIST_BUCKETS - 1] = 1;
	MUST(has(&state, ",le=\"0.001\"} 2\n"));
	MUST(has(&state, ",le=\"0.004\"} 2\n"));
	MUST(has(&state, ",le=\"0.008\"} 7\n"));
	MUST(has(&state, ",le=\"262.144\"} 7\n"));
	MUST(has(&state, ",le=\"+Inf\"} 8\nfreshlink_lpd_remaining_lifetime_seconds_count{device=\"d\","
		 "handle=\"1:\",parent=\"root\"} 8\n"));
	state_forget(&state);
	return true;
}

static bool test_gate(void)
{
	struct state state = { 0 };
	struct state_object *object = lpd(&state, "d", 0x10000, TC_H_ROOT);
	char *text;

	state_set(object, TCA_LPD_STATS_GATE, 0);
	state_set(object, TCA_LPD_STATS_GATE_WINDOW, UINT64_MAX);
	text = text_of(&state);
	MUST(strstr(text, "freshlink_lpd_gate_present{") && !strstr(text, "gate_window"));
	free(text);
	state_set(object, TCA_LPD_STATS_GATE, 1);
	MUST(has(&state, "freshlink_lpd_gate_window_bytes{device=\"d\",handle=\"1:\",parent=\"root\"} +Inf\n"));
	state_set(object, TCA_LPD_STATS_GATE_WINDOW, INT64_MAX);
	MUST(has(&state, "} 9223372036854775807\n"));
	state_forget(&state);
	return true;
}

static bool test_same(void)
{
	struct state old = { 0 }, new = { 0 };

	lpd(&old, "a", 0, 1);
	lpd(&old, "a", 0, 2);
	MUST(state_same(&old, lpd(&new, "a", 0, 2)) == &old.objects[1]);
	MUST(!state_same(&old, lpd(&new, "a", 0, 3)));
	MUST(!state_same(&old, lpd(&new, "b", 0, 2)));
	state_forget(&old);
	state_forget(&new);
	return true;
}

static bool test_requests(void)
{
	static const struct {
		const char *text;
		int status;
	} requests[] = {
		{ "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", 200 },
		{ "GET /metrics HTTP/1.0\r\n\r\n", 200 },
		{ "GET /metrics HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n", 200 },
		{ "GET /metrics?x HTTP/1.1\r\n\r\n", 404 },
		{ "GET / HTTP/1.1\r\n\r\n", 404 },
		{ "GET http://h/metrics HTTP/1.1\r\n\r\n", 404 },
		{ "POST /metrics HTTP/1.1\r\n\r\n", 405 },
		{ "get /metrics HTTP/1.1\r\n\r\n", 405 },
		{ "GET /metrics HTTP/2.0\r\n\r\n", 505 },
		{ "GET /metrics HTTP/1.2\r\n\r\n", 505 },
		{ "GET /metrics\r\n\r\n", 400 },
		{ "GET /metrics FTP/1.1\r\n\r\n", 400 },
		{ "GET /metrics HTTP/1.1 \r\n\r\n", 400 },
		{ "GET  /metrics HTTP/1.1\r\n\r\n", 400 },
		{ " GET /metrics HTTP/1.1\r\n\r\n", 400 },
		{ "GET /met\x80rics HTTP/1.1\r\n\r\n", 400 },
		{ "\r\n\r\n", 400 },
		{ "GET /metrics HTTP/1.1\n\n", 0 },
		{ "", 0 },
	};

	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		const char *text = requests[i].text;
		const char *end = strstr(text, "\r\n\r\n");

		if (http_judge(text, strlen(text)) != requests[i].status)
			printf("# %s", text);
		MUST(http_judge(text, strlen(text)) == requests[i].status);
		for (size_t len = 0; end && len < (size_t)(end - text) + 4; len++)
			MUST(!http_judge(text, len));
	}
	return true;
}

/* Any bytes get a verdict, and a request as long as the buffer gets one at once. */
static bool test_any_bytes(void)
{
	static const char letters[] = "GET /metrics HTTP/1.1\r\n\r\n\0\xff:";
	static char bytes[HTTP_REQUEST_MAX];

	srandom(1);
	for (int i = 0; i < 20000; i++) {
		size_t len = random() % 40;
		char *copy = malloc(len);

		for (size_t j = 0; j < len; j++)
			copy[j] = letters[random() % sizeof(letters)];
		http_judge(copy, len);
		free(copy);
	}
	memset(bytes, 'a', sizeof(bytes));
	MUST(!http_judge(bytes, sizeof(bytes) - 1));
	MUST(http_judge(bytes, sizeof(bytes)) == 431);
	memcpy(bytes, "GET /metrics HTTP/1.1\r\n", 23);
	memcpy(bytes + sizeof(bytes) - 4, "\r\n\r\n", 4);
	MUST(http_judge(bytes, sizeof(bytes)) == 200);
	return true;
}

static bool test_heads(void)
{
	char head[HTTP_HEAD_MAX];

	MUST(http_head(405, (size_t)-1, head) < sizeof(head));
	MUST(strstr(head, "\r\nAllow: GET\r\n"));
	MUST(http_head(200, 5, head) == strlen(head));
	MUST(!strcmp(head, "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
		     "Content-Length: 5\r\nConnection: close\r\n\r\n"));
	return true;
}

static bool is_at(const char *text, const char *address, uint16_t port)
{
	const struct sockaddr_in *ipv4;
	const struct sockaddr_in6 *ipv6;
	struct listen_address a;
	char shown[INET6_ADDRSTRLEN];

	if (!listen_parse(text, &a))
		return false;
	ipv4 = (const void *)&a.address;
	ipv6 = (const void *)&a.address;
	if (a.address.ss_family == AF_INET)
		inet_ntop(AF_INET, &ipv4->sin_addr, shown, sizeof(shown));
	else
		inet_ntop(AF_INET6, &ipv6->sin6_addr, shown, sizeof(shown));
	return !strcmp(shown, address) && ntohs(ipv4->sin_port) == port &&
	       ntohs(ipv6->sin6_port) == port;
}

static bool test_addresses(void)
{
	static const char *const wrong[] = {
		"", "x", "0", "65536", "-1", "1.5", "127.0.0.1", "127.0.0.1:", ":9099", "[::1]", "::1:9099",
		"[::1:9099", "[]:9099", "localhost:9099", "127.0.0.1:0", "[127.0.0.1]:9099", "1.2.3:9",
		"[1111:2222:3333:4444:5555:6666:7777:8888:9999]:9099", "*:9099", "]:1", "[:1",
	};
	char path[200] = "/";
	struct listen_address a;

	MUST(is_at("9099", "127.0.0.1", 9099));
	MUST(is_at("192.0.2.1:65535", "192.0.2.1", 65535));
	MUST(is_at("0.0.0.0:1", "0.0.0.0", 1));
	MUST(is_at("[::1]:9099", "::1", 9099));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		MUST(!listen_parse(wrong[i], &a));
	memset(path + 1, 'a', 106);
	MUST(listen_parse(path, &a) && a.address.ss_family == AF_UNIX);
	path[107] = 'a';
	MUST(strlen(path) == 108 && !listen_parse(path, &a));
	return true;
}

/* A state with two objects of each kind, which have every number. */
static void print_all(void)
{
	struct state state = { 0 };
	char *text;

	for (int i = 0; i < 2 * KINDS; i++) {
		struct state_object *object = state_add(&state, i / 2);

		if (object->kind <= STATE_ARQ)
			snprintf(object->device, sizeof(object->device), "dev%d", i % 2);
		if (object->kind == STATE_PROFILE)
			snprintf(object->name, sizeof(object->name), "a\"\\%d", i % 2);
		/* there is only one object of a module */
		if (object->kind > STATE_ARQ && object->kind != STATE_PROFILE && i % 2)
			continue;
		for (unsigned int number = 0; number < STATE_NUMBERS; number++)
			state_set(object, number, 1);
		object->remaining[4] = 3;
	}
	text = text_of(&state);
	fputs(text, stdout);
	free(text);
	state_forget(&state);
}

int main(int argc, char **argv)
{
	static const struct unit tests[] = {
		{ "every counter is in one metric", test_every_counter_once },
		{ "names of metrics", test_names },
		{ "text of a state", test_text },
		{ "foreign bytes in labels", test_labels },
		{ "histogram", test_histogram },
		{ "gate", test_gate },
		{ "the same object in an earlier state", test_same },
		{ "requests", test_requests },
		{ "requests of any bytes", test_any_bytes },
		{ "heads of answers", test_heads },
		{ "addresses", test_addresses },
	};

	if (argc > 1 && !strcmp(argv[1], "print")) {
		print_all();
		return 0;
	}
	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
