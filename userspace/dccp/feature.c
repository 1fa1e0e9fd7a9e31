// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Feature negotiation (RFC 4340 section 6).
 *
 * The rules of section 6.6.2. Three cases in which they leave two ends with different values, or
 * reset a connection without need, get more care:
 * - An end that is CHANGING and receives a Change answers it and takes the value, but stays
 *   CHANGING until its own Change is answered; section 6.6.6 allows both. The received Change may
 *   have been sent before the peer heard of our last Confirm. An end that took it for an answer
 *   would stop while the peer does not know its new preferences. Only where there was no Confirm, a
 *   Change that acknowledges our own is its answer: Linux's Response has no other.
 * - A Confirm acknowledges all packets up to a number, even if one of them is missing and had a
 *   newer Change. So an end that sends a Confirm ignores feature options up to that number from
 *   then on, and the peer sends its Change again.
 * - For the same reason, a Confirm that does not fit to the latest Change may answer an earlier
 *   one. Up to STRAY of them are ignored; only then, or without an earlier Change, they are wrong.
 *
 * If two lists share no value, the value stays. Ends that do not agree on what it is are reset.
 */
#include <string.h>

#include "feature.h"
#include "freshlink-dccp.h"
#include "seq.h"
#include "window.h"

#define BACKOFF_MAX	INT64_C(64000000000)
#define STRAY		8

/**
 * struct rule - what is fixed about a feature (RFC 4340 section 6.4)
 * @number: its number
 * @size: bytes of a value
 * @negotiable: server-priority; else non-negotiable
 * @required: each end of DCCP has to know it
 * @initial: initial value
 * @min: least valid value, of a non-negotiable feature
 * @max: greatest valid value
 */
struct rule {
	uint8_t number;
	uint8_t size;
	bool negotiable;
	bool required;
	uint64_t initial, min, max;
};

#define CHOICE(n, req, value) \
	{ .number = (n), .size = 1, .negotiable = true, .required = (req), .initial = (value), \
	  .max = UINT8_MAX }

/* in the order of fdccp_feature_place() */
static const struct rule rules[FDCCP_FEATURES] = {
	CHOICE(FDCCP_FEAT_CCID, true, FDCCP_CCID2),
	CHOICE(FDCCP_FEAT_SHORT_SEQ, true, 0),
	{ FDCCP_FEAT_SEQUENCE_WINDOW, 6, false, true,
	  FDCCP_WINDOW_INITIAL, FDCCP_WINDOW_MIN, FDCCP_WINDOW_MAX },
	CHOICE(FDCCP_FEAT_ECN_INCAPABLE, false, 0),
	{ FDCCP_FEAT_ACK_RATIO, 2, false, false, 2, 1, UINT16_MAX },
	CHOICE(FDCCP_FEAT_SEND_ACK_VECTOR, false, 0),
	CHOICE(FDCCP_FEAT_SEND_NDP_COUNT, false, 0),
	CHOICE(FDCCP_FEAT_MIN_COVERAGE, false, 0),
	CHOICE(FDCCP_FEAT_CHECK_DATA_CHECKSUM, false, 0),
	CHOICE(FDCCP_FEAT_FRESHLINK, false, 0),
	CHOICE(FDCCP_FEAT_NO_UDP_CHECKSUM, false, 0),
	CHOICE(FDCCP_FEAT_SEND_LOSS_EVENT_RATE, false, 0),
};

/* the value area of a received option */
struct values {
	const uint8_t *at;
	size_t len;
};

/* Finds a feature's rule. Return: NULL for an unknown feature. */
static const struct rule *find(uint8_t number)
{
	int place = fdccp_feature_place(number);

	return place < 0 ? NULL : &rules[place];
}

static struct fdccp_feature *feature_of(struct fdccp_features *f, const struct rule *rule,
					bool local)
{
	return &f->feature[rule - rules][local];
}

void fdccp_features_init(struct fdccp_features *f, bool server, uint64_t iss)
{
	*f = (struct fdccp_features){ .server = server, .fgss = iss, .resend = FDCCP_NEVER,
				      .when = FDCCP_NEVER };
	for (size_t i = 0; i < FDCCP_FEATURES; i++) {
		for (int local = 0; local < 2; local++) {
			struct fdccp_feature *feature = &f->feature[i][local];

			feature->value = rules[i].initial;
			feature->wanted = rules[i].initial;
			feature->prefs[0] = (uint8_t)rules[i].initial;
			feature->prefs_len = 1;
			feature->told = true;
		}
	}
}

void fdccp_features_peer(struct fdccp_features *f, uint64_t isr)
{
	f->fgsr = fdccp_seq_add(isr, -1);
}

/* Whether some feature is CHANGING, or with @pending waits for a new Change to be sent. */
static bool any(const struct fdccp_features *f, bool pending)
{
	for (size_t i = 0; i < FDCCP_FEATURES; i++) {
		for (int local = 0; local < 2; local++) {
			const struct fdccp_feature *feature = &f->feature[i][local];

			if (pending ? feature->pending :
				      feature->state == FDCCP_FEATURE_CHANGING)
				return true;
		}
	}
	return false;
}

/* Notes when something has to be sent, since that is asked for with each packet. */
static void plan(struct fdccp_features *f)
{
	if (f->confirms > f->kept || any(f, true))
		f->when = f->earliest;
	else if (any(f, false))
		f->when = f->resend > f->earliest ? f->resend : f->earliest;
	else
		f->when = FDCCP_NEVER;
}

/* A new Change has to be sent. One that is on its way does not count any more. */
static void open_change(struct fdccp_features *f, struct fdccp_feature *feature)
{
	feature->pending = true;
	if (feature->state == FDCCP_FEATURE_CHANGING)
		feature->state = FDCCP_FEATURE_UNSTABLE;
	plan(f);
}

/* Sets preferences. Return: whether they are new. */
static bool set_prefs(struct fdccp_feature *feature, const uint8_t *prefs, size_t len)
{
	if (len > FDCCP_FEATURE_PREFS)
		len = FDCCP_FEATURE_PREFS;
	if (len == feature->prefs_len && !memcmp(prefs, feature->prefs, len))
		return false;
	memcpy(feature->prefs, prefs, len);
	feature->prefs_len = (uint8_t)len;
	feature->told = false;
	return true;
}

void fdccp_features_prefer(struct fdccp_features *f, uint8_t number, bool local,
			   const uint8_t *prefs, size_t len, bool mandatory)
{
	const struct rule *rule = find(number);
	struct fdccp_feature *feature;

	if (!rule || !rule->negotiable || !len)
		return;
	feature = feature_of(f, rule, local);
	if (!set_prefs(feature, prefs, len) &&
	    (feature->told || feature->state == FDCCP_FEATURE_CHANGING))
		return;
	feature->mandatory = mandatory;
	open_change(f, feature);
}

void fdccp_features_answer(struct fdccp_features *f, uint8_t number, bool local,
			   const uint8_t *prefs, size_t len)
{
	const struct rule *rule = find(number);
	struct fdccp_feature *feature;

	if (!rule || !rule->negotiable || !len)
		return;
	feature = feature_of(f, rule, local);
	if (!set_prefs(feature, prefs, len))
		return;
	if (feature->confirmed || feature->state != FDCCP_FEATURE_STABLE)
		open_change(f, feature);
}

void fdccp_features_agree(struct fdccp_features *f, uint8_t number, bool local, uint64_t value)
{
	const struct rule *rule = find(number);
	struct fdccp_feature *feature = feature_of(f, rule, local);

	feature->value = value;
	feature->wanted = value;
	feature->told = true;
	feature->confirmed = true;
	feature->pending = false;
	feature->state = FDCCP_FEATURE_STABLE;
	plan(f);
}

void fdccp_features_set(struct fdccp_features *f, uint8_t number, uint64_t value)
{
	const struct rule *rule = find(number);
	struct fdccp_feature *feature;

	if (!rule || rule->negotiable)
		return;
	feature = feature_of(f, rule, true);
	if (value < rule->min)
		value = rule->min;
	if (value > rule->max)
		value = rule->max;
	if (value == feature->wanted)
		return;
	feature->wanted = value;
	open_change(f, feature);
}

static bool contains(const uint8_t *list, size_t len, uint8_t value)
{
	return memchr(list, value, len);
}

/* The first value of the server's list that the client's has too (RFC 4340 section 6.3.1).
 * Return: whether there is one.
 */
static bool reconcile(const struct fdccp_features *f, const struct fdccp_feature *feature,
		      struct values theirs, uint64_t *value)
{
	struct values ours = { feature->prefs, feature->prefs_len };
	struct values server = f->server ? ours : theirs;
	struct values client = f->server ? theirs : ours;

	for (size_t i = 0; i < server.len; i++) {
		if (contains(client.at, client.len, server.at[i])) {
			*value = server.at[i];
			return true;
		}
	}
	return false;
}

/* Reads the value of a non-negotiable feature. Return: whether it is valid. */
static bool read_value(const struct rule *rule, struct values values, uint64_t *value)
{
	if (values.len != rule->size)
		return false;
	*value = fdccp_get_number(values.at, values.len);
	return *value >= rule->min && *value <= rule->max;
}

/* Finds room for a Confirm; a newer one for the same feature takes the place of the older.
 * Return: NULL if there is none.
 */
static struct fdccp_confirm *confirm_slot(struct fdccp_features *f, uint8_t type, uint8_t number)
{
	for (size_t i = 0; i < f->confirms; i++) {
		if (f->confirm[i].type == type && f->confirm[i].value[0] == number)
			return &f->confirm[i];
	}
	return f->confirms < FDCCP_CONFIRMS ? &f->confirm[f->confirms++] : NULL;
}

/* Adds a Confirm, without @feature an empty one. It keeps the preferences that led to the value,
 * because they may change before it is sent. Return: whether there was room.
 */
static bool add_confirm(struct fdccp_features *f, const struct rule *rule,
			const struct fdccp_feature *feature, bool local, uint8_t number)
{
	uint8_t type = local ? FDCCP_OPT_CONFIRM_L : FDCCP_OPT_CONFIRM_R;
	struct fdccp_confirm *confirm = confirm_slot(f, type, number);

	if (!confirm)
		return false;
	/* a new Confirm is not a repeated one */
	if (confirm < &f->confirm[f->kept])
		f->kept = (uint8_t)(confirm - f->confirm);
	*confirm = (struct fdccp_confirm){ .type = type, .len = 1, .value = { number } };
	if (!feature)
		return true;
	fdccp_put_number(confirm->value + 1, rule->size, feature->value);
	confirm->len += rule->size;
	if (rule->negotiable) {
		memcpy(confirm->value + confirm->len, feature->prefs, feature->prefs_len);
		confirm->len += feature->prefs_len;
	}
	return true;
}

/* A Change of an unknown feature or with an invalid value. */
static int refuse(struct fdccp_features *f, const struct fdccp_option *option, bool local)
{
	if (option->mandatory)
		return FDCCP_RESET_MANDATORY_ERROR;
	add_confirm(f, NULL, NULL, local, option->value[0]);
	return 0;
}

/* Whether a feature means something now: those from 128 on belong to a CCID (section 10.3). The
 * one that we know is located at the receiver of data, so the CCID is that of the other end.
 */
static bool in_force(const struct fdccp_features *f, const struct rule *rule, bool local)
{
	return rule->number != FDCCP_FEAT_SEND_LOSS_EVENT_RATE ||
	       fdccp_features_get(f, FDCCP_FEAT_CCID, !local) == FDCCP_CCID3;
}

/* Takes the value of a valid Change and answers it. A Change that finds no room for its Confirm is
 * ignored like a lost one: the peer sends it again. Return: whether there was room.
 */
static bool accept_change(struct fdccp_features *f, const struct rule *rule, bool local,
			  uint64_t value, bool agreed, bool answers)
{
	struct fdccp_feature *feature = feature_of(f, rule, local);
	struct fdccp_feature next = *feature;

	next.value = value;
	next.told = true;
	if (agreed && !feature->confirmed) {
		next.pending = false;
		next.mandatory = false;
		if (answers)
			next.state = FDCCP_FEATURE_STABLE;
	}
	next.confirmed = true;
	if (!add_confirm(f, rule, &next, local, rule->number))
		return false;
	*feature = next;
	return true;
}

/* @answers: the packet acknowledges the one with our last Change, and no later one. */
static int receive_change(struct fdccp_features *f, const struct fdccp_option *option, bool local,
			  bool answers, unsigned int *changed)
{
	const struct rule *rule = option->len > 1 ? find(option->value[0]) : NULL;
	struct values values = { option->value + 1, option->len - 1u };
	bool agreed = true;
	uint64_t value;

	if (!rule || !in_force(f, rule, local))
		return refuse(f, option, local);
	if (feature_of(f, rule, local)->state == FDCCP_FEATURE_UNSTABLE)
		return 0;
	if (rule->negotiable) {
		value = feature_of(f, rule, local)->value;
		agreed = reconcile(f, feature_of(f, rule, local), values, &value);
		if (!agreed && option->mandatory)
			return FDCCP_RESET_MANDATORY_ERROR;
	} else if (local || !read_value(rule, values, &value)) {
		return refuse(f, option, local); /* only the location changes such a feature */
	}
	if (accept_change(f, rule, local, value, agreed, answers))
		*changed = rule->number | (local ? 0x100u : 0);
	return 0;
}

/* Whether a value follows from both ends' preferences, or is the one proposed. */
static bool fits(const struct fdccp_features *f, const struct rule *rule,
		 const struct fdccp_feature *feature, struct values values, uint64_t value)
{
	struct values theirs = { values.at + 1, values.len - 1 };
	uint64_t expected = feature->value;

	if (!rule->negotiable)
		return value == feature->wanted;
	if (!theirs.len && contains(feature->prefs, feature->prefs_len, values.at[0]))
		return true; /* the list is optional (section 6.2) */
	reconcile(f, feature, theirs, &expected);
	return value == expected;
}

/* Reads the value of a Confirm, of an empty one the current value. Return: 0, the code of a Reset,
 * or -1 if the Confirm may answer an earlier Change.
 */
static int read_confirm(const struct fdccp_features *f, const struct rule *rule,
			struct fdccp_feature *feature, struct values values, uint64_t *value)
{
	*value = feature->value;
	if (!values.len)
		return rule->required ? FDCCP_RESET_OPTION_ERROR : 0;
	if (rule->negotiable)
		*value = values.at[0];
	else if (!read_value(rule, values, value))
		return FDCCP_RESET_OPTION_ERROR;
	if (fits(f, rule, feature, values, *value))
		return 0;
	if (!feature->stray)
		return FDCCP_RESET_OPTION_ERROR;
	feature->stray--;
	return -1;
}

static int receive_confirm(struct fdccp_features *f, const struct fdccp_option *option, bool local,
			   unsigned int *changed)
{
	const struct rule *rule = find(option->value[0]);
	struct values values = { option->value + 1, option->len - 1u };
	struct fdccp_feature *feature;
	uint64_t value;
	int code;

	if (!rule)
		return 0;
	feature = feature_of(f, rule, local);
	if (feature->state != FDCCP_FEATURE_CHANGING)
		return 0;
	code = read_confirm(f, rule, feature, values, &value);
	if (code)
		return code > 0 ? code : 0;
	feature->value = value;
	feature->wanted = value;
	feature->told = true;
	feature->mandatory = false;
	feature->state = FDCCP_FEATURE_STABLE;
	*changed = rule->number | (local ? 0x100u : 0);
	return 0;
}

int fdccp_features_option(struct fdccp_features *f, const struct fdccp_option *option,
			  uint64_t seq, uint64_t ack, bool has_ack, unsigned int *changed)
{
	bool local = option->type == FDCCP_OPT_CHANGE_R || option->type == FDCCP_OPT_CONFIRM_R;
	bool change = option->type == FDCCP_OPT_CHANGE_L || option->type == FDCCP_OPT_CHANGE_R;
	int code = 0;

	*changed = 0;
	if (!fdccp_seq_after(seq, f->fgsr))
		return 0;
	if (!option->len) /* no feature that an answer could name */
		return change && option->mandatory ? FDCCP_RESET_MANDATORY_ERROR : 0;
	if (change)
		code = receive_change(f, option, local, has_ack && ack == f->fgss, changed);
	else if (has_ack && !fdccp_seq_before(ack, f->fgss))
		code = receive_confirm(f, option, local, changed);
	plan(f);
	return code;
}

void fdccp_features_packet_done(struct fdccp_features *f, uint64_t seq, bool had_options)
{
	if (had_options && fdccp_seq_after(seq, f->fgsr))
		f->fgsr = seq;
}

void fdccp_features_lost(struct fdccp_features *f, int64_t now)
{
	f->earliest = now;
	plan(f);
}

bool fdccp_features_due(const struct fdccp_features *f, int64_t now)
{
	return f->when <= now;
}

static void drop_confirms(struct fdccp_features *f, uint8_t count)
{
	f->confirms -= count;
	memmove(f->confirm, f->confirm + count, f->confirms * sizeof(f->confirm[0]));
}

void fdccp_features_repeat(struct fdccp_features *f, bool repeat)
{
	f->repeat = repeat;
	if (repeat)
		return;
	drop_confirms(f, f->kept);
	f->kept = 0;
	plan(f);
}

/* Writes the Confirms that have room. Return: whether there was one. */
static bool write_confirms(struct fdccp_features *f, struct fdccp_writer *w)
{
	uint8_t done = 0;

	while (done < f->confirms &&
	       !fdccp_write_option(w, f->confirm[done].type, f->confirm[done].value,
				   f->confirm[done].len))
		done++;
	if (f->repeat) {
		f->kept = done > f->kept ? done : f->kept;
		return done;
	}
	drop_confirms(f, done);
	return done;
}

/* Writes a Change. Return: 0, or -1 without room. */
static int write_change(struct fdccp_writer *w, const struct rule *rule,
			const struct fdccp_feature *feature, bool local)
{
	struct fdccp_writer before = *w;
	uint8_t value[8] = { rule->number };
	size_t len = 1;

	if (rule->negotiable) {
		memcpy(value + 1, feature->prefs, feature->prefs_len);
		len += feature->prefs_len;
	} else {
		fdccp_put_number(value + 1, rule->size, feature->wanted);
		len += rule->size;
	}
	if ((!feature->mandatory || !fdccp_write_flag(w, FDCCP_OPT_MANDATORY)) &&
	    !fdccp_write_option(w, local ? FDCCP_OPT_CHANGE_L : FDCCP_OPT_CHANGE_R, value, len))
		return 0;
	*w = before;
	return -1;
}

static void sent_new(struct fdccp_feature *feature)
{
	feature->pending = false;
	feature->state = FDCCP_FEATURE_CHANGING;
	feature->stray = feature->opened ? STRAY : 0;
	feature->opened = true;
}

/* Writes the new Changes, or those that are CHANGING. Return: whether there was one. */
static bool write_changes(struct fdccp_features *f, struct fdccp_writer *w, bool new)
{
	bool written = false;

	for (size_t i = 0; i < FDCCP_FEATURES; i++) {
		for (int local = 1; local >= 0; local--) {
			struct fdccp_feature *feature = &f->feature[i][local];

			if (new ? !feature->pending : feature->state != FDCCP_FEATURE_CHANGING)
				continue;
			if (write_change(w, &rules[i], feature, local))
				continue;
			if (new)
				sent_new(feature);
			written = true;
		}
	}
	return written;
}

/* Sets the time at which Changes are sent again (RFC 4340 section 6.6.3). */
static void start_timer(struct fdccp_features *f, int64_t backoff, int64_t now)
{
	f->backoff = backoff < BACKOFF_MAX ? backoff : BACKOFF_MAX;
	f->resend = now + f->backoff;
}

/* Writes Changes that are due, and new ones. A packet that leaves anyway has them once a round trip:
 * only packets made for them need a timer that backs off. Return: whether there was one.
 */
static bool write_all_changes(struct fdccp_features *f, struct fdccp_writer *w, uint64_t seq,
			      int64_t now, int64_t rtt)
{
	bool due = now >= f->resend;
	bool again = (due || now >= f->earliest) && write_changes(f, w, false);

	if (due && again)
		start_timer(f, 2 * f->backoff, now);
	if (!write_changes(f, w, true))
		return again;
	f->fgss = seq;
	start_timer(f, rtt, now);
	return true;
}

void fdccp_features_write(struct fdccp_features *f, struct fdccp_writer *w, uint64_t seq,
			  uint64_t ack, bool has_ack, int64_t now, int64_t rtt)
{
	bool due = fdccp_features_due(f, now), written;

	if (!fdccp_features_wait(f))
		return;
	written = has_ack && write_confirms(f, w);
	if (written)
		fdccp_features_packet_done(f, ack, true);
	/* a Confirm after a later Change of the same feature would bring back the old value */
	if (f->confirms == f->kept)
		written |= write_all_changes(f, w, seq, now, rtt);
	/* what was due and had no room would make the same packet again at once */
	if (written || due)
		f->earliest = now + rtt;
	plan(f);
}
