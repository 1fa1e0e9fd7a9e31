// SPDX-License-Identifier: GPL-2.0-or-later
/* A socket that takes words while a command runs: see tune.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lib/units.h"
#include "../stream/freshlink-stream.h"
#include "cli.h"
#include "tune.h"

#define ANSWER_MAX	128
#define OVERHEAD_MAX	100000	/* 1/1000 */

static int open_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

/* Whether the path is a socket that nobody listens on, as a process leaves it that was killed. */
static bool is_left_over(const struct sockaddr_un *address)
{
	struct stat file;
	bool refused;
	int fd;

	if (lstat(address->sun_path, &file) || !S_ISSOCK(file.st_mode))
		return false;
	fd = open_socket();
	refused = fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof(*address)) &&
		  errno == ECONNREFUSED;
	if (fd >= 0)
		close(fd);
	return refused;
}

static bool bind_socket(const struct tune *t)
{
	mode_t mask = umask(0177);
	int err = bind(t->fd, (const struct sockaddr *)&t->address, sizeof(t->address));

	umask(mask);
	return !err && !listen(t->fd, TUNE_CLIENTS);
}

static bool watch(const struct tune *t, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	return !epoll_ctl(t->epoll, EPOLL_CTL_ADD, fd, &event);
}

static bool open_all(struct tune *t, int other)
{
	if (is_left_over(&t->address))
		unlink(t->address.sun_path);
	t->fd = open_socket();
	if (t->fd < 0)
		return false;
	if (!bind_socket(t)) {
		close(t->fd);
		t->fd = -1;
		return false;
	}
	t->epoll = epoll_create1(EPOLL_CLOEXEC);
	return t->epoll >= 0 && watch(t, t->fd) && watch(t, other);
}

bool tune_open(struct tune *t, const char *who, const char *path, int fd)
{
	t->fd = -1;
	t->epoll = -1;
	t->address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	for (int i = 0; i < TUNE_CLIENTS; i++)
		t->client[i].fd = -1;
	if (!path)
		return true;
	if (!*path || strlen(path) >= sizeof(t->address.sun_path)) {
		cli_error(who, "--tune %s: expected a path of 1 to %zu bytes", path,
			  sizeof(t->address.sun_path) - 1);
		return false;
	}
	strcpy(t->address.sun_path, path);
	if (open_all(t, fd))
		return true;
	if (errno == EADDRINUSE)
		cli_error(who, "--tune %s: expected no file, or a socket that no process uses",
			  path);
	else
		cli_error(who, "--tune %s: %s", path, strerror(errno));
	return false;
}

static void disconnect(struct tune_client *client)
{
	close(client->fd);
	client->fd = -1;
}

/* Takes a client, if there is a place for it. */
static void take_client(struct tune *t)
{
	int fd = accept4(t->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd < 0)
		return;
	for (int i = 0; i < TUNE_CLIENTS; i++) {
		if (t->client[i].fd >= 0)
			continue;
		t->client[i] = (struct tune_client){ .fd = fd };
		if (!watch(t, fd))
			disconnect(&t->client[i]);
		return;
	}
	close(fd);
}

/* Return: whether the overhead was right; else the answer says what was expected. */
static bool set_overhead(struct tune *t, const char *value, char *answer)
{
	uint64_t overhead;
	bool ok = value && fl_parse(value, fl_units_factor, &overhead) && overhead <= OVERHEAD_MAX;

	if (ok)
		t->overhead = overhead;
	snprintf(answer, ANSWER_MAX, ok ? "ok\n" : "overhead: expected a number from 0 to 100\n");
	return ok;
}

/* Sets what a line says. Return: whether it was right; else the answer says what was expected. */
static bool set(struct tune *t, char *line, char *answer)
{
	char *value = strchr(line, ' ');
	int64_t *where = NULL;
	uint64_t ns;

	if (value)
		*value++ = '\0';
	if (strcmp(line, "lifetime") == 0)
		where = &t->lifetime;
	else if (strcmp(line, "latency") == 0)
		where = &t->latency;
	else if (t->sender && strcmp(line, "overhead") == 0)
		return set_overhead(t, value, answer);
	if (!where) {
		snprintf(answer, ANSWER_MAX, "expected lifetime TIME%s or latency TIME\n",
			 t->sender ? ", overhead NUMBER" : "");
		return false;
	}
	if (!value || !fl_parse(value, fl_units_time, &ns) || ns < FL_MS ||
	    ns > (uint64_t)FSTREAM_LIFETIME_MAX) {
		snprintf(answer, ANSWER_MAX,
			 "%s: expected a time in s, ms, us or ns from 1ms to 4294s\n", line);
		return false;
	}
	*where = (int64_t)ns;
	snprintf(answer, ANSWER_MAX, "ok\n");
	return true;
}

/* Takes the lines that are whole. Return: whether one has set something. */
static bool take_lines(struct tune *t, struct tune_client *client)
{
	char answer[ANSWER_MAX];
	bool any = false;
	char *end;

	while (client->fd >= 0 && (end = memchr(client->line, '\n', client->len))) {
		size_t used = (size_t)(end + 1 - client->line);

		*end = '\0';
		any |= set(t, client->line, answer);
		client->len -= used;
		memmove(client->line, end + 1, client->len);
		if (send(client->fd, answer, strlen(answer), MSG_NOSIGNAL) < 0)
			disconnect(client);
	}
	return any;
}

static bool take_input(struct tune *t, struct tune_client *client)
{
	ssize_t got = recv(client->fd, client->line + client->len, TUNE_LINE - client->len, 0);
	bool any;

	if (got < 0 && errno == EAGAIN)
		return false;
	if (got <= 0) {
		disconnect(client);
		return false;
	}
	client->len += (size_t)got;
	any = take_lines(t, client);
	if (client->fd >= 0 && client->len == TUNE_LINE)
		disconnect(client);
	return any;
}

bool tune_run(struct tune *t)
{
	bool any = false;

	if (t->fd < 0)
		return false;
	take_client(t);
	for (int i = 0; i < TUNE_CLIENTS; i++)
		if (t->client[i].fd >= 0)
			any |= take_input(t, &t->client[i]);
	return any;
}

void tune_close(struct tune *t)
{
	if (t->fd < 0)
		return;
	unlink(t->address.sun_path);
	for (int i = 0; i < TUNE_CLIENTS; i++)
		if (t->client[i].fd >= 0)
			disconnect(&t->client[i]);
	close(t->fd);
	if (t->epoll >= 0)
		close(t->epoll);
	t->fd = -1;
}
