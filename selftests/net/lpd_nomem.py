#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""If any memory allocation fails, a request is applied completely or not at all. If the creation of
an lpd fails, no part of the lpd remains in the kernel. If there is no memory to write to a packet,
the packet is dropped and counted."""
# run.sh: needs: fault injection
from lib import bench, cast, faults, gate, kmod, netlink, netns, packet as pkt, port, rules, tap, \
    tc, tree
from net import lpd_feedback, lpd_notify

DEV = "lo"
RULES = [rules.complete(dscp=46, lifetime=5), rules.complete(mark=1, lifetime=0)]
LONG, MTU = 20_000, 9000


def request(ns, device, number, flags, options):
    """Send a request, and let its n-th memory allocation fail, where n is `number`. Returns False
    if the request makes fewer allocations. Each request has a new socket, because a socket error
    must not affect the next request."""
    socket = netlink.Netlink(ns)
    try:
        return faults.nth(number, lambda: socket.qdisc(device, flags, "lpd",
                                                     *bench.lpd_options(**options)))
    finally:
        socket.sock.close()


def test_creation():
    """If an allocation fails while an lpd is created, the result is a complete lpd or no lpd."""
    faults.prepare()
    tc.need("lpd")
    wanted = {"limit": 3, "memory": 70_000, "rate": 5, "delay": 6, "lifetime": 7, "stale": 1,
              "order": bench.EDF, "overflow": bench.LEAST, "keep": 8, "adu": 1, "strip": 1,
              "notify": 1, "exempt": 1, "share": 20}
    with netns.Netns() as ns:
        ns.link(DEV, True)
        number, outcomes = 1, 0
        while request(ns, DEV, number, netlink.NLM_F_CREATE, wanted | {"match": RULES}):
            number += 1
            look = netlink.Netlink(ns)
            there = [q for q in tree.Tree(look, DEV).qdiscs if q.kind == "lpd"]
            if there:
                tap.equal("options", there[0].options, wanted)
                tap.equal("rules", there[0].rules, RULES)
                look.remove_root(DEV)
            else:
                outcomes += 1
            look.sock.close()
        tap.note(f"{number - 1} allocations, {outcomes} of them needed")
        tap.true("some allocations are needed", outcomes > 2)


def test_change():
    """If an allocation fails while options are changed, either all options are new or all options
    are old. No packet is lost."""
    faults.prepare()
    old = {"limit": 10, "memory": 70_000, "rate": 0, "delay": 0, "lifetime": 7, "stale": 1,
           "order": bench.FIFO, "overflow": bench.TAIL, "keep": 0, "adu": 0, "strip": 0,
           "notify": 0, "exempt": 0, "share": 0}
    new = {"limit": 2000, "memory": 80_000, "rate": 10**9, "delay": 1, "lifetime": 8, "stale": 2,
           "order": bench.EDF, "overflow": bench.LEAST, "keep": 9, "adu": 1, "strip": 1,
           "notify": 1, "exempt": 1, "share": 20}
    with bench.Bench() as b:
        b.lpd(**old)
        b.plug()
        b.send(*[pkt.ipv4(pkt.xlo4(LONG), pkt.body(number, 20)) for number in range(5)])
        number, refused = 1, 0
        while request(b.ns, "slip0", number, 0, new | {"match": RULES}):
            number += 1
            root = b.tree().root
            tap.true(f"{root.options} are the old or the new ones", root.options in (old, new))
            tap.equal("rules", root.rules, [] if root.options == old else RULES)
            refused += root.options == old
            b.change(**old, match=[])
        tap.note(f"{number - 1} allocations, {refused} of them needed")
        tap.true("some allocations are needed", refused > 0)
        tap.equal("packets", b.numbers(), [0, 1, 2, 3, 4])


def test_gate():
    """If an allocation fails during a request for a gate, the gate is created or changed
    completely, or nothing changes."""
    faults.prepare()
    first, number, refused = {"window": 3, "rate": 10**6, "delay": 7}, 1, 0
    more = True
    while more:
        with gate.Modem() as m:
            more = faults.nth(number, lambda m=m: m.gate.set(**first))
            found = m.gate.client.gates().get(m.gate.ifindex, {})
            made = {name: found.get(name) for name in first}
            tap.true(f"{made} is the whole gate or no gate",
                     made in (first, dict.fromkeys(first)))
            refused += not found
            number += 1
    tap.true(f"some of {number - 2} allocations are needed", refused > 1)
    with gate.Modem() as m:
        m.gate.set(1, rate=10**6, delay=5)
        number, more = 1, True
        while more:
            before = m.gate.get()["window"]
            more = faults.nth(number, lambda: m.gate.set(before + 1))
            tap.within("window", m.gate.get()["window"], before, before + 1)
            number += 1


def test_segments():
    """If there is no memory to segment a GSO packet for a gate, the packet is dropped and
    counted."""
    faults.prepare()
    with Shared() as b:
        b.device = "slip0"
        closed = gate.Gate(b)
        closed.set()
        b.plug()
        number = 1
        while b.counters()["unsegmented"] < 3 and number < 100:
            faults.nth(number, lambda: send_super(b.source))
            b.tree()
            number += 1
        tap.true("some packets are counted as unsegmented", b.counters()["unsegmented"] >= 3)


class Shared(bench.Bench):
    """A bench in which each packet shares its memory with a copy, so lpd must allocate memory
    before it writes to the packet."""

    changes_namespace = True

    def __init__(self, **options):
        super().__init__(MTU)
        kmod.modprobe("act_mirred")
        kmod.modprobe("dummy")
        self.lpd(**options)
        self.ns.ip("link add from0 type dummy")
        self.ns.link("from0", True, MTU)
        self.ns.run("tc qdisc add dev from0 clsact")
        self.ns.run("tc filter add dev from0 egress matchall action mirred egress mirror dev slip0")
        self.source = port.Port(self.ns, "from0", ethernet=True)

    def starve(self, send, rounds=30):
        """Call `send` many times, and let a different allocation fail each time. Checks that each
        packet left or was counted."""
        for number in range(1, rounds):
            faults.nth(number, send)
            self.tree()
        tap.true("some packets are counted as nomem", self.counters()["nomem"] > 0)


def test_packet_that_cannot_be_written():
    """If there is no memory to rewrite a packet's lifetime, the packet is dropped and counted."""
    faults.prepare()
    with Shared() as b:
        b.plug()
        packet = pkt.ipv4(pkt.xlo4(LONG), pkt.body(1, 20))
        b.starve(lambda: b.source.send(packet), 20)
        queued = b.tree().root.qlen
        tap.equal("packets", [pkt.number(frame[14:]) for frame in b.open()], [1] * queued)


def test_option_that_cannot_be_taken_out():
    """If there is no memory to strip a packet, the packet is dropped and counted."""
    faults.prepare()
    for packet in (pkt.ipv4(pkt.xlo4(LONG), pkt.body(1, 20)),
                   pkt.ipv6(pkt.xlo6(LONG), pkt.body(1, 20))):
        with Shared(strip=1) as b:
            b.plug()
            b.starve(lambda b=b, packet=packet: b.source.send(packet))
            queued = b.tree().root.qlen
            frames = b.open()
            tap.equal("packets", [pkt.number(frame[14:]) for frame in frames], [1] * queued)
            tap.true("no packet has the option",
                     all(pkt.lifetime(frame[14:]) is None for frame in frames))


def test_payload_that_cannot_be_cut():
    """If there is no memory to cut a stale packet or a stale GSO packet, the packet is dropped and
    counted."""
    faults.prepare()
    whole = cast.Shape(4, cast.UDP)
    for name, options, send in (
            ("whole", {}, lambda b: b.source.send(whole.packet(b"x" * 500))),
            ("GSO", {}, lambda b: send_super(b.source))):
        tap.note(name)
        with Shared(**options) as b:
            b.starve(lambda b=b, send=send: send(b))
            lengths = {len(frame) for frame in b.open()}
            tap.true(f"only headers leave: {lengths}", max(lengths) < 100)
            counters = b.counters()
            tap.equal("cut packets", counters["truncated"], counters["packets_out"])


def send_super(source):
    shape = cast.Shape(4, cast.TCP, begun=True)
    start, check = shape.checksum_place()
    source.send_virtio(shape.packet(b"x" * 2000), start + 32, (start, check),
                       (port.GSO_TCP4, 400))


def test_header_that_cannot_be_read():
    """If there is no memory to make a packet's header linear, the packet is dropped and counted."""
    faults.prepare()
    with Shared() as b:
        b.plug()
        packet = pkt.ipv6(pkt.xlo6(LONG), pkt.body(1, 5000))
        b.starve(lambda: b.source.send_virtio(packet, 41))
        queued = b.tree().root.qlen
        tap.equal("packets", [pkt.number(frame[14:]) for frame in b.open()], [1] * queued)


def test_report_that_cannot_be_made():
    """If an allocation fails, the sender may not get a report about an expired packet. Each expired
    packet is counted."""
    faults.prepare()
    with lpd_feedback.Host() as b, b.socket_that() as sock:
        lpd_feedback.lifetime(sock, 0)
        number, more, reports = 1, True, 0
        while more:
            more = faults.nth(number, lambda: sock.send(pkt.body(number, 60)))
            reports += lpd_feedback.report(sock) is not None
            number += 1
        stale = b.counters()["stale_enqueue"]
        b.expect(packets_in=stale, stale_enqueue=stale)
        tap.note(f"{number - 2} allocations: {stale} packets came, {reports} reports")
        tap.within("reports", reports, 1, stale - 1)


def test_message_that_cannot_be_made():
    """If an allocation fails, the source of a discarded packet may not get a message. Each
    discarded packet is counted."""
    faults.prepare()
    with lpd_notify.Router() as b:
        number, more = 1, True
        while more:
            packet = lpd_notify.packet(4, number, 0)
            more = faults.nth(number, lambda packet=packet: b.port.send(packet))
            number += 1
        counters = b.counters()
        stale, notified = counters["stale_enqueue"], counters["notified"]
        b.expect(packets_in=stale, stale_enqueue=stale, notified=notified)
        tap.note(f"{number - 2} allocations: {stale} packets came, {notified} messages")
        tap.within("messages", notified, 1, stale - 1)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
