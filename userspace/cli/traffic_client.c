// SPDX-License-Identifier: GPL-2.0-or-later
/* TCP connections of sources and clients: see traffic_client.h. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/time.h>
#include <unistd.h>

#include "traffic_client.h"
#include "wait.h"

#define PATIENCE	1		/* maximum time between two checks, in s */

/* Returns whether a signal or the time ends a wait, with EINTR in errno. */
static bool is_over(int64_t until)
{
	if (!wait_take_signal() && fl_now() < until)
		return false;
	errno = EINTR;
	return true;
}

static bool set_options(int fd)
{
	const struct timeval patience = { .tv_sec = PATIENCE };
	int on = 1;

	return !setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience,
			   sizeof(patience)) &&
	       !setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

/* Connecting may need minutes. */
static bool establish(int fd, const struct sockaddr_storage *to, socklen_t len,
		      int64_t until)
{
	while (connect(fd, (const struct sockaddr *)to, len))
		if ((errno != EINPROGRESS && errno != EALREADY &&
		     errno != EINTR) || is_over(until))
			return false;
	return true;
}

int traffic_connect(const struct sockaddr_storage *to, socklen_t len, int64_t until)
{
	int fd = socket(to->ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int err;

	if (fd < 0 || (set_options(fd) && establish(fd, to, len, until)))
		return fd;
	err = errno;
	close(fd);
	errno = err;
	return -1;
}

bool traffic_write(int fd, const void *data, size_t len, int64_t until, uint64_t *written)
{
	while (len) {
		ssize_t part = write(fd, data, len);

		if (part < 0 && errno != EAGAIN && errno != EINTR)
			return false;
		if (part > 0) {
			data += part;
			len -= part;
			*written += part;
		}
		if (len && is_over(until))
			return false;
	}
	return true;
}
