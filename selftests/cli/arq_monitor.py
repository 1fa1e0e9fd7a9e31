#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink monitor prints the events of arqlink, and with --packets a line for each packet that
ends: its flow, its result, how often it was sent, its age and its remaining lifetime."""
# run.sh: needs: simulated time
# run.sh: once: what a command prints does not depend on the kernel
import errno
import json
import re
import select
import time

from cli import tools, xlo_monitor
from cli.namespace import freshlink, namespace
from lib import arq_device, kmod, netns, packet as pkt, tap, uapi, wait
from lib.arq_frame import MS, S, SKIP
from lib.arq_peer import PRECISION, Scripted

STEP = 100 * MS
FIXED = {"timer": arq_device.FIXED, "timeout": STEP}
FLOW = f"protocol udp source {pkt.SOURCE4} source_port 4000 destination {pkt.TARGET4} " \
    "destination_port 5000"
WITHOUT = "setpriv --bounding-set=-net_admin --inh-caps=-net_admin"
PRIVILEGE = "freshlink monitor: the events of the kernel module arqlink cannot be received: that " \
    f"needs CAP_NET_ADMIN{tools.LACKS}\n"


def line(process):
    """The next line without its times, and its times in ns."""
    text = process.stdout.readline()
    times = {key: round(float(value) * S) for key, value in
             re.findall(r" (time_s|left_s) (\S+)", text)}
    return re.sub(r" (time_ns|time_s|left_s) \S+", "", text), times


def prints(process, event, result, attempts, age, left=None, size=100):
    """Check the next line, which is about a packet in one frame."""
    text, times = line(process)
    tap.equal("line", text, f"event {event} dev arq0{result} bytes {size} {FLOW} frames "
              f"{min(attempts, 1)} transmissions {attempts} attempts {attempts}\n")
    tap.within("age", times["time_s"], age - PRECISION, age + MS // 10)
    tap.equal("lifetime", "left_s" in times, left is not None)
    if left is not None:
        tap.within("lifetime", times["left_s"], left - MS // 10, left)


def packet(process, result, attempts, age, **more):
    prints(process, "arq_packet", f" result {result}", attempts, age, **more)


def silent(process):
    """The monitor prints nothing more."""
    tap.true("nothing is printed", not select.select([process.stdout], [], [], 0.1)[0])


def test_acknowledged():
    """A packet that is acknowledged at the first attempt, and one after a loss."""
    with Scripted(**FIXED) as test, xlo_monitor.monitor(test.ns, "--packets") as process:
        for number, attempts in enumerate((1, 2)):
            test.send(number)
            test.peer.data(*[number] * attempts)
            test.peer.ack(number + 1, after=10 * MS)
            packet(process, "sent", attempts, (attempts - 1) * STEP + 10 * MS)
        test.send(2, options=pkt.xlo4(400))
        test.peer.data(2)
        test.peer.ack(3, after=10 * MS)
        packet(process, "sent", 1, 10 * MS, left=390 * MS)


def test_given_up():
    """A packet that would arrive after its lifetime is late. The lifetime left is negative if the
    packet had expired before it was accepted."""
    with Scripted(**FIXED) as test, xlo_monitor.monitor(test.ns, "--packets") as process:
        test.send(0, options=pkt.xlo4(250))
        test.peer.data(0, 0, 0)
        packet(process, "late", 3, 250 * MS, left=0)
        test.peer.expect(SKIP)
        test.send(1, options=pkt.xlo4(0))
        text, times = line(process)
        tap.true(text, " result expired " in text and " frames 0 transmissions 0 attempts 0" in text)
        tap.within("lifetime", times["left_s"], -MS // 10, -1)


def failing(test):
    """Two packets, of which the first fails."""
    test.send(0)
    test.send(1)
    test.peer.data(0, 1, 0, 1)


def test_flushed():
    """A packet that fails, and a packet that is flushed with it."""
    with Scripted(flush=uapi.ARQLINK_FLUSH_YES, attempts=2, **FIXED) as test, \
            xlo_monitor.monitor(test.ns, "--packets") as process:
        failing(test)
        packet(process, "flushed", 2, 2 * STEP)
        packet(process, "attempts", 2, 2 * STEP)


def test_events():
    """Without --packets, the monitor prints the events for which a link should react."""
    with Scripted(flush=uapi.ARQLINK_FLUSH_PROBE, attempts=2, backlog=2, **FIXED) as test, \
            xlo_monitor.monitor(test.ns) as process:
        failing(test)
        prints(process, "arq_backlog", " packets 2", 0, 0)
        prints(process, "arq_drop", "", 2, 2 * STEP)
        tap.equal("flush", line(process)[0], "event arq_flush dev arq0 packets 1\n")
        test.peer.data(0)
        test.peer.ack(2, after=10 * MS)
        prints(process, "arq_link_up", "", 3, 2 * STEP + 10 * MS)
        test.send(2)
        test.peer.data(2, 2)
        test.peer.ack(3, after=10 * MS)
        prints(process, "arq_recover", "", 2, STEP + 10 * MS)


def test_json():
    """With -j each line is a JSON object, with times in seconds."""
    with Scripted(**FIXED) as test, \
            xlo_monitor.monitor(test.ns, "--packets -j --count 1") as process:
        since = time.time_ns()
        test.put(pkt.ipv6(pkt.xlo6(300), pkt.body(0, 50)))
        test.peer.data(0)
        test.peer.ack(1)
        event = xlo_monitor.heard(process, since)
        times = [event.pop(key) for key in ("time_s", "left_s")]
        tap.equal("event", event, {
            "event": "arq_packet", "dev": "arq0", "result": "sent",
            "bytes": len(pkt.ipv6(pkt.xlo6(300), pkt.body(0, 50))), "protocol": "udp",
            "source": pkt.SOURCE6, "source_port": 4000, "destination": pkt.TARGET6,
            "destination_port": 5000, "frames": 1, "transmissions": 1, "attempts": 1})
        tap.within("age", times[0], 0, 0.0001)
        tap.within("lifetime", times[1], 0.2999, 0.3)
        xlo_monitor.ends(process)


def test_flows():
    """Only packets that match all words FLOW are printed and counted: protocol, port, address and
    prefix of either end."""
    packets = {"udp": pkt.ipv4(b"", pkt.body(0, 50)), "port": pkt.ipv4(b"", pkt.body(1, 50), port=7),
               "source": pkt.ipv4(b"", pkt.body(2, 50), source="192.0.2.77"),
               "tcp": pkt.tcp4(b"x"), "ipv6": pkt.ipv6(None, pkt.body(3, 50)), "arp": pkt.arp()}
    for words, expected in (
            ("", [*packets]), ("udp", ["udp", "port", "source", "ipv6"]), ("tcp", ["tcp"]),
            ("7", ["port"]), ("192.0.2.77", ["source"]),
            (pkt.TARGET4, ["udp", "port", "source", "tcp"]), ("udp 5000 192.0.2.64/26", ["source"]),
            ("::/0", ["ipv6"]), ("udp tcp", []), (f"{pkt.SOURCE4} {pkt.TARGET4} 4000 7", ["port"])):
        with Scripted(window=16, ring=10**5, **FIXED) as test, \
                xlo_monitor.monitor(test.ns, f"--packets {words} -j") as process:
            for number, data in enumerate(packets.values()):
                test.put(data)
                test.peer.data(number)
                test.peer.ack(number + 1)
                test.device.expect(sent=number + 1)
            got = [json.loads(process.stdout.readline()) for _ in expected]
            tap.equal(f"lengths of packets with {words!r}", [event["bytes"] for event in got],
                      [len(packets[name]) for name in expected])
            silent(process)


def test_other_packets():
    """A packet that is not IP has its type. A packet of another protocol has the protocol's
    number."""
    with Scripted(**FIXED) as test, xlo_monitor.monitor(test.ns, "--packets") as process:
        other = pkt.ipv4(b"", pkt.body(0, 50))
        for number, (data, want) in enumerate((
                (pkt.arp(), "ethertype 0x0806"),
                (other[:9] + b"\x2f" + other[10:],
                 f"protocol 47 source {pkt.SOURCE4} destination {pkt.TARGET4}"))):
            test.put(data)
            test.peer.data(number)
            test.peer.ack(number + 1)
            tap.equal("line", line(process)[0], f"event arq_packet dev arq0 result sent bytes "
                      f"{len(data)} {want} frames 1 transmissions 1 attempts 1\n")


def test_other_namespace():
    """A monitor in another network namespace prints nothing."""
    with Scripted(**FIXED) as test, netns.Netns() as other, \
            xlo_monitor.monitor(other, "--packets") as process:
        test.send(0)
        test.peer.data(0)
        test.peer.ack(1)
        test.device.expect(sent=1)
        silent(process)


def test_privilege():
    """Without CAP_NET_ADMIN the monitor says that it cannot receive the events, and fails."""
    kmod.insmod("arqlink")
    with namespace() as ns:
        done = ns.run(f"{WITHOUT} {tools.FRESHLINK} monitor --packets", check=False)
        tap.equal("status and message", (done.returncode, done.stdout, done.stderr),
                  (1, "", PRIVILEGE))


def test_comes_and_goes():
    """Without the module, monitor --packets fails. It ends when the module is unloaded. A monitor of
    events receives those of a module that is loaded later."""
    xlo_monitor.without("arqlink")
    with namespace() as ns:
        freshlink(ns, "monitor --packets", 1, kmod.absence("arqlink"))
        kmod.insmod("arqlink")
        with xlo_monitor.monitor(ns, "--packets") as process:
            xlo_monitor.without("arqlink")
            xlo_monitor.ends(process, 1, "the kernel module arqlink has been unloaded")
    with namespace() as ns, xlo_monitor.monitor(ns) as process:
        with Scripted(backlog=1, **FIXED) as test:
            with xlo_monitor.monitor(test.ns) as later:
                test.send(0)
                tap.true("event", line(later)[0].startswith("event arq_backlog dev arq0 packets 1"))
        wait.until("arqlink unloads", lambda: kmod.rmmod("arqlink") in (0, errno.ENOENT))
        tap.equal("status of the monitor, which still runs", process.poll(), None)


def test_wrong_words():
    """The monitor refuses wrong words FLOW, and words FLOW without --packets, and says what it
    expects."""
    forms = "expected tcp, udp, icmp, icmpv6, dccp, sctp, udplite, a port from 1 to 65535, an " \
        "address, or a prefix such as 192.0.2.0/24 or 2001:db8::/32"
    with namespace() as ns:
        for words, wrong in (("x", "x"), ("udp 0", "0"), ("65536 tcp", "65536"), ("-j 10.0.0.1/8",
                             "10.0.0.1/8"), ("192.0.2", "192.0.2"), ("80:", "80:")):
            freshlink(ns, f"monitor --packets {words}", 2, f"FLOW {wrong}: {forms}")
        freshlink(ns, "monitor udp --packets" + 16 * " 1", 2,
                  "too many words FLOW: expected at most 16")
        freshlink(ns, "monitor udp -j", 2, "FLOW udp: expected with --packets")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
