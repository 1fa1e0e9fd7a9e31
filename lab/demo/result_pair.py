# SPDX-License-Identifier: GPL-2.0-or-later
"""Two flows of datagrams through one queue, whose counters are of both. What the notes say of
one flow is of the urgent one, except under "patient"."""
import os

from demo import result_udp


class PairArrivals:
    """The packets of both that arrived; what came first is asked of the urgent ones."""

    def __init__(self, urgent, patient):
        self.urgent, self.patient = urgent, patient
        self.first_fresh = urgent.first_fresh

    @property
    def useful(self):
        return self.urgent.useful + self.patient.useful

    @property
    def useless(self):
        return self.urgent.useless + self.patient.useless

    @property
    def headers(self):
        return self.urgent.headers + self.patient.headers


class PairResult(result_udp.UdpResult):
    """Both flows through one queue."""

    kind = "pair"

    def __init__(self, notes, arrivals):
        super().__init__(notes, arrivals)
        self.urgent_sent = notes["urgent_sent"]
        self.patient_sink = notes["patient"]["sink"]

    @classmethod
    def load(cls, notes, directory):
        return cls(notes, PairArrivals(*(
            result_udp.Arrivals(result_udp.read_log(os.path.join(directory, flow["log"])),
                                flow["lifetime_ms"]) for flow in (notes, notes["patient"]))))

    @property
    def urgent_valid(self):
        return self.arrivals.urgent.useful

    def check_sinks(self):
        self.check_sink("the urgent flow's ", self.sink, self.arrivals.urgent)
        self.check_sink("the other flow's ", self.patient_sink, self.arrivals.patient)
