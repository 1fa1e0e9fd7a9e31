// SPDX-License-Identifier: GPL-2.0-or-later
/* Waits that end on a signal: see wait.h. */
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "wait.h"

static sigset_t held;
static int signal_fd;

void wait_hold_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGQUIT, SIGPIPE };
	struct sigaction hangup;

	sigemptyset(&held);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaddset(&held, numbers[i]);
	/* SIGHUP stays ignored if it is ignored at the start, as under nohup */
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)
		sigaddset(&held, SIGHUP);
	sigprocmask(SIG_BLOCK, &held, NULL);
	signal_fd = signalfd(-1, &held, SFD_CLOEXEC | SFD_NONBLOCK);
	/* a timer may be late by its slack, and the default slack of 50 us would change the
	 * packets' times
	 */
	prctl(PR_SET_TIMERSLACK, 1);
}

void wait_hold_child(void)
{
	/* with SIG_IGN from the parent process, the end of a child would cause no SIGCHLD */
	signal(SIGCHLD, SIG_DFL);
	sigaddset(&held, SIGCHLD);
	sigprocmask(SIG_BLOCK, &held, NULL);
	signalfd(signal_fd, &held, 0);
}

int wait_take_signal(void)
{
	struct signalfd_siginfo info;

	if (read(signal_fd, &info, sizeof(info)) != sizeof(info))
		return 0;
	return info.ssi_signo;
}

int wait_until(int64_t until)
{
	struct timespec left;
	int signal;

	/* if the process is stopped and continued, it waits for the rest of the time */
	do {
		left = fl_time_left(until);
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

	*signal = 0;
	if (fl_poll(fds, 2, until) <= 0)
		return false;
	if (fds[1].revents)
		*signal = wait_take_signal();
	return fds[0].revents;
}

bool wait_input(int fd, int64_t until, int *signal)
{
	return wait_events(fd, POLLIN, until, signal);
}

bool wait_error(int fd, int64_t until, int *signal)
{
	return wait_events(fd, POLLERR, until, signal);
}
