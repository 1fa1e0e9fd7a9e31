// SPDX-License-Identifier: GPL-2.0-or-later
/* The verdicts that freshlink probe keeps: their text and their file. Prints TAP. */
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../userspace/cli/address.h"
#include "../../userspace/probe/cache.h"
#include "../../userspace/probe/store.h"
#include "unit.h"

#define NOW	1000
#define NOBODY	65534
#define WRITERS	8	/* processes that write at the same time */
#define WRITES	20	/* of each */

#define HEAD	"freshlink probe 1\n"
#define GOOD	"192.0.2.1 192.0.2.9 udp discards 4600\n"
#define GOOD6	"2001:db8::1 2001:db8::9 ip cuts 1001\n"

static struct in6_addr ipv4(const char *text)
{
	struct in_addr address;

	inet_pton(AF_INET, text, &address);
	return address_map(address);
}

static struct probe_entry entry_of(const char *remote, enum probe_verdict verdict)
{
	return (struct probe_entry){
		.remote = ipv4(remote), .local = ipv4("192.0.2.9"), .via = PROBE_VIA_UDP,
		.verdict = verdict, .until = NOW + 1,
	};
}

/* The number of the first wrong line. */
static unsigned int read_text(struct probe_cache *cache, const char *text)
{
	return probe_cache_read(cache, text, strlen(text), NOW);
}

/* What is written is read again, of both families, and is written again as the same bytes. */
static bool test_text(void)
{
	struct probe_cache cache;
	char text[PROBE_TEXT_MAX];

	MUST(read_text(&cache, HEAD GOOD GOOD6) == 0);
	MUST(cache.count == 2);
	MUST(cache.entry[0].via == PROBE_VIA_UDP && cache.entry[0].verdict == PROBE_DISCARDS);
	MUST(cache.entry[0].until == 4600);
	MUST(IN6_IS_ADDR_V4MAPPED(&cache.entry[0].remote));
	MUST(cache.entry[1].via == PROBE_VIA_IP && cache.entry[1].verdict == PROBE_CUTS);
	MUST(probe_cache_write(&cache, text) == strlen(HEAD GOOD GOOD6));
	MUST(memcmp(text, HEAD GOOD GOOD6, strlen(HEAD GOOD GOOD6)) == 0);
	return true;
}

/* A text with an error has no verdicts, and the line is told. */
static bool test_damage(void)
{
	static const struct { unsigned int line; const char *text; } wrong[] = {
		{ 1, "" },
		{ 1, "freshlink probe 2\n" GOOD },
		{ 1, GOOD },
		{ 3, HEAD GOOD "192.0.2.1 192.0.2.9 ip discards 4600" },
		{ 3, HEAD GOOD GOOD },
		{ 2, HEAD "192.0.2.1 192.0.2.9 udp discards 4601\n" },
		{ 2, HEAD "192.0.2.1 192.0.2.9 udp drops 1601\n" },
		{ 2, HEAD "192.0.2.1 192.0.2.9 udp no-answer 1001\n" },
		{ 2, HEAD "192.0.2.1 192.0.2.9 udp undecided 1001\n" },
		{ 2, HEAD "192.0.2.1 192.0.2.9 tcp cuts 1001\n" },
		{ 2, HEAD "192.0.2.256 192.0.2.9 udp cuts 1001\n" },
		{ 2, HEAD "192.0.2.1 example.org udp cuts 1001\n" },
		{ 2, HEAD "2001:DB8::1 2001:db8::9 udp cuts 1001\n" },
		{ 2, HEAD "192.0.2.1  192.0.2.9 udp cuts 1001\n" },
		{ 2, HEAD "192.0.2.1 192.0.2.9 udp cuts 1001 \n" },
		{ 2, HEAD "192.0.2.1 192.0.2.9 udp cuts 01001\n" },
		{ 2, HEAD "192.0.2.1 192.0.2.9 udp cuts\n" },
		{ 2, HEAD "192.0.2.1 192.0.2.9 udp cuts 99999999999999999999\n" },
		{ 2, HEAD "\n" },
	};
	struct probe_cache cache;

	for (unsigned int i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		unsigned int line = read_text(&cache, wrong[i].text);

		if (line != wrong[i].line || cache.count)
			printf("# case %u: line %u, %u verdicts\n", i, line, cache.count);
		MUST(line == wrong[i].line && !cache.count);
	}
	/* a 0 in a line ends it no earlier */
	MUST(probe_cache_read(&cache, HEAD GOOD "\0\n", strlen(HEAD GOOD) + 2, NOW) == 3);
	return true;
}

/* A verdict counts for an hour, and that the option is dropped for 10 minutes. */
static bool test_end(void)
{
	struct probe_cache cache;

	MUST(probe_lifetime(PROBE_TOLERATES) == 3600 && probe_lifetime(PROBE_DROPS) == 600);
	MUST(probe_lifetime(PROBE_NO_ANSWER) == 0 && probe_lifetime(PROBE_UNDECIDED) == 0);
	MUST(probe_cache_read(&cache, HEAD GOOD, strlen(HEAD GOOD), 4599) == 0 && cache.count == 1);
	MUST(probe_cache_read(&cache, HEAD GOOD, strlen(HEAD GOOD), 4600) == 0 && !cache.count);
	return true;
}

/* A verdict is for a destination, a local address and a carrier. A new one replaces the former. */
static bool test_key(void)
{
	const struct in6_addr first = ipv4("192.0.2.1");
	struct probe_cache cache = { 0 };
	struct probe_entry e = entry_of("192.0.2.1", PROBE_CUTS);

	probe_cache_put(&cache, &e);
	e.verdict = PROBE_DROPS;
	probe_cache_put(&cache, &e);
	MUST(cache.count == 1 && probe_cache_find(&cache, &e)->verdict == PROBE_DROPS);
	e.via = PROBE_VIA_ICMP;
	MUST(!probe_cache_find(&cache, &e));
	probe_cache_put(&cache, &e);
	e.local = ipv4("192.0.2.10");
	MUST(!probe_cache_find(&cache, &e));
	e.remote = ipv4("192.0.2.2");
	probe_cache_put(&cache, &e);
	MUST(probe_cache_forget(&cache, &first) == 2);
	MUST(cache.count == 1 && probe_cache_forget(&cache, NULL) == 1 && !cache.count);
	return true;
}

/* A full cache loses the verdict that ends first, and fits into its text. */
static bool test_full(void)
{
	static char text[PROBE_TEXT_MAX];
	struct probe_cache cache = { 0 };
	struct probe_entry e = entry_of("192.0.2.1", PROBE_TOLERATES);

	memset(&e.remote, 0xff, sizeof(e.remote));
	memset(&e.local, 0xff, sizeof(e.local));
	for (int i = 0; i < PROBE_ENTRIES + 1; i++) {
		e.remote.s6_addr[15] = (uint8_t)i;
		e.remote.s6_addr[14] = (uint8_t)(i >> 8);
		e.until = i == 7 ? NOW + 1 : NOW + 2;
		probe_cache_put(&cache, &e);
	}
	MUST(cache.count == PROBE_ENTRIES);
	e.remote.s6_addr[15] = 7;
	e.remote.s6_addr[14] = 0;
	MUST(!probe_cache_find(&cache, &e));
	MUST(probe_cache_read(&cache, text, probe_cache_write(&cache, text), NOW) == 0);
	MUST(cache.count == PROBE_ENTRIES);
	return true;
}

/* The file */

static char folder[64];

static const char *path(const char *name)
{
	static char whole[128];

	snprintf(whole, sizeof(whole), "%s/%s", folder, name);
	return whole;
}

/* Begins with an empty runtime directory. */
static bool begin(void)
{
	strcpy(folder, "/tmp/probe_cache_XXXXXX");
	return mkdtemp(folder) && !setenv("XDG_RUNTIME_DIR", folder, 1);
}

static bool end(void)
{
	unlink(path("freshlink/probes"));
	rmdir(path("freshlink/probes"));
	rmdir(path("freshlink"));
	return !rmdir(folder);
}

static mode_t mode_of(const char *name)
{
	struct stat st;

	return lstat(path(name), &st) ? 0 : st.st_mode & 07777;
}

static bool write_file(const char *text, mode_t mode)
{
	int fd;

	mkdir(path("freshlink"), 0700);
	fd = open(path("freshlink/probes"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) || fchmod(fd, mode))
		return false;
	return !close(fd);
}

/* A verdict that was put is read again, with its end, out of a file that only the user may read. */
static bool test_file(void)
{
	struct probe_entry e = entry_of("192.0.2.1", PROBE_DROPS);
	char why[PROBE_WHY_MAX];
	struct probe_cache cache;
	int64_t now = probe_now();
	unsigned int count;

	MUST(begin());
	probe_store_read(&cache, why);
	MUST(!cache.count && !*why);
	probe_store_put(&e, why);
	MUST(!*why);
	MUST(mode_of("freshlink") == 0700 && mode_of("freshlink/probes") == 0600);
	probe_store_read(&cache, why);
	MUST(cache.count == 1 && !*why);
	MUST(cache.entry[0].until >= now + 600 && cache.entry[0].until <= now + 610);
	e.verdict = PROBE_NO_ANSWER;
	probe_store_put(&e, why);
	probe_store_read(&cache, why);
	MUST(!cache.count && !*why);
	e.verdict = PROBE_CUTS;
	probe_store_put(&e, why);
	probe_store_forget(&e.remote, &count, why);
	MUST(count == 1 && !*why);
	MUST(end());
	return true;
}

/* A file that others can read or write, that is a link, a FIFO or too long, or damaged, is ignored
 * with the reason; a new verdict replaces it.
 */
static bool test_bad_file(void)
{
	struct probe_entry e = entry_of("192.0.2.1", PROBE_CUTS);
	static char text[PROBE_TEXT_MAX + 2];
	char why[PROBE_WHY_MAX];
	struct probe_cache cache;

	MUST(begin());
	MUST(write_file(HEAD, 0644));
	probe_store_read(&cache, why);
	MUST(strstr(why, "mode is 644"));
	MUST(write_file(HEAD "x\n", 0600));
	probe_store_read(&cache, why);
	MUST(strstr(why, "line 2 is damaged"));
	memset(text, 'x', PROBE_TEXT_MAX + 1);
	MUST(write_file(text, 0600));
	probe_store_read(&cache, why);
	MUST(strstr(why, "at most"));
	unlink(path("freshlink/probes"));
	MUST(!mkfifo(path("freshlink/probes"), 0600));
	probe_store_read(&cache, why);
	MUST(strstr(why, "regular file"));
	unlink(path("freshlink/probes"));
	MUST(!symlink("/etc/passwd", path("freshlink/probes")));
	probe_store_read(&cache, why);
	MUST(*why && !cache.count);
	probe_store_put(&e, why);
	MUST(!*why && mode_of("freshlink/probes") == 0600);
	MUST(end());
	return true;
}

/* A file or folder of another user is ignored with the reason, and stays as it is. */
static bool test_foreign(void)
{
	struct probe_entry e = entry_of("192.0.2.1", PROBE_CUTS);
	char why[PROBE_WHY_MAX];
	struct probe_cache cache;
	struct stat st;

	if (geteuid())
		return true;
	MUST(begin());
	MUST(write_file(HEAD GOOD, 0600) && !chown(path("freshlink/probes"), NOBODY, NOBODY));
	probe_store_read(&cache, why);
	MUST(!cache.count && strstr(why, "of user 65534: expected 0"));
	probe_store_put(&e, why);
	MUST(strstr(why, "of user 65534: expected 0"));
	MUST(!stat(path("freshlink/probes"), &st) && st.st_uid == NOBODY);
	MUST(st.st_size == strlen(HEAD GOOD));
	unlink(path("freshlink/probes"));
	MUST(!chown(path("freshlink"), NOBODY, NOBODY));
	probe_store_put(&e, why);
	MUST(strstr(why, "of user 65534"));
	MUST(!chown(path("freshlink"), 0, 0) && !chmod(path("freshlink"), 0777));
	probe_store_put(&e, why);
	MUST(strstr(why, "mode is 777"));
	MUST(end());
	return true;
}

static void write_some(int writer)
{
	char why[PROBE_WHY_MAX];

	for (int i = 0; i < WRITES; i++) {
		struct probe_entry e = entry_of("192.0.2.1", PROBE_CUTS);

		e.remote.s6_addr[14] = (uint8_t)writer;
		e.remote.s6_addr[15] = (uint8_t)i;
		probe_store_put(&e, why);
	}
}

/* Verdicts that several processes put at the same time are all kept. */
static bool test_lock(void)
{
	char why[PROBE_WHY_MAX];
	struct probe_cache cache;

	MUST(begin());
	for (int writer = 0; writer < WRITERS; writer++) {
		if (!fork()) {
			write_some(writer);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	probe_store_read(&cache, why);
	MUST(!*why && cache.count == WRITERS * WRITES);
	MUST(end());
	return true;
}

/* Another program that holds the lock does not stop who reads, and not for ever who writes. */
static bool test_held_lock(void)
{
	struct probe_entry e = entry_of("192.0.2.1", PROBE_CUTS);
	char why[PROBE_WHY_MAX];
	struct probe_cache cache;
	int fd;

	MUST(begin());
	probe_store_put(&e, why);
	MUST(!*why);
	fd = open(path("freshlink"), O_RDONLY | O_DIRECTORY);
	MUST(fd >= 0 && !flock(fd, LOCK_EX));
	probe_store_read(&cache, why);
	MUST(!*why && cache.count == 1);
	e.verdict = PROBE_DROPS;
	probe_store_put(&e, why);
	MUST(strstr(why, "another program holds its lock"));
	close(fd);
	probe_store_read(&cache, why);
	MUST(!*why && cache.entry[0].verdict == PROBE_CUTS);
	MUST(end());
	return true;
}

static const struct unit tests[] = {
	{ "the text is read as it was written", test_text },
	{ "a damaged text has no verdicts", test_damage },
	{ "the end of a verdict", test_end },
	{ "a verdict is for addresses and a carrier", test_key },
	{ "a full cache", test_full },
	{ "the file", test_file },
	{ "files that are ignored and replaced", test_bad_file },
	{ "another user's file or folder", test_foreign },
	{ "writers at the same time", test_lock },
	{ "a lock that is held", test_held_lock },
};

int main(void)
{
	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
