# SPDX-License-Identifier: GPL-2.0-or-later
"""Two network namespaces, connected by a pair of devices, in which freshlink runs."""
import contextlib
import json
import os
import signal
import struct
import subprocess

from cli import tools
from lib import hosts, netlink, sniff, tap, tree, wait


class Pair(hosts.Hosts):
    """left:v0 --- v1:right. Processes that run in the namespace end with the namespace."""

    def __init__(self):
        super().__init__()
        self.running = []

    def __exit__(self, *_):
        for process in self.running:
            if process.poll() is None:
                process.kill()
                process.wait()
        super().__exit__()

    def start(self, ns, words, *more, env=None):
        """Start freshlink in a namespace, with additional environment variables."""
        with ns.inside():
            process = subprocess.Popen([tools.FRESHLINK, *words.split(), *more],
                                       env=os.environ | (env or {}), stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
        self.running.append(process)
        return process

    def sink(self, words, ns=None, kind="sink"):
        """Start a sink, by default on the right, and wait until it receives."""
        process = self.start(ns or self.right, f"traffic {kind} -j {words}")
        tap.equal("the sink", process.stderr.readline(), "receiving on port 5001\n")
        return process

    def source(self, words, ns=None):
        """Run a source, by default on the left. Returns its summary."""
        done = (ns or self.left).run(f"{tools.FRESHLINK} traffic source -j {words}")
        return json.loads(done.stdout)

    def without(self, capability, words):
        """Run a command on the left without a capability."""
        return self.left.run(f"setpriv --bounding-set=-{capability} --inh-caps=-{capability} "
                             f"{words}", check=False)


def result(process, status=0):
    """Wait for a process. Returns its parsed output."""
    out, err = process.communicate(timeout=120)
    tap.equal(f"exit status ({err.strip()})", process.returncode, status)
    return [json.loads(line) for line in out.splitlines()]


def events(process):
    """The events of an emulation that has ended, by name and time."""
    return {event["event"]: event["time_ns"] for event in result(process)}


def ready(process):
    """Wait until an emulation has started. Returns the time at which the emulation started."""
    line = process.stdout.readline()
    if '"event": "ready"' in line:
        return json.loads(line)["time_ns"]
    message = process.communicate()[1].strip()
    if "does not know the qdisc" in message:
        tap.skip(message)
    raise tap.Failed(f"not ready: {message}")


def sniffed(words, host):
    """The packets of one run of the source, each from the IP header on."""
    with Pair() as p:
        sniffer = sniff.Sniffer(p.right, "v1")
        sent = p.source(f"{host} {words}")["sent"]
        packets = ours(sniffer.until("the packets in the source's summary",
                                     lambda frames: len(ours(frames)) >= sent))
    tap.equal("packets in the source's summary", sent, len(packets))
    return packets


def ours(frames):
    """The packets of the source among the frames."""
    return [frame for frame in frames if b"FLTR" in frame.packet]


def header(packet):
    """magic, lifetime, sequence number and sending time of a packet of the source."""
    fields = struct.unpack_from("!4sIIIQ", packet, packet.index(b"FLTR"))
    return fields[:2] + fields[3:]


def payload(sequence, lifetime_ms, sent_ns, size=24):
    """The payload of a source's UDP packet."""
    return struct.pack("!4sIIIQ", b"FLTR", lifetime_ms, size, sequence, sent_ns) \
        .ljust(size, b"\0")


def root_qdisc(ns, device):
    """Kind, handle and options of the root qdisc, byte by byte as the kernel reports them."""
    root = tree.Tree(netlink.Netlink(ns), device).root
    return root.kind, root.handle, root.raw_options


def sockets(ns):
    """The state of each TCP connection, and the bytes that its program has not read."""
    words = [line.split() for line in ns.run("ss -Htn").stdout.splitlines()]
    return [(state, int(unread)) for state, unread, *_ in words]


def stop(process, number):
    """End a process by a signal. Returns its summary."""
    process.send_signal(number)
    return result(process)[0]


@contextlib.contextmanager
def paused(process):
    """The process is stopped within the block."""
    process.send_signal(signal.SIGSTOP)
    yield
    process.send_signal(signal.SIGCONT)


def settled(what, predicate):
    return wait.until(what, predicate, seconds=20)
