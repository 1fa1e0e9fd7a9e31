/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The recent quality of the link, as its sender sees it. All functions only compute.
 *
 * "Recent" are the present and the previous tally. A tally ends with the first acknowledgment after
 * ARQL_HORIZON. Therefore the values stay the same while nothing is acknowledged.
 */
#ifndef _ARQLINK_QUALITY_H
#define _ARQLINK_QUALITY_H

#include <linux/time64.h>
#include <linux/types.h>
#include <net/fl_link.h>

#define ARQL_HORIZON		(2 * (s64)NSEC_PER_SEC)
#define ARQL_DELAY_BUCKETS	240

/**
 * struct arql_tally - what has happened in a part of the horizon
 * @sent: transmissions of DATA frames
 * @failed: transmissions that have failed
 * @frames: acknowledged frames
 * @attempts: transmissions of these frames
 * @packets: packets that are acknowledged or too late
 * @bytes: bytes of these packets
 * @busy_ns: time in which packets waited, in ns
 * @busy_bytes: bytes of the packets acknowledged in this time
 * @delays: histogram of the delays of @packets
 */
struct arql_tally {
	u64 sent;
	u64 failed;
	u64 frames;
	u64 attempts;
	u64 packets;
	u64 bytes;
	u64 busy_ns;
	u64 busy_bytes;
	u32 delays[ARQL_DELAY_BUCKETS];
};

/**
 * struct arql_quality - the recent quality of a link
 * @tally: the present tally and the previous one
 * @present: index of the present tally
 * @began_at: time at which the present tally began, monotonic in ns
 * @acked_at: time of the last acknowledgment, monotonic in ns
 * @waited: packets waited at the last acknowledgment
 * @busy: packets waited at the last acknowledgment and at the one before
 */
struct arql_quality {
	struct arql_tally tally[2];
	u8 present;
	s64 began_at;
	s64 acked_at;
	bool waited;
	bool busy;
};

void arql_quality_sent(struct arql_quality *q, bool again);
void arql_quality_failed(struct arql_quality *q);
void arql_quality_acked(struct arql_quality *q, bool waits, s64 now);
void arql_quality_frame(struct arql_quality *q, u32 attempts);
void arql_quality_packet(struct arql_quality *q, s64 delay, u32 bytes);
void arql_quality_late(struct arql_quality *q, s64 delay, u32 bytes);
void arql_quality_read(const struct arql_quality *q, struct fl_link_quality *quality);

#endif /* _ARQLINK_QUALITY_H */
