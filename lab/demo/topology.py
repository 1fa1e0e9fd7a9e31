# SPDX-License-Identifier: GPL-2.0-or-later
"""One copy of the demo's network, and the processes in it:

    sender --- router ===slow link, delay spikes=== air ---300 ms each way--- mobile

The router's egress holds the queue under test. The propagation delay is air's and mobile's:
behind the bottleneck, so that packets wait in the queue and nowhere else.
"""
import json
import os
import subprocess

from lib import netns, wait

HEADER = 14                 # bytes of a packet's Ethernet header
LINK_DELAY = "300ms"
LPD = f"lpd limit {{limit}} rate {{rate}} delay {LINK_DELAY}"
# Headers keep their places: where there is no more room, the oldest make it. The 24 bytes
# that are kept tell the sink which packet it was.
QUEUES = {"drop-tail": "pfifo limit {limit}",
          "LPD": LPD,
          "LPD-headers": f"{LPD} stale truncate keep 24 overflow head",
          "LPD-EDF": f"{LPD} order edf",
          "LPD-strip": f"{LPD} strip"}
LEFT, RIGHT = "02:00:00:00:00:01", "02:00:00:00:00:02"     # netns.veth gives these
MOBILE = "10.0.3.2"


def _link(left, left_name, right, right_name, network, mtu):
    """Connect two nodes by a network of their own. What each is to have there comes back: they
    already know each other, since a request for an address would wait in the queue, and be
    counted there."""
    netns.veth(left, left_name, right, right_name, f"mtu {mtu}")
    return {node: (f"addr add {network}.{own}/24 dev {name}",
                   f"neigh add {network}.{other} lladdr {mac} dev {name} nud permanent")
            for node, name, own, other, mac in ((left, left_name, 1, 2, RIGHT),
                                                (right, right_name, 2, 1, LEFT))}


def end(process):
    if process and process.poll() is None:
        process.terminate()
        process.wait()


class Copy:
    """The network with one queue in it and one flow through it; logs go to a directory. What
    the flow is, classes derived from this one say."""

    kind = None                         # of flow, as in result.py
    queues = ("drop-tail", "LPD")       # that such a flow is sent through
    told_of = True                      # while it runs
    size = link_kbit = limit = None     # bytes of an IP packet, the link's rate, packets queued
    route = ""                          # what else the sender's says

    def __init__(self, flow, queue, directory):
        self.flow, self.queue, self.directory = flow, queue, directory
        self.name = f"{flow}-{queue}".lower().replace("/", "")
        self.sender, self.router, self.air, self.mobile = (netns.Netns() for _ in range(4))
        self.sink = self.link = self.source = None
        # a radio link has no Ethernet headers, but the kernel charges them
        self.rate = f"{self.link_kbit * 1000 * (self.size + HEADER) // self.size}bit"
        self._connect()

    def _connect(self):
        # The emulated link's bucket is an MTU deep: what is in it leaves at the start of a
        # spike, so one packet; the rest makes good for a timer that is late, which a busy
        # machine's often is.
        mtu = self.size + 100
        access = _link(self.sender, "eth0", self.router, "wire", "10.0.1", mtu)
        slow = _link(self.router, "cell", self.air, "cell", "10.0.2", mtu)
        last = _link(self.air, "far", self.mobile, "eth0", "10.0.3", mtu)
        self.sender.ip(*access[self.sender], f"route add default via 10.0.1.2 {self.route}")
        self.router.ip(*access[self.router], *slow[self.router],
                       "route add 10.0.3.0/24 via 10.0.2.2")
        self.air.ip(*slow[self.air], *last[self.air], "route add 10.0.1.0/24 via 10.0.2.1")
        self.mobile.ip(*last[self.mobile], "route add default via 10.0.3.1")
        for node in (self.router, self.air):
            node.sysctl("net.ipv4.ip_forward", 1)
        for node, device in ((self.air, "far"), (self.mobile, "eth0")):
            node.run(f"tc qdisc add dev {device} root netem delay {LINK_DELAY}")

    def path(self, ending):
        return os.path.join(self.directory, f"{self.name}.{ending}")

    def _start(self, node, role, command, **more):
        """Start a process whose output lands in files."""
        with node.inside(), open(self.path(f"{role}.out"), "w") as out, \
                open(self.path(f"{role}.err"), "w") as err:
            return subprocess.Popen(command.split(), stdout=out, stderr=err, **more)

    def read(self, ending):
        with open(self.path(ending)) as file:
            return file.read()

    def _wait_for(self, process, role, stream, word):
        """Until a process says that it is ready."""
        def said():
            if process.poll() is not None:
                raise SystemExit(f"{self.name}: {role} ended: {self.read(f'{role}.err')}")
            return word in self.read(f"{role}.{stream}")
        wait.until(f"{self.name}: {role} ready", said, seconds=30)

    def start_ends(self):
        """What takes its time before the flow can begin."""
        self.sink = self._start(self.mobile, "sink", self.sink_command())

    def wait_for_ends(self):
        self._wait_for(self.sink, "sink", "err", "receiving")

    def start_link(self, schedule):
        """Put the queue in place; the times in the spikes' schedule count from now."""
        child = QUEUES[self.queue].format(limit=self.limit, rate=self.rate)
        self.link = self._start(self.router, "link", f"freshlink emulate cell -j "
                                f"--rate {self.rate} --schedule {schedule} --child {child}")

    def wait_for_link(self):
        self._wait_for(self.link, "link", "out", "ready")

    def begin(self, seconds):
        """Begin the flow."""
        self.source = self._start(self.sender, "source", self.source_command(seconds))

    def told(self, role):
        """What a source or a sink said, once it has ended."""
        if role == "source" and self.source.returncode:
            raise SystemExit(f"{self.name}: source ended: {self.read('source.err')}")
        return json.loads(self.read(f"{role}.out") or "null")

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
        """The queue under test as tc shows it."""
        kind = QUEUES[self.queue].split()[0]
        shown = self.router.run("tc -s -j qdisc show dev cell").stdout
        return next(qdisc for qdisc in json.loads(shown) if qdisc["kind"] == kind)

    def notes(self):
        """What the report needs to know besides the log, once the source has ended."""
        return {"kind": self.kind, "flow": self.flow, "queue": self.queue,
                "log": os.path.basename(self.path("csv")), "spikes_ns": self.spikes(),
                "counters": self.counters(), "sent": self.sent()}

    def finish(self):
        """Have the log and what the sink says complete."""
        end(self.sink)

    def stop(self):
        """End what still runs."""
        for process in (self.source, self.sink, self.link):
            end(process)
