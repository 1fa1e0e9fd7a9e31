// SPDX-License-Identifier: GPL-2.0-or-later
/* Time and waiting: see clock.h. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "../lib/units.h"
#include "clock.h"

static sigset_t held;
static int signal_fd;

static int64_t read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * (int64_t)FL_SEC + ts.tv_nsec;
}

int64_t clock_now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

int64_t clock_real(void)
{
	return read_clock(CLOCK_REALTIME);
}

void clock_hold_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGQUIT, SIGPIPE };
	struct sigaction hangup;

	sigemptyset(&held);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaddset(&held, numbers[i]);
	/* a wait would take the signal even under nohup */
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)
		sigaddset(&held, SIGHUP);
	sigprocmask(SIG_BLOCK, &held, NULL);
	signal_fd = signalfd(-1, &held, SFD_CLOEXEC | SFD_NONBLOCK);
	/* the default slack of 50 us would be visible in the packets' times */
	prctl(PR_SET_TIMERSLACK, 1);
}

void clock_hold_child(void)
{
	/* an inherited SIG_IGN would reap a child without a SIGCHLD */
	signal(SIGCHLD, SIG_DFL);
	sigaddset(&held, SIGCHLD);
	sigprocmask(SIG_BLOCK, &held, NULL);
	signalfd(signal_fd, &held, 0);
}

int clock_signal(void)
{
	struct signalfd_siginfo info;

	if (read(signal_fd, &info, sizeof(info)) != sizeof(info))
		return 0;
	return info.ssi_signo;
}

static struct timespec time_left(int64_t until)
{
	int64_t left = until - clock_now();

	if (left < 0)
		left = 0;
	return (struct timespec){ left / FL_SEC, left % FL_SEC };
}

int clock_wait(int64_t until)
{
	struct timespec left;
	int signal;

	/* a process that was stopped and continued waits for the rest of the time */
	do {
		left = time_left(until);
		signal = sigtimedwait(&held, NULL, &left);
	} while (signal < 0 && errno == EINTR);
	return signal < 0 ? 0 : signal;
}

static bool wait_events(int fd, short events, int64_t until, int *signal)
{
	struct pollfd fds[] = {
		{ .fd = fd, .events = events },
		{ .fd = signal_fd, .events = POLLIN },
	};
	struct timespec left = time_left(until);

	*signal = 0;
	if (ppoll(fds, 2, &left, NULL) <= 0)
		return false;
	if (fds[1].revents)
		*signal = clock_signal();
	return fds[0].revents;
}

bool clock_wait_input(int fd, int64_t until, int *signal)
{
	return wait_events(fd, POLLIN, until, signal);
}

bool clock_wait_error(int fd, int64_t until, int *signal)
{
	return wait_events(fd, POLLERR, until, signal);
}
