#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Two programs talk over DCCP, each in its own event loop and network namespace: over UDP and over
protocol 33, over IPv4 and IPv6. On the wire no packet can be fragmented, and each tells that its
flow knows ECN."""
# run.sh: once: the library is the same on every kernel
import contextlib
import json
import os
import signal
import socket
import subprocess
import tempfile

from lib import dccp, hosts, sniff, tap, wait

TREE = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
TOOLS = os.path.join(TREE, "build", "tools")
EXAMPLE = os.path.join(TOOLS, "libfreshlink-dccp", "example")
GLIB = EXAMPLE + "_glib"
PYTHON = os.path.join(TREE, "userspace", "dccp", "examples", "example.py")
FRESHLINK = os.path.join(TOOLS, "freshlink")
FAMILIES = (socket.AF_INET, socket.AF_INET6)
RIGHT = hosts.address("right", socket.AF_INET)
ANY = {socket.AF_INET: "0.0.0.0", socket.AF_INET6: "::"}
COUNT = 200
ECT0 = 2


@contextlib.contextmanager
def receiver(ns, *command):
    """Run a program that receives. Yields the lines that it has printed so far."""
    with ns.inside():
        program = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    lines = []
    try:
        lines.append(program.stdout.readline().rstrip("\n"))
        yield program.stdout, lines
    finally:
        program.kill()
        program.wait()
        program.stdout.close()


def lines_until(output, last):
    """The lines of a program up to the first line that equals `last`."""
    lines = []
    for line in output:
        lines.append(line.rstrip("\n"))
        if lines[-1] == last:
            return lines
    raise tap.Failed(f"the program ended after {lines!r}")


def send(h, family):
    """Send packets with the example. Returns what it says."""
    return h.left.run([EXAMPLE, "send", hosts.address("right", family), str(COUNT),
                       "5000"]).stdout.strip()


def exchange(command, first):
    """The example sends to a program, which prints what it receives."""
    for family in FAMILIES:
        with hosts.Hosts() as h, receiver(h.right, *command, ANY[family]) as (output, lines):
            tap.equal("the receiver's first line", lines, ["listening"])
            said = send(h, family)
            # on a busy host, the sender may take a packet for lost whose acknowledgment is late
            tap.equal("what the sender says", said if wait.virtual_time() else said.split(",")[0],
                      f"{COUNT} sent" + f", {COUNT} arrived" * wait.virtual_time())
            tap.equal("what arrived", lines_until(output, "closed"),
                      first + [f"packet {i}" for i in range(COUNT)] + ["closed"])


def test_poll():
    """The example with poll() receives all packets in order, and the end of the connection."""
    exchange((EXAMPLE, "receive"), ["connected"])


def test_asyncio():
    """So does the example in the loop of asyncio."""
    exchange((PYTHON,), [])


def test_glib():
    """So does the example in the loop of GLib, which lab/setup installs."""
    if not os.path.exists(GLIB):
        tap.skip("the tools were built without GLib")
    exchange((GLIB,), [])


def test_wire():
    """Every IPv4 packet has don't-fragment, and no IPv6 packet has a fragment header. All data
    packets are ECN-capable."""
    for family in FAMILIES:
        with hosts.Hosts() as h, receiver(h.right, EXAMPLE, "receive", ANY[family]):
            wire = sniff.Sniffer(h.right, "v1")
            send(h, family)
            packets = [f.packet for f in wire.drain() if dccp.of_udp(f.packet)]
            wire.lossless()
        kinds = []
        for packet in packets:
            if family == socket.AF_INET:
                tap.equal("don't fragment", packet[6:8], b"\x40\0")
            kinds.append(dccp.of_udp(packet)[8] >> 1 & 15)
            if kinds[-1] in (dccp.DATA, dccp.DATAACK):
                word = int.from_bytes(packet[:2], "big")
                tap.equal("ECN", word >> (0 if family == socket.AF_INET else 4) & 3, ECT0)
        tap.equal("data packets", kinds.count(dccp.DATA) + kinds.count(dccp.DATAACK), COUNT)


def traffic(ns, what, *options):
    """Start freshlink traffic."""
    with ns.inside():
        return subprocess.Popen([FRESHLINK, "traffic", what, "-j", *options],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def listen(ns, *options):
    """Start freshlink's sink, and wait until it listens."""
    sink = traffic(ns, "dccp-sink", *options)
    tap.true("the sink listens", "listening" in sink.stderr.readline())
    return sink


def summary(program, status=0):
    """Wait for the end of freshlink traffic, and return its summary."""
    output, errors = program.communicate(timeout=wait.patient(30))
    tap.equal(f"status, {errors}", program.returncode, status)
    return json.loads(output)


def test_two_programs_over_ip():
    """Two programs of a host use the carrier ip at the same time. Each gets the packets of the
    other, but does not answer them, so all packets of both connections arrive."""
    for family in FAMILIES:
        with hosts.Hosts() as h:
            ports = ("5001", "5002")
            sinks = [listen(h.right, "--carrier", "ip", "--connections", "2", "--port", port)
                     for port in ports]
            # while one sink serves its connection, the other is there
            for port in ports * 2:
                source = traffic(h.left, "dccp-source", hosts.address("right", family),
                                 "--carrier", "ip", "--port", port, "--count", str(COUNT))
                tap.equal("sent", summary(source)["sent"], COUNT)
            for sink in sinks:
                seen = summary(sink)
                tap.equal("received", seen["received"], 2 * COUNT)
                counters = seen["counters"]
                tap.true(f"packets of the other program: {counters}",
                         counters["no_connection"] > COUNT)


def test_signal_among_packets():
    """A signal ends a connection in order, although packets arrive without pause: at the source
    and at the sink."""
    for end in ("source", "sink") * 3:
        with hosts.Hosts() as h, tempfile.NamedTemporaryFile() as log:
            programs = {"sink": listen(h.right, "--connections", "1", "--log", log.name),
                        "source": traffic(h.left, "dccp-source", RIGHT)}
            wait.until("packets arrive", lambda: os.path.getsize(log.name) > 100_000)
            programs[end].send_signal(signal.SIGINT)
            tap.equal(f"SIGINT to the {end}", summary(programs["source"])["end"], "closed")
            tap.equal("ended", summary(programs["sink"])["ended"], 1)


def test_leaving_source():
    """A source that gives up tells its peer, so the sink sees the end of the connection."""
    with hosts.Hosts() as h:
        sink = listen(h.right, "--connections", "1")
        source = traffic(h.left, "dccp-source", RIGHT, "--size", "9000")
        _, errors = source.communicate(timeout=wait.patient(30))
        tap.true(f"why it gives up: {errors}", "--size 9000: expected at most" in errors)
        seen = summary(sink)
        tap.equal("connections", (seen["connections"], seen["ended"]), (1, 1))


def test_leaving_sink():
    """So does a sink. A connection that it aborts is not one that has ended."""
    with hosts.Hosts() as h:
        sink = listen(h.right, "--duration", "1s")
        source = traffic(h.left, "dccp-source", RIGHT)
        tap.equal("the source sees", summary(source, status=1)["end"], "aborted")
        seen = summary(sink)
        tap.equal("connections", (seen["connections"], seen["ended"]), (1, 0))


def test_lifetime_off():
    """With --via off, the source knows a lifetime that its packets do not carry."""
    with hosts.Hosts() as h:
        sink = listen(h.right, "--connections", "1")
        source = traffic(h.left, "dccp-source", RIGHT, "--lifetime", "1000s", "--via", "off",
                         "--count", str(COUNT))
        seen = summary(source)
        tap.equal("sent", (seen["sent"], seen["via"]), (COUNT, "off"))
        tap.equal("valid", summary(sink)["valid"], COUNT)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
