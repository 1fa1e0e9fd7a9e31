# SPDX-License-Identifier: GPL-2.0-or-later
"""Datagrams with a lifetime. The sender's time stamp, the flow's lifetime and the time of arrival
decide whether a packet arrived valid. All are times of one clock."""
import os

from lib.cell import MS

from demo.result import Result
from pieces import freshness, stream


class Arrivals:
    """The packets in a sink's log: valid, stale, or cut to their headers."""

    def __init__(self, path, lifetime_ms):
        self.packets = stream.read_log(path)
        self.cut = stream.read_log(path, headers=True)
        self.lifetime = lifetime_ms * MS
        judged = freshness.judge(self.packets, self.lifetime)
        self.useful, self.useless = judged["valid"], judged["stale"]
        self.headers = len(self.cut)

    def remaining(self, arrival):
        """Lifetime in ns that was left at arrival, below 0 for a stale packet."""
        return arrival.sent + self.lifetime - arrival.received

    @property
    def last(self):
        return max(a.received for a in self.packets + self.cut)

    def first_fresh(self, since, until):
        """The time in ns from `since` to the first fresh arrival. The value is None if no fresh
        packet arrived before `until`."""
        fresh = [a.received - since for a in self.packets
                 if since <= a.received < until and self.remaining(a) >= 0]
        return min(fresh, default=None)


class UdpResult(Result):
    """A flow of datagrams through one queue."""

    kind = "UDP"

    @classmethod
    def load(cls, notes, directory):
        return cls(notes, Arrivals(os.path.join(directory, notes["log"]), notes["lifetime_ms"]))

    @property
    def valid(self):
        return self.arrivals.useful

    @property
    def stale(self):
        return self.arrivals.useless

    @property
    def headers(self):
        return self.arrivals.headers

    def waits(self):
        """For each spike, the time in ns from its end to the first fresh arrival. The value is None
        if no fresh packet arrived before the next spike or the end of the run."""
        ends = [begin for begin, _ in self.spikes[1:]] + [float("inf")]
        return [self.arrivals.first_fresh(end, until)
                for (_, end), until in zip(self.spikes, ends)]

    def check(self):
        """Also check that sinks agree with their logs, and that all headers are of packets that the
        queue has cut."""
        super().check()
        self.check_sinks()
        cut = self.counters["truncated"] if self.is_lpd else 0
        self.equal("headers of packets that the queue did not cut", max(0, self.headers - cut), 0)
        missing = cut - self.headers - self.lost - self.queued
        self.equal("packets that the queue cut, neither here nor lost", max(0, missing), 0)

    def check_sinks(self):
        self.check_sink("", self.sink, self.arrivals)

    def check_sink(self, whose, sink, arrivals):
        """Check that a sink counts the same packets as its log."""
        for word, number in (("valid", arrivals.useful), ("stale", arrivals.useless),
                             ("headers", arrivals.headers)):
            self.equal(f"{whose}{word} packets by the sink's own count", sink[word], number)


class PairArrivals:
    """The arrived packets of two flows. first_fresh() looks only at the urgent flow."""

    def __init__(self, urgent, patient):
        self.urgent, self.patient = urgent, patient
        self.first_fresh = urgent.first_fresh
        self.useful = urgent.useful + patient.useful
        self.useless = urgent.useless + patient.useless
        self.headers = urgent.headers + patient.headers


class PairResult(UdpResult):
    """Two flows of datagrams through one queue. The counters of the queue include both flows. The
    notes are about the urgent flow, except the notes under "patient"."""

    kind = "pair"

    def __init__(self, notes, arrivals):
        super().__init__(notes, arrivals)
        self.urgent_sent = notes["urgent_sent"]
        self.patient_sink = notes["patient"]["sink"]

    @classmethod
    def load(cls, notes, directory):
        return cls(notes, PairArrivals(*(
            Arrivals(os.path.join(directory, flow["log"]), flow["lifetime_ms"])
            for flow in (notes, notes["patient"]))))

    @property
    def urgent_valid(self):
        return self.arrivals.urgent.useful

    def check_sinks(self):
        self.check_sink("the urgent flow's ", self.sink, self.arrivals.urgent)
        self.check_sink("the other flow's ", self.patient_sink, self.arrivals.patient)


class UplinkResult(UdpResult):
    """A flow of datagrams through a queue. The network after the queue drops some packets and
    counts them."""

    kind = "uplink"

    def __init__(self, notes, arrivals):
        super().__init__(notes, arrivals)
        self.filtered = notes["filtered"]
