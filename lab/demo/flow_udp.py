# SPDX-License-Identifier: GPL-2.0-or-later
"""Flows of datagrams with a fixed lifetime, sent by `freshlink traffic`."""
import functools
import json
import os

from demo import network, result_udp
from pieces import stream, traffic

LIFETIME_MS = 5000
KBIT = 25
SIZE, LINK_KBIT, LIMIT = 500, 30, 50
SETTING = f"{SIZE}-byte packets with {LIFETIME_MS / 1000:g} s to live at {KBIT} kbit/s over a " \
          f"{LINK_KBIT} kbit/s link, queues of {LIMIT} packets"
SHAPES = {"ON/OFF": "--on 3200ms --off 1800ms --law constant"}      # other flows: constant rate
# in the copies with two flows: the rate of each flow, both lifetimes, and the port of the patient
# flow
PAIR_KBIT = 12.5
URGENT_MS = 1000
PATIENT_MS, PATIENT_PORT = 5000, 5002
# drops IPv4 headers with options, and IPv6 hop-by-hop headers
NO_OPTIONS = "table inet no_options { chain arriving { type filter hook prerouting priority 0; " \
    "ip hdrlength > 5 counter drop; exthdr hbh exists counter drop; }; }"


class Flow(stream.Stream):
    """A flow whose sink ends when end_sink() is called. The lifetimes are written as remaining times, as
    the module xlo writes them. In the demo packets are on no wire before the router."""

    clock = "relative"
    summary = None      # summary of the sink, after the end of the sink

    @functools.cached_property
    def sent(self):
        """The number of sent packets, after the source has ended."""
        return traffic.end(self.source)["sent"]

    def end_sink(self):
        self.sink.terminate()
        self.summary = traffic.end(self.sink)

    def stop(self):
        """End the processes that still run."""
        network.end(self.source)
        network.end(self.sink)


class UdpCopy(network.Copy):
    """A copy of the network for one flow."""

    kind = "UDP"
    size, link_kbit, limit = SIZE, LINK_KBIT, LIMIT
    setting = SETTING
    kbit, lifetime_ms = KBIT, LIFETIME_MS

    def __init__(self, flow, queue, directory):
        super().__init__(flow, queue, directory)
        self.flows = [self._flow("csv", self.lifetime_ms)]

    def _flow(self, log, lifetime_ms, **more):
        return Flow(self.network, self.path(log), self.size, self.kbit, lifetime_ms,
                    words=SHAPES.get(self.flow, ""), **more)

    def listen(self):
        for flow in self.flows:
            flow.listen()

    def begin(self, seconds):
        for flow in self.flows:
            flow.begin(seconds)

    def is_sending(self):
        return any(flow.source.poll() is None for flow in self.flows)

    def sent(self):
        return sum(flow.sent for flow in self.flows)

    def arrivals(self):
        """The arrivals so far."""
        return result_udp.Arrivals(self.path("csv"), self.lifetime_ms)

    def notes(self):
        return super().notes() | {"lifetime_ms": self.lifetime_ms, "sink": self.flows[0].summary}

    def result(self):
        return result_udp.UdpResult(self.notes(), self.arrivals())

    def finish(self):
        """End the sinks after the last packet."""
        for flow in self.flows:
            flow.end_sink()

    def stop(self):
        super().stop()
        for flow in self.flows:
            flow.stop()


class CbrCopy(UdpCopy):
    """A copy of the network for a flow. The flow is also sent through a queue that cuts packets."""

    queues = UdpCopy.queues + ("LPD-headers",)


class PairCopy(UdpCopy):
    """A copy for two flows through one queue. The packets of the urgent flow have a shorter lifetime
    than the packets of the patient flow."""

    kind = "pair"
    queues = ("LPD", "LPD-EDF")
    is_shown = False
    setting = f"Two flows of {SIZE}-byte packets at {PAIR_KBIT} kbit/s each, an urgent one with " \
              f"{URGENT_MS / 1000:g} s to live and one with {PATIENT_MS / 1000:g} s, over a " \
              f"{LINK_KBIT} kbit/s link, queues of {LIMIT} packets"
    kbit, lifetime_ms = PAIR_KBIT, URGENT_MS

    def __init__(self, flow, queue, directory):
        super().__init__(flow, queue, directory)
        self.flows.append(self._flow("patient.csv", PATIENT_MS, port=PATIENT_PORT))

    def arrivals(self):
        patient = result_udp.Arrivals(self.path("patient.csv"), PATIENT_MS)
        return result_udp.PairArrivals(super().arrivals(), patient)

    def notes(self):
        urgent, patient = self.flows
        return super().notes() | {
            "urgent_sent": urgent.sent,
            "patient": {"log": os.path.basename(patient.log), "lifetime_ms": PATIENT_MS,
                        "sink": patient.summary}}

    def result(self):
        return result_udp.PairResult(self.notes(), self.arrivals())


class UplinkCopy(UdpCopy):
    """A copy for a drone's video. The slow link is the drone's uplink. The network after this link
    drops packets with IP options, as many networks do. The receiver's namespace also acts as the
    network that drops packets."""

    kind = "uplink"
    queues = ("LPD", "LPD-strip")
    is_shown = False
    setting = f"A drone's {SETTING}; behind it a network that drops packets with IP options, which " \
        "LPD-strip removes"

    def __init__(self, flow, queue, directory):
        super().__init__(flow, queue, directory)
        self.network.receiver.run("nft -f -", stdin=NO_OPTIONS)

    def filtered(self):
        """The number of packets that the network has dropped."""
        shown = json.loads(self.network.receiver.run(
            "nft -j list chain inet no_options arriving").stdout)
        rules = (part["rule"]["expr"] for part in shown["nftables"] if "rule" in part)
        return sum(expression["counter"]["packets"] for rule in rules for expression in rule
                   if "counter" in expression)

    def notes(self):
        return super().notes() | {"filtered": self.filtered()}

    def result(self):
        return result_udp.UplinkResult(self.notes(), self.arrivals())
