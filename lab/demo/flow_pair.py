# SPDX-License-Identifier: GPL-2.0-or-later
"""Two flows of datagrams through one queue, of which one is urgent: its lifetime is shorter."""
import os

from demo import flow_udp, result_udp, topology

KBIT = 12.5                 # of each
URGENT_MS = 1000
PATIENT_MS, PATIENT_PORT = 5000, 5002


class PairCopy(flow_udp.UdpCopy):
    """A copy of the network for both. What is one flow's in other copies is the urgent one's
    here; the patient one comes beside it."""

    kind = "pair"
    queues = ("LPD", "LPD-EDF")
    told_of = False
    setting = f"Two flows of {flow_udp.SIZE}-byte packets at {KBIT} kbit/s each, an urgent one " \
              f"with {URGENT_MS / 1000:g} s to live and one with {PATIENT_MS / 1000:g} s, over " \
              f"a {flow_udp.LINK_KBIT} kbit/s link, queues of {flow_udp.LIMIT} packets"
    kbit, lifetime_ms = KBIT, URGENT_MS

    def __init__(self, flow, queue, directory):
        super().__init__(flow, queue, directory)
        self.patient_log = self.path("patient.csv")
        self.patient_sink = self.patient_source = None

    def start_ends(self):
        super().start_ends()
        self.patient_sink = self._start(self.mobile, "patient-sink", "freshlink traffic sink -j "
                                        f"--port {PATIENT_PORT} --log {self.patient_log}")

    def wait_for_ends(self):
        super().wait_for_ends()
        self._wait_for(self.patient_sink, "patient-sink", "err", "receiving")

    def begin(self, seconds):
        super().begin(seconds)
        self.patient_source = self._start(self.sender, "patient-source",
                                          f"{self.source_words(seconds, PATIENT_MS)} "
                                          f"--port {PATIENT_PORT}")

    def sent(self):
        """By both."""
        if self.patient_source.wait():
            raise SystemExit(f"{self.name}: source ended: {self.read('patient-source.err')}")
        return super().sent() + self.told("patient-source")["sent"]

    def arrivals(self):
        return result_udp.PairArrivals(super().arrivals(),
                                       result_udp.Arrivals(self.patient_log, PATIENT_MS))

    def notes(self):
        return super().notes() | {
            "urgent_sent": super().sent(),
            "patient": {"log": os.path.basename(self.patient_log), "lifetime_ms": PATIENT_MS,
                        "sink": self.told("patient-sink")}}

    def result(self):
        return result_udp.PairResult(self.notes(), self.arrivals())

    def finish(self):
        super().finish()
        topology.end(self.patient_sink)

    def stop(self):
        super().stop()
        for process in (self.patient_source, self.patient_sink):
            topology.end(process)
