// SPDX-License-Identifier: GPL-2.0-or-later
/* The file of verdicts: see store.h. The folder is locked while the file is changed. The file is
 * replaced as a whole, so reading it needs no lock.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "store.h"

#define FOLDER	"freshlink"
#define NAME	"probes"
#define NEW	"probes.new"

#define LOCK_TRIES	200	/* who may read the folder can hold its lock, but not for ever */
#define LOCK_PAUSE	10000	/* us between two tries */

/**
 * struct store - the folder, open
 * @folder: its descriptor, -1: not open
 * @path: its path, for messages
 * @why: the caller's
 * @text: what the file has, or shall have
 */
struct store {
	int folder;
	char path[128];
	char *why;
	char text[PROBE_TEXT_MAX + 1];
};

static bool fail(const struct store *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static bool fail(const struct store *s, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(s->why, PROBE_WHY_MAX, fmt, args);
	va_end(args);
	return false;
}

int64_t probe_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec;
}

/* Finds the runtime directory. Return: NULL: there is none. */
static const char *runtime(void)
{
	const char *dir = secure_getenv("XDG_RUNTIME_DIR");

	if (dir && dir[0] == '/')
		return dir;
	return geteuid() ? NULL : "/run";
}

/* Whether a file or folder is this user's, and others cannot change it. */
static bool is_own(const struct store *s, const char *name, const struct stat *st, mode_t forbidden)
{
	if (st->st_uid != geteuid())
		return fail(s, "%s%s: it is of user %u: expected %u", s->path, name,
			    (unsigned int)st->st_uid, (unsigned int)geteuid());
	if (st->st_mode & forbidden)
		return fail(s, "%s%s: its mode is %03o: expected no right of others", s->path, name,
			    (unsigned int)st->st_mode & 0777);
	return true;
}

/* Opens the folder. @make: make it if there is none. Return: whether it is open; without
 * one that shall not be made there is no reason.
 */
static bool open_store(struct store *s, char *why, bool make)
{
	const char *dir = runtime();
	struct stat st;

	s->folder = -1;
	s->why = why;
	*why = '\0';
	if (!dir)
		return fail(s, "verdicts are not kept: expected XDG_RUNTIME_DIR");
	if ((size_t)snprintf(s->path, sizeof(s->path), "%s/" FOLDER, dir) >= sizeof(s->path))
		return fail(s, "XDG_RUNTIME_DIR: expected a path of at most %zu bytes",
			    sizeof(s->path) - sizeof("/" FOLDER));
	if (make && mkdir(s->path, 0700) && errno != EEXIST)
		return fail(s, "%s: %s", s->path, strerror(errno));
	s->folder = open(s->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (s->folder < 0)
		return errno == ENOENT ? false : fail(s, "%s: %s", s->path, strerror(errno));
	if (fstat(s->folder, &st) || !is_own(s, "", &st, 0022)) {
		close(s->folder);
		s->folder = -1;
	}
	return s->folder >= 0;
}

/* Locks the folder, for those who change the file. Return: whether it is locked */
static bool lock_store(const struct store *s)
{
	for (int i = 0; i < LOCK_TRIES; i++) {
		if (!flock(s->folder, LOCK_EX | LOCK_NB))
			return true;
		usleep(LOCK_PAUSE);
	}
	return fail(s, "%s: another program holds its lock", s->path);
}

/* Closing unlocks. */
static void close_store(const struct store *s)
{
	if (s->folder >= 0)
		close(s->folder);
}

/* Reads at most one byte more than fits, so that what is too long has no right form. */
static size_t read_text(int fd, char *text)
{
	size_t len = 0;
	ssize_t got;

	while (len <= PROBE_TEXT_MAX && (got = read(fd, text + len, PROBE_TEXT_MAX + 1 - len)) > 0)
		len += (size_t)got;
	return len;
}

static bool check_file(const struct store *s, const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return fail(s, "%s/" NAME ": expected a regular file", s->path);
	if (!is_own(s, "/" NAME, st, 0077))
		return false;
	if (st->st_size > PROBE_TEXT_MAX)
		return fail(s, "%s/" NAME ": expected at most %d bytes", s->path, PROBE_TEXT_MAX);
	return true;
}

/* Reads the file. Return: whether there is no error; a file that does not exist is empty. */
static bool read_store(struct store *s, struct probe_cache *cache)
{
	/* O_NONBLOCK: a FIFO would make open() wait */
	int fd = openat(s->folder, NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	unsigned int line = 0;
	struct stat st;
	bool good;

	cache->count = 0;
	if (fd < 0)
		return errno == ENOENT ? true : fail(s, "%s/" NAME ": %s", s->path, strerror(errno));
	good = !fstat(fd, &st) && check_file(s, &st);
	if (good)
		line = probe_cache_read(cache, s->text, read_text(fd, s->text), probe_now());
	close(fd);
	if (line)
		return fail(s, "%s/" NAME ": line %u is damaged", s->path, line);
	return good;
}

static bool write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t done = write(fd, text, len);

		if (done < 0)
			return false;
		text += done;
		len -= (size_t)done;
	}
	return true;
}

/* Replaces the file as a whole. */
static bool write_store(struct store *s, const struct probe_cache *cache)
{
	size_t len = probe_cache_write(cache, s->text);
	bool good;
	int fd;

	unlinkat(s->folder, NEW, 0);
	fd = openat(s->folder, NEW, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	good = fd >= 0 && write_all(fd, s->text, len);
	if (fd >= 0)
		good = !close(fd) && good;
	if (good && !renameat(s->folder, NEW, s->folder, NAME))
		return true;
	return fail(s, "%s/" NAME ": %s", s->path, strerror(errno));
}

/* Whether the folder has a file of another user, which is not replaced. */
static bool is_foreign(const struct store *s)
{
	struct stat st;

	return !fstatat(s->folder, NAME, &st, AT_SYMLINK_NOFOLLOW) && st.st_uid != geteuid();
}

/* A program works on one file at a time. */
static struct store store;

void probe_store_read(struct probe_cache *cache, char why[PROBE_WHY_MAX])
{
	cache->count = 0;
	if (open_store(&store, why, false))
		read_store(&store, cache);
	close_store(&store);
}

/* Locks and reads the file to change it. Return: whether it may be replaced. */
static bool begin(struct probe_cache *cache, char *why, bool make)
{
	return open_store(&store, why, make) && lock_store(&store) &&
	       (read_store(&store, cache) || !is_foreign(&store));
}

void probe_store_put(const struct probe_entry *entry, char why[PROBE_WHY_MAX])
{
	struct probe_entry kept = *entry;
	struct probe_cache cache;

	kept.until = probe_now() + probe_lifetime(entry->verdict);
	if (begin(&cache, why, true)) {
		*why = '\0';
		probe_cache_put(&cache, &kept);
		write_store(&store, &cache);
	}
	close_store(&store);
}

void probe_store_forget(const struct in6_addr *remote, unsigned int *count,
			char why[PROBE_WHY_MAX])
{
	struct probe_cache cache;

	*count = 0;
	if (begin(&cache, why, false)) {
		*count = probe_cache_forget(&cache, remote);
		write_store(&store, &cache);
	}
	close_store(&store);
}
