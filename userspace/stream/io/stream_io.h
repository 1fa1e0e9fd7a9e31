/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the streams' adapter share. */
#ifndef FSTREAM_STREAM_IO_H
#define FSTREAM_STREAM_IO_H

#include "../../dccp/heap.h"
#include "dtls.h"
#include "freshlink-stream.h"

/**
 * struct fstream_carried - a stream and its connection
 * @io: the adapter
 * @conn: the connection; NULL after its end
 * @stream: the stream
 * @session: its encryption; NULL: none
 * @timer: the next timer of both
 * @next_changed: the next of the adapter's list
 * @is_changed: it is in that list
 * @prev: in the list of all
 * @next: likewise
 * @end: the event FDCCP_EVENT_CLOSED
 */
struct fstream_carried {
	struct fstream_io *io;
	struct fdccp_conn *conn;
	struct fstream *stream;
	struct fstream_session *session;
	struct fdccp_heap_entry timer;
	struct fstream_carried *next_changed;
	bool is_changed;
	struct fstream_carried *prev, *next;
	struct fdccp_event end;
	struct fdccp_info last;
};

/* A listening port, and the configuration and keys of its streams. */
struct fstream_io_port {
	uint16_t port;
	struct fstream_config config;
	struct fstream_dtls *dtls;
};

/**
 * struct fstream_io - the adapter
 * @dccp: the adapter below
 * @epoll: waits for @timer and @dccp
 * @timer: the first of @timers
 * @armed: when @timer fires; FDCCP_NEVER: never
 * @timers: next timers of all streams
 * @all: all streams
 * @count: how many
 * @changed: streams that the program has called
 * @current: the stream whose events are fetched
 * @gone: the stream that is freed at the next call
 * @port: listening ports
 * @ports: how many
 * @dtls: for all encrypted streams
 * @no_udp_checksum: of the adapter below
 */
struct fstream_io {
	struct fdccp_io *dccp;
	int epoll, timer;
	int64_t armed;
	struct fdccp_heap timers;
	struct fstream_carried *all;
	uint32_t count;
	struct fstream_carried *changed;
	struct fstream_carried *current;
	struct fstream_carried *gone;
	struct fstream_io_port *port;
	unsigned int ports;
	struct fstream_dtls_room dtls;
	bool no_udp_checksum;
};

/* The stream of a timer. */
struct fstream_carried *fstream_carried_of(struct fdccp_heap_entry *timer);

/* Sets a stream's place in the heap of timers. */
void fstream_carried_set_timer(struct fstream_carried *c);

/* Lets the timers of a stream and its encryption run. */
void fstream_carried_advance(struct fstream_carried *c, int64_t now);

/* Makes a stream for an accepted connection. Return: it, or NULL: the connection was aborted. */
struct fstream_carried *fstream_carried_accept(struct fstream_io *io, struct fdccp_conn *conn);

/* Frees a stream. */
void fstream_carried_free(struct fstream_carried *c);

#endif
