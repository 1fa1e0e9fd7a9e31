// SPDX-License-Identifier: GPL-2.0-or-later
/* Settings of xlo and xlo_rto as statements of configuration: see conf_state.h. */
#include <net/if.h>
#include <netlink/genl/genl.h>

#include "../conf/words.h"
#include "conf.h"
#include "conf_state.h"
#include "rto_family.h"
#include "xlo_family.h"

static void write_settings(struct nlattr **attrs, FILE *out)
{
	struct fl_value values[CLI_MAX_OPTIONS];

	family_values(set_command.options, attrs, values);
	fputs("set", out);
	conf_put_options(set_command.options, values, out);
	fputc('\n', out);
}

static void write_profile(struct nlattr **attrs, FILE *out)
{
	struct fl_value values[CLI_MAX_OPTIONS];

	if (!attrs[XLO_A_PROFILE_NAME])
		return;
	xlo_profile_values(attrs, values);
	fputs("profile add ", out);
	conf_put_word(nla_get_string(attrs[XLO_A_PROFILE_NAME]), out);
	conf_put_options(profile_add_command.options, values, out);
	fputc('\n', out);
}

/* No line can have some names, because the kernel allows any byte in a name. */
static void write_cap(struct nlattr **attrs, FILE *out)
{
	struct fl_value value;
	char name[IF_NAMESIZE];

	if (!xlo_cap_value(attrs, name, &value))
		return;
	if (!conf_device_is_typed(name)) {
		fputs("# the cap of a device whose name no line can have\n", out);
		return;
	}
	fputs("cap set ", out);
	conf_put_word(name, out);
	conf_put_options(cap_set_command.options, &value, out);
	fputc('\n', out);
}

static bool write_answers(struct family *x, uint8_t cmd, FILE *out,
			  void (*write)(struct nlattr **attrs, FILE *out))
{
	struct nlattr *attrs[XLO_A_MAX + 1];
	struct xlo_answers answers = { 0 };
	bool done = xlo_read(x, cmd, &answers);

	for (size_t i = 0; done && i < answers.count; i++)
		if (xlo_parse(answers.msgs[i], attrs))
			write(attrs, out);
	xlo_forget(&answers);
	return done;
}

static bool write_xlo(struct family *x, FILE *out)
{
	return x->id < 0 || (write_answers(x, XLO_CMD_GET, out, write_settings) &&
			     write_answers(x, XLO_CMD_PROFILE_GET, out, write_profile) &&
			     write_answers(x, XLO_CMD_CAP_GET, out, write_cap));
}

/* Without its key, the line would let everybody send messages, so it is a comment in a file. */
static void begin_comment(const struct cli_args *args, FILE *out)
{
	cli_error(args->who, "rto set: the kernel does not show the key: the line is a comment until you name the file of the key there");
	fputs("# the kernel does not show the key: name its file in the next line, and remove the #\n# ",
	      out);
}

static void write_rto_settings(const struct cli_args *args, struct nlattr **attrs, bool saves,
			       FILE *out)
{
	struct fl_value values[CLI_MAX_OPTIONS];
	bool keyed = attrs[XRTO_A_KEYED] && nla_get_u8(attrs[XRTO_A_KEYED]);

	family_values(rto_set_command.options, attrs, values);
	if (keyed && saves)
		begin_comment(args, out);
	fputs("rto set", out);
	conf_put_options(rto_set_command.options, values, out);
	if (!keyed)
		fputs(" --key none", out);
	else if (saves)
		fputs(" --key FILE", out);
	fputc('\n', out);
}

static bool write_rto(const struct family *x, bool saves, FILE *out)
{
	struct nlattr *attrs[XRTO_A_MAX + 1];
	struct nl_msg *told;

	if (!family_is_there(x, XRTO_GENL_NAME))
		return true;
	told = rto_read(x->args);
	if (!told)
		return false;
	if (rto_parse(told, attrs))
		write_rto_settings(x->args, attrs, saves, out);
	nlmsg_free(told);
	return true;
}

bool conf_state_write(const struct cli_args *args, bool saves, FILE *out)
{
	struct family x;
	bool done;

	if (!xlo_open_if_loaded(&x, args))
		return false;
	done = write_xlo(&x, out) && write_rto(&x, saves, out);
	family_close(&x);
	return done && conf_route_write(args, out) && conf_pace_write(args, out);
}
