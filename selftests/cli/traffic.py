#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink's traffic source sends exactly what its command line says, and a seed repeats the
packets byte by byte. freshlink's traffic sink counts and logs exactly what arrives."""
# run.sh: all on lab-debug: nothing (programs: the checkers watch the kernel)
# run.sh: all on vm-6.12: option_* via_* source_* signals_*
import csv
import os
import signal
import socket
import subprocess
import tempfile
import time

from cli import pair, tools
from lib import hosts, packet as pkt, sniff, tap, wait, xlo

HOSTS = hosts.ADDRESSES["right"]
NS = 10**9
NO_LIFETIME = 0xffffffff


def test_option_on_the_wire():
    """Every field of the option has the requested value, in IPv4 and IPv6, and the packet has
    exactly the requested size."""
    cases = [("--lifetime 5s", 5000, pkt.DISCARD, 0),
             ("--lifetime 65534ms --stale truncate --reorder 3", 65534, pkt.TRUNCATE, 3),
             ("--lifetime 0 --stale forward --reorder 255 --slow", 0, pkt.FORWARD | 0x10, 255),
             ("--slow", pkt.NONE, pkt.DISCARD | 0x10, 0)]
    for words, lifetime, flags, reorder in cases:
        for host in HOSTS:
            frame = pair.sniffed(f"{words} --count 1 --size 200", host)[0].packet
            tap.equal(f"size ({words})", len(frame), 200)
            if host == HOSTS[0]:
                want = pkt.xlo4(lifetime, flags, reorder)
                tap.equal(f"IPv4 option ({words})", frame[20:28], want)
                tap.true("IPv4 checksum", pkt.checksum_right(frame))
                continue
            kind = pkt.ABSOLUTE6 if lifetime == pkt.NONE else None
            want = pkt.hop_by_hop(pkt.xlo6(lifetime, flags, reorder, kind))
            tap.equal(f"IPv6 next header ({words})", frame[6], 0)
            # the padding may be anywhere, so only the option is compared
            tap.equal(f"IPv6 option ({words})", len(frame[40:56]), len(want))
            tap.true(f"IPv6 option ({words}): {frame[40:56].hex()}",
                     pkt.xlo6(lifetime, flags, reorder, kind) in frame[40:56])


def test_absolute_deadline():
    """--clock utc writes the time of day at which the lifetime ends."""
    for host in HOSTS:
        frame = pair.sniffed("--lifetime 40000s --clock utc --count 1", host)[0].packet
        _, lifetime, _, sent_ns = pair.header(frame)
        tap.equal("lifetime in the payload", lifetime, 40_000_000)
        day_ms = (sent_ns // 10**6 + 40_000_000) % pkt.DAY_MS
        tap.equal("time of day", pkt.lifetime(frame), pkt.NONE + (day_ms or pkt.DAY_MS - 1))


def test_no_option():
    """Without options about lifetimes the packet carries no option."""
    frame = pair.sniffed("--count 1 --size 100", HOSTS[0])[0].packet
    tap.equal("IPv4 header", frame[0], 0x45)
    tap.equal("size", len(frame), 100)
    tap.equal("no lifetime", pair.header(frame)[1], NO_LIFETIME)


def test_via_txtime():
    """--via txtime does not need CAP_NET_RAW. The module writes the lifetime that the payload
    states, the packet has the requested size, and the seed draws the same values as for --via
    option."""
    words = "--lifetime-random 20s,60s --size 200"
    late = 0 if wait.virtual_time() else 10_000
    with pair.Pair() as p:
        xlo.Client(p.left).set(txtime=1)
        sniffer = sniff.Sniffer(p.right, "v1")
        for host in HOSTS:
            drawn = lifetimes(words, host)
            done = p.without("net_raw", f"{tools.FRESHLINK} traffic source {host} {words} "
                             "--rate 10mbit --count 100 --via txtime")
            tap.equal(done.stderr, done.returncode, 0)
            packets = ours(sniffer.until("100 packets", lambda seen: len(ours(seen)) >= 100))
            tap.equal("sizes", {len(packet) for packet in packets}, {200})
            tap.equal("lifetimes in the payload", [pair.header(x)[1] for x in packets], drawn)
            for packet, lifetime in zip(packets, drawn):
                tap.within("option", pkt.lifetime(packet), lifetime - late, lifetime)


def ours(frames):
    return [frame.packet for frame in frames if b"FLTR" in frame.packet]


def lifetimes(words, host=HOSTS[0]):
    return [pkt.lifetime(frame.packet) for frame in
            pair.sniffed(f"--rate 10mbit --count 100 {words}", host)]


def test_seed_repeats():
    """The same seed draws the same lifetime for each packet, over IPv4 and IPv6, and another seed
    draws other lifetimes. All lifetimes are within their range."""
    words = "--lifetime-random 10ms,500ms"
    first = lifetimes(f"{words} --seed 7")
    for host in HOSTS:
        tap.equal("same seed", lifetimes(f"{words} --seed 7", host), first)
        tap.true("another seed", lifetimes(f"{words} --seed 8", host) != first)
        tap.equal("both ends of the range occur", set(lifetimes("--lifetime-random 1ms,2ms", host)),
                  {1, 2})
    tap.within("least", min(first), 10, 60)
    tap.within("greatest", max(first), 450, 500)


def test_sink_counts():
    """The sink's counts of valid, stale, duplicate, foreign and lost packets, and of packets
    without a lifetime, are exact. The sink's log contains every packet of a source. A packet is
    valid even if its time stamp is far in the future."""
    now = time.time_ns()
    hour, age = 3_600_000, 3_590 * NS
    payload, beyond = pair.payload, pair.payload(1 << 28, 1, now)
    packets = [payload(0, hour, now), payload(1, hour, now - age), payload(1, hour, now),
               payload(2, hour, now - age - 20 * NS), payload(4, NO_LIFETIME, now - age),
               payload(5, 0, now), b"FLxRshort", b"X" * 100, beyond,
               payload(9, hour, now), payload(2, hour, now), payload(6, hour, now + 2**63 + hour * NS)]
    with pair.Pair() as p, tempfile.NamedTemporaryFile("r") as log:
        sink = p.sink(f"--count 10 --idle 1s --log {log.name}")
        with p.left.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            for data in packets:
                sock.sendto(data, (HOSTS[0], 5001))
        tap.equal("summary", pair.result(sink), [{
            "received": 9, "valid": 4, "stale": 2, "no_lifetime": 1, "headers": 0,
            "duplicates": 2, "lost": 3, "foreign": 3, "socket_drops": 0}])
        rows = list(csv.DictReader(log))
    ours = [pair.header(data) for data in packets if len(data) == 24 and data != beyond]
    tap.equal("sequence", [int(row["sequence"]) for row in rows], [n for _, _, n, _ in ours])
    tap.equal("sent_ns", [int(row["sent_ns"]) for row in rows], [t for *_, t in ours])
    tap.equal("remaining_ms without an option", {row["remaining_ms"] for row in rows}, {""})
    tap.true("received_ns", all(now <= int(row["received_ns"]) <= time.time_ns()
                                for row in rows))


def test_headers_only():
    """The sink has a counter for packets that a router cut to their headers. A cut packet is
    counted once if it still contains its number. A cut packet is never counted as valid."""
    now = time.time_ns()
    whole = [pair.payload(number, 3_600_000, now, 100) for number in range(4)]
    packets = [whole[0], whole[1][:24], whole[1][:99], whole[2][:99], whole[0][:24], whole[2],
               whole[3][:23], whole[3][:4], b"FL", b"", pair.payload(4, 3_600_000, now, 24)]
    with pair.Pair() as p, tempfile.NamedTemporaryFile("r") as log:
        sink = p.sink(f"--count 9 --idle 1s --log {log.name}")
        with p.left.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            for data in packets:
                sock.sendto(data, (HOSTS[0], 5001))
        tap.equal("summary", pair.result(sink), [{
            "received": 11, "valid": 2, "stale": 0, "no_lifetime": 0, "headers": 6,
            "duplicates": 3, "lost": 1, "foreign": 0, "socket_drops": 0}])
        rows = [(int(row["sequence"]), int(row["headers"])) for row in csv.DictReader(log)]
    tap.equal("log", rows, [(0, 0), (1, 1), (1, 1), (2, 1), (0, 1), (2, 0), (4, 0)])


def logged(log):
    """The number of packets that a sink has logged."""
    log.seek(0)
    return log.read().count("\n") - 1


def test_source_to_sink():
    """Every packet that a source sends arrives, over IPv4 and IPv6. The sink's log contains the
    remaining lifetime from the option, whether the option states a relative lifetime or a time of
    day."""
    utc = 59_000 if wait.virtual_time() else 40_000
    for host in HOSTS:
        for words, least in (("--lifetime 60s", 60_000), ("--lifetime 60s --clock utc", utc)):
            with pair.Pair() as p, tempfile.NamedTemporaryFile("r") as log:
                sink = p.sink(f"--count 50 --log {log.name}")
                p.source(f"{host} --count 50 --rate 10mbit {words}")
                tap.equal(f"{host} {words}", pair.result(sink), [{
                    "received": 50, "valid": 50, "stale": 0, "no_lifetime": 0, "headers": 0,
                    "duplicates": 0, "lost": 0, "foreign": 0, "socket_drops": 0}])
                left = [int(row["remaining_ms"]) for row in csv.DictReader(log)]
            tap.equal("rows", len(left), 50)
            tap.within(f"remaining_ms ({words})", min(left), least, 60_000)
            tap.within(f"remaining_ms ({words})", max(left), least, 60_000)


def test_signals_end_with_a_summary():
    """SIGINT, SIGTERM and SIGHUP end source and sink with their summary and status 0."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        with pair.Pair() as p, tempfile.NamedTemporaryFile("r") as log:
            sink = p.sink(f"--log {log.name}")
            source = p.start(p.left, f"traffic source {HOSTS[0]} --rate 1mbit -j")
            pair.settled("packets flow", lambda: logged(log) > 3)
            source.send_signal(number)
            sent = pair.result(source)[0]["sent"]
            pair.settled("all have arrived", lambda: logged(log) == sent)
            sink.send_signal(number)
            tap.equal("received all", pair.result(sink)[0]["received"], sent)


def test_child_of_another():
    """A sink continues when a child process that it has inherited ends."""
    with pair.Pair() as p:
        start = time.monotonic()
        done = p.right.run(["sh", "-c", "sleep 0.1 & "
                            f"exec {tools.FRESHLINK} traffic sink --duration 1s"])
        tap.within("seconds", time.monotonic() - start, 1, 60)
        tap.equal("ready", done.stderr, "receiving on port 5001\n")


def test_port_is_taken():
    """A second sink on the same port prints a message, ends with status 1, and does not change the
    log of the first sink."""
    with pair.Pair() as p, tempfile.NamedTemporaryFile("r") as log, \
            p.left.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sink = p.sink(f"--count 2 --log {log.name}")
        sock.sendto(pair.payload(0, NO_LIFETIME, 0), (HOSTS[0], 5001))
        pair.settled("the packet is logged", lambda: logged(log) == 1)
        second = p.start(p.right, f"traffic sink --log {log.name}")
        _, err = second.communicate(timeout=60)
        tap.equal("the second sink", (second.returncode, err), (1, "freshlink traffic sink: cannot "
                  "receive on port 5001: Address already in use\n"))
        tap.equal("log", logged(log), 1)
        sock.sendto(pair.payload(1, NO_LIFETIME, 0), (HOSTS[0], 5001))
        pair.result(sink)
        tap.equal("log", logged(log), 2)


def test_ends_whatever_waits():
    """A signal or the end of its duration ends a sink even while packets wait to be read, which is
    always the case under a flood."""
    for words, number in (("--duration 3s", 0), ("", signal.SIGTERM)):
        with pair.Pair() as p, tempfile.NamedTemporaryFile("r") as log, \
                p.left.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            def send(sequence, to=(HOSTS[0], 5001)):
                sock.sendto(pair.payload(sequence, NO_LIFETIME, time.time_ns()), to)

            sink = p.sink(f"{words} --idle 20s --log {log.name}")
            send(0)
            pair.settled("the sink runs", lambda: logged(log))
            with pair.paused(sink):
                for sequence in range(1, 100):
                    send(sequence)
                if number:
                    sink.send_signal(number)
                else:
                    time.sleep(3)
            # the sink may have been woken for the first packet before it was paused
            tap.within(f"received {words}", pair.result(sink)[0]["received"], 1, 1 + bool(number))


def test_idle_under_a_flood():
    """A sink is idle if no packet of a source has arrived for the given time, however many other
    packets arrive. Packets of a source that arrived earlier but that the sink has not read yet
    still count."""
    for ours in (0, 1):
        with pair.Pair() as p, p.left.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            def send(data):
                sock.sendto(data, (HOSTS[0], 5001))

            sink = p.sink("--idle 1s")
            with pair.paused(sink):
                time.sleep(0.3)
                send(b"too early to end it")
                if ours:
                    send(pair.payload(0, NO_LIFETIME, time.time_ns()))
                time.sleep(3)
                for _ in range(50):
                    send(b"not of a source")
            summary = pair.result(sink)[0]
            tap.equal("received", summary["received"], ours)
            # the sink reads up to the packet of the source before it can know that it is idle
            tap.within("of others", summary["foreign"], 2, 2 if not ours else 51)


def test_log_is_full():
    """If a log cannot be written completely, a message reports this and the status is 1. The
    summary is still right."""
    with pair.Pair() as p, tempfile.TemporaryDirectory() as folder, p.right.inside():
        # no file may grow beyond 1 KiB
        words = f'trap "" XFSZ; ulimit -f 1; exec {tools.FRESHLINK} traffic sink ' \
                f'--count 50 --idle 20s --log {folder}/log'
        sink = subprocess.Popen(["bash", "-c", words], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)
        p.running.append(sink)
        sink.stderr.readline()
        p.source(f"{HOSTS[0]} --rate 10mbit --count 50")
        out, err = sink.communicate(timeout=60)
        tap.equal("the log", os.path.getsize(f"{folder}/log"), 1024)
    tap.equal("status", sink.returncode, 1)
    tap.equal("message", err, f"freshlink traffic sink: --log {folder}/log: could not be "
              "written whole\n")
    tap.true(out, out.startswith("received 50 "))


def test_without_privilege():
    """Without CAP_NET_RAW the source refuses to send the option and prints a clear message, but it
    can send packets without the option."""
    for host in HOSTS:
        with pair.Pair() as p:
            base = f"{tools.FRESHLINK} traffic source {host} --count 1"
            done = p.without("net_raw", f"{base} --lifetime 1s")
            tap.equal("refusal", (done.returncode, done.stdout, done.stderr),
                      (1, "", "freshlink traffic source: cannot send the cross-layer option: "
                       f"it needs CAP_NET_RAW{tools.LACKS}\n"))
            done = p.without("net_raw", base)
            tap.equal(f"without option ({done.stderr})", done.returncode, 0)


def test_no_route():
    """A packet that the kernel refuses to send is counted, and causes a message and status 1."""
    with pair.Pair() as p:
        source = p.start(p.left, "traffic source 192.0.2.1 --count 3 --rate 10mbit")
        out, err = source.communicate(timeout=60)
    tap.equal("status", source.returncode, 1)
    tap.true(out, out.startswith("sent 0 errors 3 bytes 0 "))
    tap.equal("message", err, "freshlink traffic source: 3 of 3 packets could not be sent, the "
              "last of them: Network is unreachable\n")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
