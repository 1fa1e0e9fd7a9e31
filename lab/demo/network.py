# SPDX-License-Identifier: GPL-2.0-or-later
"""A copy of the network for one queue and one flow. The network is the network of
pieces/topology.py:

    sender --- router ===slow link, delay spikes, 300 ms each way=== receiver

Both links are cellinks that only delay packets. `freshlink emulate` on the router's device "cell" sets the
link's rate and makes the spikes, with a token bucket above the device. Therefore packets can only
be queued in the queue under test. A cellink with outages of its own would hold one packet during
each spike, and deliver it stale.
"""
import json
import os
import subprocess

from lib import wait
from lib.cell import MS

from pieces import queues, topology


def end(process):
    """End a process that still runs."""
    if process and process.poll() is None:
        process.terminate()
        process.wait()


class Copy:
    """The network with one queue and one flow. Logs go to a directory. Derived classes define the
    flow: they have listen(), begin(), is_sending(), sent(), arrivals() and result()."""

    kind = None                         # of flow, as in result.py
    queues = ("drop-tail", "LPD")       # a copy is made for each
    is_shown = True                     # in the lines of progress
    size = link_kbit = limit = None     # bytes of an IP packet, rate of the link, packets in the queue

    def __init__(self, flow, queue, directory):
        self.flow, self.queue, self.directory = flow, queue, directory
        self.name = f"{flow}-{queue}".lower().replace("/", "")
        self.network = topology.Path(self.size, wire_rate=0, wire_delay=0)
        # The depth of the token bucket is one MTU. At the start of a spike a full bucket of bytes
        # is still sent, so the MTU is only slightly larger than a packet. The additional bytes
        # compensate for late timers, which are frequent on a busy host.
        self.network.cell.up(mtu=self.size + 100)
        self.link = None

    def path(self, ending):
        return os.path.join(self.directory, f"{self.name}.{ending}")

    def read(self, ending):
        with open(self.path(ending)) as file:
            return file.read()

    def start_link(self, schedule):
        """Install the queue. The times in the file of spikes count from now."""
        # the rate of IP packets, as in the paper; the kernel also counts their Ethernet headers
        rate = 8 * (self.link_kbit * 125 * self.network.size // self.size)
        child = queues.QUEUES[self.queue][0].format(limit=self.limit, rate=f"{rate}bit",
                                                    delay=self.network.delay // MS)
        with self.network.router.inside(), open(self.path("link.out"), "w") as out, \
                open(self.path("link.err"), "w") as err:
            self.link = subprocess.Popen(f"freshlink emulate cell --mode tbf -j --rate {rate}bit "
                                         f"--schedule {schedule} --child {child}".split(),
                                         stdout=out, stderr=err)

    def wait_for_link(self):
        def ready():
            if self.link.poll() is not None:
                raise RuntimeError(f"{self.name}: the link ended: {self.read('link.err')}")
            return "ready" in self.read("link.out")
        wait.until(f"{self.name}: link ready", ready, seconds=30)

    def spike_events(self):
        """(CLOCK_REALTIME in ns, "begins" or "ends") of each spike so far."""
        words = {"spike_start": "begins", "spike_end": "ends"}
        events = map(json.loads, self.read("link.out").splitlines())
        return [(event["time_ns"], words[event["event"]]) for event in events
                if event["event"] in words]

    def spikes(self):
        """(begin, end) of each spike that is over."""
        moments = [moment for moment, _ in self.spike_events()]
        return list(zip(moments[::2], moments[1::2]))

    def counters(self):
        """The counters of the queue under test, as tc prints them."""
        kind = queues.QUEUES[self.queue][0].split()[0]
        shown = self.network.router.run("tc -s -j qdisc show dev cell").stdout
        return next(qdisc for qdisc in json.loads(shown) if qdisc["kind"] == kind)

    def notes(self):
        """The data that the report needs besides the log, after the source has ended."""
        return {"kind": self.kind, "flow": self.flow, "queue": self.queue,
                "log": os.path.basename(self.path("csv")), "spikes_ns": self.spikes(),
                "counters": self.counters(), "sent": self.sent()}

    def stop(self):
        """End the processes that still run."""
        end(self.link)
