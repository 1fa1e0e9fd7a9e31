# SPDX-License-Identifier: GPL-2.0-or-later
"""Steers the bandwidth of cake by the algorithm of cake-autorate (README.md and defaults.sh of
https://github.com/lynxthecat/cake-autorate, version 3). All numbers are that project's defaults for
an upload. Probes measure the delay to a reflector. A probe is delayed if its delay is longer than
usual by a threshold. If several of the last probes are delayed, the bandwidth falls. Otherwise the
bandwidth grows while the load is high, and returns to a base rate while the load is low. Times are
in s, delays in ms and rates in kbit/s."""
import collections
import itertools
import math
import socket
import threading
import time

from lib import netlink, stamp
from lib.cell import MS

from pieces import pacer

PINGERS, INTERVAL = 6, 0.3                          # each has a usual delay of its own
WINDOW, DETECTION = 6, 3                            # of the last probes, so many are delayed
NO_DELAY, DELAYED, LONG = 10, 30, 60                # ms more than usual
RISE, FALL = 0.001, 0.9                             # weights of a delay in the usual delay
DOWN, FAST_DOWN, UP, FAST_UP = 0.99, 0.75, 1.0, 1.04
TO_BASE_DOWN, TO_BASE_UP = 0.99, 1.01
HIGH = 0.75                                         # part of the bandwidth that is a high load
PAUSE, BASE_PAUSE = 0.3, 1                          # s after a fall, and between steps to the base rate
LOAD_INTERVAL = 0.2                                 # s
LEAST, MOST = 0.25, 1.75                            # times the base rate
PACKET = 1514 * 8                                   # bits
TCA_CAKE_BASE_RATE64 = 2


def between(value, low, high, at_low, at_high):
    """Interpolate between two points, and continue with the nearer one outside."""
    part = min(max((value - low) / (high - low), 0), 1)
    return at_low + part * (at_high - at_low)


class Rate:
    """The bandwidth, by the delays of probes."""

    def __init__(self, base):
        self.rate = self.base = base
        self.usual = [None] * PINGERS
        self.more = collections.deque([0.0] * WINDOW, WINDOW)       # than usual
        self.delayed = collections.deque([False] * WINDOW, WINDOW)
        self.fell = self.moved = -math.inf

    def sample(self, now, number, delay, load):
        """Take the delay of a probe and the present load. Return the new bandwidth."""
        packet = PACKET / self.rate         # ms; a packet before the probe is no queue
        self.more.append(self._more(number % PINGERS, delay))
        self.delayed.append(self.more[-1] > DELAYED + packet)
        mean = sum(self.more) / WINDOW - packet
        if sum(self.delayed) >= DETECTION:
            self._fall(now, mean)
        elif load > HIGH * self.rate:
            self._grow(now, mean)
        else:
            self._return(now)
        self.rate = min(max(self.rate, LEAST * self.base), MOST * self.base)
        return self.rate

    def _more(self, pinger, delay):
        """The delay more than usual. The usual delay falls fast and rises slowly."""
        usual = delay if self.usual[pinger] is None else self.usual[pinger]
        weight = RISE if delay >= usual else FALL
        self.usual[pinger] = weight * delay + (1 - weight) * usual
        return delay - self.usual[pinger]

    def _fall(self, now, mean):
        if now > self.fell + PAUSE:
            self.rate *= between(mean, DELAYED, LONG, DOWN, FAST_DOWN)
            self.fell = now

    def _grow(self, now, mean):
        if now > self.fell + PAUSE:
            self.rate *= between(mean, NO_DELAY, DELAYED, FAST_UP, UP)

    def _return(self, now):
        if now > self.moved + BASE_PAUSE:
            if self.rate > self.base:
                self.rate = max(self.rate * TO_BASE_DOWN, self.base)
            else:
                self.rate = min(self.rate * TO_BASE_UP, self.base)
            self.moved = now


class Autorate:
    """Steers the cake on the device "cell" until the cell's process ends. The delays are those from the
    router to the reflector, because the reflector says when a probe arrived."""

    def __init__(self, path, base):
        pacer.reflect(path)
        self.rate = Rate(base)
        self.netlink = netlink.Netlink(path.router)
        self.sock = path.socket(path.router, socket.SOCK_DGRAM)
        self.sock.connect((path.address, stamp.PORT))
        self.sent = {}
        self.load, self.counted = 0.0, (time.monotonic(), self.netlink.sent_bytes("cell"))
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        begin = time.monotonic()
        for number in itertools.count():
            self.sent[number] = time.time_ns()
            self.sock.send(stamp.test(number))
            self._answers(begin + (number + 1) * INTERVAL / PINGERS)

    def _answers(self, end):
        """Receive answers until a time."""
        while (left := end - time.monotonic()) > 0:
            self.sock.settimeout(left)
            try:
                answer = stamp.reflected(self.sock.recv(2048))
            except (TimeoutError, ConnectionError):
                continue
            sent = self.sent.pop(answer.test_sequence, None)
            if sent is not None:
                self._steer(answer.test_sequence, (stamp.unix_ns(answer.received) - sent) / MS)

    def _steer(self, number, delay):
        now = time.monotonic()
        self._measure(now)
        before = self.rate.rate
        rate = self.rate.sample(now, number, delay, self.load)
        if rate != before:
            self.netlink.qdisc("cell", 0, "cake", netlink.attr(
                TCA_CAKE_BASE_RATE64, netlink.u64(round(rate * 125))), handle=0)

    def _measure(self, now):
        """Measure the rate at which the device sends."""
        then, before = self.counted
        if now >= then + LOAD_INTERVAL:
            sent = self.netlink.sent_bytes("cell")
            self.load, self.counted = (sent - before) / 125 / (now - then), (now, sent)
