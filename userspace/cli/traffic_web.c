// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * freshlink traffic web: loads Web pages over TCP, without pauses. The model of the pages is in
 * web.h.
 *
 * A transaction is a page and its embedded objects. The client requests the page, and then one
 * object after the other, over one connection or over a new connection for each file. The next
 * transaction begins at the end of the previous one. Only complete transactions are counted.
 *
 * All random numbers are whole numbers. The order in which they are drawn does not depend on
 * the network. A seed therefore gives the same transactions on every computer.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/param.h>
#include <sys/socket.h>
#include <unistd.h>

#include "report.h"
#include "traffic.h"
#include "traffic_client.h"
#include "wait.h"
#include "web.h"

#define READ_MAX	(1 << 20)	/* maximum bytes of one read, so that signals are noticed */
#define SLEEP_MAX	16384		/* bytes for which the client sleeps; its window is larger */

enum { PORT, TRANSACTIONS, DURATION, IDLE, FILES, CONNECT, SEED, LOG, JSON };
enum { FILES_ALL, FILES_EMBEDDED };
enum { CONNECT_ONCE, CONNECT_FILE };

static const char *const files_words[] = { "all", "embedded", NULL };
static const char *const connect_words[] = { "once", "file", NULL };

static const struct fl_option options[] = {
	[PORT] = TRAFFIC_ROW_PORT("TCP port of the server"),
	[TRANSACTIONS] = { .word = "--transactions", .type = FL_COUNT,
			   .unit = "transactions", .min = 1, .max = INT64_MAX,
			   .def = FL_NO_DEFAULT,
			   .help = "end after this many transactions" },
	[DURATION] = CLI_ROW_DURATION,
	[IDLE] = TRAFFIC_ROW_IDLE,
	[FILES] = { .word = "--files", .type = FL_WORD, .words = files_words,
		    .def = FILES_ALL,
		    .help = "files of a page that the model's number of files counts" },
	[CONNECT] = { .word = "--connect", .type = FL_WORD, .words = connect_words,
		      .def = CONNECT_ONCE,
		      .help = "load all files over one connection, or each over its own" },
	[SEED] = CLI_ROW_SEED,
	[LOG] = { .word = "--log", .type = FL_TEXT, .unit = "file",
		  .def = FL_NO_DEFAULT,
		  .help = "write a line of CSV for each transaction" },
	[JSON] = { .word = "-j", .type = FL_FLAG, .def = FL_NO_DEFAULT,
		   .help = "summary as JSON" },
	{ .word = NULL },
};

CLI_FITS(options);

/* A transaction, with its times in ns of CLOCK_MONOTONIC. */
struct transaction {
	uint64_t files;			/* the page and its objects */
	uint64_t requested;		/* bytes of requests */
	uint64_t bytes;			/* bytes of replies */
	int64_t start;
	int64_t end;
};

/* One client at work. */
struct client {
	const struct cli_args *args;
	const struct fl_value *values;	/* args->values */
	const struct sockaddr_storage *to;
	socklen_t to_len;
	int fd;				/* the connection, or -1 */
	FILE *log;
	uint64_t random;
	int64_t start;			/* CLOCK_MONOTONIC */
	int64_t real;			/* CLOCK_REALTIME minus CLOCK_MONOTONIC, at @start */
	int64_t end;			/* end of the duration, or FL_NEVER */
	int64_t last;			/* time of the last arrival, or @start */

	uint64_t transactions;		/* complete ones, as the following */
	uint64_t files;
	uint64_t bytes;
	int64_t took;			/* ns from the start to the end of the last */
	bool failed;
};

/* Prints an error of the current transaction. */
static bool fail(struct client *c, const char *what, const char *why)
{
	c->failed = true;
	cli_error(c->args->who, "transaction %" PRIu64 " with %s port %" PRIu64 ": %s: %s",
		  c->transactions + 1, c->args->operand, c->values[PORT].number,
		  what, why);
	return false;
}

/* Prints errno, unless a signal or the end of the duration has ended a wait. */
static bool fail_errno(struct client *c, const char *what)
{
	return errno != EINTR && fail(c, what, strerror(errno));
}

static bool send_request(struct client *c, struct transaction *t, struct web_file file)
{
	static char request[WEB_REQUEST_MAX];
	const struct web_request start = web_write_request(file);

	memcpy(request, &start, sizeof(start));
	return traffic_write(c->fd, request, file.request, c->end,
			     &t->requested) || fail_errno(c, "broke off");
}

/* Reads a part of a reply. MSG_TRUNC discards the data without a copy. */
static bool read_part(struct client *c, uint32_t *left)
{
	ssize_t len = recv(c->fd, NULL, READ_MAX, MSG_TRUNC | MSG_DONTWAIT);

	if (len < 0)
		return errno == EAGAIN || fail_errno(c, "broke off");
	if (!len)
		return fail(c, "broke off", "the server has ended the connection");
	if (len > *left)
		return fail(c, "broke off", "the reply is longer than requested");
	*left -= len;
	c->last = fl_now();
	return true;
}

/* Lets the client sleep until the rest of the reply, or a large part of it, has arrived. With
 * --idle the client wakes for each part, because it watches the time of the last one.
 */
static bool set_sleep(struct client *c, uint32_t left)
{
	const int bytes = MIN(left, SLEEP_MAX);

	return c->values[IDLE].set ||
	       !setsockopt(c->fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof(bytes)) ||
	       fail_errno(c, "broke off");
}

static bool open_connection(struct client *c)
{
	c->fd = traffic_connect(c->to, c->to_len, c->end);
	return c->fd >= 0 || fail_errno(c, "cannot connect");
}

static void close_connection(struct client *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

/* Loads a file over the connection. */
static bool load_reply(struct client *c, struct transaction *t, struct web_file file)
{
	uint32_t left = file.reply;

	if (!send_request(c, t, file))
		return false;
	while (left)
		if (!set_sleep(c, left) ||
		    !traffic_wait(c->fd, c->values, DURATION, IDLE, c->start,
				  c->last) || !read_part(c, &left))
			return false;
	t->bytes += file.reply;
	return true;
}

static bool load_file(struct client *c, struct transaction *t)
{
	const struct web_file file = web_draw_file(&c->random);
	const bool own = c->values[CONNECT].number == CONNECT_FILE;

	if ((own && !open_connection(c)) || !load_reply(c, t, file))
		return false;
	if (own)
		close_connection(c);
	return true;
}

static void log_transaction(const struct client *c, const struct transaction *t)
{
	if (c->log)
		fprintf(c->log, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			",%" PRId64 ",%" PRId64 "\n",
			c->transactions, t->files, t->requested, t->bytes,
			c->real + t->start, c->real + t->end);
}

static bool run_transaction(struct client *c)
{
	struct transaction t = { .start = fl_now() };

	t.files = web_draw_number(&c->random) +
		  (c->values[FILES].number == FILES_EMBEDDED);
	for (uint64_t i = 0; i < t.files; i++)
		if (!load_file(c, &t))
			return false;
	t.end = fl_now();
	c->transactions++;
	c->files += t.files;
	c->bytes += t.bytes;
	c->took = t.end - c->start;
	log_transaction(c, &t);
	return true;
}

static void run_transactions(struct client *c)
{
	c->random = c->values[SEED].number;
	c->start = c->last = fl_now();
	c->real = fl_real() - c->start;
	c->end = c->values[DURATION].set ?
		 c->start + (int64_t)c->values[DURATION].number : FL_NEVER;
	if (c->values[CONNECT].number == CONNECT_ONCE && !open_connection(c))
		return;
	while (c->transactions < c->values[TRANSACTIONS].number &&
	       run_transaction(c))
		;
	close_connection(c);
}

static void print_summary(const struct client *c)
{
	static const struct fl_option rate = { .type = FL_RATE };
	struct report r = report_begin(c->values[JSON].set);

	report_number(&r, "transactions", c->transactions);
	report_number(&r, "files", c->files);
	report_number(&r, "bytes", c->bytes);
	report_seconds(&r, "seconds", c->took);
	if (c->took)
		report_value(&r, "throughput", &rate, &(struct fl_value){
			.number = (double)c->bytes * FL_SEC / c->took,
		});
	report_number(&r, "seed", c->values[SEED].number);
	report_end(&r);
}

static int run_web(const struct cli_args *args)
{
	struct sockaddr_storage to;
	struct client c = { .args = args, .values = args->values, .to = &to, .fd = -1 };
	bool logged;

	if (!traffic_find(args, SOCK_STREAM, c.values[PORT].number, &to,
			  &c.to_len) ||
	    !traffic_open_log(args, LOG, "transaction,files,requested,bytes,start_ns,end_ns",
			      &c.log))
		return EXIT_FAILED;
	wait_hold_signals();
	run_transactions(&c);
	logged = traffic_close_log(args, LOG, c.log);
	print_summary(&c);
	return logged && !c.failed ? EXIT_OK : EXIT_FAILED;
}

const struct command traffic_web_command = {
	.name = "traffic web",
	.operand = "HOST",
	.summary = "load Web pages over TCP, by the model of Mah",
	.options = options,
	.run = run_web,
};
