// SPDX-License-Identifier: GPL-2.0-or-later
/* Which cause the evidence about a packet shows, and when stale packets are congestion. Prints TAP. */
#include "../../userspace/dccp/cause.c"

#include "../codec/unit.h"

#define MS	INT64_C(1000000)
#define RTT	(100 * MS)

/* A packet as it was sent: nothing is known of it. */
static struct fdccp_sent_packet open_packet(void)
{
	return (struct fdccp_sent_packet){
		.data = true, .fate = FDCCP_FATES, .drop = FDCCP_DROP_NONE, .hint = FDCCP_FATES,
	};
}

/* Each Data Dropped code, with and without a mark, has the cause that RFC 4340 section 11.7 gives. */
static bool arrivals(void)
{
	static const enum fdccp_cause plain[] = {
		FDCCP_CAUSE_CUT, FDCCP_CAUSE_REFUSED, FDCCP_CAUSE_REFUSED, FDCCP_CAUSE_DAMAGED,
		FDCCP_CAUSE_DAMAGED, FDCCP_CAUSE_DAMAGED, FDCCP_CAUSE_DAMAGED, FDCCP_CAUSE_FLAWED,
		FDCCP_CAUSE_ARRIVED,
	};
	struct fdccp_sent_packet p = open_packet();

	p.received = true;
	p.fate = FDCCP_FATE_ACKNOWLEDGED;
	for (p.drop = 0; p.drop <= FDCCP_DROP_NONE; p.drop++) {
		bool says_little = p.drop == FDCCP_DROP_NONE || p.drop == FDCCP_DROP_PROTOCOL;

		p.marked = false;
		MUST(fdccp_cause_of(&p) == plain[p.drop]);
		p.marked = true;
		MUST(fdccp_cause_of(&p) == (says_little ? FDCCP_CAUSE_MARKED : plain[p.drop]));
	}
	return true;
}

/* What is missing has the cause that the error queue or a message tells; without one it is missing.
 * What arrives after that is late, whatever was told.
 */
static bool losses(void)
{
	struct fdccp_sent_packet p = open_packet();

	p.fate = FDCCP_FATE_EXPIRED;
	MUST(fdccp_cause_of(&p) == FDCCP_CAUSE_STALE);
	p.fate = FDCCP_FATE_DISCARDED;
	MUST(fdccp_cause_of(&p) == FDCCP_CAUSE_STALE);
	p.fate = FDCCP_FATE_LOST;
	MUST(fdccp_cause_of(&p) == FDCCP_CAUSE_MISSING);
	p.hint = FDCCP_FATE_LOST;
	MUST(fdccp_cause_of(&p) == FDCCP_CAUSE_GIVEN_UP);
	p.received = true;
	MUST(fdccp_cause_of(&p) == FDCCP_CAUSE_LATE);
	p.fate = FDCCP_FATE_DISCARDED;
	MUST(fdccp_cause_of(&p) == FDCCP_CAUSE_LATE);
	/* a link has given up a copy of what arrived */
	p.fate = FDCCP_FATE_ACKNOWLEDGED;
	MUST(fdccp_cause_of(&p) == FDCCP_CAUSE_ARRIVED);
	return true;
}

/* Without causes, what the program did not get is missing, and the rest stays as it is. */
static bool untold(void)
{
	for (enum fdccp_cause cause = 0; cause < FDCCP_CAUSES; cause++) {
		bool hidden = cause == FDCCP_CAUSE_DAMAGED || cause == FDCCP_CAUSE_STALE ||
			      cause == FDCCP_CAUSE_OVERDUE || cause == FDCCP_CAUSE_GIVEN_UP;

		MUST(fdccp_cause_untold(cause) == (hidden ? FDCCP_CAUSE_MISSING : cause));
	}
	return true;
}

static struct fdccp_stale_share share;
static uint64_t told;

/* The acknowledgment of @count packets that arrived, and the verdict about one that was stale. */
static enum fdccp_cause hear(int count, int64_t now)
{
	if (now >= share.next)
		fdccp_stale_advance(&share, told, RTT, now);
	told += (uint64_t)count + 1;
	return fdccp_stale_judge(&share, told);
}

/* One in ten may be stale, and the next one is congestion. */
static bool a_tenth(void)
{
	share = (struct fdccp_stale_share){ 0 };
	told = 0;
	MUST(hear(18, 0) == FDCCP_CAUSE_STALE && hear(0, 0) == FDCCP_CAUSE_STALE);
	MUST(hear(0, 0) == FDCCP_CAUSE_OVERDUE);
	/* three of 29, and then of 30 */
	MUST(hear(8, 0) == FDCCP_CAUSE_OVERDUE);
	return true;
}

/* Packets count for four round trips: those of the span in which they were told, and three more. */
static bool four_rounds(void)
{
	share = (struct fdccp_stale_share){ 0 };
	told = 0;
	MUST(hear(9, 0) == FDCCP_CAUSE_STALE);
	MUST(hear(9, 4 * RTT - 1) == FDCCP_CAUSE_STALE);
	MUST(hear(8, 4 * RTT) == FDCCP_CAUSE_OVERDUE);
	/* all are forgotten after a long time, and with a clock below 0 */
	MUST(hear(9, 100 * RTT) == FDCCP_CAUSE_STALE);
	share = (struct fdccp_stale_share){ .next = -50 * RTT };
	MUST(hear(9, -3 * RTT) == FDCCP_CAUSE_STALE && hear(8, -RTT) == FDCCP_CAUSE_OVERDUE);
	return true;
}

static const struct unit tests[] = {
	{ "a packet that arrived", arrivals },
	{ "a packet that is missing", losses },
	{ "a control that is not told", untold },
	{ "a tenth of the flow may be stale", a_tenth },
	{ "stale packets count for four round trips", four_rounds },
};

int main(void)
{
	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) ? 1 : 0;
}
