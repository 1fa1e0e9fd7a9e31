// SPDX-License-Identifier: GPL-2.0-or-later
/* Files of configuration: see conf_file.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf_file.h"

#define FILE_MAX	(1 << 20)	/* bytes of a file */

/* Root obeys what it reads, so nobody else may have written it. */
static bool is_trusted(const char *who, const char *path, const struct stat *st)
{
	if (st->st_uid && st->st_uid != geteuid()) {
		cli_error(who, "%s belongs to the user %u: expected root (chown root)", path,
			  st->st_uid);
		return false;
	}
	if (st->st_mode & (S_IWGRP | S_IWOTH)) {
		cli_error(who, "%s can be written by others: expected its owner alone (chmod go-w)",
			  path);
		return false;
	}
	return true;
}

/* Opens a file or a folder, without waiting for the writer of a pipe. */
static int open_trusted(const char *who, const char *path, mode_t type, const char *expected)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 || fstat(fd, &st)) {
		cli_error(who, "%s: expected %s that can be read: %s", path, expected,
			  strerror(errno));
	} else if ((st.st_mode & S_IFMT) != type) {
		cli_error(who, "%s: expected %s", path, expected);
	} else if (is_trusted(who, path, &st)) {
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Reads the whole file. Returns its length, or -1 after a message. */
static ssize_t read_whole(const char *who, const char *path, int fd, char *text)
{
	ssize_t used = 0, got;

	do {
		got = read(fd, text + used, FILE_MAX + 1 - used);
		used += got;
	} while (got > 0 && used <= FILE_MAX);
	if (got >= 0 && used <= FILE_MAX)
		return used;
	cli_error(who, "%s: expected a file that can be read, of at most %d bytes: %s", path,
		  FILE_MAX, strerror(got < 0 ? errno : EFBIG));
	return -1;
}

static int read_open_file(struct conf *conf, const char *path, int fd)
{
	char *text = malloc(FILE_MAX + 1);
	int status = EXIT_FAILED;
	ssize_t len;

	if (!text) {
		cli_error(conf->who, "out of memory");
		return EXIT_FAILED;
	}
	len = read_whole(conf->who, path, fd, text);
	if (len >= 0)
		status = conf_read(conf, path, text, len) ? EXIT_OK : EXIT_USAGE;
	free(text);
	return status;
}

int conf_read_file(struct conf *conf, const char *path)
{
	int fd = open_trusted(conf->who, path, S_IFREG, "a regular file");
	int status = EXIT_FAILED;

	if (fd >= 0) {
		status = read_open_file(conf, path, fd);
		close(fd);
	}
	return status;
}

static int is_conf(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name), end = strlen(".conf");

	return entry->d_name[0] != '.' && len > end &&
	       !strcmp(entry->d_name + len - end, ".conf");
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int read_entry(struct conf *conf, const char *folder, const char *name)
{
	int status = EXIT_FAILED;
	char *path;

	if (asprintf(&path, "%s/%s", folder, name) < 0) {
		cli_error(conf->who, "out of memory");
		return EXIT_FAILED;
	}
	status = conf_read_file(conf, path);
	free(path);
	return status;
}

/* Reads all files, also after an error, so that all wrong lines are shown. */
static int read_entries(struct conf *conf, const char *path)
{
	struct dirent **entries;
	int count = scandir(path, &entries, is_conf, by_bytes), worst = EXIT_OK;

	if (count < 0) {
		cli_error(conf->who, "%s: cannot list its files: %s", path, strerror(errno));
		return EXIT_FAILED;
	}
	for (int i = 0; i < count; i++) {
		int status = read_entry(conf, path, entries[i]->d_name);

		if (worst != EXIT_FAILED && status)
			worst = status;
		free(entries[i]);
	}
	free(entries);
	return worst;
}

int conf_read_folder(struct conf *conf, const char *path)
{
	int fd;

	if (access(path, F_OK) && errno == ENOENT)
		return EXIT_OK;
	fd = open_trusted(conf->who, path, S_IFDIR, "a folder");
	if (fd < 0)
		return EXIT_FAILED;
	close(fd);
	return read_entries(conf, path);
}
