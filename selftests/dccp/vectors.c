// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads and writes packets with the library, for comparison with another writer and reader.
 *
 *   vectors read    for each line "LOCAL REMOTE BYTES": describes the packet, or says why it must
 *                   be ignored
 *   vectors write   for each line "LOCAL REMOTE DESCRIPTION": writes the packet, in hexadecimal
 *   vectors report  for each line "FIRST NUMBER:MARKED:CODE...": writes the options that report
 *                   these packets, which arrived in this order; code 8: the data was not dropped
 *   vectors answer  for each line "TOKEN CHALLENGE PORT PORT": writes the answer to a Challenge
 *
 * A description is "type source dest ccval coverage extended seq ack service reset options data",
 * in decimal, and the last three fields in hexadecimal. Options are joined by commas. Each has its
 * type, then ':' and its value if it has a length; '!' before it: mandatory, '?': nonsensical.
 */
#include <arpa/inet.h>
#include <inttypes.h>

#include "../../userspace/dccp/ackvec.h"
#include "../../userspace/dccp/checksum.h"
#include "../../userspace/dccp/cookie.h"
#include "../../userspace/dccp/wire.h"
#include "bytes.h"

#define TEXT_MAX	8192
#define NOT_DROPPED	8

/* "-" stands for nothing, in hexadecimal fields. */
static uint8_t *field(const char *text, size_t *len)
{
	return hex(text[0] == '-' ? "" : text, len);
}

static void put_hex(const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		printf("%02x", data[i]);
}

static void put_field(const uint8_t *data, size_t len)
{
	put_hex(data, len);
	if (len == 0)
		putchar('-');
}

static void read_address(const char *text, union fdccp_address *address)
{
	memset(address, 0, sizeof(*address));
	address->sa.sa_family = strchr(text, ':') ? AF_INET6 : AF_INET;
	if (address->sa.sa_family == AF_INET6 ?
	    inet_pton(AF_INET6, text, &address->in6.sin6_addr) != 1 :
	    inet_pton(AF_INET, text, &address->in.sin_addr) != 1)
		abort();
}

static void describe_options(const struct fdccp_packet *p)
{
	struct fdccp_option_walk walk = { p->options, p->options + p->options_len };
	struct fdccp_option option;
	const char *comma = "";
	int found;

	for (size_t steps = 0; (found = fdccp_option_next(&walk, &option)) != 0; steps++) {
		if (steps > p->options_len)
			abort(); /* it makes no progress */
		printf("%s%s%s%u", comma, found < 0 ? "?" : "", option.mandatory ? "!" : "",
		       option.type);
		if (found > 0 && option.type >= 32)
			putchar(':');
		put_hex(option.value, option.len);
		comma = ",";
	}
	if (comma[0] == '\0')
		putchar('-');
}

/* Returns why the packet must be ignored, or NULL. */
static const char *refusal(struct fdccp_packet *p, const struct fdccp_path *path,
			   const uint8_t *data, size_t len)
{
	long covered;

	if (fdccp_packet_parse(p, data, len))
		return "refused";
	covered = fdccp_covered(p->coverage, p->data - data, len);
	if (covered < 0)
		return "uncovered";
	return fdccp_checksum(path, data, len, covered) ? "damaged" : NULL;
}

static void read_packet(const struct fdccp_path *path, const char *text)
{
	size_t len;
	uint8_t *data = field(text, &len);
	struct fdccp_packet p;
	const char *why = refusal(&p, path, data, len);

	if (why) {
		puts(why);
		free(data);
		return;
	}
	printf("%u %u %u %u %u %u %" PRIu64 " %" PRIu64 " %u ", p.type, p.source, p.dest, p.ccval,
	       p.coverage, p.extended, p.seq, p.ack, p.service);
	printf("%02x", p.reset_code);
	put_hex(p.reset_data, sizeof(p.reset_data));
	putchar(' ');
	describe_options(&p);
	putchar(' ');
	put_field(p.data, p.data_len);
	putchar('\n');
	free(data);
}

/* Writes one option, such as "!32:0102". */
static void write_option(struct fdccp_writer *w, const char *text)
{
	unsigned int type;
	size_t len;
	uint8_t *value;
	int used, failed;

	if (text[0] == '!') {
		fdccp_write_flag(w, FDCCP_OPT_MANDATORY);
		text++;
	}
	if (sscanf(text, "%u%n", &type, &used) != 1)
		abort();
	value = hex(text + used + (text[used] == ':'), &len);
	failed = text[used] == ':' ? fdccp_write_option(w, type, value, len) :
				     fdccp_write_flag(w, type);
	if (failed)
		abort();
	free(value);
}

static void write_options(struct fdccp_writer *w, char *text)
{
	for (char *one = strtok(text, ",-"); one; one = strtok(NULL, ",-"))
		write_option(w, one);
	fdccp_write_padding(w);
}

static void write_fields(const struct fdccp_path *path, struct fdccp_packet *p, char *options,
			 const char *data_text)
{
	size_t header = fdccp_header_size(p->type), data_len, len;
	uint8_t out[FDCCP_HEADER_MAX + TEXT_MAX], *data = field(data_text, &data_len);
	struct fdccp_writer w = { out + header, out + header, out + FDCCP_HEADER_MAX };
	uint16_t sum;

	write_options(&w, options);
	fdccp_packet_write(p, out, w.at - w.start);
	memcpy(w.at, data, data_len);
	len = w.at - out + data_len;
	sum = fdccp_checksum(path, out, len, fdccp_covered(p->coverage, w.at - out, len));
	memcpy(out + 6, &sum, sizeof(sum));
	put_hex(out, len);
	putchar('\n');
	free(data);
}

static void write_packet(const struct fdccp_path *path, const char *text)
{
	struct fdccp_packet p = { 0 };
	unsigned int extended;
	char reset[9], options[TEXT_MAX], data[TEXT_MAX];
	size_t len;
	uint8_t *bytes;

	if (sscanf(text, "%hhu %hu %hu %hhu %hhu %u %" SCNu64 " %" SCNu64 " %u %8s %8191s %8191s",
		   &p.type, &p.source, &p.dest, &p.ccval, &p.coverage, &extended, &p.seq, &p.ack,
		   &p.service, reset, options, data) != 12)
		abort();
	bytes = hex(reset, &len);
	p.reset_code = bytes[0];
	memcpy(p.reset_data, bytes + 1, sizeof(p.reset_data));
	free(bytes);
	write_fields(path, &p, options, data);
}

static void write_report(const char *line)
{
	uint8_t out[FDCCP_OPTIONS_MAX];
	struct fdccp_writer w = { out, out, out + sizeof(out) };
	struct fdccp_ackvec *av;
	unsigned int marked, code;
	uint64_t seq;
	int used;

	if (sscanf(line, "%" SCNu64 "%n", &seq, &used) != 1)
		abort();
	av = fdccp_ackvec_new(seq);
	for (line += used; sscanf(line, "%" SCNu64 ":%u:%u%n", &seq, &marked, &code, &used) == 3;
	     line += used) {
		fdccp_ackvec_add(av, seq, marked);
		if (code != NOT_DROPPED)
			fdccp_ackvec_drop(av, seq, code);
	}
	fdccp_ackvec_write(av, &w, 1, true);
	put_hex(out, w.at - out);
	putchar('\n');
	fdccp_ackvec_free(av);
}

static void write_answer(const char *line)
{
	char token_text[33], challenge_text[17];
	uint16_t port, peer_port;
	uint8_t *token, *challenge, answer[8];
	size_t len;

	if (sscanf(line, "%32s %16s %hu %hu", token_text, challenge_text, &port, &peer_port) != 4)
		abort();
	token = hex(token_text, &len);
	challenge = hex(challenge_text, &len);
	fdccp_challenge_answer(token, challenge, port, peer_port, answer);
	put_hex(answer, sizeof(answer));
	putchar('\n');
	free(token);
	free(challenge);
}

static void read_or_write(const char *line, bool read)
{
	char local[64], remote[64];
	struct fdccp_path path;
	int used;

	if (sscanf(line, "%63s %63s %n", local, remote, &used) != 2)
		abort();
	read_address(local, &path.local);
	read_address(remote, &path.remote);
	if (read)
		read_packet(&path, line + used);
	else
		write_packet(&path, line + used);
}

int main(int argc, char **argv)
{
	char *line = NULL;
	size_t size = 0;

	if (argc != 2)
		return 2;
	while (getline(&line, &size, stdin) > 0) {
		if (strcmp(argv[1], "report") == 0)
			write_report(line);
		else if (strcmp(argv[1], "answer") == 0)
			write_answer(line);
		else
			read_or_write(line, strcmp(argv[1], "read") == 0);
	}
	free(line);
	return 0;
}
