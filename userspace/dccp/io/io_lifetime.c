// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How packets carry their lifetime: by deadline, which the module xlo turns into the option, or by
 * the option itself, which the adapter writes with CAP_NET_RAW.
 */
#include "io.h"

#include <errno.h>
#include <linux/net_tstamp.h>
#include <time.h>

#define NSEC_PER_MSEC	INT64_C(1000000)

/* As freshlink_enable_deadlines(), and with reports on packets that expire in this host's queue. */
static const struct sock_txtime txtime = {
	.clockid = CLOCK_MONOTONIC,
	.flags = SOF_TXTIME_DEADLINE_MODE | SOF_TXTIME_REPORT_ERRORS,
};

static int open_deadlines(struct fdccp_io *io, const char **why)
{
	*why = "lifetimes by deadline need the module xlo with its setting txtime: freshlink set "
	       "--txtime on";
	if (!fdccp_xlo_txtime())
		return -EOPNOTSUPP;
	*why = "the socket refuses deadlines (SO_TXTIME)";
	for (unsigned int i = 0; i < io->sockets; i++) {
		if (setsockopt(io->socket[i].fd, SOL_SOCKET, SO_TXTIME, &txtime, sizeof(txtime)))
			return -errno;
	}
	io->lifetimes = FDCCP_LIFETIMES_DEADLINE;
	return 0;
}

/* Whether the program may write the option is known only by trying it. */
static int open_option(struct fdccp_io *io, const char **why)
{
	const struct freshlink_lifetime trial = { .kind = FRESHLINK_UNLIMITED };

	*why = "a lifetime as option needs CAP_NET_RAW";
	for (unsigned int i = 0; i < io->sockets; i++) {
		int fd = io->socket[i].fd;

		if (freshlink_socket_lifetime(fd, &trial) || freshlink_socket_lifetime(fd, NULL))
			return -errno;
		/* for the reports alone, which are of use but not needed */
		setsockopt(fd, SOL_SOCKET, SO_TXTIME, &txtime, sizeof(txtime));
	}
	io->lifetimes = FDCCP_LIFETIMES_OPTION;
	return 0;
}

int fdccp_lifetime_open(struct fdccp_io *io, enum fdccp_lifetimes wanted, const char **why)
{
	switch (wanted) {
	case FDCCP_LIFETIMES_AUTO:
		if (open_deadlines(io, why) && open_option(io, why))
			io->lifetimes = FDCCP_LIFETIMES_OFF;
		return 0;
	case FDCCP_LIFETIMES_OFF:
		io->lifetimes = FDCCP_LIFETIMES_OFF;
		return 0;
	case FDCCP_LIFETIMES_DEADLINE:
		return open_deadlines(io, why);
	case FDCCP_LIFETIMES_OPTION:
		return open_option(io, why);
	}
	*why = "no such way to carry lifetimes";
	return -EINVAL;
}

bool fdccp_lifetime_fits(const struct fdccp_io *io, const struct fdccp_message *message)
{
	return !message || message->deadline == FDCCP_NEVER ||
	       io->lifetimes != FDCCP_LIFETIMES_DEADLINE || message->stale == FRESHLINK_DISCARD;
}

/* The remaining lifetime, rounded to the nearest ms as xlo does. */
static int32_t remaining_ms(const struct fdccp_io *io, int64_t deadline)
{
	int64_t now = fdccp_io_now(io), ms;

	if (deadline <= now)
		return 0;
	/* the difference fits, because no time of CLOCK_MONOTONIC is negative */
	ms = (deadline - now) / NSEC_PER_MSEC;
	ms += (deadline - now) % NSEC_PER_MSEC >= NSEC_PER_MSEC / 2;
	return ms > FRESHLINK_RELATIVE_MAX ? FRESHLINK_RELATIVE_MAX : ms;
}

static void write_option(const struct fdccp_io *io, struct msghdr *msg,
			 const struct fdccp_datagram *d)
{
	const struct freshlink_lifetime lifetime = {
		.kind = d->deadline == FDCCP_NEVER ? FRESHLINK_UNLIMITED : FRESHLINK_RELATIVE,
		.stale = d->stale,
		.remaining_ms = remaining_ms(io, d->deadline),
		.reorder = FDCCP_REORDER,
		.flags = (d->slow ? FRESHLINK_SLOW : 0) |
			 (d->corruptible ? FRESHLINK_CORRUPT_OK : 0),
	};

	freshlink_set_option(msg, FDCCP_CONTROL_ROOM, d->path.local.sa.sa_family, &lifetime);
}

/* A deadline cannot say that damage is tolerable: with deadlines, the profile of xlo does. */
bool fdccp_lifetime_carried(const struct fdccp_io *io, const struct fdccp_datagram *d)
{
	if (io->bald)
		return false;
	if (d->deadline == FDCCP_NEVER)
		return io->lifetimes == FDCCP_LIFETIMES_OPTION && d->corruptible;
	return io->lifetimes != FDCCP_LIFETIMES_OFF;
}

void fdccp_io_stamp(struct fdccp_io *io, bool stamp)
{
	io->bald = !stamp;
}

void fdccp_lifetime_write(const struct fdccp_io *io, struct msghdr *msg,
			  const struct fdccp_datagram *d)
{
	if (!fdccp_lifetime_carried(io, d))
		return;
	/* the kernel takes 0 for no deadline, and freshlink_set_deadline() nothing below 1 */
	if (io->lifetimes == FDCCP_LIFETIMES_DEADLINE)
		freshlink_set_deadline(msg, FDCCP_CONTROL_ROOM, d->deadline > 0 ? d->deadline : 1);
	else
		write_option(io, msg, d);
}
