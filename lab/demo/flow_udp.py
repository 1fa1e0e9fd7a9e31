# SPDX-License-Identifier: GPL-2.0-or-later
"""A flow of datagrams with a fixed lifetime, by `freshlink traffic`."""
import result_udp
import topology

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

    def sink_command(self):
        return f"freshlink traffic sink -j --log {self.path('csv')}"

    def source_command(self, seconds):
        return f"freshlink traffic source {topology.MOBILE} -j --duration {seconds}s " \
            f"--rate {KBIT}kbit --size {self.size} --lifetime {LIFETIME_MS}ms --stale discard " \
            f"{SHAPES[self.flow]}"

    def sent(self):
        return self.told("source")["sent"]

    def arrivals(self):
        """Those so far."""
        return result_udp.Arrivals(result_udp.read_log(self.path("csv")), LIFETIME_MS)

    def notes(self):
        return super().notes() | {"lifetime_ms": LIFETIME_MS, "sink": self.told("sink")}

    def result(self):
        return result_udp.UdpResult(self.notes(), self.arrivals())
