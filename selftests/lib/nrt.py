# SPDX-License-Identifier: GPL-2.0-or-later
"""The sessions that `freshlink traffic nrt` must make from a seed. The module is a second
implementation of the command's model. All numbers are integers, so the result is the same on every
host."""
from typing import NamedTuple

S = 10**9                               # ns
ONE = 10**6                             # millionths


class Call(NamedTuple):
    """A packet call. `sizes` contains the sizes of the call's datagrams in bytes. `due` contains
    the time of each datagram, in ns after the first datagram. `reading` is the reading time after
    the call."""

    sizes: list
    due: list
    reading: int


class Random:
    """The random generator SplitMix64, and the distributions that use it."""

    def __init__(self, seed):
        self.state = seed

    def bits(self):
        self.state = (self.state + 0x9e3779b97f4a7c15) % 2**64
        z = self.state
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 % 2**64
        z = (z ^ z >> 27) * 0x94d049bb133111eb % 2**64
        return z ^ z >> 31

    def between(self, low, high):
        return low + self.bits() % (high - low + 1)

    def exponential(self, mean):
        """A number with an exponential distribution, by von Neumann's method. If the mean is 0, the
        result is 0 and no random number is drawn."""
        whole = 0
        while mean:
            first = last = self.between(0, mean - 1)
            odd = True
            while (drawn := self.between(0, mean - 1)) < last:
                last, odd = drawn, not odd
            if odd:
                return whole + first
            whole += mean
        return 0

    def geometric(self, mean):
        """The number of trials until the first success, if a trial succeeds with the probability
        1/mean."""
        trials = 1
        while self.between(1, mean) > 1:
            trials += 1
        return trials

    def pareto(self, alpha, least, cutoff):
        """A number with a Pareto distribution. The number is the first point after `least` of a
        Poisson process with the rate alpha/x. The method is thinning. `alpha` is in millionths."""
        x = least
        while True:
            last = x
            x += self.exponential(last * ONE // alpha)
            if x >= cutoff:
                return cutoff
            if self.between(1, x) <= last:
                return x


def sessions(seed=1, count=1, calls=5, reading=412 * S, datagrams=25, gap=S // 16, alpha=1.1,
             least=81.5, cutoff=66666):
    """The sessions of a seed, as a list of lists of calls. Times are in ns."""
    random = Random(seed)

    def call():
        sizes, due, now = [], [], 0
        for _ in range(random.geometric(datagrams)):
            drawn = random.pareto(round(alpha * ONE), round(least * ONE), cutoff * ONE)
            sizes.append((drawn + ONE // 2) // ONE)
            due.append(now)
            now += random.exponential(gap)
        return Call(sizes, due, random.exponential(reading))
    return [[call() for _ in range(random.geometric(calls))] for _ in range(count)]
