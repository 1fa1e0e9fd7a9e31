/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the adapter share. */
#ifndef FDCCP_IO_H
#define FDCCP_IO_H

#include "../freshlink-dccp.h"

#include <sys/socket.h>

#define FDCCP_BATCH		32	/* messages that one system call takes */
#define FDCCP_CONTROL_ROOM	128	/* bytes of control messages of one message */
#define FDCCP_MESSAGE_MAX	65536	/* bytes of a received message, even of several datagrams */
#define FDCCP_SENDS		64	/* packets of fdccp_io_send() in a round */
#define FDCCP_RECEIVES		32	/* datagrams that the core is given in a round */
#define FDCCP_IP_HEADER_MAX	60	/* which IPv4's raw sockets deliver with the packet */
#define FDCCP_RECEIVE_BUFFER	(4 << 20)
#define FDCCP_REORDER		3	/* as RFC 4341 section 5.1: NUMDUPACK */

/* Counters: name for programs, what it counts. Each received datagram is counted as received, and
 * if the core does not get it, in exactly one of those up to multicast. Each datagram to send is
 * counted as sent, or in one of those from too_big to unsent.
 */
#define FDCCP_IO_COUNTERS(X) \
	X(received, "datagrams received") \
	X(too_long, "longer than any DCCP packet this end accepts") \
	X(no_address, "without the address it was sent to, or a wrong IP header") \
	X(multicast, "to a multicast or broadcast address") \
	X(sent, "datagrams sent") \
	X(too_big, "larger than the interface's MTU") \
	X(no_route, "without a route") \
	X(unsent, "refused by the kernel for another reason") \
	X(blocked, "times that the socket took no more datagrams") \
	X(errors, "messages of the error queue") \
	X(errors_ignored, "of these, without a packet of ours or as a call has returned") \
	X(stale, "packets that became stale in the adapter's queue")

enum fdccp_io_counter_index {
#define FDCCP_IO_COUNTER_ENUM(name, text) FDCCP_IO_COUNT_##name,
	FDCCP_IO_COUNTERS(FDCCP_IO_COUNTER_ENUM)
#undef FDCCP_IO_COUNTER_ENUM
	FDCCP_IO_COUNT_MAX,
};

/**
 * struct fdccp_socket - the socket of one family
 * @fd: its descriptor
 * @local: what it is bound to
 * @ready: what is left to do in this round, EPOLLIN and EPOLLERR
 * @joins: it takes messages of several datagrams
 * @bare: what it sends now leaves without UDP's checksum
 */
struct fdccp_socket {
	int fd;
	union fdccp_address local;
	uint32_t ready;
	bool joins;
	bool bare;
};

/**
 * struct fdccp_rx - received messages of one system call
 * @socket: the socket that they came from
 * @count: messages
 * @next: the first one whose datagrams are not all done
 * @datagram: what the datagrams of @next have in common, with @data where the next one begins
 * @segment: their length, but that of the last one; 0: @datagram is not set yet
 * @left: bytes of @next that are left
 * @msg: as the system calls have it
 * @iov: of @msg
 * @name: of @msg
 * @control: control messages
 * @data: payload
 */
struct fdccp_rx {
	struct fdccp_socket *socket;
	unsigned int count, next;
	struct fdccp_datagram datagram;
	size_t segment, left;
	struct mmsghdr msg[FDCCP_BATCH];
	struct iovec iov[FDCCP_BATCH];
	union fdccp_address name[FDCCP_BATCH];
	char control[FDCCP_BATCH][FDCCP_CONTROL_ROOM] __attribute__((aligned(8)));
	uint8_t data[FDCCP_BATCH][FDCCP_MESSAGE_MAX];
};

/**
 * struct fdccp_tx - messages for one system call
 * @count: datagrams
 * @messages: messages. The datagrams of each follow each other
 * @next: the first message that is not done yet
 * @msg: as the system calls have it
 * @iov: of each datagram
 * @control: control messages of @msg
 * @datagram: as the core has it
 * @data: payload
 */
struct fdccp_tx {
	unsigned int count, messages, next;
	struct mmsghdr msg[FDCCP_BATCH];
	struct iovec iov[FDCCP_BATCH];
	char control[FDCCP_BATCH][FDCCP_CONTROL_ROOM] __attribute__((aligned(8)));
	struct fdccp_datagram datagram[FDCCP_BATCH];
	uint8_t data[FDCCP_BATCH][FDCCP_DATAGRAM_MAX];
};

/* What one round of the event loop does next. */
enum fdccp_step {
	FDCCP_STEP_ASK,		/* epoll, what is ready */
	FDCCP_STEP_RECEIVE,
	FDCCP_STEP_ERRORS,
	FDCCP_STEP_TIMERS,
	FDCCP_STEP_SEND,
};

struct fdccp_queue;

/**
 * struct fdccp_io - an adapter
 * @ep: the endpoint
 * @carrier: what packets travel in
 * @lifetimes: how packets carry their lifetime, never AUTO
 * @no_udp_checksum: as in struct fdccp_io_config
 * @bald: packets leave without a lifetime for now, see fdccp_io_stamp()
 * @queue_size: packets that a queue keeps
 * @socket: the sockets
 * @sockets: how many, 1 or 2
 * @timer: timerfd of the core's next timer
 * @epoll: waits for all of them
 * @armed: when @timer fires; FDCCP_NEVER: never
 * @step: of the event loop
 * @in_round: fdccp_io_event() will be called again at once
 * @blocked: the socket that takes no more datagrams for now, or NULL
 * @rx: received messages
 * @tx: datagrams to send
 * @quote: what a message of an error queue quotes
 * @queues: the queues of all connections that have one
 * @draining: the queue that is sent now
 * @walk: the queue to send next, after the socket was blocked
 * @sends_left: packets that fdccp_io_send() may still send in this round. A program that sends
 *	until -EAGAIN would otherwise hear nothing of the peer while the rate control allows more
 *	than the processor can send
 * @receives_left: datagrams that the core may still be given in this round
 * @errors_left: messages that may still be read from error queues in this round
 * @counter: counters
 */
struct fdccp_io {
	struct fdccp_endpoint *ep;
	enum fdccp_carrier carrier;
	enum fdccp_lifetimes lifetimes;
	bool no_udp_checksum;
	bool bald;
	unsigned int queue_size;
	struct fdccp_socket socket[2];
	unsigned int sockets;
	int timer, epoll;
	int64_t armed;
	enum fdccp_step step;
	bool in_round;
	struct fdccp_socket *blocked;
	struct fdccp_rx *rx;
	struct fdccp_tx *tx;
	uint8_t quote[FDCCP_IP_HEADER_MAX + FDCCP_DATAGRAM_MAX];
	struct fdccp_queue *queues, *draining, *walk;
	unsigned int sends_left, receives_left, errors_left;
	uint64_t counter[FDCCP_IO_COUNT_MAX];
};

static inline void fdccp_io_count(struct fdccp_io *io, enum fdccp_io_counter_index counter)
{
	io->counter[counter]++;
}

static inline bool fdccp_is_ipv4(const union fdccp_address *address)
{
	return address->sa.sa_family == AF_INET;
}

static inline socklen_t fdccp_address_size(const union fdccp_address *address)
{
	return fdccp_is_ipv4(address) ? sizeof(address->in) : sizeof(address->in6);
}

/* io.c */

/* Sends at once what the core has, unless fdccp_io_event() does so soon. */
void fdccp_io_settle(struct fdccp_io *io);

/* io_udp.c, io_ip.c: make a socket and bind it to its @local. @may_be_bare: it also takes and sends
 * datagrams without UDP's checksum. Return: 0 or an error, with *@why set.
 */
int fdccp_udp_open(struct fdccp_socket *s, bool may_be_bare, const char **why);
int fdccp_ip_open(struct fdccp_socket *s, const char **why);

/* Lets what the socket sends from now on leave without UDP's checksum, or with it. Return: 0 or an
 * error.
 */
int fdccp_udp_set_bare(struct fdccp_socket *s, bool bare);

/* Whether the kernel's own DCCP is loaded. */
bool fdccp_kernel_has_dccp(void);

/* Finds the DCCP packet in a packet of a raw socket. Return: whether there is one. */
bool fdccp_ip_strip(struct fdccp_datagram *d);

/* io_socket.c */

/* Sets what both carriers need of a socket. Return: 0 or an error, with *@why set. */
int fdccp_socket_setup(const struct fdccp_socket *s, const char **why);

/* Binds the socket and reads the address that it got. Return: 0 or an error, with *@why set. */
int fdccp_socket_bind(struct fdccp_socket *s, const char **why);

/* The address that packets to @remote leave from. Return: 0, -EAFNOSUPPORT: no socket has that
 * family, or an error of connect().
 */
int fdccp_socket_source(const struct fdccp_io *io, const union fdccp_address *remote,
			union fdccp_address *source);

/* The UDP port of an address, in the byte order of the wire. */
in_port_t fdccp_port(const union fdccp_address *address);
void fdccp_set_port(union fdccp_address *address, in_port_t port);

/* The socket that a datagram leaves from. The core has only paths of sockets that exist. */
struct fdccp_socket *fdccp_socket_of(struct fdccp_io *io, const struct fdccp_datagram *d);

/* Reads the local address, the ECN field, and whether there is the lifetime option, from the control
 * messages of a received message. The address keeps the family AF_UNSPEC if it is not there.
 */
void fdccp_control_read(const struct fdccp_socket *s, struct msghdr *msg, struct fdccp_datagram *d);

/* Writes local address and ECN field as control messages. */
void fdccp_control_write(struct msghdr *msg, const struct fdccp_datagram *d);

/* Writes that the message is divided into datagrams of @size bytes. */
void fdccp_control_write_segment(struct msghdr *msg, uint16_t size);

/* io_receive.c: hands one received datagram to the core. Return: false: nothing is left for this
 * round.
 */
bool fdccp_rx_next(struct fdccp_io *io);

/* io_send.c */

/* A datagram for the core to fill, or NULL while the socket is blocked. */
struct fdccp_datagram *fdccp_tx_reserve(struct fdccp_io *io);

/* The core has filled the datagram of fdccp_tx_reserve(). @data: it is a packet of fdccp_send() */
void fdccp_tx_commit(struct fdccp_io *io, bool data);

/* Sends the datagrams that were filled. */
void fdccp_tx_flush(struct fdccp_io *io);

/* The socket that was full takes datagrams again. */
void fdccp_tx_unblock(struct fdccp_io *io);

/* io_join.c: lets the datagram @i leave with the last message. Return: whether it can. */
bool fdccp_join(struct fdccp_io *io, unsigned int i);

/* io_error.c: hands one message of an error queue to the core. Return: false: none is left. */
bool fdccp_error_next(struct fdccp_io *io);

/* io_lifetime.c */

/* Decides how packets carry their lifetime. Return: 0 or an error, with *@why set. */
int fdccp_lifetime_open(struct fdccp_io *io, enum fdccp_lifetimes wanted, const char **why);

/* Whether a packet has the option, or will get it from xlo. */
bool fdccp_lifetime_carried(const struct fdccp_io *io, const struct fdccp_datagram *d);

/* Whether packets can carry this deadline and this treatment. */
bool fdccp_lifetime_fits(const struct fdccp_io *io, const struct fdccp_message *message);

/* Adds a datagram's lifetime to its control messages. */
void fdccp_lifetime_write(const struct fdccp_io *io, struct msghdr *msg,
			  const struct fdccp_datagram *d);

/* io_genl.c: whether the module xlo turns deadlines into lifetimes in this network namespace. */
bool fdccp_xlo_txtime(void);

/* io_queue.c */

/* Sends packets of the queues. Return: whether there is an event for the program. */
bool fdccp_queue_next(struct fdccp_io *io, struct fdccp_event *event);

/* The core says that the connection may send. Return: whether its queue takes care of it. */
bool fdccp_queue_ready(struct fdccp_io *io, struct fdccp_conn *conn);

/* Lets all queues try to send: the socket takes datagrams again, or a round begins. */
void fdccp_queue_all(struct fdccp_io *io);

/* Frees a connection's queue. */
void fdccp_queue_free(struct fdccp_io *io, struct fdccp_conn *conn);
void fdccp_queue_free_all(struct fdccp_io *io);

#endif
