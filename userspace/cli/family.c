// SPDX-License-Identifier: GPL-2.0-or-later
/* Generic netlink families: see family.h. */
#include <errno.h>
#include <netlink/errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/family.h>
#include <netlink/genl/genl.h>

#include "../advice/look.h"
#include "family.h"

#define VERSION	1	/* of all our families */

bool family_open_if_loaded(struct family *f, const struct cli_args *args)
{
	f->args = args;
	if (!netlink_open(&f->nl, NETLINK_GENERIC, -1)) {
		cli_error(args->who, "cannot open a netlink socket: %s", netlink_reason(&f->nl));
		return false;
	}
	f->id = genl_ctrl_resolve(f->nl.sock, f->name);
	if (f->id >= 0 || f->nl.error == ENOENT)
		return true;
	cli_error(args->who, "cannot find the kernel module %s: %s",
		  f->name, nl_geterror(f->id));
	family_close(f);
	return false;
}

void family_explain_absence(const struct family *f)
{
	cli_error(f->args->who, "%s", look_for_module(f->name));
}

bool family_open(struct family *f, const struct cli_args *args)
{
	if (!family_open_if_loaded(f, args))
		return false;
	if (f->id >= 0)
		return true;
	family_explain_absence(f);
	family_close(f);
	return false;
}

bool family_is_there(const struct family *f, const char *name)
{
	struct genl_family *found;
	struct nl_cache *families;

	if (genl_ctrl_alloc_cache(f->nl.sock, &families) < 0)
		return false;
	found = genl_ctrl_search_by_name(families, name);
	if (found)
		genl_family_put(found);
	nl_cache_free(families);
	return found;
}

void family_close(struct family *f)
{
	netlink_close(&f->nl);
}

struct nl_msg *family_message(const struct family *f, uint8_t cmd)
{
	struct nl_msg *msg = nlmsg_alloc();

	genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, f->id, 0, 0, cmd, VERSION);
	return msg;
}

static bool is_operand(const struct family *f, uint16_t attr)
{
	for (const uint16_t *operand = f->operands; *operand; operand++)
		if (*operand == attr)
			return f->args->operand;
	return false;
}

/* Finds the word and the value of the option or operand that became an attribute. An option or
 * operand that is not found has the word "".
 */
static void find_words(const struct family *f, uint16_t attr, const char **word,
		       const char **value)
{
	const struct cli_args *args = f->args;
	const struct fl_option *options = args->command->options;
	int opt = fl_find_attr(options, attr);

	*word = *value = "";
	if (opt >= 0) {
		*word = options[opt].word;
		if (options[opt].type != FL_FLAG)
			*value = args->values[opt].text;
	} else if (is_operand(f, attr)) {
		*word = args->command->operand;
		*value = args->operand;
	}
}

void family_explain(const struct family *f, struct nl_msg *msg)
{
	const char *word, *value;

	if (f->nl.error == EPERM) {
		cli_error(f->args->who, "%s", look_for_right("needs", "CAP_NET_ADMIN"));
		return;
	}
	find_words(f, netlink_refused_attr(&f->nl, msg), &word, &value);
	cli_error(f->args->who, "%s%s%s%sthe kernel refused it: %s", word,
		  *value ? " " : "", value, *word ? ": " : "", netlink_reason(&f->nl));
}

bool family_request(struct family *f, struct nl_msg *msg)
{
	bool done = netlink_request(&f->nl, msg);

	if (!done)
		family_explain(f, msg);
	nlmsg_free(msg);
	return done;
}

void family_values(const struct fl_option *settings, struct nlattr **attrs,
		   struct fl_value *values)
{
	for (int i = 0; settings[i].word; i++) {
		struct nlattr *attr = attrs[settings[i].attr];

		/* a text is not a u8, and no setting that is shown */
		values[i] = (struct fl_value){ .set = attr && settings[i].type != FL_TEXT };
		if (values[i].set)
			values[i].number = nla_get_u8(attr);
	}
}

void family_report(struct report *r, const struct fl_option *settings,
		   struct nlattr **attrs)
{
	struct fl_value values[CLI_MAX_OPTIONS];

	family_values(settings, attrs, values);
	for (int i = 0; settings[i].word; i++)
		if (values[i].set)
			report_option(r, &settings[i], &values[i]);
}

static void report_advice_of(struct report *r, struct nlattr **stats,
			     const struct module_counter *counters, int max)
{
	for (int i = 0; i <= max; i++)
		if (counters[i].advice && stats[i] && nla_get_u64(stats[i]))
			report_advice(r, counters[i].word, counters[i].advice);
}

void family_report_counters(struct report *r, struct nlattr *nest,
			    const struct module_counter *counters, int max)
{
	struct nlattr *stats[FAMILY_COUNTERS_MAX + 1];

	if (!nest || nla_parse_nested(stats, max, nest, NULL))
		return;
	for (int i = 0; i <= max; i++) {
		if (counters[i].word && stats[i])
			report_number(r, counters[i].word,
				      nla_get_u64(stats[i]));
		if (counters[i].ends_line && i < max)
			report_break(r);
	}
	report_advice_of(r, stats, counters, max);
}

void family_report_cause(struct report *r, struct nlattr *attr,
			 const struct module_counter *counters, int max)
{
	int cause = attr ? nla_get_u16(attr) : 0;

	if (cause <= max && counters[cause].word)
		report_text(r, "cause", counters[cause].word);
	else
		report_number(r, "cause", cause);
}
