// SPDX-License-Identifier: GPL-2.0-or-later
/* The encryption of freshlink send and recv: see send.h. */
#include <stdio.h>

#include "send.h"

bool send_keys_open(struct fstream_dtls **dtls, const struct cli_args *args, int row,
		    const char *host)
{
	const struct fl_value *value = &args->values[row];
	const struct fstream_dtls_config config = {
		.server = !host,
		.psk = value[0].text,
		.cert = value[1].text,
		.key = value[2].text,
		.ca = value[3].text,
		.host = host,
	};
	char why[FSTREAM_WHY_MAX];

	*dtls = NULL;
	if (!config.psk && !config.cert && !config.key && !config.ca)
		return true;
	if (!fstream_dtls_new(&config, dtls, why))
		return true;
	cli_error(args->who, "%s", why);
	return false;
}

bool send_keys_fit(const struct cli_args *args, int row, bool partial)
{
	static const char *const words[] = { "--psk", "--cert", "--key", "--ca" };

	for (int i = 0; partial && i < 4; i++) {
		if (!args->values[row + i].set)
			continue;
		cli_error(args->who, "%s: what is encrypted must not be damaged at all, expected no "
			  "--sensitive, --damaged deliver or --no-udp-checksum", words[i]);
		return false;
	}
	return true;
}

uint32_t send_service(const struct fstream_dtls *dtls)
{
	return dtls ? FSTREAM_DTLS_SERVICE : FSTREAM_SERVICE;
}

bool send_secrecy_add(struct send_secrecy *all, const struct fstream *stream)
{
	struct fstream_dtls_info info;

	fstream_io_dtls_info(stream, &info);
	all->refused += info.refused;
	if (info.suite)
		snprintf(all->suite, sizeof(all->suite), "%s", info.suite);
	if (!info.failure)
		return false;
	all->failures++;
	snprintf(all->failure, sizeof(all->failure), "%s", info.failure);
	return true;
}

void send_secrecy_report(struct report *r, const struct send_secrecy *all)
{
	report_open(r, "encryption");
	report_text(r, "suite", *all->suite ? all->suite : "none");
	report_number(r, "records_refused", (int64_t)all->refused);
	report_number(r, "not_agreed", (int64_t)all->failures);
	if (all->failures)
		report_text(r, "reason", all->failure);
	report_close(r);
}
