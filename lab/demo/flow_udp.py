# SPDX-License-Identifier: GPL-2.0-or-later
"""A flow of datagrams with a fixed lifetime, by `freshlink traffic`."""
from demo import result_udp, topology

LIFETIME_MS = 5000
KBIT = 25
SIZE, LINK_KBIT, LIMIT = 500, 30, 50
SETTING = f"{SIZE}-byte packets with {LIFETIME_MS / 1000:g} s to live at {KBIT} kbit/s over a " \
          f"{LINK_KBIT} kbit/s link, queues of {LIMIT} packets"
SHAPES = {"CBR": "", "ON/OFF": "--on 3200ms --off 1800ms --law constant", "drone": ""}


class UdpCopy(topology.Copy):
    """A copy of the network for such a flow, which is one of SHAPES."""

    kind = "UDP"
    size, link_kbit, limit = SIZE, LINK_KBIT, LIMIT
    setting = SETTING
    kbit, lifetime_ms = KBIT, LIFETIME_MS

    def sink_command(self):
        return f"freshlink traffic sink -j --log {self.path('csv')}"

    def source_words(self, seconds, lifetime_ms):
        """The command for a source of constant rate."""
        return f"freshlink traffic source {topology.MOBILE} -j --duration {seconds}s " \
            f"--rate {self.kbit * 1000:.0f}bit --size {self.size} --lifetime {lifetime_ms}ms " \
            "--stale discard"

    def source_command(self, seconds):
        return f"{self.source_words(seconds, self.lifetime_ms)} {SHAPES.get(self.flow, '')}"

    def sent(self):
        return self.told("source")["sent"]

    def arrivals(self):
        """Those so far."""
        return result_udp.Arrivals(self.path("csv"), self.lifetime_ms)

    def notes(self):
        return super().notes() | {"lifetime_ms": self.lifetime_ms, "sink": self.told("sink")}

    def result(self):
        return result_udp.UdpResult(self.notes(), self.arrivals())


class CbrCopy(UdpCopy):
    """Such a flow that is sent through one more queue: one that cuts."""

    queues = UdpCopy.queues + ("LPD-headers",)
