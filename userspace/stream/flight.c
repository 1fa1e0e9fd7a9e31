// SPDX-License-Identifier: GPL-2.0-or-later
#include <freshlink-dccp.h>
#include <stdlib.h>

#include "flight.h"

#define ROOM_MIN	64

static struct fstream_sent *place(const struct fstream_flight *flight, uint64_t handle)
{
	return &flight->ring[handle & (flight->room - 1)];
}

static bool resize(struct fstream_flight *flight, uint64_t room)
{
	struct fstream_flight old = *flight;
	struct fstream_sent *ring = malloc(room * sizeof(*ring));

	if (!ring)
		return false;
	flight->ring = ring;
	flight->room = room;
	for (uint64_t handle = old.oldest; handle != old.next; handle++)
		*place(flight, handle) = *place(&old, handle);
	free(old.ring);
	return true;
}

void fstream_flight_free(struct fstream_flight *flight)
{
	free(flight->ring);
	flight->ring = NULL;
}

bool fstream_flight_reserve(struct fstream_flight *flight)
{
	if (flight->next - flight->oldest < flight->room)
		return true;
	return resize(flight, flight->room ? 2 * flight->room : ROOM_MIN);
}

void fstream_flight_add(struct fstream_flight *flight, const struct fstream_sent *sent)
{
	*place(flight, flight->next++) = *sent;
	flight->last_at = sent->at;
}

struct fstream_sent *fstream_flight_find(const struct fstream_flight *flight, uint64_t handle)
{
	struct fstream_sent *sent;

	if (handle < flight->oldest || handle >= flight->next)
		return NULL;
	sent = place(flight, handle);
	return sent->state == FSTREAM_SENT_GONE ? NULL : sent;
}

/* Moves past what is settled. */
static void settle(struct fstream_flight *flight)
{
	while (flight->oldest != flight->next &&
	       place(flight, flight->oldest)->state == FSTREAM_SENT_GONE)
		flight->oldest++;
	while (flight->judged != flight->next &&
	       place(flight, flight->judged)->state != FSTREAM_SENT_OPEN)
		flight->judged++;
}

/* Gives back memory that a burst has needed. */
static void shrink(struct fstream_flight *flight)
{
	uint64_t room = flight->room;

	while (room > ROOM_MIN && flight->next - flight->oldest < room / 4)
		room /= 2;
	if (room != flight->room)
		resize(flight, room);
}

static void note_arrival(struct fstream_flight *flight, uint64_t handle, int64_t latency)
{
	if (handle < flight->overtaker) {
		flight->wary = FSTREAM_FLIGHT_WARY;
	} else {
		flight->overtaker = handle + 1;
		flight->latency = latency;
	}
}

/* Losses without a change of order count once in a round trip. */
static void note_loss(struct fstream_flight *flight, uint64_t handle)
{
	if (!flight->wary || handle < flight->round)
		return;
	flight->wary--;
	flight->round = flight->next;
}

void fstream_flight_close(struct fstream_flight *flight, uint64_t handle, bool acknowledged,
			  int64_t now)
{
	struct fstream_sent *sent = fstream_flight_find(flight, handle);

	if (acknowledged)
		note_arrival(flight, handle, now - sent->at);
	else
		note_loss(flight, handle);
	sent->state = FSTREAM_SENT_GONE;
	settle(flight);
	shrink(flight);
}

/* When a transmission that was overtaken counts as lost: when its acknowledgment would have come if
 * it had taken as long as the one that overtook it. Where packets change their order, SRTT/4 later
 * (RFC 8985 section 6.2).
 */
static int64_t lost_at(const struct fstream_flight *flight, const struct fstream_sent *sent,
		       int64_t srtt)
{
	return sent->at + flight->latency + (flight->wary ? srtt / 4 : 0);
}

int64_t fstream_flight_timer(const struct fstream_flight *flight, int64_t srtt, int64_t timeout)
{
	if (flight->judged == flight->next)
		return FDCCP_NEVER;
	if (flight->judged < flight->overtaker)
		return lost_at(flight, place(flight, flight->judged), srtt);
	return flight->last_at + timeout;
}

static struct fstream_sent *judge(struct fstream_flight *flight, uint64_t *handle)
{
	struct fstream_sent *sent = place(flight, flight->judged);

	*handle = flight->judged;
	sent->state = FSTREAM_SENT_JUDGED;
	settle(flight);
	return sent;
}

struct fstream_sent *fstream_flight_overtaken(struct fstream_flight *flight, int64_t srtt,
					      int64_t now, uint64_t *handle)
{
	if (flight->judged >= flight->overtaker || flight->judged == flight->next ||
	    lost_at(flight, place(flight, flight->judged), srtt) > now)
		return NULL;
	return judge(flight, handle);
}

struct fstream_sent *fstream_flight_tail(struct fstream_flight *flight, int64_t timeout,
					 int64_t now, uint64_t *handle)
{
	if (flight->judged < flight->overtaker || flight->judged == flight->next ||
	    flight->last_at + timeout > now)
		return NULL;
	return judge(flight, handle);
}
