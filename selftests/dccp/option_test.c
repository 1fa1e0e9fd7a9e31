// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options are read and written as RFC 4340 section 5.8 says, with the RFC's own examples, and each
 * nonsensical list of options is told apart. Prints TAP.
 */
#include "../../userspace/dccp/option.c"

#include "../codec/unit.h"
#include "bytes.h"

/*
 * Reads all options of a list, and describes them: "TYPE:VALUE", with '!' before mandatory ones. An
 * error is "?TYPE", after which the walk goes on. The text is valid until the next call.
 */
static const char *described(const char *bytes)
{
	static char text[4096];
	struct fdccp_option option;
	size_t len, used = 0;
	uint8_t *list = hex(bytes, &len);
	struct fdccp_option_walk walk = { list, list + len };
	int found;

	text[0] = '\0';
	for (size_t steps = 0; (found = fdccp_option_next(&walk, &option)) != 0; steps++) {
		if (steps > len)
			return "no progress";
		used += sprintf(text + used, "%s%s%s%u", used ? " " : "", found < 0 ? "?" : "",
				option.mandatory ? "!" : "", option.type);
		for (size_t i = 0; i < option.len; i++)
			used += sprintf(text + used, "%c%u", i ? ',' : ':', option.value[i]);
	}
	free(list);
	return text;
}

#define READS(bytes, text)	MUST(strcmp(described(bytes), text) == 0)

/* The examples of RFC 4340 sections 6.1, 6.2, 11.4 and 11.7, and of RFC 4342 section 8.6.2. */
static const struct {
	const char *bytes, *text;
} examples[] = {
	{ "20 05 01 02 03", "32:1,2,3" },
	{ "20 09 03 00 00 00 00 04 00", "32:3,0,0,0,0,4,0" },
	{ "21 06 01 02 02 03", "33:1,2,2,3" },
	{ "21 03 7e", "33:126" },
	{ "22 05 01 03 02", "34:1,3,2" },
	{ "23 06 01 02 03 02", "35:1,2,3,2" },
	{ "23 09 03 00 00 00 00 04 00", "35:3,0,0,0,0,4,0" },
	{ "23 03 7e", "35:126" },
	{ "26 07 00 c0 03 40 05", "38:0,192,3,64,5" },
	{ "28 06 00 a0 03 a2", "40:0,160,3,162" },
	{ "c1 27 02 00000a80000100000a 00000800000500000a 000008000001000008 00000a80000000000f",
	  "193:2,0,0,10,128,0,1,0,0,10,0,0,8,0,0,5,0,0,10,0,0,8,0,0,1,0,0,8,"
	  "0,0,10,128,0,0,0,0,15" },
};

static bool test_read_examples(void)
{
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++)
		READS(examples[i].bytes, examples[i].text);
	return true;
}

static bool test_write_examples(void)
{
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		size_t len;
		uint8_t *want = hex(examples[i].bytes, &len), *out = malloc(len);
		struct fdccp_writer w = { out, out, out + len };

		MUST(fdccp_write_option(&w, want[0], want + 2, len - 2) == 0);
		MUST(w.at == w.end && memcmp(out, want, len) == 0);
		free(want);
		free(out);
	}
	return true;
}

/* Types below 32 have one byte, all others have a length (RFC 4340 section 5.8). */
static bool test_every_type(void)
{
	for (unsigned int type = 2; type <= UINT8_MAX; type++) {
		char bytes[40], text[40];

		sprintf(bytes, type < 32 ? "%02x 29 03 07" : "%02x 02 29 03 07", type);
		sprintf(text, "%u 41:7", type);
		READS(bytes, text);
	}
	return true;
}

/* Each option counts, in order, even if it occurs twice; Padding may stand anywhere. */
static bool test_sequence(void)
{
	READS("", "");
	READS("00", "");
	READS("00 00 00 00", "");
	READS("25 03 01 25 03 02 02", "37:1 37:2 2");
	READS("00 25 03 01 00 00 02 00", "37:1 2");
	return true;
}

static bool test_longest_option(void)
{
	uint8_t list[255] = { 38, 255 }, *copy;
	struct fdccp_option_walk walk;
	struct fdccp_option option;

	list[254] = 7;
	copy = exact(list, sizeof(list));
	walk = (struct fdccp_option_walk){ copy, copy + sizeof(list) };
	MUST(fdccp_option_next(&walk, &option) == 1);
	MUST(option.len == FDCCP_OPTION_VALUE_MAX && option.value[252] == 7);
	MUST(fdccp_option_next(&walk, &option) == 0);
	walk = (struct fdccp_option_walk){ copy, copy + sizeof(list) - 1 };
	MUST(fdccp_option_next(&walk, &option) == -1);
	free(copy);
	return true;
}

/* The rest behind a nonsensical length is ignored (RFC 4340 section 5.8). */
static bool test_nonsensical_length(void)
{
	READS("25 03 01 29", "37:1 ?41");
	READS("29 00 25 03 01", "?41");
	READS("29 01 25 03 01", "?41");
	READS("29 02 25 03 01", "41 37:1");
	READS("29 05 25 03", "?41");
	READS("29 04 25 03", "41:37,3");
	READS("29 ff 25 03", "?41");
	READS("01 29 00 02", "?!41");
	return true;
}

/* RFC 4340 section 5.8.2 */
static bool test_mandatory(void)
{
	READS("01 25 03 01", "!37:1");
	READS("01 25 03 01 02", "!37:1 2");
	READS("01 02 25 03 01", "!2 37:1");
	READS("01 02 01 25 03 01", "!2 !37:1");
	/* Padding takes the effect of Mandatory away */
	READS("01 00 25 03 01", "37:1");
	READS("01 00", "");
	READS("01 00 01 02", "!2");
	return true;
}

/* On Data packets the caller ignores Mandatory and the error, and goes on. */
static bool test_mandatory_alone(void)
{
	READS("01", "?!1");
	READS("02 01", "2 ?!1");
	READS("01 01", "?!1 ?!1");
	READS("01 01 02", "?!1 !2");
	READS("01 01 00 02", "?!1 2");
	READS("00 00 00 01", "?!1");
	return true;
}

static bool test_no_room(void)
{
	for (size_t room = 0; room < 5; room++) {
		uint8_t *out = malloc(room);
		struct fdccp_writer w = { out, out, out + room };

		MUST(fdccp_write_option(&w, 41, "abc", 3) == -1);
		MUST(w.at == out);
		free(out);
	}
	return true;
}

static bool test_longest_value(void)
{
	uint8_t value[FDCCP_OPTION_VALUE_MAX + 1] = { 0 }, out[300];
	struct fdccp_writer w = { out, out, out + sizeof(out) };

	MUST(fdccp_write_option(&w, 38, value, FDCCP_OPTION_VALUE_MAX + 1) == -1);
	MUST(w.at == out);
	MUST(fdccp_write_option(&w, 38, value, FDCCP_OPTION_VALUE_MAX) == 0);
	MUST(w.at == out + 255 && out[1] == 255);
	w.at = out;
	MUST(fdccp_write_option(&w, 38, NULL, 0) == 0);
	MUST(is_hex(out, w.at - out, "26 02"));
	return true;
}

static bool test_write_flag(void)
{
	uint8_t *out = malloc(2);
	struct fdccp_writer w = { out, out, out + 2 };

	MUST(fdccp_write_flag(&w, FDCCP_OPT_MANDATORY) == 0);
	MUST(fdccp_write_flag(&w, FDCCP_OPT_SLOW_RECEIVER) == 0);
	MUST(fdccp_write_flag(&w, FDCCP_OPT_SLOW_RECEIVER) == -1);
	MUST(w.at == w.end && is_hex(out, 2, "01 02"));
	free(out);
	return true;
}

/* All options add up to a multiple of 32 bits (RFC 4340 sections 5.8 and 5.8.1). */
static bool test_padding(void)
{
	for (size_t len = 0; len <= 8; len++) {
		uint8_t out[8];
		struct fdccp_writer w = { out, out + len, out + sizeof(out) };
		size_t padded = (len + 3) / 4 * 4;

		memset(out, 0x55, sizeof(out));
		fdccp_write_padding(&w);
		MUST((size_t)(w.at - out) == padded);
		for (size_t i = 0; i < sizeof(out); i++)
			MUST(out[i] == (i >= len && i < padded ? 0 : 0x55));
	}
	return true;
}

static bool test_numbers(void)
{
	const uint64_t number = UINT64_C(0x0102030405060708);
	static const char * const bytes[] = {
		"", "08", "0708", "060708", "05060708", "0405060708", "030405060708",
		"02030405060708", "0102030405060708",
	};

	for (size_t len = 1; len <= 8; len++) {
		uint64_t mask = UINT64_MAX >> (64 - 8 * len);
		uint8_t *out = malloc(len);

		fdccp_put_number(out, len, number);
		MUST(is_hex(out, len, bytes[len]));
		MUST(fdccp_get_number(out, len) == (number & mask));
		fdccp_put_number(out, len, UINT64_MAX);
		MUST(fdccp_get_number(out, len) == mask);
		free(out);
	}
	return true;
}

static const struct unit tests[] = {
	{ "the RFCs' examples are read", test_read_examples },
	{ "the RFCs' examples are written", test_write_examples },
	{ "types below 32 have one byte, others a length", test_every_type },
	{ "options are read in their order", test_sequence },
	{ "the longest option is read", test_longest_option },
	{ "the rest behind a nonsensical length is skipped", test_nonsensical_length },
	{ "Mandatory marks the next option", test_mandatory },
	{ "Mandatory without an option is an error", test_mandatory_alone },
	{ "an option without room is not written", test_no_room },
	{ "the longest value is written", test_longest_value },
	{ "options of one byte are written", test_write_flag },
	{ "Padding fills a word", test_padding },
	{ "numbers of 1 to 8 bytes", test_numbers },
};

int main(void)
{
	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
