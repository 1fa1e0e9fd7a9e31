#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The output of tc shows exactly what the kernel counted, as text and as JSON. The histogram counts
each fresh packet in the bucket of its remaining lifetime."""
# run.sh: smoke on arm64 s390x: json_* histogram
import time

from lib import bench, kmod, netlink, netns, packet as pkt, tap, tc, tree, wait

BUCKETS = 20
DEVICES = 40


def packet(number, ms, flags=pkt.DISCARD):
    return pkt.ipv4(pkt.xlo4(ms, flags), pkt.body(number, 60))


def some_of_everything(b):
    """Send traffic that raises all counters that ordinary traffic can raise."""
    b.lpd(limit=8, lifetime=30 * bench.MS)
    b.plug()
    sent = b.send(packet(0, 30), packet(1, 30, pkt.FORWARD), packet(2, 30, pkt.TRUNCATE),
                  packet(3, 30, pkt.RESERVED), packet(4, 20_000), packet(5, 0),
                  pkt.ipv4(payload=pkt.body(6, 60)), pkt.ipv4(b"\x9e\x07" + bytes(6)), pkt.arp())
    b.send(*[packet(number, 20_000) for number in range(10, 20)])
    # A datagram has two fragments. The first fragment cannot be cut, so the second fragment is also
    # dropped.
    b.send(*[pkt.ipv4(pkt.xlo4(0, pkt.TRUNCATE), pkt.body(7, 60), fragment=1)] * 2)
    wait.till(sent.last + 31 * bench.MS)
    wait.until("expiry", lambda: b.counters()["stale_timer"] >= 3)


def test_json_equals_the_kernels_own():
    """tc's JSON shows the kernel's counters and options."""
    with bench.Bench() as b:
        some_of_everything(b)
        lpd = b.tree().lpd()
        shown = tc.show(b.ns, "slip0")[0]
        for name in {*tree.COUNTERS, *tree.PATHS} - {*tree.GATE}:
            tap.equal(name, shown[name], lpd.counters[name])
        tap.equal("remaining", shown["remaining"], lpd.counters["remaining"])
        options = dict(lpd.options, stale="honor", order="fifo", overflow="tail", adu=True,
                       strip=False, notify=False)
        tap.equal("options", {name: shown["options"][name] for name in options}, options)
        tap.equal("qlen, backlog, drops", (shown["qlen"], shown["backlog"], shown["drops"]),
                  (lpd.qlen, lpd.backlog, lpd.drops))
        for name in ("stale_enqueue", "uncuttable", "adu", "malformed", "reserved",
                     "overflow_limit", "truncated", "truncated_bytes", "no_lifetime",
                     "default_lifetime"):
            tap.true(f"{name} has risen", shown[name] > 0)


def test_text_shows_every_counter():
    """tc's text contains every number that is not 0."""
    with bench.Bench() as b:
        some_of_everything(b)
        text = tc.tc(b.ns, "-s qdisc show dev slip0").stdout
        counters = b.counters()
        for name in (*tree.COUNTERS, *tree.PATHS):
            if counters[name]:
                tap.true(f"{counters[name]} ({name}) is in:\n{text}",
                         str(counters[name]) in text.replace(",", " ").split())


def test_drops_are_counted_for_everybody():
    """tc's general drop counter is the sum of lpd's causes."""
    with bench.Bench() as b:
        some_of_everything(b)
        lpd = b.tree().lpd()
        tap.equal("drops", lpd.drops, sum(lpd.counters[name] for name in tree.CAUSES))


def test_sent_bytes_and_packets():
    """The counters of sent bytes and sent packets are equal to the bytes and packets on the
    wire."""
    with bench.Bench() as b:
        b.lpd()
        b.plug()
        b.send(*[packet(number, 0 if number % 2 else 20_000) for number in range(10)])
        got = b.open()
        lpd = b.tree().lpd()
        plug = len(pkt.ipv4(payload=pkt.body(bench.PLUG, 20)))
        tap.equal("packets", lpd.packets, len(got) + 1)
        tap.equal("bytes", lpd.bytes, sum(len(frame) for frame in got) + plug)


def bucket(ms):
    return min(ms.bit_length(), BUCKETS - 1)


def test_histogram():
    """A bucket counts the lifetimes from 2^n to 2^(n+1) ms. The test uses lifetimes in the middle
    of each bucket. The last bucket counts all longer lifetimes."""
    day = 86_400_000
    with bench.Bench() as b:
        b.lpd()
        wanted = [0] * BUCKETS
        for number, ms in enumerate([24, 48, 48, 96, 192, 384, 768, 1536, 3072, 6144, 12288,
                                     24576, 49152]):
            b.send(packet(number, ms))
            b.open()
            wanted[bucket(ms)] += 1
        for ms in (98_304, 196_608, 393_216, 786_432, day // 4):
            b.send(packet(0, pkt.absolute(ms, time.time())))
            b.open()
            wanted[bucket(ms)] += 1
        tap.equal("remaining", b.counters()["remaining"], wanted)


def test_histogram_boundaries():
    """The bucket that begins at 2^n ms counts a lifetime of exactly 2^n ms. The bucket below counts
    a lifetime that is 1 ms shorter."""
    if not wait.virtual_time():
        tap.note("in real time only 2^n - 1 is checked, because time passes in the queue")
    with bench.Bench() as b:
        b.lpd()
        wanted = [0] * BUCKETS
        for n in range(6, 16):
            for ms in [2**n - 1] + [2**n] * wait.virtual_time():
                b.send(packet(n, ms))
                b.open()
                wanted[bucket(ms)] += 1
        tap.equal("remaining", b.counters()["remaining"], wanted)


def test_stale_and_unlimited_are_not_in_the_histogram():
    """The histogram counts neither stale packets nor packets without a lifetime."""
    with bench.Bench() as b:
        b.lpd()
        b.plug()
        b.send(packet(0, 0, pkt.FORWARD), pkt.ipv4(payload=pkt.body(1, 20)), packet(2, 0))
        tap.equal("packets", b.numbers(), [0, 1])
        tap.equal("remaining", b.counters()["remaining"], [0] * BUCKETS)


def test_many_are_dumped_whole():
    """A dump of many qdiscs consists of several messages. The dump contains each qdisc once, with
    all options and counters. The test varies the size of the messages."""
    tc.need("lpd")
    kmod.modprobe("dummy")
    options = {name for name, _ in tree.OPTIONS.values()}
    with netns.Netns() as ns:
        names = [f"d{number}" for number in range(DEVICES)]
        ns.ip(*(f"link add {name} type dummy" for name in names))
        socket = netlink.Netlink(ns)
        for number, name in enumerate(names):
            socket.qdisc(name, netlink.NLM_F_CREATE, "lpd",
                         *bench.lpd_options(limit=1 + number))
        # A qdisc needs about 900 bytes, and an attribute at least 8 bytes.
        for room in range(16384, 16384 + 900, 8):
            found = [tree.Qdisc(message) for message in netlink.Netlink(ns, room=room).dump(
                netlink.RTM_GETQDISC, bytes(20))]
            found = [q for q in found if q.kind == "lpd"]
            tap.equal("limits", [q.options["limit"] for q in found], list(range(1, 1 + DEVICES)))
            for q in found:
                tap.equal("options", set(q.options), options)
                tap.equal("counters", set(q.counters), {*tree.STATISTICS} - {*tree.LINK})


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
