/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Streams of messages with deadlines, on a DCCP connection of libfreshlink-dccp.
 *
 * A message has 1 byte to 1 MiB and a lifetime. It is cut into pieces, one to a DCCP packet. A lost
 * piece is sent again while that is worth it, which a controller decides. The receiver gets each
 * message at most once.
 *
 * The header has two parts, as freshlink-dccp.h. The core has no I/O: a stream is handed the events
 * of its connection with the time, sends by functions that the program gives, and is asked for the
 * next timer and for events. The adapter, fstream_io_..., puts many streams on the adapter of
 * libfreshlink-dccp.
 *
 * All times are ns on the clock of the connection. Functions of one stream must not run at the same
 * time. A function that can fail returns a negative errno value.
 */
#ifndef FRESHLINK_STREAM_H
#define FRESHLINK_STREAM_H

#include <freshlink-dccp.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FSTREAM_MESSAGE_MAX	1048576		/* bytes of a message */
#define FSTREAM_HEADER_LEN	20		/* bytes of the header of a piece */
#define FSTREAM_SERVICE		UINT32_C(0x666c7374)	/* service code "SC:flst" */
#define FSTREAM_DTLS_SERVICE	UINT32_C(0x666c7364)	/* with encryption: "SC:flsd" */
#define FSTREAM_LIFETIME_MAX	INT64_C(4294000000000)	/* ns, about 71 minutes */

/* No wish for a lifetime or a latency. */
#define FSTREAM_ANY		INT64_C(0)

struct fstream;

/**
 * enum fstream_control - what is sent again, and until when
 * @FSTREAM_CONTROL_FEASIBLE: what can still arrive before its deadline. The default
 * @FSTREAM_CONTROL_PAPER: each message, until it is acknowledged or cancelled. Messages whose
 *	deadline has passed are cancelled when the buffer is full (Lande and Liu, section 4.3)
 * @FSTREAM_CONTROL_RELIABLE: everything, and the receiver delivers in order
 * @FSTREAM_CONTROL_NONE: nothing
 */
enum fstream_control {
	FSTREAM_CONTROL_FEASIBLE,
	FSTREAM_CONTROL_PAPER,
	FSTREAM_CONTROL_RELIABLE,
	FSTREAM_CONTROL_NONE,
};

/**
 * enum fstream_order - when the receiver delivers a message
 * @FSTREAM_ORDER_ASAP: when it is complete
 * @FSTREAM_ORDER_ORDERED: by number; a missing message is waited for until its deadline, or until
 *	the sender has given it up
 * @FSTREAM_ORDER_PACED: at submission + latency, by number; earlier if the connection ends
 */
enum fstream_order {
	FSTREAM_ORDER_ASAP,
	FSTREAM_ORDER_ORDERED,
	FSTREAM_ORDER_PACED,
};

/**
 * enum fstream_end - why the sender has nothing more to do with a message. Each gets exactly one
 * @FSTREAM_END_ACKNOWLEDGED: each piece was acknowledged
 * @FSTREAM_END_NEVER_SENT: given up before a piece was sent the first time, because the message
 *	could not have arrived in time
 * @FSTREAM_END_EXPIRED: its deadline passed before a piece was sent the first time
 * @FSTREAM_END_EXPIRED_HERE: a piece became stale in a queue of this host
 * @FSTREAM_END_DISCARDED: a router discarded a piece as stale
 * @FSTREAM_END_CUT: a router cut a piece to its headers
 * @FSTREAM_END_LOST: a piece was lost, or nothing was heard of it, and it was too late to repeat it
 * @FSTREAM_END_CANCELLED: by the program, or by the controller "paper"
 * @FSTREAM_END_RESIZED: its pieces became too large for the path, and could not be cut again
 * @FSTREAM_END_CLOSED: the connection ended before
 */
enum fstream_end {
	FSTREAM_END_ACKNOWLEDGED,
	FSTREAM_END_NEVER_SENT,
	FSTREAM_END_EXPIRED,
	FSTREAM_END_EXPIRED_HERE,
	FSTREAM_END_DISCARDED,
	FSTREAM_END_CUT,
	FSTREAM_END_LOST,
	FSTREAM_END_CANCELLED,
	FSTREAM_END_RESIZED,
	FSTREAM_END_CLOSED,
	FSTREAM_ENDS,
};

/**
 * enum fstream_place - where packets went stale
 * @FSTREAM_PLACE_HOST: in this host: not sent any more, or in a queue
 * @FSTREAM_PLACE_ROUTER: on the way: a router discarded them, or cut them to their headers
 * @FSTREAM_PLACE_RECEIVER: nowhere; they came too late
 */
enum fstream_place {
	FSTREAM_PLACE_HOST,
	FSTREAM_PLACE_ROUTER,
	FSTREAM_PLACE_RECEIVER,
	FSTREAM_PLACES,
};

/**
 * enum fstream_remedy - what a sender does when expiry is persistent: more than a tenth of the last
 * packets went stale, and not by an outage of up to 10 s. See Documentation/send.rst
 *
 * With LIFETIME and RATE a packet lives as long as its message. Otherwise it lives for the
 * retransmission timeout only, if it could be sent again then.
 *
 * @FSTREAM_REMEDY_TELL: tells the program by FSTREAM_EVENT_EXPIRY, as with the others. The default
 * @FSTREAM_REMEDY_LIFETIME: the stream's lifetime grows by a half, up to @lifetime_max of struct
 *	fstream_config. Messages that have a lifetime of their own keep it
 * @FSTREAM_REMEDY_RATE: fewer messages are taken: the rate of what is taken falls by the share that
 *	went stale. After ten round trips in which nothing did it comes back, by a tenth of what is
 *	submitted in each. Meanwhile fstream_submit() returns -EAGAIN for what is above the rate
 */
enum fstream_remedy {
	FSTREAM_REMEDY_TELL,
	FSTREAM_REMEDY_LIFETIME,
	FSTREAM_REMEDY_RATE,
};

/**
 * struct fstream_link - what a stream needs of its connection
 * @send: sends a packet, as fdccp_send() does; -EAGAIN if FDCCP_EVENT_READY will follow, -EPIPE or
 *	-ESHUTDOWN if FDCCP_EVENT_CLOSED will
 * @acknowledge: sends an acknowledgment at once, as fdccp_acknowledge()
 * @drop: there was no room for the data of this event, as fdccp_report_dropped() with code 2
 * @slow_receiver: as fdccp_slow_receiver(); only called by fstream_slow_receiver()
 * @payload_max: largest payload
 * @measure: as fdccp_measure()
 * @changed: after a call of the program, other than fstream_handle(), fstream_advance() and
 *	fstream_event(): there may be events, and another next timer. NULL: not needed
 * @context: first argument of each
 */
struct fstream_link {
	int (*send)(void *context, const void *payload, size_t len,
		    const struct fdccp_message *message, int64_t now);
	void (*acknowledge)(void *context, int64_t now);
	void (*drop)(void *context);
	void (*slow_receiver)(void *context, bool slow);
	size_t (*payload_max)(void *context);
	void (*measure)(void *context, struct fdccp_measure *measure);
	void (*changed)(void *context);
	void *context;
};

/**
 * struct fstream_config - a stream's configuration. Initialize with fstream_config_init()
 * @sender: this end submits messages; else it receives them
 * @control: sender: the controller
 * @cancel_on_ack: sender, controller "paper": also cancel on each acknowledgment
 * @lifetime: sender: of messages that have none of their own; FSTREAM_ANY: 2 * SRTT.
 *	Receiver: the longest that it wants; FSTREAM_ANY: no limit
 * @alpha: sender: gain of SRTT for that lifetime, in 1/1000, 1 to 1000; 125 by default
 * @overhead: sender, controller "feasible": bytes of repeats allowed for 1000 bytes sent the first
 *	time, up to 1000000; 1000 by default
 * @messages: messages that may be outstanding (sender) or kept (receiver), 1 to 2^20; default 1024
 * @memory: bytes of their payload; 4 MiB by default, at least FSTREAM_MESSAGE_MAX. A receiver may
 *	keep one message more, the first that it misses
 * @order: receiver: when messages are delivered
 * @latency: receiver, order "paced": from submission to delivery; FSTREAM_ANY: what the sender
 *	wishes, which is the lifetime. Sender: the latency it wishes
 * @late: receiver: messages after their deadline are delivered, too
 * @has_sensitive: sender: the first @sensitive bytes of a message, of a shorter one all, must not be
 *	damaged, and the rest may be. The connection then has a sensitive part as struct fdccp_params
 *	says: this header and the piece's part of these bytes. Not with encryption
 * @sensitive: see there, up to FSTREAM_MESSAGE_MAX
 * @damaged: receiver: accepts such packets (@min_coverage 1) and delivers messages that are damaged
 *	behind their sensitive bytes. Not with encryption
 * @remedy: sender: against persistent expiry
 * @lifetime_max: sender, FSTREAM_REMEDY_LIFETIME: the longest lifetime, up to FSTREAM_LIFETIME_MAX
 */
struct fstream_config {
	bool sender;
	enum fstream_control control;
	bool cancel_on_ack;
	int64_t lifetime;
	unsigned int alpha;
	unsigned int overhead;
	unsigned int messages;
	size_t memory;
	enum fstream_order order;
	int64_t latency;
	bool late;
	bool has_sensitive;
	size_t sensitive;
	bool damaged;
	enum fstream_remedy remedy;
	int64_t lifetime_max;
};

/**
 * struct fstream_message - how a message is sent
 * @lifetime: in ns from now, up to FSTREAM_LIFETIME_MAX; FSTREAM_ANY: the stream's
 * @priority: messages with a higher one are sent first; 0 to 255. A message that the receiver
 *	has no room for loses it
 * @stale: what routers do with its packets once they are stale
 * @user: returned with its end
 */
struct fstream_message {
	int64_t lifetime;
	uint8_t priority;
	enum freshlink_stale stale;
	void *user;
};

/**
 * enum fstream_event_type - what happened
 * @FSTREAM_EVENT_MESSAGE: receiver: a message
 * @FSTREAM_EVENT_END: sender: a message has ended
 * @FSTREAM_EVENT_READY: sender: after fstream_submit() has returned -EAGAIN there is room again
 * @FSTREAM_EVENT_RATE: sender: the allowed rate has changed by more than a quarter, or the backlog
 *	by more than a quarter of itself and of what the rate sends in a round trip. For an
 *	encoder; fstream_info() has both
 * @FSTREAM_EVENT_TERMS: the peer's wishes have changed
 * @FSTREAM_EVENT_EXPIRY: sender: expiry is persistent, see enum fstream_remedy. Once, until hardly
 *	anything goes stale any more
 * @FSTREAM_EVENT_FINISHED: sender: after fstream_finish(), all messages have ended and the receiver
 *	has delivered them and told its totals. Receiver: the sender has finished, and all messages
 *	were delivered
 */
enum fstream_event_type {
	FSTREAM_EVENT_MESSAGE,
	FSTREAM_EVENT_END,
	FSTREAM_EVENT_READY,
	FSTREAM_EVENT_RATE,
	FSTREAM_EVENT_TERMS,
	FSTREAM_EVENT_EXPIRY,
	FSTREAM_EVENT_FINISHED,
};

/**
 * struct fstream_event - an event
 * @type: what happened
 * @number: MESSAGE, END: of the message, from 0
 * @data: MESSAGE: the message, valid until the next call about this stream
 * @len: MESSAGE, END: its length
 * @submitted: MESSAGE: when it was submitted, on this end's clock, as far as known. END: when
 * @deadline: MESSAGE, END: when it becomes stale, likewise
 * @attempts: MESSAGE: most transmissions of a piece, as the pieces say. END: most transmissions
 * @late: MESSAGE: it was complete after its deadline, or too late for its place in the order
 * @damaged: MESSAGE: a piece of it is damaged behind the sensitive bytes
 * @arrived: MESSAGE: when it was complete
 * @sent: END: when the piece was sent whose acknowledgment was the last; 0: there was none
 * @end: END: why
 * @user: END: as in struct fstream_message
 * @share: EXPIRY: packets that went stale, of 1000
 * @place: EXPIRY: where most of them did
 */
struct fstream_event {
	enum fstream_event_type type;
	uint64_t number;
	const uint8_t *data;
	size_t len;
	int64_t submitted;
	int64_t deadline;
	unsigned int attempts;
	bool late;
	bool damaged;
	int64_t arrived;
	int64_t sent;
	enum fstream_end end;
	void *user;
	unsigned int share;
	enum fstream_place place;
};

/**
 * struct fstream_totals - what became of messages and packets
 * @submitted: sender: messages submitted
 * @end: sender: of these, by their end. @submitted is the sum and @outstanding
 * @outstanding: sender: messages that have not ended
 * @on_time: messages that arrived before their deadline. Sender: as the receiver tells
 * @late: after their deadline, delivered or not, likewise
 * @delivered: receiver: messages given to the program
 * @overdue: receiver: messages that arrived on time, and waited for a slow program until their
 *	deadline
 * @missing: receiver: numbers that ended without a message
 * @pieces: packets with a piece, sent or received
 * @repeats: of these, the ones with a piece that was sent before
 * @needless: sender: repeats of pieces that had arrived before. Receiver: pieces that it had, or of
 *	messages that had ended
 * @full: receiver: pieces for which there was no room
 * @bytes: of payload in the pieces
 * @bytes_whole: of payload in pieces that arrived whole. Sender: as the receiver has reported
 * @bytes_damaged: of payload in pieces that arrived damaged behind the sensitive bytes, likewise
 * @damaged: receiver: of @delivered, messages with such a piece
 * @refused: packets of the peer that broke the rules, or were damaged elsewhere
 * @expiries: sender: events EXPIRY
 */
struct fstream_totals {
	uint64_t submitted;
	uint64_t end[FSTREAM_ENDS];
	uint64_t outstanding;
	uint64_t on_time;
	uint64_t late;
	uint64_t delivered;
	uint64_t overdue;
	uint64_t missing;
	uint64_t pieces;
	uint64_t repeats;
	uint64_t needless;
	uint64_t full;
	uint64_t bytes;
	uint64_t bytes_whole;
	uint64_t bytes_damaged;
	uint64_t damaged;
	uint64_t refused;
	uint64_t expiries;
};

/**
 * struct fstream_info - a stream, as it is now
 * @totals: totals
 * @srtt: smoothed round-trip time with the stream's gain, 0: unknown
 * @rate: allowed rate, in bytes a second, 0: unknown
 * @backlog: bytes that wait for their first transmission or a repeat
 * @lifetime: of a message that would be submitted now; receiver: the effective limit
 * @latency: receiver, order "paced": the effective one, from submission to delivery
 * @one_way: receiver: mean one-way latency of the last messages, from submission to arrival: the
 *	least one-way time that the sender tells, plus what the clocks show above the least
 * @memory: bytes of payload kept
 * @limit: sender: bytes a second of messages that are taken, by FSTREAM_REMEDY_RATE; 0: no limit
 * @share: of the last event EXPIRY
 * @place: likewise
 */
struct fstream_info {
	struct fstream_totals totals;
	int64_t srtt;
	uint64_t rate;
	size_t backlog;
	int64_t lifetime;
	int64_t latency;
	int64_t one_way;
	size_t memory;
	uint64_t limit;
	unsigned int share;
	enum fstream_place place;
};

#pragma GCC visibility push(default)

/* Fills @config with the defaults, of a sender or a receiver. */
void fstream_config_init(struct fstream_config *config, bool sender);

/**
 * fstream_new() - make a stream on a connection
 * @config: configuration, which is copied
 * @link: the connection
 * @now: the time
 * @stream: the result
 *
 * Return: 0, -EINVAL (a field is out of its range), -ENOMEM
 */
int fstream_new(const struct fstream_config *config, const struct fstream_link *link, int64_t now,
		struct fstream **stream);

/* Ends a stream, without a packet. @s may be NULL. */
void fstream_free(struct fstream *s);

/**
 * fstream_handle() - hand an event of the connection to the stream
 * @s: the stream
 * @event: CONNECTED, ACCEPTED, DATA, FATE, NOTICE, READY, SIZE, MOVED or CLOSED
 * @now: the time
 *
 * Fetch all events of the stream before the next call.
 */
void fstream_handle(struct fstream *s, const struct fdccp_event *event, int64_t now);

/* When fstream_advance() has something to do, or FDCCP_NEVER. */
int64_t fstream_next_timer(const struct fstream *s);

/* Lets the timers run that are due at @now, and sends what may be sent. */
void fstream_advance(struct fstream *s, int64_t now);

/* Fetches an event. Return: whether there was one. */
bool fstream_event(struct fstream *s, struct fstream_event *event);

/**
 * fstream_submit() - send a message
 * @s: a sender
 * @data: the message, which is copied
 * @len: 1 to FSTREAM_MESSAGE_MAX
 * @message: lifetime, priority, treatment; NULL: the stream's lifetime, priority 0, discard
 * @now: the time
 * @number: its number; may be NULL
 *
 * Return: 0, -EAGAIN (the buffer is full, or the message is above the rate of FSTREAM_REMEDY_RATE;
 * FSTREAM_EVENT_READY follows), -EMSGSIZE, -EINVAL, -ESHUTDOWN (finished, or the connection has
 * ended), -ENOMEM
 */
int fstream_submit(struct fstream *s, const void *data, size_t len,
		   const struct fstream_message *message, int64_t now, uint64_t *number);

/* Gives up a message. Return: 0 or -ENOENT: it has ended. */
int fstream_cancel(struct fstream *s, uint64_t number, int64_t now);

/**
 * fstream_update() - replace the content of a message
 * @s: a sender
 * @number: the message
 * @data: the new content, which is copied
 * @len: its length
 * @now: the time
 *
 * All pieces are sent again. A receiver that has all of the old content drops the new one.
 *
 * Return: 0, -ENOENT (it has ended), -EMSGSIZE, -EAGAIN (no room), -EBUSY (7 contents were sent after
 * the first one, or after the last one of which something was acknowledged), -ENOMEM
 */
int fstream_update(struct fstream *s, uint64_t number, const void *data, size_t len, int64_t now);

/* Changes a message's priority. Return: 0 or -ENOENT: it has ended. */
int fstream_prioritize(struct fstream *s, uint64_t number, uint8_t priority);

/* Changes what fstream_config calls @lifetime and @latency, while connected. Return: 0, -EINVAL. */
int fstream_set_terms(struct fstream *s, int64_t lifetime, int64_t latency, int64_t now);

/**
 * fstream_slow_receiver() - say whether the program can take messages
 * @s: a receiver
 * @slow: it can take none for now; false: it can again
 * @now: the time
 *
 * Meanwhile messages wait, as many as there is room for, and the peer gets Slow Receiver with each
 * acknowledgment (RFC 4340 section 11.6). What there is no room for is dropped, with Data Dropped 2.
 * Afterwards, messages whose deadline has passed are not delivered, but for @late of struct
 * fstream_config. The end of the stream is told after its messages.
 */
void fstream_slow_receiver(struct fstream *s, bool slow, int64_t now);

/* Sender: changes what fstream_config calls @overhead. Return: 0, -EINVAL. */
int fstream_set_overhead(struct fstream *s, unsigned int overhead);

/* Sender: no more messages follow. FSTREAM_EVENT_FINISHED tells the end. */
void fstream_finish(struct fstream *s, int64_t now);

/* A pointer of the program that belongs to a stream, NULL at first. */
void fstream_set_user(struct fstream *s, void *user);
void *fstream_user(const struct fstream *s);

/* Reads a stream. */
void fstream_info(const struct fstream *s, struct fstream_info *info);

/* The name of an end, for people and logs: "acknowledged", "never_sent" ... */
const char *fstream_end_name(enum fstream_end end);

/* The name of a place: "host", "router", "receiver". */
const char *fstream_place_name(enum fstream_place place);

/* Reads a controller's name. Return: 0 or -EINVAL. */
int fstream_control_parse(const char *name, enum fstream_control *control);

#pragma GCC visibility pop

/*
 * The adapter: streams on the adapter of libfreshlink-dccp. Wait for its file descriptor, and fetch
 * events until there are none:
 *
 *	for (;;) {
 *		while (fstream_io_event(io, &event))
 *			handle(&event);
 *		poll(&(struct pollfd){ .fd = fstream_io_fd(io), .events = POLLIN }, 1, -1);
 *	}
 *
 * A program that submits messages outside of this loop calls fstream_io_event() afterwards, because
 * packets leave when there are no more events.
 */
struct fstream_io;

/**
 * enum fstream_io_event_type - what happened
 * @FSTREAM_IO_STREAM: an event of a stream
 * @FSTREAM_IO_OPEN: a connection is open. On a listening port the stream is new
 * @FSTREAM_IO_SIZE: the largest payload has changed
 * @FSTREAM_IO_CLOSED: a connection has ended. fstream_info() may read its stream until the next
 *	call of fstream_io_event(); then it is gone
 */
enum fstream_io_event_type {
	FSTREAM_IO_STREAM,
	FSTREAM_IO_OPEN,
	FSTREAM_IO_SIZE,
	FSTREAM_IO_CLOSED,
};

/**
 * struct fstream_io_event - an event
 * @type: what happened
 * @stream: the stream
 * @event: STREAM: its event. CLOSED and the others: unused
 * @dccp: OPEN, SIZE, CLOSED: the event of the connection
 */
struct fstream_io_event {
	enum fstream_io_event_type type;
	struct fstream *stream;
	struct fstream_event event;
	struct fdccp_event dccp;
};

/*
 * Encryption: a stream over DTLS 1.2 on its DCCP connection (RFC 5238). The headers of DCCP stay
 * readable, so that routers can cut packets. Either pre-shared keys or certificates prove the ends.
 */
#define FSTREAM_WHY_MAX		256	/* room for the text of an error */

struct fstream_dtls;

/**
 * struct fstream_dtls_config - where the keys are
 * @server: for fstream_io_listen(); else for fstream_io_connect()
 * @psk: file of pre-shared keys, with lines "identity:key", the key in 32 to 128 hexadecimal
 *	digits. A client uses the first line. NULL: certificates
 * @cert: PEM file of this end's certificate, with those that it depends on. A client may have NULL
 * @key: PEM file of its private key
 * @ca: PEM file of the authorities that sign the peer's certificate. A server with NULL asks for no
 *	certificate
 * @host: client with certificates: name or address that the server's certificate has to have
 *
 * Only their owner may have access to the files @psk and @key.
 */
struct fstream_dtls_config {
	bool server;
	const char *psk;
	const char *cert;
	const char *key;
	const char *ca;
	const char *host;
};

/**
 * struct fstream_dtls_info - the encryption of a stream
 * @suite: name of the cipher suite; NULL: there is none, or the ends have not agreed yet
 * @failure: why they could not agree, or why the stream ended; NULL: nothing of the kind
 * @refused: records that were replayed, damaged or of a stranger. They were dropped
 *
 * The texts are valid as long as the stream.
 */
struct fstream_dtls_info {
	const char *suite;
	const char *failure;
	uint64_t refused;
};

#pragma GCC visibility push(default)

/**
 * fstream_io_open() - make an adapter
 * @config: of the adapter below; its @queue is not used
 * @io: the result
 * @why: what failed and what was expected, a constant text; NULL is allowed
 *
 * Return: as fdccp_io_open()
 */
int fstream_io_open(const struct fdccp_io_config *config, struct fstream_io **io, const char **why);

/* Closes the sockets and ends all streams, without a packet. @io may be NULL. */
void fstream_io_close(struct fstream_io *io);

/* The file descriptor, readable when fstream_io_event() has something to do. */
int fstream_io_fd(const struct fstream_io *io);

/* Receives, lets timers run, sends, and fetches an event. Never blocks. Return: whether there was
 * one.
 */
bool fstream_io_event(struct fstream_io *io, struct fstream_io_event *event);

/* The adapter below. */
struct fdccp_io *fstream_io_dccp(struct fstream_io *io);

/**
 * fstream_io_listen() - accept streams on a DCCP port
 * @io: the adapter
 * @port: the port
 * @service: service code
 * @params: how connections start
 * @config: of each stream
 * @dtls: keys, which have to outlive the adapter; NULL: no encryption
 *
 * A connection whose ends do not agree on keys is told by FSTREAM_IO_CLOSED alone.
 *
 * Return: as fdccp_listen(), or as fstream_new(). -EINVAL: @dtls is of a client, or with it @config
 * accepts damage, or the adapter does without UDP's checksum
 */
int fstream_io_listen(struct fstream_io *io, uint16_t port, uint32_t service,
		      const struct fdccp_params *params, const struct fstream_config *config,
		      struct fstream_dtls *dtls);

/**
 * fstream_io_connect() - connect a stream
 * @io: the adapter
 * @remote: the server's address and UDP port
 * @port: its DCCP port
 * @service: service code
 * @params: how the connection starts
 * @config: of the stream
 * @dtls: keys, which have to outlive the adapter; NULL: no encryption
 * @stream: the result
 *
 * Messages can be submitted at once; they are sent when the connection is open.
 *
 * Return: as fdccp_io_connect(), or as fstream_new(). -EINVAL: @dtls is of a server, or with it
 * @config has a sensitive part, or the adapter does without UDP's checksum
 */
int fstream_io_connect(struct fstream_io *io, const union fdccp_address *remote, uint16_t port,
		       uint32_t service, const struct fdccp_params *params,
		       const struct fstream_config *config, struct fstream_dtls *dtls,
		       struct fstream **stream);

/* The connection of a stream of an adapter; NULL after its end. */
struct fdccp_conn *fstream_io_conn(const struct fstream *s);

/* The connection of a stream of an adapter as it is, or as it was at its end. */
void fstream_io_conn_info(const struct fstream *s, struct fdccp_info *info);

/* Closes the connection of a stream in order; FSTREAM_IO_CLOSED tells the end. */
void fstream_io_shutdown(struct fstream *s);

/**
 * fstream_dtls_new() - read the keys of encrypted streams
 * @config: where they are
 * @dtls: the result, for any number of streams
 * @why: what was wrong and what was expected, FSTREAM_WHY_MAX bytes; NULL is allowed
 *
 * Return: 0, -EPERM (others can read a file), -EINVAL, -ENOMEM, or an error of fopen()
 */
int fstream_dtls_new(const struct fstream_dtls_config *config, struct fstream_dtls **dtls,
		     char *why);

/* Wipes and frees keys, after the adapter. @dtls may be NULL. */
void fstream_dtls_free(struct fstream_dtls *dtls);

/* Reads the encryption of a stream of an adapter. */
void fstream_io_dtls_info(const struct fstream *s, struct fstream_dtls_info *info);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* FRESHLINK_STREAM_H */
