// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Service codes are read in the three forms of RFC 4340 section 8.1.2 and as four characters, and
 * every other text is refused. Prints TAP.
 */
#include "../../userspace/dccp/service.c"

#include "../codec/unit.h"

static bool is(const char *text, uint32_t want)
{
	uint32_t service = ~want;

	MUST(fdccp_service_parse(text, &service) == 0);
	MUST(service == want);
	return true;
}

static bool refused(const char *text)
{
	uint32_t service = 0x12345678;

	MUST(fdccp_service_parse(text, &service) == -EINVAL);
	return true;
}

/* The example of the RFC. */
static bool test_example(void)
{
	MUST(is("SC:fdpz", 1717858426));
	MUST(is("SC=1717858426", 1717858426));
	MUST(is("SC=x6664707A", 1717858426));
	MUST(is("SC=X6664707a", 1717858426));
	MUST(is("fdpz", 1717858426));
	return true;
}

/* Spaces on the right make four characters; without "SC:" there must be four. */
static bool test_characters(void)
{
	MUST(is("SC:a", 0x61202020));
	MUST(is("SC:ab", 0x61622020));
	MUST(is("SC:abc", 0x61626320));
	MUST(refused("SC:"));
	MUST(refused("SC:abcde"));
	MUST(refused("abc"));
	MUST(refused("abcde"));
	MUST(refused(""));
	MUST(refused("sc:a"));
	MUST(refused("SC:a "));
	return true;
}

/* The RFC's set of characters, by their values. */
static bool may_occur(unsigned int c)
{
	return c == 42 || c == 43 || (c >= 45 && c <= 57) || (c >= 63 && c <= 90) || c == 95 ||
	       (c >= 97 && c <= 122);
}

static bool test_set(void)
{
	for (unsigned int c = 1; c <= UINT8_MAX; c++) {
		char text[] = { 'S', 'C', ':', c, '\0' }, bare[] = { 'a', c, 'b', 'c', '\0' };

		MUST(may_occur(c) ? is(text, c << 24 | 0x202020) : refused(text));
		MUST(may_occur(c) ? is(bare, 0x61006263 | c << 16) : refused(bare));
	}
	return true;
}

static bool test_numbers(void)
{
	MUST(is("SC=0", 0));
	MUST(is("SC=x0", 0));
	MUST(is("SC=4294967294", 4294967294));
	MUST(is("SC=xfffffffe", 4294967294));
	MUST(is("SC=0000000000000000000000000000000000000001", 1));
	MUST(is("SC=x0000000000000000000000000000000000000001", 1));
	MUST(is("SC=x0123Cdef", 0x0123cdef));
	MUST(is("SC=x456789aB", 0x456789ab));
	return true;
}

/* Values above 4294967294 are illegal. */
static bool test_large_numbers(void)
{
	MUST(refused("SC=4294967295"));
	MUST(refused("SC=4294967296"));
	MUST(refused("SC=18446744073709551617"));
	MUST(refused("SC=xffffffff"));
	MUST(refused("SC=x100000000"));
	MUST(refused("SC=x10000000000000001"));
	return true;
}

static bool test_digits(void)
{
	MUST(refused("SC="));
	MUST(refused("SC=x"));
	MUST(refused("SC=-1"));
	MUST(refused("SC=+1"));
	MUST(refused("SC= 1"));
	MUST(refused("SC=1 "));
	MUST(refused("SC=a"));
	MUST(refused("SC=x0x1"));
	for (unsigned int c = 1; c <= UINT8_MAX; c++) {
		char decimal[] = { 'S', 'C', '=', '1', c, '\0' };
		char hexadecimal[] = { 'S', 'C', '=', 'x', c, '\0' };
		uint32_t service;

		MUST((fdccp_service_parse(decimal, &service) == 0) == (c >= '0' && c <= '9'));
		MUST((fdccp_service_parse(hexadecimal, &service) == 0) ==
		     (memchr("0123456789abcdefABCDEF", c, 22) != NULL));
	}
	return true;
}

static bool formats(uint32_t service, const char *want)
{
	char text[16];

	fdccp_service_format(service, text, sizeof(text));
	MUST(strcmp(text, want) == 0);
	MUST(service == FDCCP_SERVICE_INVALID ? refused(text) : is(text, service));
	return true;
}

static bool test_format(void)
{
	MUST(formats(1717858426, "SC:fdpz"));
	MUST(formats(0x61202020, "SC:a"));
	MUST(formats(0x61622020, "SC:ab"));
	MUST(formats(0x20202020, "SC=x20202020"));
	MUST(formats(0x61206220, "SC=x61206220"));
	MUST(formats(0x20616263, "SC=x20616263"));
	MUST(formats(0x61620000, "SC=x61620000"));
	MUST(formats(0x6162633a, "SC=x6162633A"));
	MUST(formats(0x616263ff, "SC=x616263FF"));
	MUST(formats(0, "SC=x00000000"));
	MUST(formats(FDCCP_SERVICE_INVALID, "SC=xFFFFFFFF"));
	return true;
}

static const struct unit tests[] = {
	{ "the RFC's example in each form", test_example },
	{ "one to four characters", test_characters },
	{ "only the characters of the RFC's set", test_set },
	{ "numbers have any number of digits", test_numbers },
	{ "numbers have their bounds", test_large_numbers },
	{ "numbers are digits only", test_digits },
	{ "a code is written as it can be read", test_format },
};

int main(void)
{
	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
