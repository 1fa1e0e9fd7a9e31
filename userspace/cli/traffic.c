// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions for all sources and sinks: see traffic.h. */
#include <errno.h>
#include <netdb.h>
#include <string.h>

#include "output.h"
#include "traffic.h"
#include "wait.h"

bool traffic_find(const struct cli_args *args, int type, uint16_t port,
		  struct sockaddr_storage *to, socklen_t *len)
{
	const struct addrinfo hints = { .ai_socktype = type };
	struct addrinfo *found;
	char text[8];
	int err;

	snprintf(text, sizeof(text), "%u", port);
	err = getaddrinfo(args->operand, text, &hints, &found);
	if (err) {
		cli_error(args->who, "HOST %s: expected an address or a known name: %s",
			  args->operand, gai_strerror(err));
		return false;
	}
	memcpy(to, found->ai_addr, found->ai_addrlen);
	*len = found->ai_addrlen;
	freeaddrinfo(found);
	return true;
}

bool traffic_wait(int fd, const struct fl_value *values, int duration, int idle,
		  int64_t start, int64_t last)
{
	int64_t end = FL_NEVER, until;
	int signal;

	if (values[duration].set)
		end = start + values[duration].number;
	until = end;
	if (values[idle].set && last + (int64_t)values[idle].number < end)
		until = last + values[idle].number;
	while (!wait_input(fd, until, &signal))
		if (signal || fl_now() >= until)
			return false;
	/* a flood of packets must not prevent the check for a signal */
	return !signal && fl_now() < end;
}

bool traffic_open_log(const struct cli_args *args, int option,
		      const char *columns, FILE **log)
{
	const char *name = args->values[option].text;

	*log = NULL;
	if (!name)
		return true;
	*log = output_open(args->who, "--log", name);
	if (!*log)
		return false;
	if (!setvbuf(*log, NULL, _IOLBF, 0) &&
	    fprintf(*log, "%s\n", columns) >= 0)
		return true;
	cli_error(args->who, "--log %s: expected a file that can be written: %s",
		  name, strerror(errno));
	return false;
}

bool traffic_close_log(const struct cli_args *args, int option, FILE *log)
{
	return !log || output_close(args->who, "--log",
				    args->values[option].text, log);
}
