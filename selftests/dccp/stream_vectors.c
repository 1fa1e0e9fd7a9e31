// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads and writes frames with the library, for comparison with another writer and reader.
 *
 *   stream_vectors read    for each line with bytes in hexadecimal, "-" for none: describes the
 *                          frame, or writes "refused"
 *   stream_vectors write   for each description: writes the frame in hexadecimal
 *
 * A description is "type flags attempt unfinished number piece pieces submitted lifetime latency
 * way srtt on_time late missing payload", in decimal, and the payload in hexadecimal or "-".
 */
#include <inttypes.h>

#include "bytes.h"
#include "frame.h"

static void put_hex(const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		printf("%02x", data[i]);
}

static uint8_t *field(const char *text, size_t *len)
{
	return hex(text[0] == '-' ? "" : text, len);
}

static void read_frame(const char *line)
{
	struct fstream_frame f;
	size_t len;
	uint8_t *data = field(line, &len);

	if (!fstream_frame_read(&f, data, len)) {
		puts("refused");
		free(data);
		return;
	}
	printf("%u %u %u %u %" PRIu32 " %u %u ", f.type, f.flags, f.attempt, f.unfinished, f.number,
	       f.piece, f.pieces);
	printf("%" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " ", f.submitted,
	       f.lifetime, f.latency, f.way, f.srtt);
	printf("%" PRIu32 " %" PRIu32 " %" PRIu32 " ", f.on_time, f.late, f.missing);
	put_hex(f.payload, f.len);
	puts(f.len ? "" : "-");
	free(data);
}

static void write_frame(const char *line)
{
	struct fstream_frame f = { 0 };
	uint8_t out[FSTREAM_FRAME_MAX], *data;
	unsigned int type;
	size_t len;
	int used;

	if (sscanf(line, "%u %hhu %hhu %hu %" SCNu32 " %hu %hu %" SCNu32 " %" SCNu32 " %" SCNu32
		   " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %n", &type,
		   &f.flags, &f.attempt, &f.unfinished, &f.number, &f.piece, &f.pieces,
		   &f.submitted, &f.lifetime, &f.latency, &f.way, &f.srtt, &f.on_time, &f.late,
		   &f.missing,
		   &used) != 15)
		abort();
	f.type = type;
	data = field(line + used, &len);
	put_hex(out, fstream_frame_write(&f, out));
	put_hex(data, len);
	putchar('\n');
	free(data);
}

int main(int argc, char **argv)
{
	char *line = NULL;
	size_t size = 0;

	if (argc != 2)
		return 2;
	while (getline(&line, &size, stdin) > 0) {
		if (strcmp(argv[1], "read") == 0)
			read_frame(line);
		else
			write_frame(line);
	}
	free(line);
	return 0;
}
