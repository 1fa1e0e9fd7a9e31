// SPDX-License-Identifier: GPL-2.0-or-later
/* Options as tables: see options.h. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dscp.h"
#include "ethernet.h"
#include "options.h"
#include "text.h"

#define HELP_COLUMN	28	/* width of "word VALUE" in help */

static const struct fl_unit *units_of(enum fl_type type)
{
	switch (type) {
	case FL_SIZE:
		return fl_units_size;
	case FL_RATE:
		return fl_units_rate;
	case FL_TIME:
	case FL_TIMES:
		return fl_units_time;
	case FL_PERCENT:
		return fl_units_percent;
	case FL_FRACTION:
		return fl_units_fraction;
	case FL_DECIMAL:
		return fl_units_decimal;
	case FL_FACTOR:
		return fl_units_factor;
	default:
		return fl_units_none;
	}
}

static bool is_called(const struct fl_option *opt, const char *word, size_t len)
{
	if (opt->type == FL_SWITCH && len > 2 && !strncmp(word, "no", 2) &&
	    strlen(opt->word) == len - 2 &&
	    !strncmp(opt->word, word + 2, len - 2))
		return true;
	return strlen(opt->word) == len && !strncmp(opt->word, word, len);
}

int fl_find(const struct fl_option *table, const char *word, size_t len)
{
	for (int i = 0; table[i].word; i++)
		if (is_called(&table[i], word, len))
			return i;
	return -1;
}

int fl_find_attr(const struct fl_option *table, uint16_t attr)
{
	for (int i = 0; attr && table[i].word; i++)
		if (table[i].attr == attr)
			return i;
	return -1;
}

void fl_set_defaults(const struct fl_option *table, struct fl_value *values)
{
	for (int i = 0; table[i].word; i++)
		values[i] = (struct fl_value){ .number = table[i].def };
}

static void join_words(const struct fl_option *opt, const char *between,
		       char *buf, size_t len)
{
	size_t used = 0;

	buf[0] = '\0';
	for (int i = 0; opt->words[i] && used < len; i++)
		used += snprintf(buf + used, len - used, "%s%s",
				 i ? between : "", opt->words[i]);
}

static const char *quantity(const struct fl_option *opt, char *buf, size_t len)
{
	switch (opt->type) {
	case FL_SIZE:
		return "a size in b, kb, mb or gb";
	case FL_RATE:
		return "a rate in bit, kbit, mbit, gbit or tbit";
	case FL_TIME:
		return "a time in s, ms, us or ns";
	case FL_TIMES:
		return "two times MIN,MAX in s, ms, us or ns";
	case FL_PERCENT:
		return "a percentage with its %";
	case FL_FRACTION:
		return "a fraction such as 1e-6";
	case FL_FACTOR:
		return "a number";
	default:
		if (!opt->unit)
			return opt->type == FL_DECIMAL ? "a number" :
							 "a whole number";
		snprintf(buf, len, "a number of %s", opt->unit);
		return buf;
	}
}

static bool has_range(enum fl_type type)
{
	switch (type) {
	case FL_FLAG:
	case FL_SWITCH:
	case FL_WORD:
	case FL_MARK:
	case FL_DSCPS:
	case FL_ADDRESS:
	case FL_TEXT:
		return false;
	default:
		return true;
	}
}

/* Prints the allowed values, such as "1 to 1048576" or "1ms to 86400s, or always". */
static void describe_range(const struct fl_option *opt, char *buf, size_t len)
{
	const struct fl_unit *units = units_of(opt->type);
	char min[32], max[32], words[64] = "";
	size_t used = 0;

	if (opt->zero)
		used = snprintf(words, sizeof(words), "%s%s", opt->zero,
				opt->words ? " or " : "");
	if (opt->words)
		join_words(opt, " or ", words + used, sizeof(words) - used);
	snprintf(buf, len, "%s to %s%s%s%s",
		 fl_format(opt->min, units, min, sizeof(min)),
		 fl_format(opt->max, units, max, sizeof(max)),
		 opt->whole_ms ? " in whole ms" : "",
		 *words ? ", or " : "", words);
}

static void placeholder(const struct fl_option *opt, char *buf, size_t len)
{
	static const char *const names[] = {
		[FL_SIZE] = "BYTES", [FL_RATE] = "RATE", [FL_TIME] = "TIME",
		[FL_TIMES] = "MIN,MAX", [FL_PERCENT] = "PERCENT", [FL_FRACTION] = "FRACTION",
		[FL_COUNT] = "NUMBER", [FL_DECIMAL] = "NUMBER", [FL_FACTOR] = "NUMBER",
		[FL_MARK] = "VALUE[/MASK]", [FL_DSCPS] = "DSCP[,DSCP]...",
		[FL_ADDRESS] = "ADDRESS", [FL_TEXT] = "TEXT",
	};
	const char *name = opt->unit ? opt->unit : names[opt->type];
	size_t i;

	if (opt->type == FL_WORD) {
		join_words(opt, "|", buf, len);
		return;
	}
	for (i = 0; name[i] && i + 2 < len; i++)
		buf[i] = toupper((unsigned char)name[i]);
	buf[i] = '\0';
	if (opt->words) {
		buf[i] = '|';
		join_words(opt, "|", buf + i + 1, len - i - 1);
	}
}

/* Prints what is expected of a value that is not a quantity with a range. */
static void describe_form(const struct fl_option *opt)
{
	static const char *const forms[] = {
		[FL_MARK] = ", decimal or 0x and up to 32 bits, with a MASK that is not 0 and has all bits of VALUE",
		[FL_DSCPS] = ", each a number from 0 to 63 or a name such as ef, af41 or cs5",
		[FL_ADDRESS] = ", a unicast address such as 02:00:00:00:00:01",
		[FL_TEXT] = "",
	};
	char value[128];

	placeholder(opt, value, sizeof(value));
	fprintf(stderr, "%s%s", value, forms[opt->type]);
	if (opt->zero)
		fprintf(stderr, "; or %s", opt->zero);
}

static void complain(const char *who, const struct fl_option *opt,
		     const char *text)
{
	char value[128], range[160];

	fprintf(stderr, "%s: %s ", who, opt->word);
	fl_put_text(text ? text : "has no value", stderr);
	fputs(": expected ", stderr);
	if (opt->type == FL_WORD) {
		join_words(opt, ", ", range, sizeof(range));
		fprintf(stderr, "one of %s", range);
	} else if (has_range(opt->type)) {
		describe_range(opt, range, sizeof(range));
		fprintf(stderr, "%s from %s",
			quantity(opt, value, sizeof(value)), range);
	} else {
		describe_form(opt);
	}
	fputs("\n", stderr);
}

static bool in_range(const struct fl_option *opt, uint64_t number)
{
	if (opt->whole_ms && number % FL_MS)
		return false;
	return (opt->zero && !number) ||
	       (number >= opt->min && number <= opt->max);
}

static bool parse_word(const struct fl_option *opt, const char *text,
		       uint64_t *number)
{
	for (int i = 0; opt->words[i]; i++) {
		if (!strcmp(opt->words[i], text)) {
			*number = i;
			return true;
		}
	}
	return false;
}

static bool parse_times(const struct fl_option *opt, const char *text,
			struct fl_value *value)
{
	const char *comma = strchr(text, ',');
	char first[32];

	if (!comma || comma - text >= (long)sizeof(first))
		return false;
	snprintf(first, sizeof(first), "%.*s", (int)(comma - text), text);
	return fl_parse(first, fl_units_time, &value->number) &&
	       fl_parse(comma + 1, fl_units_time, &value->second) &&
	       in_range(opt, value->number) && in_range(opt, value->second) &&
	       value->number <= value->second;
}

/* Reads 32 bits, decimal or with 0x, up to a character in @end or to the end of the text. */
static bool parse_bits(const char *text, const char *end, uint64_t *number,
		       const char **rest)
{
	bool hex = text[0] == '0' && tolower((unsigned char)text[1]) == 'x';
	char *stop;

	/* strtoull() would also accept signs and blanks */
	if (hex ? !isxdigit((unsigned char)text[2]) :
		  !isdigit((unsigned char)text[0]))
		return false;
	*number = strtoull(text, &stop, hex ? 16 : 10);
	*rest = stop;
	return strchr(end, *stop) && *number <= UINT32_MAX;
}

static bool parse_mark(const char *text, struct fl_value *value)
{
	value->second = UINT32_MAX;
	if (!parse_bits(text, "/", &value->number, &text))
		return false;
	if (*text && !parse_bits(text + 1, "", &value->second, &text))
		return false;
	return value->second && !(value->number & ~value->second);
}

static bool parse_value(const struct fl_option *opt, const char *text,
			struct fl_value *value)
{
	if (opt->zero && !strcmp(text, opt->zero)) {
		value->number = 0;
		value->second = 0;
		return true;
	}
	switch (opt->type) {
	case FL_FLAG:
		return true;
	case FL_SWITCH:
		value->number = !strcmp(text, opt->word);
		return true;
	case FL_TEXT:
		return *text;
	case FL_WORD:
		return parse_word(opt, text, &value->number);
	case FL_TIMES:
		return parse_times(opt, text, value);
	case FL_MARK:
		return parse_mark(text, value);
	case FL_DSCPS:
		return fl_dscps_parse(text, &value->number);
	case FL_ADDRESS:
		return fl_ethernet_parse(text, &value->number);
	default:
		if (opt->words && parse_word(opt, text, &value->number)) {
			value->number += FL_OTHER;
			return true;
		}
		return fl_parse(text, units_of(opt->type), &value->number) &&
		       in_range(opt, value->number);
	}
}

/* Reports an option that already has a value: it is given twice, or together with its
 * opposite.
 */
static void complain_again(const char *who, const struct fl_option *opt,
			   const char *text, const struct fl_value *value)
{
	if (opt->type != FL_SWITCH)
		text = opt->word;
	else if (strcmp(text, value->text)) {
		fl_error(who, "%s and %s: expected one of them", value->text,
			 text);
		return;
	}
	fl_error(who, "%s is given twice: expected it once", text);
}

static bool append(const char *who, const char *text, struct fl_value *value)
{
	const char **grown = reallocarray(value->texts, value->count + 1,
					  sizeof(*grown));

	if (!grown) {
		fl_error(who, "out of memory");
		return false;
	}
	grown[value->count++] = text;
	value->texts = grown;
	return true;
}

bool fl_set(const char *who, const struct fl_option *opt, const char *text,
	    struct fl_value *value)
{
	if (value->set && !opt->repeats) {
		complain_again(who, opt, text, value);
		return false;
	}
	if ((opt->type != FL_FLAG && !text) || !parse_value(opt, text, value)) {
		complain(who, opt, text);
		return false;
	}
	if (opt->repeats && !append(who, text, value))
		return false;
	value->set = true;
	value->text = text;
	return true;
}

bool fl_set_words(const char *who, const struct fl_option *table, int argc,
		  char **argv, struct fl_value *values)
{
	fl_set_defaults(table, values);
	for (int i = 0; i < argc; i++) {
		int opt = fl_find(table, argv[i], strlen(argv[i]));

		if (opt < 0) {
			fl_unknown(who, table, argv[i]);
			return false;
		}
		if (table[opt].type != FL_SWITCH)
			i++;
		if (!fl_set(who, &table[opt], i < argc ? argv[i] : NULL,
			    &values[opt]))
			return false;
	}
	return true;
}

void fl_unknown(const char *who, const struct fl_option *table,
		const char *word)
{
	fprintf(stderr, "%s: unknown word \"", who);
	fl_put_text(word, stderr);
	fputs("\": expected one of", stderr);
	for (; table->word; table++)
		fprintf(stderr, table->type == FL_SWITCH ? " %s no%s" : " %s",
			table->word, table->word);
	fputs(" help\n", stderr);
}

static bool is_word(const struct fl_option *opt, uint64_t number)
{
	for (uint64_t i = 0; opt->words[i]; i++)
		if (i == number)
			return true;
	return false;
}

bool fl_is_other(const struct fl_option *opt, uint64_t number)
{
	return opt->type != FL_WORD && opt->words && number >= FL_OTHER &&
	       is_word(opt, number - FL_OTHER);
}

const char *fl_print_value(const struct fl_option *opt, uint64_t number,
			   char *buf, size_t len)
{
	if (opt->type == FL_WORD && is_word(opt, number))
		return opt->words[number];
	if (opt->type == FL_SWITCH) {
		snprintf(buf, len, "%s%s", number ? "" : "no", opt->word);
		return buf;
	}
	if (opt->zero && !number)
		return opt->zero;
	if (fl_is_other(opt, number))
		return opt->words[number - FL_OTHER];
	if (opt->type == FL_DSCPS)
		return fl_dscps_format(number, buf, len);
	if (opt->type == FL_ADDRESS)
		return fl_ethernet_format(number, buf, len);
	return fl_format(number, units_of(opt->type), buf, len);
}

const char *fl_synopsis(const struct fl_option *opt, char *buf, size_t len)
{
	char value[128];

	if (opt->type == FL_FLAG || opt->type == FL_SWITCH) {
		snprintf(buf, len, "%s%s", opt->type == FL_FLAG ? "" : "[no]",
			 opt->word);
		return buf;
	}
	placeholder(opt, value, sizeof(value));
	snprintf(buf, len, "%s %s", opt->word, value);
	return buf;
}

/* Prints "  limit PACKETS              text"; after a long synopsis the text is on a new line. */
static void print_help_line(const struct fl_option *opt, FILE *out)
{
	char buf[192];

	fl_synopsis(opt, buf, sizeof(buf));
	if (strlen(buf) >= HELP_COLUMN)
		fprintf(out, "  %s\n  %-*s %s", buf, HELP_COLUMN, "", opt->help);
	else
		fprintf(out, "  %-*s %s", HELP_COLUMN, buf, opt->help);
}

void fl_help(const struct fl_option *table, FILE *out)
{
	char buf[192];

	for (; table->word; table++) {
		print_help_line(table, out);
		if (has_range(table->type)) {
			describe_range(table, buf, sizeof(buf));
			fprintf(out, "; %s", buf);
		}
		if (table->repeats)
			fputs("; may be repeated", out);
		if (table->def != FL_NO_DEFAULT && table->type != FL_FLAG)
			fprintf(out, " (default %s)",
				fl_print_value(table, table->def, buf,
					       sizeof(buf)));
		fputc('\n', out);
	}
}
