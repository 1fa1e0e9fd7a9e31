// SPDX-License-Identifier: GPL-2.0-or-later
/* Congestion control of the commands that send by DCCP: see dccp_rate.h. */
#include "dccp_rate.h"

#define BACKLOG_UNIT	256

const char *const dccp_ccid_words[] = { "2", "3", "iftp", "iftpv", NULL };
const char *const dccp_undo_words[] = {
	[FDCCP_UNDO_AUTO] = "auto", [FDCCP_UNDO_OFF] = "off", [FDCCP_UNDO_ON] = "on", NULL,
};

const char *const dccp_forgive_words[] = { "nothing", "stale", NULL };
const char *const dccp_switch_words[] = { "off", "on", NULL };

static const uint8_t ccids[] = {
	FDCCP_CCID2, FDCCP_CCID3, FDCCP_CCID_IFTP, FDCCP_CCID_IFTPV,
};

static const char *const cause_names[FDCCP_CAUSES] = {
	[FDCCP_CAUSE_ARRIVED] = "arrived", [FDCCP_CAUSE_CUT] = "cut",
	[FDCCP_CAUSE_MARKED] = "marked", [FDCCP_CAUSE_FLAWED] = "flawed",
	[FDCCP_CAUSE_DAMAGED] = "damaged", [FDCCP_CAUSE_REFUSED] = "refused",
	[FDCCP_CAUSE_STALE] = "stale", [FDCCP_CAUSE_OVERDUE] = "overdue",
	[FDCCP_CAUSE_GIVEN_UP] = "given_up", [FDCCP_CAUSE_MISSING] = "missing",
	[FDCCP_CAUSE_LATE] = "late", [FDCCP_CAUSE_DEFER] = "defer",
	[FDCCP_CAUSE_LINK_UP] = "link_up",
};

static const char *const verdict_names[FDCCP_VERDICTS] = {
	[FDCCP_VERDICT_KEEP] = "keep", [FDCCP_VERDICT_EASE] = "ease",
	[FDCCP_VERDICT_HALVE] = "halve", [FDCCP_VERDICT_DRAIN] = "drain",
	[FDCCP_VERDICT_TIMEOUT] = "timeout",
};

uint8_t dccp_rate_ccid(const struct fl_value *ccid)
{
	return ccids[ccid->number];
}

bool dccp_rate_is_iftp(const struct fl_value *ccid)
{
	return ccid->set && dccp_rate_ccid(ccid) >= FDCCP_CCID_IFTP;
}

bool dccp_rate_fits(const struct cli_args *args, const struct dccp_rate *rate, bool iftp)
{
	const struct { const char *word; const struct fl_value *value; } of_iftp[] = {
		{ "--scale", rate->scale }, { "--window", rate->window },
		{ "--tolerance", rate->tolerance },
	};

	for (size_t i = 0; i < sizeof(of_iftp) / sizeof(of_iftp[0]); i++) {
		if (iftp || !of_iftp[i].value->set)
			continue;
		cli_error(args->who, "%s %s: expected iftp or iftpv as congestion control",
			  of_iftp[i].word, of_iftp[i].value->text);
		return false;
	}
	return true;
}

bool dccp_check_ccid3(const struct cli_args *args, const struct fl_value *undo,
		      const struct fl_value *forgive, const struct fl_value *ccid)
{
	bool on = undo->number == FDCCP_UNDO_ON;

	if ((!on && !forgive->number) || (ccid->set && dccp_rate_ccid(ccid) == FDCCP_CCID3))
		return true;
	cli_error(args->who, "%s: expected --ccid 3", on ? "--undo on" : "--forgive stale");
	return false;
}

bool dccp_forgives(const struct cli_args *args, const struct fdccp_conn *conn)
{
	struct fdccp_info info;

	fdccp_info(conn, &info);
	if (!info.ours)
		cli_error(args->who, "--forgive stale: the peer is no end of freshlink, and sends "
			  "no Loss Intervals");
	return info.ours;
}

void dccp_rate_params(struct fdccp_params *params, const struct dccp_rate *rate)
{
	params->iftp.scale = (uint16_t)(rate->scale->number / 10);
	params->iftp.window_max = (uint16_t)rate->window->number;
	params->iftp.tolerance = (uint8_t)rate->tolerance->number;
	params->causes = rate->causes->number;
}

void dccp_rate_accept(struct fdccp_params *params, const struct fl_value *ccid)
{
	size_t i = 0;

	if (ccid->set)
		return;
	while (params->peer_ccids[i])
		i++;
	params->peer_ccids[i] = FDCCP_CCID_IFTP;
	params->peer_ccids[i + 1] = FDCCP_CCID_IFTPV;
}

void dccp_told_add(struct dccp_told *told, const struct fdccp_info *info)
{
	for (int i = 0; i < FDCCP_CAUSES; i++)
		told->cause[i] += info->cause[i];
	for (int i = 0; i < FDCCP_VERDICTS; i++)
		told->verdict[i] += info->verdict[i];
	if (info->ccid != FDCCP_CCID_IFTP && info->ccid != FDCCP_CCID_IFTPV)
		return;
	told->iftp = true;
	told->backlog = info->backlog;
}

void dccp_told_report(const struct dccp_told *told, struct report *r)
{
	report_open(r, "causes");
	for (int i = 0; i < FDCCP_CAUSES; i++)
		report_number(r, cause_names[i], (int64_t)told->cause[i]);
	report_close(r);
	if (!told->iftp)
		return;
	report_open(r, "verdicts");
	for (int i = 0; i < FDCCP_VERDICTS; i++)
		report_number(r, verdict_names[i], (int64_t)told->verdict[i]);
	report_close(r);
	report_share(r, "backlog_at_loss", told->backlog, BACKLOG_UNIT);
}
