// SPDX-License-Identifier: GPL-2.0-or-later
/* The receiver's Ack Vector (RFC 4340 sections 11.4 and 11.7, appendix A). */
#include <stdlib.h>
#include <string.h>

#include "ackvec.h"
#include "seq.h"

#define CELLS_MIN	64
#define RECORDS_MIN	4
#define RECORDS_TRIED	4	/* which an Ack Vector of the peer may acknowledge */

/* a cell: the state, and Data Dropped's code if DROPPED is set */
#define STATE		0x03
#define DROPPED		0x04
#define CODE_SHIFT	4
#define DROP		(DROPPED | 7 << CODE_SHIFT)

#define VECTOR_RUN	64	/* packets of one byte of Ack Vector */
#define NORMAL_RUN	128	/* of a Normal Block of Data Dropped */
#define DROP_RUN	16	/* of a Drop Block */

/**
 * struct record - an acknowledgment that was sent
 * @seq: its sequence number
 * @ack: all packets up to this one were reported as they still are
 */
struct record {
	uint64_t seq;
	uint64_t ack;
};

/**
 * struct fdccp_ackvec - an Ack Vector
 * @head: the greatest number received, one before the initial number at first
 * @low: the oldest number that is remembered
 * @report: the oldest number that is reported
 * @plain: from this number to @head all were received, without a mark or drop code; after @head:
 *	none. It spares a look at each of them for each acknowledgment
 * @last_drop: the greatest number with a drop code
 * @has_drop: there was one
 * @cells: a ring, the cell of a number is at its lower bits
 * @size: cells of the ring, a power of 2
 * @records: a ring of acknowledgments in the order of their numbers; NULL before the first, which
 *	not all CCIDs send
 * @records_size: records of the ring, a power of 2
 * @first: count of records that have left the ring
 * @next: count of records that came into it
 */
struct fdccp_ackvec {
	uint64_t head, low, report, plain;
	uint64_t last_drop;
	bool has_drop;
	uint8_t *cells;
	size_t size;
	struct record *records;
	size_t records_size;
	size_t first, next;
};

/* A list of bytes of Ack Vector or Data Dropped, as it is written. */
struct bytes {
	uint8_t byte[FDCCP_OPTIONS_MAX];
	size_t len, room;
};

struct fdccp_ackvec *fdccp_ackvec_new(uint64_t isr)
{
	struct fdccp_ackvec *av = calloc(1, sizeof(*av));

	if (!av)
		return NULL;
	av->size = CELLS_MIN;
	av->cells = malloc(av->size);
	if (!av->cells) {
		fdccp_ackvec_free(av);
		return NULL;
	}
	av->head = fdccp_seq_add(isr, -1);
	av->low = isr;
	av->report = isr;
	av->plain = isr;
	return av;
}

void fdccp_ackvec_free(struct fdccp_ackvec *av)
{
	if (!av)
		return;
	free(av->cells);
	free(av->records);
	free(av);
}

size_t fdccp_ackvec_memory(const struct fdccp_ackvec *av)
{
	return sizeof(*av) + av->size + av->records_size * sizeof(*av->records);
}

static uint8_t *cell(const struct fdccp_ackvec *av, uint64_t seq)
{
	return &av->cells[seq & (av->size - 1)];
}

static struct record *record_at(const struct fdccp_ackvec *av, size_t at)
{
	return &av->records[at & (av->records_size - 1)];
}

static bool known(const struct fdccp_ackvec *av, uint64_t seq)
{
	return fdccp_seq_diff(seq, av->low) >= 0 && fdccp_seq_diff(seq, av->head) <= 0;
}

static bool received(const struct fdccp_ackvec *av, uint64_t seq)
{
	return (*cell(av, seq) & STATE) != FDCCP_CELL_NOT_RECEIVED;
}

/* Makes the ring large enough for @window packets, if there is memory. */
static __attribute__((noinline)) void grow(struct fdccp_ackvec *av, int64_t window)
{
	struct fdccp_ackvec old = *av;
	size_t size = av->size;
	uint8_t *cells;

	while (size < FDCCP_ACKVEC_CELLS && (int64_t)size < window)
		size *= 2;
	if (size == av->size)
		return;
	cells = malloc(size);
	if (!cells)
		return;
	av->cells = cells;
	av->size = size;
	for (uint64_t seq = av->low; known(av, seq); seq = fdccp_seq_add(seq, 1))
		*cell(av, seq) = *cell(&old, seq);
	free(old.cells);
}

/* The @ahead - 1 numbers before @seq were not received. */
static __attribute__((noinline)) void skip(struct fdccp_ackvec *av, uint64_t seq, int64_t ahead)
{
	av->plain = seq;
	if (ahead > (int64_t)av->size)
		ahead = (int64_t)av->size;
	for (int64_t i = 1; i < ahead; i++)
		*cell(av, seq - (uint64_t)i) = FDCCP_CELL_NOT_RECEIVED;
}

/* Moves the head by @ahead to @seq. Numbers between are not received. What has no room is
 * forgotten.
 */
static void advance(struct fdccp_ackvec *av, uint64_t seq, int64_t ahead)
{
	int64_t window = fdccp_seq_diff(seq, av->report) + 1;

	if (window > (int64_t)av->size)
		grow(av, window);
	if (ahead > 1)
		skip(av, seq, ahead);
	av->head = seq;
	if (fdccp_seq_diff(seq, av->low) < (int64_t)av->size)
		return;
	av->low = fdccp_seq_add(seq, 1 - (int64_t)av->size);
	if (fdccp_seq_after(av->low, av->report))
		av->report = av->low;
}

/* What acknowledgments said about @seq is out of date: their acknowledgment does not end that @seq
 * is reported (appendix A.3).
 */
static __attribute__((noinline)) void renew(struct fdccp_ackvec *av, uint64_t seq)
{
	for (size_t i = av->next; i != av->first; i--) {
		struct record *record = record_at(av, i - 1);

		if (fdccp_seq_before(record->ack, seq))
			break;
		record->ack = fdccp_seq_add(seq, -1);
	}
	if (fdccp_seq_before(seq, av->report))
		av->report = seq;
}

/* The packet @seq has a mark or a drop code. */
static void end_plain(struct fdccp_ackvec *av, uint64_t seq)
{
	if (!fdccp_seq_before(seq, av->plain))
		av->plain = fdccp_seq_add(seq, 1);
}

bool fdccp_ackvec_add(struct fdccp_ackvec *av, uint64_t seq, bool marked)
{
	int64_t ahead = fdccp_seq_diff(seq, av->head);

	if (ahead > 0) {
		advance(av, seq, ahead);
	} else {
		if (fdccp_ackvec_seen(av, seq))
			return false;
		renew(av, seq);
	}
	*cell(av, seq) = marked ? FDCCP_CELL_MARKED : FDCCP_CELL_RECEIVED;
	if (marked)
		end_plain(av, seq);
	return true;
}

/* A code stays: what follows must not be less serious. But the program can drop a damaged packet
 * that was delivered (RFC 4340 section 11.7).
 */
void fdccp_ackvec_drop(struct fdccp_ackvec *av, uint64_t seq, unsigned int code)
{
	uint8_t delivered = DROPPED | FDCCP_DROP_DELIVERED_CORRUPT << CODE_SHIFT;
	uint8_t *at = cell(av, seq);

	if (!known(av, seq) || !received(av, seq))
		return;
	if ((*at & DROPPED) && (*at & DROP) != delivered)
		return;
	*at = (uint8_t)((*at & STATE) | DROPPED | (code & 7) << CODE_SHIFT);
	end_plain(av, seq);
	renew(av, seq);
	if (!av->has_drop || fdccp_seq_after(seq, av->last_drop))
		av->last_drop = seq;
	av->has_drop = true;
}

bool fdccp_ackvec_seen(const struct fdccp_ackvec *av, uint64_t seq)
{
	if (fdccp_seq_after(seq, av->head))
		return false;
	return fdccp_seq_before(seq, av->low) || received(av, seq);
}

/* How many cells from @seq down to older ones are alike in the bits @mask, at most @limit. Eight
 * cells are compared at once where the ring does not wrap.
 */
static int64_t run(const struct fdccp_ackvec *av, uint64_t seq, int64_t limit, uint8_t mask)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint8_t value = *cell(av, seq) & mask;
	int64_t len = fdccp_seq_diff(seq, av->plain) + 1;

	if (len >= limit)
		return limit;
	if (len < 1)
		len = 1;
	while (len < limit) {
		size_t index = (seq - (uint64_t)len) & (av->size - 1);
		uint64_t eight;

		if (index >= 7 && len + 8 <= limit) {
			memcpy(&eight, &av->cells[index - 7], sizeof(eight));
			if ((eight & (ones * mask)) == ones * value) {
				len += 8;
				continue;
			}
		}
		if ((av->cells[index] & mask) != value)
			break;
		len++;
	}
	return len;
}

/* The oldest number that an acknowledgment reports; the head is reported always. */
static uint64_t oldest(const struct fdccp_ackvec *av)
{
	return fdccp_seq_after(av->report, av->head) ? av->head : av->report;
}

static int64_t min_run(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Makes the bytes of the Ack Vector. Return: how many packets they report. */
static inline int64_t make_vector(const struct fdccp_ackvec *av, int64_t count, struct bytes *out)
{
	int64_t plain = min_run(count, fdccp_seq_diff(av->head, av->plain) + 1);
	int64_t done = 0;

	for (; plain - done >= VECTOR_RUN && out->len < out->room; done += VECTOR_RUN)
		out->byte[out->len++] = FDCCP_CELL_RECEIVED << 6 | (VECTOR_RUN - 1);
	while (done < count && out->len < out->room) {
		uint64_t seq = av->head - (uint64_t)done;
		int64_t len = run(av, seq, min_run(count - done, VECTOR_RUN), STATE);

		out->byte[out->len++] = (uint8_t)((*cell(av, seq) & STATE) << 6 | (len - 1));
		done += len;
	}
	return done;
}

/* Whether one of the packets that are reported has a drop code. */
static bool reports_drop(const struct fdccp_ackvec *av)
{
	return av->has_drop && !fdccp_seq_before(av->last_drop, oldest(av));
}

/* Makes the blocks of Data Dropped for the newest @count packets; after the oldest Drop Block none
 * is needed. Return: how many packets they cover.
 */
static int64_t make_dropped(const struct fdccp_ackvec *av, int64_t count, struct bytes *out)
{
	int64_t done = 0;
	size_t needed = 0;

	while (done < count && out->len < out->room) {
		uint64_t seq = av->head - (uint64_t)done;
		uint8_t value = *cell(av, seq) & DROP;
		int64_t limit = min_run(count - done, value ? DROP_RUN : NORMAL_RUN);
		int64_t len = run(av, seq, limit, DROP);
		int type = value ? 0x80 | (value & ~DROPPED) : 0;

		out->byte[out->len++] = (uint8_t)(type | (len - 1));
		done += len;
		if (value)
			needed = out->len;
	}
	out->len = needed;
	return done;
}

/* Bytes that options of @room bytes can carry. */
static size_t capacity(size_t room)
{
	size_t rest = room % (FDCCP_OPTION_VALUE_MAX + 2);

	return room / (FDCCP_OPTION_VALUE_MAX + 2) * FDCCP_OPTION_VALUE_MAX +
	       (rest > 2 ? rest - 2 : 0);
}

static size_t space(const struct fdccp_writer *w)
{
	return (size_t)(w->end - w->at);
}

static void reset(struct bytes *bytes, size_t room)
{
	size_t fits = capacity(room);

	bytes->len = 0;
	bytes->room = fits < sizeof(bytes->byte) ? fits : sizeof(bytes->byte);
}

static void put(struct fdccp_writer *w, uint8_t type, const struct bytes *bytes)
{
	for (size_t at = 0; at < bytes->len; at += FDCCP_OPTION_VALUE_MAX) {
		size_t len = bytes->len - at;

		if (len > FDCCP_OPTION_VALUE_MAX)
			len = FDCCP_OPTION_VALUE_MAX;
		fdccp_write_option(w, type, &bytes->byte[at], len);
	}
}

/* Doubles the ring of records if it is full, or else forgets its oldest record. Return: whether
 * there is room.
 */
static bool make_room(struct fdccp_ackvec *av)
{
	size_t size = av->records_size ? av->records_size * 2 : RECORDS_MIN;
	struct record *records;

	if (av->next - av->first < av->records_size)
		return true;
	records = size <= FDCCP_ACKVEC_RECORDS ? malloc(size * sizeof(*records)) : NULL;
	if (!records) {
		av->first += av->records_size > 0;
		return av->records_size > 0;
	}
	for (size_t i = av->first; i != av->next; i++)
		records[i & (size - 1)] = av->records[i & (av->records_size - 1)];
	free(av->records);
	av->records = records;
	av->records_size = size;
	return true;
}

static void remember(struct fdccp_ackvec *av, uint64_t seq)
{
	if (!make_room(av))
		return;
	*record_at(av, av->next++) = (struct record){ seq, av->head };
}

void fdccp_ackvec_write(struct fdccp_ackvec *av, struct fdccp_writer *w, uint64_t seq,
			bool data_dropped)
{
	int64_t count = fdccp_seq_diff(av->head, oldest(av)) + 1;
	size_t room = space(w);
	struct bytes bytes;
	int64_t reported, complete;

	if (fdccp_seq_before(av->head, av->low))
		return;
	reset(&bytes, room);
	reported = make_vector(av, count, &bytes);
	complete = reported;
	put(w, FDCCP_OPT_ACK_VECTOR_0, &bytes);
	if (data_dropped && reports_drop(av)) {
		reset(&bytes, space(w));
		complete = make_dropped(av, reported, &bytes);
		put(w, FDCCP_OPT_DATA_DROPPED, &bytes);
	}
	if (complete < count && room < FDCCP_ACKVEC_ROOM)
		return;
	if (reported < count)
		av->report = fdccp_seq_add(av->head, 1 - reported);
	remember(av, seq);
}

void fdccp_ackvec_write_dropped(const struct fdccp_ackvec *av, struct fdccp_writer *w)
{
	struct bytes bytes;

	if (!reports_drop(av))
		return;
	reset(&bytes, space(w));
	make_dropped(av, fdccp_seq_diff(av->head, oldest(av)) + 1, &bytes);
	put(w, FDCCP_OPT_DATA_DROPPED, &bytes);
}

/* The place after the newest record of a packet of ours up to @seq. */
static size_t after_record(const struct fdccp_ackvec *av, uint64_t seq)
{
	size_t low = av->first, high = av->next;

	while (low != high) {
		size_t middle = low + (high - low) / 2;

		if (fdccp_seq_after(record_at(av, middle)->seq, seq))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* The peer has the packet with the record @at. */
static void forget_reported(struct fdccp_ackvec *av, size_t at)
{
	uint64_t report = fdccp_seq_add(record_at(av, at)->ack, 1);

	if (fdccp_seq_after(report, av->report))
		av->report = report;
	av->first = at + 1;
}

void fdccp_ackvec_acked(struct fdccp_ackvec *av, uint64_t seq)
{
	size_t at = after_record(av, seq);

	if (at != av->first && record_at(av, at - 1)->seq == seq)
		forget_reported(av, at - 1);
}

/* Whether @cells, from @ack down, report the packet @back numbers before it as received. */
static bool reports(const uint8_t *cells, size_t len, int64_t back)
{
	for (size_t i = 0; i < len; i++) {
		int64_t count = (cells[i] & (VECTOR_RUN - 1)) + 1;

		if (back < count)
			return cells[i] >> 6 <= FDCCP_CELL_MARKED;
		back -= count;
	}
	return false;
}

void fdccp_ackvec_acked_by(struct fdccp_ackvec *av, uint64_t ack, const uint8_t *cells, size_t len)
{
	size_t at;

	/* mostly no acknowledgment waits for its own, or none that is so old */
	if (av->first == av->next || fdccp_seq_after(record_at(av, av->first)->seq, ack))
		return;
	at = after_record(av, ack);
	for (int tries = 0; at != av->first && tries < RECORDS_TRIED; at--, tries++) {
		if (reports(cells, len, fdccp_seq_diff(ack, record_at(av, at - 1)->seq))) {
			forget_reported(av, at - 1);
			return;
		}
	}
}

static size_t options_size(const struct bytes *bytes)
{
	size_t options = (bytes->len + FDCCP_OPTION_VALUE_MAX - 1) / FDCCP_OPTION_VALUE_MAX;

	return bytes->len + 2 * options;
}

size_t fdccp_ackvec_size(const struct fdccp_ackvec *av)
{
	int64_t count = fdccp_seq_diff(av->head, oldest(av)) + 1;
	struct bytes bytes;
	size_t size;

	if (fdccp_seq_before(av->head, av->low))
		return 0;
	reset(&bytes, SIZE_MAX);
	count = make_vector(av, count, &bytes);
	size = options_size(&bytes);
	bytes.len = 0;
	if (reports_drop(av))
		make_dropped(av, count, &bytes);
	return size + options_size(&bytes);
}
