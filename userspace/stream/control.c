// SPDX-License-Identifier: GPL-2.0-or-later
#include "control.h"
#include "stream.h"

#define NSEC_PER_SEC	UINT64_C(1000000000)
#define TIMEOUT_MAX	INT64_C(60000000000)

int64_t fstream_timeout(const struct fdccp_measure *measure)
{
	int64_t rtt = measure->srtt ? measure->srtt : FSTREAM_RTT_DEFAULT;
	int64_t var = measure->srtt ? measure->rttvar : rtt / 2;
	int64_t timeout = rtt + 4 * var;

	return timeout < TIMEOUT_MAX ? timeout : TIMEOUT_MAX;
}

/* Queues are on the way of the data, hardly on that of the acknowledgments. So the way back takes
 * half of the least round-trip time, and the way to the receiver the rest.
 */
static int64_t way_at(const struct fdccp_measure *path, int64_t rtt, int64_t spread)
{
	int64_t least = path->rtt_min && path->rtt_min < rtt ? path->rtt_min : rtt;

	return rtt - least / 2 + spread;
}

/* After an outage, the mean has the time for which packets waited. The last round trip tells that
 * this is over, as if it were the first one (RFC 6298 section 2.2). Without that, nothing would be
 * feasible, so nothing would be sent, and the mean would stay. The last one may be that of a frame,
 * which is smaller than a piece, so the way takes as long as that of the fastest piece at least.
 */
static int64_t way(const struct fstream_view *view)
{
	const struct fdccp_measure *path = view->path;
	int64_t usual = way_at(path, path->srtt, path->rttvar);
	int64_t last = way_at(path, path->sample, path->sample / 2);
	int64_t found = path->sample && last < usual ? last : usual;

	return found > view->least ? found : view->least;
}

/* CCID 2 and 3 count packets, and pieces may be larger than the packets before. Else the first
 * large message would never be sent, and the rate never be told for its packets.
 */
static uint64_t rate_of_pieces(const struct fstream_view *view)
{
	const struct fdccp_measure *path = view->path;

	if (!path->size || view->len <= path->size)
		return path->rate;
	return path->rate * view->len / path->size;
}

int64_t fstream_arrival(const struct fstream_view *view)
{
	uint64_t rate = rate_of_pieces(view);
	int64_t wait = rate ? (int64_t)(view->ahead * NSEC_PER_SEC / rate) : 0;

	return view->now + wait + way(view);
}

/* The timeout doubles as in RFC 6298 section 5.5. Where it is shorter than the path needs, all first
 * attempts are discarded, and nothing would be there to measure the path with.
 */
static int64_t backed_off(const struct fstream_view *view)
{
	int64_t timeout = fstream_timeout(view->path);

	for (unsigned int i = 0; i < view->attempts && timeout < TIMEOUT_MAX; i++)
		timeout *= 2;
	return timeout < TIMEOUT_MAX ? timeout : TIMEOUT_MAX;
}

int64_t fstream_wire_deadline(const struct fstream_view *view)
{
	int64_t again = view->now + backed_off(view);
	bool feasible = again + way(view) <= view->deadline;

	return feasible || view->deadline <= view->now ? again : view->deadline;
}

static bool in_time(const struct fstream_view *view)
{
	return fstream_arrival(view) <= view->deadline;
}

static enum fstream_verdict first_in_time(const struct fstream_view *view)
{
	return in_time(view) ? FSTREAM_SEND : FSTREAM_GIVE_UP;
}

static enum fstream_verdict repeat_in_time(const struct fstream_view *view)
{
	if (!in_time(view))
		return FSTREAM_GIVE_UP;
	return (int64_t)view->len <= view->budget ? FSTREAM_SEND : FSTREAM_WAIT;
}

static enum fstream_verdict always(const struct fstream_view *view)
{
	(void)view;
	return FSTREAM_SEND;
}

static enum fstream_verdict never(const struct fstream_view *view)
{
	(void)view;
	return FSTREAM_GIVE_UP;
}

static int64_t at_deadline(const struct fstream_view *view)
{
	return view->deadline;
}

static const struct fstream_controller controllers[] = {
	[FSTREAM_CONTROL_FEASIBLE] = {
		.first = first_in_time,
		.repeat = repeat_in_time,
		.stale_at = fstream_wire_deadline,
		.expire = true,
		.deadlines = true,
	},
	[FSTREAM_CONTROL_PAPER] = {
		.first = always,
		.repeat = always,
		.stale_at = fstream_wire_deadline,
		.cancel_when_full = true,
		.deadlines = true,
	},
	[FSTREAM_CONTROL_RELIABLE] = {
		.first = always,
		.repeat = always,
		/* FDCCP_NEVER, as the message's */
		.stale_at = at_deadline,
	},
	[FSTREAM_CONTROL_NONE] = {
		.first = always,
		.repeat = never,
		.stale_at = at_deadline,
		.expire = true,
		.deadlines = true,
	},
};

const struct fstream_controller *fstream_controller(enum fstream_control control)
{
	return &controllers[control];
}
