// SPDX-License-Identifier: GPL-2.0-or-later
/* An endpoint with its socket and a timer, behind one file descriptor. */
#include "io.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define NSEC_PER_SEC	INT64_C(1000000000)
#define QUEUE_DEFAULT	16
#define QUEUE_MAX	65535

int64_t fdccp_io_now(const struct fdccp_io *io)
{
	struct timespec now;

	(void)io;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

/* getrandom() does not fail for 256 bytes or less. */
static void random_bytes(void *context, void *buf, size_t len)
{
	uint8_t *to = buf;

	(void)context;
	while (len) {
		size_t part = len < 256 ? len : 256;

		if (getrandom(to, part, 0) != (ssize_t)part)
			continue;
		to += part;
		len -= part;
	}
}

static void close_if_open(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* Waits for a socket, or with NULL for the timer. */
static int watch(struct fdccp_io *io, struct fdccp_socket *s)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = s };

	return epoll_ctl(io->epoll, EPOLL_CTL_ADD, s ? s->fd : io->timer, &event) ? -errno : 0;
}

static int open_loop(struct fdccp_io *io, const char **why)
{
	int err;

	*why = "no file descriptor is left for the timer or epoll";
	io->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (io->timer < 0)
		return -errno;
	io->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (io->epoll < 0)
		return -errno;
	err = watch(io, NULL);
	for (unsigned int i = 0; !err && i < io->sockets; i++)
		err = watch(io, &io->socket[i]);
	return err;
}

static int open_memory(struct fdccp_io *io, const struct fdccp_io_config *config, const char **why)
{
	const struct fdccp_config core = {
		.carrier = config->carrier,
		.random = random_bytes,
		.no_udp_checksum = config->no_udp_checksum,
		.limits = config->limits,
	};

	*why = "no memory is left";
	io->rx = calloc(1, sizeof(*io->rx));
	io->tx = calloc(1, sizeof(*io->tx));
	io->ep = fdccp_endpoint_new(&core, fdccp_io_now(io));
	if (!io->rx || !io->tx || !io->ep)
		return -ENOMEM;
	io->rx->socket = &io->socket[0];
	return 0;
}

static int check_config(const struct fdccp_io_config *config, const char **why)
{
	int family = config->local.sa.sa_family;

	*why = "the local address is neither IPv4 nor IPv6";
	if (family != AF_INET && family != AF_INET6 && family != AF_UNSPEC)
		return -EINVAL;
	*why = "an IPv4-mapped address: an IPv4 address was expected";
	if (family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&config->local.in6.sin6_addr))
		return -EINVAL;
	*why = "the carrier ip has no UDP checksum to do without: expected the carrier udp";
	if (config->no_udp_checksum && config->carrier != FDCCP_CARRIER_UDP)
		return -EINVAL;
	*why = "the queue is longer than 65535 packets";
	return config->queue > QUEUE_MAX ? -EINVAL : 0;
}

static int open_socket(struct fdccp_io *io, const union fdccp_address *local, const char **why)
{
	struct fdccp_socket *s = &io->socket[io->sockets];
	int err;

	*s = (struct fdccp_socket){ .fd = -1, .local = *local };
	err = io->carrier == FDCCP_CARRIER_IP ? fdccp_ip_open(s, why) :
	      fdccp_udp_open(s, io->no_udp_checksum, why);
	if (err)
		close_if_open(s->fd);
	else
		io->sockets++;
	return err;
}

/* Opens a socket of each family that the kernel has. */
static int open_both(struct fdccp_io *io, in_port_t port, const char **why)
{
	const union fdccp_address any4 = { .in = { .sin_family = AF_INET, .sin_port = port } };
	const union fdccp_address any6 = { .in6 = { .sin6_family = AF_INET6, .sin6_port = port } };
	int err = open_socket(io, &any4, why);

	if (err)
		return err;
	err = open_socket(io, &any6, why);
	return err == -EAFNOSUPPORT ? 0 : err;
}

static int open_all(struct fdccp_io *io, const struct fdccp_io_config *config, const char **why)
{
	int err;

	*why = "the kernel's own DCCP would answer our peer's packets with Resets: expected the "
	       "modules dccp_ipv4, dccp_ipv6 and dccp not to be loaded";
	if (io->carrier == FDCCP_CARRIER_IP && !config->kernel_silent && fdccp_kernel_has_dccp())
		return -EBUSY;
	err = config->local.sa.sa_family == AF_UNSPEC ?
	      open_both(io, config->local.in.sin_port, why) : open_socket(io, &config->local, why);
	if (!err)
		err = fdccp_lifetime_open(io, config->lifetimes, why);
	if (!err)
		err = open_loop(io, why);
	if (!err)
		err = open_memory(io, config, why);
	return err;
}

int fdccp_io_open(const struct fdccp_io_config *config, struct fdccp_io **io, const char **why)
{
	const char *unused;
	struct fdccp_io *new;
	int err;

	if (!why)
		why = &unused;
	err = check_config(config, why);
	if (err)
		return err;
	*why = "no memory is left";
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	new->carrier = config->carrier;
	new->no_udp_checksum = config->no_udp_checksum;
	new->queue_size = config->queue ? config->queue : QUEUE_DEFAULT;
	new->armed = FDCCP_NEVER;
	new->sends_left = FDCCP_SENDS;
	new->socket[0].fd = -1;
	new->socket[1].fd = -1;
	new->timer = -1;
	new->epoll = -1;
	err = open_all(new, config, why);
	if (err) {
		fdccp_io_close(new);
		return err;
	}
	*why = NULL;
	*io = new;
	return 0;
}

void fdccp_io_close(struct fdccp_io *io)
{
	if (!io)
		return;
	fdccp_queue_free_all(io);
	fdccp_endpoint_free(io->ep);
	close_if_open(io->epoll);
	close_if_open(io->timer);
	for (unsigned int i = 0; i < io->sockets; i++)
		close(io->socket[i].fd);
	free(io->rx);
	free(io->tx);
	free(io);
}

int fdccp_io_fd(const struct fdccp_io *io)
{
	return io->epoll;
}

struct fdccp_endpoint *fdccp_io_endpoint(struct fdccp_io *io)
{
	return io->ep;
}

enum fdccp_lifetimes fdccp_io_lifetimes(const struct fdccp_io *io)
{
	return io->lifetimes;
}

uint64_t fdccp_io_counter(const struct fdccp_io *io, unsigned int index, const char **name)
{
	static const char *const names[] = {
#define FDCCP_IO_COUNTER_NAME(name, text) #name,
		FDCCP_IO_COUNTERS(FDCCP_IO_COUNTER_NAME)
	};

	if (index >= FDCCP_IO_COUNT_MAX) {
		*name = NULL;
		return 0;
	}
	*name = names[index];
	return io->counter[index];
}

/* Sets the timer, but leaves a timer that fires too early: the wakeup costs less than a system call
 * with each packet that moves the timer to a later time.
 */
static void arm(struct fdccp_io *io)
{
	bool more = !io->sends_left || io->rx->next < io->rx->count;
	int64_t next = more ? 0 : fdccp_next_timer(io->ep);
	struct itimerspec when = { 0 };

	if (next >= io->armed)
		return;
	io->armed = next;
	/* 0 would switch the timer off */
	if (next < 1)
		next = 1;
	when.it_value.tv_sec = next / NSEC_PER_SEC;
	when.it_value.tv_nsec = next % NSEC_PER_SEC;
	timerfd_settime(io->timer, TFD_TIMER_ABSTIME, &when, NULL);
}

static void timer_fired(struct fdccp_io *io)
{
	uint64_t times;

	/* makes the timer unreadable */
	if (read(io->timer, &times, sizeof(times)) > 0)
		io->armed = FDCCP_NEVER;
}

static void ask_epoll(struct fdccp_io *io)
{
	struct epoll_event events[3];
	int count = epoll_wait(io->epoll, events, 3, 0);

	io->receives_left = FDCCP_RECEIVES;
	io->errors_left = FDCCP_BATCH;
	if (!io->sends_left)
		fdccp_queue_all(io);
	io->sends_left = FDCCP_SENDS;
	for (int i = 0; i < count; i++) {
		struct fdccp_socket *s = events[i].data.ptr;

		if (!s) {
			timer_fired(io);
			continue;
		}
		s->ready = events[i].events & (EPOLLIN | EPOLLERR);
		if (events[i].events & EPOLLOUT)
			fdccp_tx_unblock(io);
	}
}

/* Sends what the protocol has to send. Return: whether there was anything. */
static bool transmit(struct fdccp_io *io)
{
	struct fdccp_datagram *d;
	bool any = io->tx->count;

	while ((d = fdccp_tx_reserve(io)) && fdccp_transmit(io->ep, d, fdccp_io_now(io))) {
		fdccp_tx_commit(io, false);
		any = true;
	}
	fdccp_tx_flush(io);
	return any && !io->blocked;
}

void fdccp_io_settle(struct fdccp_io *io)
{
	if (io->in_round)
		return;
	while (transmit(io))
		;
	arm(io);
}

void fdccp_io_hold(struct fdccp_io *io)
{
	io->in_round = true;
}

/* Takes the next step of a round. A round gives the core FDCCP_RECEIVES datagrams at most, so that
 * it ends although a peer sends without pause. Return: false at the end of the round.
 */
static bool take_step(struct fdccp_io *io)
{
	switch (io->step) {
	case FDCCP_STEP_ASK:
		ask_epoll(io);
		break;
	case FDCCP_STEP_RECEIVE:
		if (fdccp_rx_next(io))
			return true;
		break;
	case FDCCP_STEP_ERRORS:
		if (fdccp_error_next(io))
			return true;
		break;
	case FDCCP_STEP_TIMERS:
		fdccp_advance(io->ep, fdccp_io_now(io));
		break;
	case FDCCP_STEP_SEND:
		if (transmit(io))
			return true;
		arm(io);
		io->step = FDCCP_STEP_ASK;
		return false;
	}
	io->step++;
	return true;
}

/* Fetches an event for the program. Return: whether there was one. */
static bool fetch(struct fdccp_io *io, struct fdccp_event *event)
{
	for (;;) {
		if (fdccp_queue_next(io, event))
			return true;
		if (!fdccp_event(io->ep, event))
			return false;
		if (event->type == FDCCP_EVENT_CLOSED)
			fdccp_queue_free(io, event->conn);
		if (event->type != FDCCP_EVENT_READY || !fdccp_queue_ready(io, event->conn))
			return true;
	}
}

bool fdccp_io_event(struct fdccp_io *io, struct fdccp_event *event)
{
	io->in_round = true;
	do {
		if (fetch(io, event))
			return true;
	} while (take_step(io));
	io->in_round = false;
	return false;
}

int fdccp_io_connect(struct fdccp_io *io, const union fdccp_address *remote, uint16_t port,
		     uint32_t service, const struct fdccp_params *params, struct fdccp_conn **conn)
{
	struct fdccp_path path = { .remote = *remote };
	int err;

	err = fdccp_socket_source(io, remote, &path.local);
	if (!err)
		err = fdccp_connect(io->ep, &path, port, service, params, fdccp_io_now(io), conn);
	if (!err)
		fdccp_io_settle(io);
	return err;
}
