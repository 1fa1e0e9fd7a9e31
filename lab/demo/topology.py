# SPDX-License-Identifier: GPL-2.0-or-later
"""One copy of the demo's network, and the processes in it:

    sender --- router ===30 kbit/s, delay spikes=== air ---300 ms--- mobile

The router's egress holds the queue under test. The propagation delay is air's: behind the
bottleneck, so that packets wait in the queue and nowhere else.
"""
import json
import os
import subprocess

from lib import netns, wait

LIMIT = 50                  # packets a queue holds
SIZE, HEADER = 500, 14      # bytes of a whole IP packet, of its Ethernet header
# The emulated link's bucket is an MTU deep: what is in it leaves at the start of a spike, so
# one packet; the rest makes good for a timer that is late, which a busy machine's often is.
MTU = SIZE + 100
LIFETIME_MS = 5000
FLOW_KBIT, LINK_KBIT = 25, 30
LINK_DELAY = "300ms"
SETTING = f"{SIZE}-byte packets with {LIFETIME_MS / 1000:g} s to live at {FLOW_KBIT} kbit/s " \
          f"over a {LINK_KBIT} kbit/s link, queues of {LIMIT} packets"
# a radio link has no Ethernet headers, but the kernel charges them
LINK_RATE = f"{LINK_KBIT * 1000 * (SIZE + HEADER) // SIZE}bit"
QUEUES = {"drop-tail": f"pfifo limit {LIMIT}",
          "LPD": f"lpd limit {LIMIT} rate {LINK_RATE} delay {LINK_DELAY}"}
FLOWS = {"CBR": "", "ON/OFF": "--on 3200ms --off 1800ms --law constant"}
TRAFFIC = f"--rate {FLOW_KBIT}kbit --size {SIZE} --lifetime {LIFETIME_MS}ms --stale discard"
LEFT, RIGHT = "02:00:00:00:00:01", "02:00:00:00:00:02"     # netns.veth gives these


def _link(left, left_name, right, right_name, network):
    """Two nodes on a network of their own that already know each other: a request for an
    address would wait in the queue, and be counted there."""
    netns.veth(left, left_name, right, right_name, f"mtu {MTU}")
    for node, name, own, other, mac in ((left, left_name, 1, 2, RIGHT),
                                        (right, right_name, 2, 1, LEFT)):
        node.ip(f"addr add {network}.{own}/24 dev {name}",
                f"neigh add {network}.{other} lladdr {mac} dev {name} nud permanent")


def _end(process):
    if process and process.poll() is None:
        process.terminate()
        process.wait()


class Copy:
    """The network with one queue in it and one flow through it; logs go to a directory."""

    def __init__(self, flow, queue, directory):
        self.flow, self.queue, self.directory = flow, queue, directory
        self.name = f"{flow}-{queue}".lower().replace("/", "")
        self.sender, self.router, self.air, self.mobile = (netns.Netns() for _ in range(4))
        self.sink = self.link = self.source = None
        self._connect()

    def _connect(self):
        _link(self.sender, "eth0", self.router, "wire", "10.0.1")
        _link(self.router, "cell", self.air, "cell", "10.0.2")
        _link(self.air, "far", self.mobile, "eth0", "10.0.3")
        self.sender.run("ip route add default via 10.0.1.2")
        self.router.run("ip route add 10.0.3.0/24 via 10.0.2.2")
        self.mobile.run("ip route add default via 10.0.3.1")
        self.air.run("ip route add 10.0.1.0/24 via 10.0.2.1")
        for node in (self.router, self.air):
            node.sysctl("net.ipv4.ip_forward", 1)
        self.air.run(f"tc qdisc add dev far root netem delay {LINK_DELAY}")

    def path(self, ending):
        return os.path.join(self.directory, f"{self.name}.{ending}")

    def _start(self, node, role, command):
        """Start a process whose output lands in files."""
        with node.inside(), open(self.path(f"{role}.out"), "w") as out, \
                open(self.path(f"{role}.err"), "w") as err:
            return subprocess.Popen(command.split(), stdout=out, stderr=err)

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

    def start_sink(self):
        self.sink = self._start(self.mobile, "sink",
                                f"freshlink traffic sink -j --log {self.path('csv')}")

    def start_link(self, schedule):
        """Put the queue in place; the times in the spikes' schedule count from now."""
        self._wait_for(self.sink, "sink", "err", "receiving")
        self.link = self._start(
            self.router, "link", f"freshlink emulate cell -j --rate {LINK_RATE} "
            f"--schedule {schedule} --child {QUEUES[self.queue]}")

    def start_source(self, seconds):
        """Begin the flow."""
        self._wait_for(self.link, "link", "out", "ready")
        self.source = self._start(
            self.sender, "source", f"freshlink traffic source 10.0.3.2 -j --duration {seconds}s "
            f"{TRAFFIC} {FLOWS[self.flow]}")

    def sent(self):
        """Packets sent, once the source has ended."""
        if self.source.returncode:
            raise SystemExit(f"{self.name}: source ended: {self.read('source.err')}")
        return json.loads(self.read("source.out"))["sent"]

    def summary(self):
        """What the sink said, once it has ended."""
        return json.loads(self.read("sink.out") or "null")

    def events(self):
        """What the link said so far: one object a line."""
        return [json.loads(line) for line in self.read("link.out").splitlines()]

    def counters(self):
        """The queue under test as tc shows it."""
        kind = QUEUES[self.queue].split()[0]
        shown = self.router.run("tc -s -j qdisc show dev cell").stdout
        return next(qdisc for qdisc in json.loads(shown) if qdisc["kind"] == kind)

    def stop_sink(self):
        _end(self.sink)

    def stop(self):
        """End what still runs."""
        for process in (self.source, self.sink, self.link):
            _end(process)
