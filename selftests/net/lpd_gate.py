#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The gate of lpd holds packets back exactly while more bytes than the window are below lpd. Probes
pass the gate and are noted. The kernel opens the gate if no request arrives."""
# run.sh: all on vm: window_* probe_* only_* segments_*
# run.sh: smoke: window_is_exact probe_passes_closed_gate segments_pass_one_by_one
import contextlib
import errno
import socket
import time

from lib import bench, child, gate, kmod, netlink, netns, packet as pkt, tap, tc, tree, uapi, \
    wait

MS = 10**6
SIZE = gate.SIZE
TIMEOUT = uapi.LPD_GATE_TIMEOUT_MS * MS
NOTED, WAITING = uapi.LPD_PROBES_NOTED, uapi.LPD_PROBES_MAX
REKEY_MAX = 128                 # LPD_REKEY_MAX
LONG = 20_000
JITTER = 20_000     # ns of simulated time that may pass while the test reads the gate


def refused(code, words, function, *arguments, **values):
    """Check that the kernel refuses a request with this error and this text."""
    try:
        function(*arguments, **values)
    except netlink.Refused as error:
        tap.equal(f"error and text of {values}", (errno.errorcode[error.code], words in error.text),
                  (errno.errorcode[code], True))
        return
    raise tap.Failed(f"the request was accepted: {values}")


def shown(gate_values, *names):
    return {name: gate_values[name] for name in names}


class Busy(bench.Bench):
    """A bench with a gate, on a device that dequeues the next packet when the test has read the
    previous packet."""

    device = "slip0"

    def __init__(self, **options):
        super().__init__()
        self.lpd(**options)
        self.gate = gate.Gate(self)


def test_window_is_exact():
    """lpd sends a packet if the number of bytes sent before is at most the window, and no packet if
    that number exceeds the window. The test uses windows of one byte less than two packets, of two
    packets, and of 0."""
    for window, number in ((2 * SIZE - 1, 2), (2 * SIZE, 3), (0, 1)):
        with gate.Modem() as m:
            answer = m.gate.set(window)
            tap.equal("answer", shown(answer, "window", "bytes", "acked", "backlog"),
                      {"window": window, "bytes": 0, "acked": 0, "backlog": 0})
            m.send(*range(5))
            m.expect_left(*range(number))
            tap.equal("gate", shown(m.gate.get(), "bytes", "backlog"),
                      {"bytes": number * SIZE, "backlog": (5 - number) * SIZE})
            m.gate.delete()
            m.expect_left(*range(number, 5))


def test_window_counts_from_the_newest_acknowledged_probe():
    """The window limits the bytes sent since the newest acknowledged probe left. If acknowledgments
    arrive in another order, the older acknowledgment does not move the window back."""
    with gate.Modem() as m:
        m.gate.set(SIZE)
        m.send(0, 1, 2, 3, 4, 5, 6, 7, 8)
        m.expect_left(0, 1)
        m.gate.probe(100)
        m.gate.probe(101)
        m.expect_left(100, 101)
        answer = m.gate.set(SIZE, probe=1)
        tap.equal("acknowledged", shown(answer, "acked", "probe_bytes"),
                  {"acked": 2 * SIZE + 200, "probe_bytes": 2 * SIZE + 200})
        m.expect_left(2, 3)
        answer = m.gate.set(SIZE, probe=0)
        tap.equal("an older answer", shown(answer, "acked", "probe_bytes"),
                  {"acked": 2 * SIZE + 200, "probe_bytes": 2 * SIZE + 100})
        m.expect_left()
        m.gate.set(3 * SIZE)
        m.expect_left(4, 5)
        m.gate.set(0)
        m.expect_left()


def test_window_holds_for_the_class():
    """The window also limits the packets of the class. A change between a qdisc with a class and a
    qdisc without a class keeps the gate. An open gate lets all packets of the class pass."""
    with gate.Modem(share=50) as m:
        m.gate.set(SIZE)
        m.send(0, 1, 2, 3, 4)
        m.expect_left(0, 1)
        m.gate.probe(100)
        m.expect_left(100)
        tap.equal("backlog", shown(m.gate.set(SIZE, probe=0), "backlog"), {"backlog": 3 * SIZE})
        m.expect_left(2, 3)
        m.change(share=25)
        m.expect_left()
        m.gate.delete()
        m.expect_left(4)
        m.expect(packets_in=6, packets_out=6, no_lifetime=5, probes=1)
        m.send(5)
        m.expect_left(5)


def test_window_may_have_any_size():
    """The largest window is never full."""
    with gate.Modem() as m:
        m.send(0)
        for window in (gate.OPEN, gate.OPEN - SIZE, gate.OPEN - SIZE + 1):
            m.gate.set(window)
            m.send(1)
        m.expect_left(0, 1, 1, 1)


def test_probe_passes_closed_gate():
    """A probe leaves immediately, although the gate is closed, the queue is full and other packets
    arrived earlier. The queue's limits do not count the probe. A stale packet does not stop the
    probe."""
    with gate.Modem(limit=3) as m:
        m.gate.set(0)
        m.send(0, 1, 2, 3, 4)
        m.expect_left(0)
        m.expect(packets_in=5, packets_out=1, no_lifetime=5, overflow_limit=1)
        for number in range(20):
            tap.true("lpd accepts the probe", m.gate.probe(100 + number))
        m.expect_left(*range(100, 120))
        m.expect(packets_in=25, packets_out=21, no_lifetime=5, overflow_limit=1, probes=20)
        tap.equal("queued", m.counters()["queued"], 3)


def test_probe_leaves_before_all_others():
    """If the device is busy, a probe leaves before the packets that arrived earlier. Probes leave
    in the order of arrival."""
    with Busy() as b:
        b.gate.set()
        b.plug()
        b.send(*map(gate.packet, range(3)))
        b.gate.probe(100)
        b.gate.probe(101)
        tap.equal("packets", b.numbers(), [100, 101, 0, 1, 2])


def test_probe_overflow():
    """At most LPD_PROBES_MAX probes can be pending. A further probe is dropped and counted."""
    with Busy() as b:
        b.gate.set()
        b.plug()
        accepted = [b.gate.probe(number) for number in range(WAITING + 2)]
        tap.equal("accepted", accepted, [True] * WAITING + [False] * 2)
        tap.equal("backlog", b.tree().root.backlog, WAITING * 100)
        b.expect(packets_in=WAITING + 2, probe_overflow=2)
        tap.equal("packets", b.numbers(), list(range(WAITING)))
        b.expect(packets_in=WAITING + 2, packets_out=WAITING, probe_overflow=2, probes=WAITING)
        tap.equal("answers", [b.gate.set(probe=number)["probe_bytes"] - 48
                              for number in range(WAITING)],
                  [100 * (number + 1) for number in range(WAITING)])


def test_probe_is_noted_exactly():
    """lpd notes the number, the byte count and the time of each probe that leaves. The byte count
    includes all packets before the probe and the probe."""
    rng = bench.seed()
    with gate.Modem() as m:
        m.gate.set()
        wanted, sent = [], 0
        for number in range(50):
            for _ in range(rng.randrange(3)):
                size = rng.randrange(100, 1400)
                m.send(0, size=size)
                sent += size
            size = rng.randrange(60, 200)
            with bench.Moment() as moment:
                m.gate.probe(number, size)
            sent += size
            wanted.append((number, sent, moment))
            time.sleep(rng.random() / 50)
            # the kernel would open the gate 3 s after the last request
            m.gate.set()
        rng.shuffle(wanted)
        for number, bytes_sent, moment in wanted:
            answer = m.gate.set(probe=number)
            tap.equal(f"bytes of probe {number}", answer["probe_bytes"], bytes_sent)
            tap.within(f"time of probe {number}", answer["probe_time"], moment.first, moment.last)
        tap.equal("bytes", answer["bytes"], sent)


def test_probe_of_a_udp_socket():
    """The kernel numbers all datagrams of a UDP socket, and lpd finds a probe by this number. The
    socket may have sent datagrams that are not probes before its first probe."""
    with gate.Modem() as m:
        m.ns.ip(f"address add 192.0.2.1/24 dev {gate.DEV}")
        m.gate.set(0)
        sock = m.ns.socket(socket.AF_INET, socket.SOCK_DGRAM)
        gate.identify(sock)
        sock.sendto(pkt.body(0, 72), ("192.0.2.2", 862))
        m.send(1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_PRIORITY, gate.PRIORITY)
        for number in range(2, 5):
            sock.sendto(pkt.body(number, 72), ("192.0.2.2", 862))
        m.expect_left(0, 2, 3, 4)
        refused(errno.ENOENT, "probe is not one of the last 256", m.gate.set, probe=0)
        tap.equal("bytes", [m.gate.set(0, probe=number)["probe_bytes"] for number in (1, 2, 3)],
                  [200, 300, 400])


def test_probe_is_forgotten_after_256():
    """lpd knows the last LPD_PROBES_NOTED probes. A request with an older or a future number is
    refused and changes nothing."""
    with gate.Modem() as m:
        m.gate.set()
        for number in range(NOTED + 3):
            m.gate.probe(number)
            if number % 100 == 0:
                m.left()
        before = m.gate.set(10**9, rate=10**6, delay=MS)
        for number in (0, 2, NOTED + 3, 2**32 - 1):
            refused(errno.ENOENT, "probe is not one of the last 256", m.gate.set, 5, probe=number,
                    rate=10, delay=10)
        names = "window", "rate", "delay", "bytes", "acked"
        tap.equal("gate", shown(m.gate.get(), *names), shown(before, *names))
        tap.equal("oldest", m.gate.set(probe=3)["probe_bytes"], 400)
        tap.equal("newest", m.gate.set(probe=NOTED + 2)["probe_bytes"], 100 * (NOTED + 3))


def test_probe_of_another_namespace_is_a_packet():
    """A socket in another namespace cannot send probes over a VLAN device there, whose lower device
    has a gate. A socket in the namespace of the lower device can."""
    kmod.modprobe("8021q")
    with gate.Modem() as m, netns.Netns() as other:
        m.ns.ip("link add lower type dummy", "link set lower up",
                "link add link lower name vlan5 type vlan id 5")
        m.netlink.move("vlan5", other, "vlan5")
        other.ip("link set vlan5 up")
        m.netlink.qdisc("lower", netlink.NLM_F_CREATE, "lpd",
                        *bench.lpd_options(share=0), handle=0x80020000)
        m.gate.client.gate_set(m.netlink.ifindex("lower"), window=0)
        near = gate.prober(m.ns, "lower", ethernet=True)
        far = gate.prober(other, "vlan5", ethernet=True)
        for number in range(3):
            near.send(gate.packet(number, 60))
            far.send(gate.packet(number, 60))
        counters = tree.checked(m.netlink, "lower").root.counters
        tap.equal("probes, packets that wait", [counters["probes"], counters["queued"]], [3, 3])


def test_probe_without_a_gate_is_a_packet():
    """Before the first request and after the gate was opened, a probe is an ordinary packet."""
    with Busy(limit=3) as b:
        for _ in range(2):
            b.plug()
            for number in range(4):
                b.gate.probe(number)
            b.expect(packets_in=4, overflow_limit=1, no_lifetime=4)
            tap.equal("packets", b.numbers(), [0, 1, 2])
            b.gate.set()
            b.gate.delete()


def test_probe_waits_when_gate_is_deleted():
    """Probes that are pending when the gate is opened still leave first, and none is lost. Later
    probes are ordinary packets."""
    with Busy() as b:
        b.gate.set(0)
        b.plug()
        b.send(*map(gate.packet, range(2)))
        b.gate.probe(100)
        b.gate.probe(101)
        b.gate.delete()
        b.gate.probe(102)
        b.send(gate.packet(2))
        tap.equal("packets", b.numbers(), [100, 101, 0, 1, 102, 2])
        b.expect(packets_in=6, packets_out=6, probes=2, no_lifetime=4)


def test_probe_is_idle():
    """A probe is idle if lpd had nothing to send since the probe before, although the gate was
    open."""
    def idle(number):
        return "probe_idle" in m.gate.set(3 * SIZE, probe=number)
    with gate.Modem() as m:
        m.gate.set(3 * SIZE)
        m.gate.probe()
        m.send(*range(8))
        m.gate.probe()
        m.gate.probe()
        m.expect_left(0, 0, 1, 2, 0, 0)
        tap.equal("at first, after an empty queue, behind a closed gate",
                  [idle(0), idle(1), idle(2)], [False, True, False])
        m.expect_left(3, 4, 5, 6)
        m.gate.probe()
        tap.equal("while packets waited", idle(3), False)
        m.expect_left(0, 7)
        m.gate.probe()
        tap.equal("after all packets had left", idle(4), True)


def test_probe_is_not_idle_while_the_class_sends():
    """A probe is not idle if the class had packets to send all the time, although lpd's own queue
    had only stale packets. One request makes the packets stale with a new delay and allows a larger
    window. The device then sends before the timer removes the stale packets."""
    with gate.Modem(share=50) as m:
        m.gate.set(0)
        m.send(0)
        m.gate.probe()
        m.expect_left(0, 0)
        for number in (1, 2):
            m.port.send(gate.mortal(number, LONG))
        m.send(*range(3, 8))
        m.gate.set(3 * SIZE, delay=2 * LONG * MS, probe=0)
        m.expect_left(3, 4, 5, 6)
        m.gate.probe()
        tap.equal("idle", "probe_idle" in m.gate.set(0, probe=1), False)
        m.expect_left(0, 7)
        wait.until("the timer runs", lambda: m.counters()["stale_timer"] == 2)
        m.expect(packets_in=10, packets_out=8, no_lifetime=6, probes=2, stale_timer=2)


def test_opens_after_three_seconds():
    """The kernel opens the gate exactly 3 s after the last request. Each request restarts the 3 s,
    also a request that acknowledges nothing. Then the configuration's rate and delay apply again.
    The next request makes a new gate, which does not know the probes of the old gate."""
    with gate.Modem(rate=500, delay=7 * MS) as m:
        m.gate.set(0, rate=10**6, delay=20 * MS)
        m.gate.probe()
        m.send(0, 1, 2)
        for _ in range(3):
            time.sleep(2)
            with bench.Moment() as last:
                m.gate.set(0)
        m.left()
        if wait.virtual_time():
            wait.sharp(last.first + TIMEOUT - JITTER)
            m.expect_left()
            wait.sharp(last.last + TIMEOUT + JITTER)
            tap.equal("gate", m.counters()["gate"], 0)
        wait.until("the gate opens", lambda: m.counters()["gate_timeouts"] == 1)
        tap.true("not earlier", time.monotonic_ns() >= last.first + TIMEOUT)
        m.expect_left(0, 1, 2)
        tap.equal("options", shown(m.tree().root.options, "rate", "delay"),
                  {"rate": 500, "delay": 7 * MS})
        refused(errno.ENOENT, "this lpd has no gate", m.gate.get)
        refused(errno.ENOENT, "this lpd has no gate", m.gate.delete)
        refused(errno.ENOENT, "probe is not", m.gate.set, probe=0)
        tap.equal("a new gate", shown(m.gate.set(0), "rate", "delay", "bytes", "acked"),
                  {"rate": 500, "delay": 7 * MS, "bytes": 3 * SIZE + 100, "acked": 3 * SIZE + 100})
        refused(errno.ENOENT, "probe is not", m.gate.set, probe=0)
        m.send(3, 4)
        m.expect_left(3)


def test_stale_packets_expire_behind_closed_gate():
    """Packets expire behind a closed gate at their deadlines. After the gate opens, the first
    packet that leaves is fresh."""
    with gate.Modem() as m:
        m.gate.set(0)
        m.send(0)
        with bench.Moment() as sent:
            for number, ms in enumerate((50, LONG, 100, LONG), 1):
                m.port.send(gate.mortal(number, ms))
        for ms, left in ((49, 4), (51, 3), (99, 3), (101, 2)):
            if wait.virtual_time():
                wait.till(sent.first + ms * MS)
                tap.equal(f"queued after {ms} ms", m.counters()["queued"], left)
        wait.until("two expire", lambda: m.counters()["stale_timer"] == 2)
        m.expect_left(0)
        m.gate.set(10 * SIZE)
        m.expect_left(2, 4)
        m.expect(packets_in=5, packets_out=3, no_lifetime=1, stale_timer=2, rewritten=2)


def test_segments_pass_one_by_one():
    """A GSO packet is segmented before the gate. Each segment counts as a packet, and the window
    ends between two segments. Without a gate, a GSO packet is one packet."""
    with gate.Modem() as m:
        whole = pkt.tcp4(pkt.body(1, 4000))
        m.port.send_gso(whole, 1000)
        m.expect(packets_in=1, packets_out=1, no_lifetime=1)
        m.frames()
        m.gate.set(1040)
        m.port.send_gso(whole, 1000)
        tap.equal("lengths", [len(frame) for frame in m.frames()], [1040, 1040])
        tap.equal("backlog", m.tree().root.backlog, 2080)
        m.expect(packets_in=5, packets_out=3, no_lifetime=5)
        m.gate.delete()
        frames = m.await_frames(2)
        tap.equal("lengths", [len(frame) for frame in frames], [1040, 1040])
        m.expect(packets_in=5, packets_out=5, no_lifetime=5)


def test_segments_that_push_others_out_are_accepted():
    """If the qdisc of the class accepts each segment and drops an older packet for it, the sender
    does not get an error."""
    with gate.Modem(share=50) as m:
        m.ns.run("tc qdisc replace dev tun0 parent 8001:1 pfifo_head_drop limit 2")
        m.gate.set(0)
        m.send(0, 1, 2)
        m.port.send_gso(pkt.tcp4(pkt.body(3, 4000)), 1000)
        tap.equal("packets in the class", m.tree().root.qlen, 2)
        m.gate.delete()
        frames = m.await_frames(3)
        tap.equal("lengths", [len(frame) for frame in frames], [SIZE, 1040, 1040])


def test_segments_have_their_own_room():
    """The limit of the queue counts segments. lpd drops the segments that do not fit."""
    with gate.Modem(limit=3) as m:
        m.gate.set(0)
        m.port.send_gso(pkt.tcp4(pkt.body(1, 6000)), 1000)
        m.expect(packets_in=6, packets_out=1, no_lifetime=6, overflow_limit=3)
        tap.equal("queued", m.counters()["queued"], 2)


def test_segments_too_many():
    """A GSO packet with more segments than TCP ever makes is dropped and counted."""
    with gate.Modem() as m:
        m.gate.set()
        with contextlib.suppress(OSError):
            m.port.send_gso(pkt.tcp4(pkt.body(1, 20000)), 10)
        m.expect(packets_in=1, unsegmented=1)
        m.expect_left()


def test_follows_delay():
    """The gate's delay applies to queued packets and to arriving packets. A change of the delay
    does not reorder packets. Without the gate, the configuration's delay applies."""
    with gate.Modem(delay=10 * MS, order=bench.EDF) as m:
        m.gate.set(0)
        m.send(0)
        with bench.Moment() as sent:
            for number, ms in ((1, 300), (2, 200), (3, LONG)):
                m.port.send(gate.mortal(number, ms))
        tap.equal("delay", m.gate.get()["delay"], 10 * MS)
        m.gate.set(0, delay=150 * MS)
        for ms, left in ((49, 3), (51, 2), (149, 2), (151, 1)):
            if wait.virtual_time():
                wait.till(sent.first + ms * MS)
                tap.equal(f"queued after {ms} ms", m.counters()["queued"], left)
        wait.until("two expire", lambda: m.counters()["stale_timer"] == 2)
        m.port.send(gate.mortal(4, 149))
        tap.equal("stale on arrival", m.counters()["stale_enqueue"], 1)
        m.change(delay=20 * MS)
        tap.equal("delay of the gate", m.gate.get()["delay"], 150 * MS)
        m.gate.delete()
        m.port.send(gate.mortal(5, 100))
        m.port.send(gate.mortal(6, 19))
        m.expect_left(0, 3, 5)
        tap.equal("stale on arrival", m.counters()["stale_enqueue"], 2)


def expires(m, sent, number, ms):
    """Check that `number` packets have expired `ms` after they were sent, and not earlier."""
    if wait.virtual_time():
        wait.till(sent.first + (ms - 1) * MS)
        tap.true("not earlier", m.counters()["stale_timer"] < number)
        wait.till(sent.last + (ms + 1) * MS)
        tap.equal("expired", m.counters()["stale_timer"], number)
    wait.until(f"{number} expire", lambda: m.counters()["stale_timer"] == number)


def test_follows_rate():
    """A new rate applies to queued packets. lpd uses a new rate if it differs by a quarter, at most
    once a second. Without the gate, the configuration's rate applies again."""
    for order in (bench.FIFO, bench.EDF):
        with gate.Modem(rate=10**5, order=order) as m:
            m.gate.set(0)
            m.send(0)
            tap.equal("configured", m.gate.get()["rate"], 10**5)
            with bench.Moment() as sent:
                for number, ms in ((1, 400), (2, 700), (3, LONG), (4, LONG)):
                    m.port.send(gate.mortal(number, ms))
            # the transmission time of SIZE bytes is now 200 ms instead of 10 ms
            tap.equal("used", m.gate.set(0, rate=5 * SIZE)["rate"], 5 * SIZE)
            expires(m, sent, 1, 200)
            tap.equal("less than a second later", m.gate.set(0, rate=10 * SIZE)["rate"], 5 * SIZE)
            expires(m, sent, 2, 500)
            wait.till(sent.last + 1100 * MS)
            tap.equal("less than a quarter", m.gate.set(0, rate=SIZE * 25 // 4 - 1)["rate"],
                      5 * SIZE)
            tap.equal("a quarter", m.gate.set(0, rate=SIZE * 25 // 4)["rate"], SIZE * 25 // 4)
            m.change(rate=10**6)
            tap.equal("rate of the gate", m.gate.get()["rate"], SIZE * 25 // 4)
            m.port.send(gate.mortal(5, 159))
            m.gate.delete()
            m.port.send(gate.mortal(6, 159))
            m.expect_left(0, 3, 4, 6)
            tap.equal("stale on arrival", m.counters()["stale_enqueue"], 1)


def test_long_queue_keeps_keys():
    """If more than 128 packets are queued, a new rate applies to new packets only, until the queued
    packets have left."""
    with gate.Modem(rate=10**5, limit=REKEY_MAX + 10) as m:
        m.gate.set(0)
        m.send(0)
        with bench.Moment() as sent:
            m.port.send(gate.mortal(1, 900))
            m.port.send(gate.mortal(2, 890))
        for number in range(REKEY_MAX):
            m.port.send(gate.mortal(3, LONG))
        # the transmission time of SIZE bytes is now 200 ms instead of 10 ms
        m.gate.set(0, rate=5 * SIZE)
        m.port.send(gate.mortal(4, 199))
        tap.equal("stale on arrival", m.counters()["stale_enqueue"], 1)
        expires(m, sent, 1, 880)
        expires(m, sent, 2, 890)
        m.gate.delete()
        m.expect_left(0, *(REKEY_MAX * [3]))


def test_order_stays_with_a_new_rate():
    """With order edf, the packets leave in the order of their new latest starts. Packets without a
    lifetime keep their positions."""
    with gate.Modem(order=bench.EDF) as m:
        m.gate.set(0)
        m.send(0)
        m.port.send(gate.mortal(1, 9000, 1400))
        m.send(2)
        m.port.send(gate.mortal(3, 8900, 200))
        m.port.send(gate.mortal(4, 9500, 200))
        # at 1000 bytes/s the packets 1, 3 and 4 must start within 7.6, 8.7 and 9.3 s
        m.gate.set(rate=1000)
        m.expect_left(0, 1, 2, 3, 4)
    with gate.Modem(order=bench.EDF) as m:
        m.gate.set(0)
        m.send(0)
        m.port.send(gate.mortal(1, 9000, 1400))
        m.port.send(gate.mortal(3, 8900, 200))
        m.gate.set(rate=10**9)
        m.expect_left(0, 3, 1)


def test_closed_time():
    """The counter gate_closed_ns is the time from the first packet that the gate holds back until
    the gate opens. A closed gate without a packet does not count."""
    with gate.Modem() as m:
        m.gate.set(0)
        m.send(0)
        time.sleep(0.1)
        tap.equal("no packet waits", m.counters()["gate_closed_ns"], 0)
        closed = 0
        for number in range(3):
            with bench.Moment() as begun:
                m.send(1, 2)
            time.sleep(0.05 * (number + 1))
            with bench.Moment() as ended:
                m.gate.probe()
                m.gate.set(2 * SIZE, probe=number)
            wait.until("both packets leave", lambda: m.counters()["queued"] == 0)
            m.gate.set(0)
            low, high = ended.first - begun.last, ended.last - begun.first
            tap.within("closed time", m.counters()["gate_closed_ns"] - closed, low, high)
            closed = m.counters()["gate_closed_ns"]


def test_statistics():
    """tc shows the gate as the kernel describes it. An lpd that never had a gate shows nothing
    about gates."""
    tc.need_plugin()
    with gate.Modem(rate=500) as m:
        m.send(0)
        names = {uapi.words("tca_lpd_stats", "TCA_LPD_STATS_")[name] for name in tree.GATE}
        there = {kind for kind, _ in netlink.attrs(m.tree().root.app)}
        tap.equal("without a gate", names & there, set())
        m.gate.set(2 * SIZE, rate=10**6, delay=5 * MS)
        m.gate.probe()
        m.gate.set(SIZE, probe=0)
        m.send(1)
        counters = m.counters()
        tap.equal("counters", {name: counters[name] for name in tree.GATE},
                  {"probes": 1, "probe_overflow": 0, "unsegmented": 0, "gate": 1,
                   "gate_window": SIZE, "gate_rate": 10**6, "gate_delay": 5 * MS,
                   "gate_bytes": 2 * SIZE + 100, "gate_acked": SIZE + 100, "gate_closed_ns": 0,
                   "gate_timeouts": 0})
        shown = tc.show(m.ns, gate.DEV)[0]
        tap.equal("in tc's JSON", {name: shown[name] for name in tree.GATE},
                  {name: counters[name] for name in tree.GATE})
        m.gate.delete()
        counters = m.counters()
        tap.equal("gauges without the gate", [counters[name] for name in tree.GAUGES], [0] * 7)
        tap.equal("the qdisc's bytes", m.tree().root.bytes, 2 * SIZE + 100)


def test_dump():
    """A dump contains each gate of the namespace, and no gate of another namespace."""
    with gate.Modem() as m, gate.Modem() as other:
        other.gate.set(3)
        tap.equal("no gate", m.gate.client.gates(), {})
        m.ns.ip(*[f"link add d{number} up type dummy" for number in range(60)])
        wanted = {}
        for number in range(60):
            index = m.netlink.ifindex(f"d{number}")
            if number % 3:
                m.netlink.qdisc(f"d{number}", netlink.NLM_F_CREATE, "lpd")
            if number % 3 == 1:
                wanted[index] = number
                m.gate.client.gate_set(index, window=number)
        tap.equal("gates", {index: values["window"] for index, values in
                            m.gate.client.gates().items()}, wanted)


def test_only_a_root_lpd_has_a_gate():
    """The kernel refuses a gate for an lpd below a parent, for another qdisc, and for a device that
    does not exist. The error text says how to get a gate."""
    advice = "only a root lpd has a gate: tc qdisc replace dev DEV root lpd"
    with gate.Modem() as m:
        for lines in ("root handle 1: pfifo", "root handle 2: prio", "parent 2:1 handle 3: lpd"):
            m.ns.run(f"tc qdisc {'add' if 'parent' in lines else 'replace'} dev tun0 {lines}")
            for request in (m.gate.set, m.gate.get, m.gate.delete):
                refused(errno.EOPNOTSUPP, advice, request)
        m.ns.run("tc qdisc delete dev tun0 root")
        refused(errno.EOPNOTSUPP, advice, m.gate.set)
        for index in (12345, 0, 2**32 - 1):
            refused(errno.ENODEV, "no interface has this index", m.gate.client.gate_set, index,
                    window=0)
        m.lpd()
        refused(errno.ENOENT, "this lpd has no gate", m.gate.get)
        refused(errno.ENOENT, "this lpd has no gate", m.gate.delete)
        tap.equal("no gate was made", m.counters()["gate"], 0)


def test_only_one_lpd_for_all_queues():
    """On a device with several queues, mq's children have no gate. A single lpd at the root has a
    gate."""
    with gate.Modem() as m:
        m.ns.ip("link add many numtxqueues 4 type dummy", "link set many up")
        index = m.netlink.ifindex("many")
        m.ns.run("tc qdisc replace dev many root handle 1: mq")
        m.ns.run("tc qdisc replace dev many parent 1:1 handle 2: lpd")
        refused(errno.EOPNOTSUPP, "root lpd", m.gate.client.gate_set, index, window=0)
        m.ns.run("tc qdisc replace dev many root handle 3: lpd")
        m.gate.client.gate_set(index, window=7)
        tap.equal("window", m.gate.client.gate_get(index)["window"], 7)
        m.ns.run("tc qdisc replace dev many root handle 4: mq")
        refused(errno.EOPNOTSUPP, "root lpd", m.gate.client.gate_set, index, window=0)


def test_only_good_requests():
    """A request with a missing attribute or a value out of range is refused and changes nothing."""
    with gate.Modem() as m:
        m.gate.set(5 * SIZE, rate=10**6, delay=MS)
        before = shown(m.gate.get(), "window", "rate", "delay", "acked")
        refused(errno.EINVAL, "window is missing", m.gate.client.gate_set, m.gate.ifindex, rate=1)
        refused(errno.EINVAL, "ifindex is missing", m.gate.client.gate_set, None, window=1)
        refused(errno.ERANGE, "", m.gate.set, 0, rate=0)
        refused(errno.ERANGE, "", m.gate.set, 0, delay=uapi.TC_LPD_DELAY_MAX + 1)
        refused(errno.EINVAL, "", m.gate.client.gate_set, m.gate.ifindex, window=0, bytes=1)
        tap.equal("gate", shown(m.gate.get(), *before), before)
        tap.equal("the largest values",
                  shown(m.gate.set(0, rate=2**64 - 1, delay=uapi.TC_LPD_DELAY_MAX), "delay"),
                  {"delay": uapi.TC_LPD_DELAY_MAX})


def test_only_the_administrator_sets():
    """The user `nobody` may read a gate, but not make, change or open a gate. Root of another user
    namespace has no privilege either. In another namespace, the same ifindex means another
    device."""
    def attempt(client, operation, **values):
        try:
            client.gate_set(**values) if operation == "set" else client.gate_del(**values)
        except netlink.Refused as error:
            return errno.errorcode[error.code]
        return "done"

    with gate.Modem() as m, netns.Netns() as other:
        m.gate.set(7)
        index = m.gate.ifindex

        def as_nobody():
            netns.setns(m.ns.fd)
            child.become_nobody()
            client = gate.Client(child.Here())
            return attempt(client, "set", ifindex=index, window=1), \
                attempt(client, "del", ifindex=index), client.gate_get(index)["window"], \
                len(client.gates())
        tap.equal("nobody", child.answer(as_nobody), str(("EPERM", "EPERM", 7, 1)))

        def in_somebody_elses():
            netns.setns(m.ns.fd)
            child.enter_user_namespace(0)
            return attempt(gate.Client(child.Here()), "set", ifindex=index, window=1)
        tap.equal("root of a user namespace", child.answer(in_somebody_elses), "EPERM")

        def in_its_own():
            child.enter_user_namespace()
            here = child.Here()
            route = netlink.Netlink(here)
            route.qdisc("lo", netlink.NLM_F_CREATE, "lpd")
            return attempt(gate.Client(here), "set", ifindex=route.ifindex("lo"), window=1)
        tap.equal("root of its own namespace", child.answer(in_its_own), "done")
        refused(errno.ENODEV, "no interface has this index", gate.Client(other).gate_set, index + 1,
                window=0)
        tap.equal("window", m.gate.get()["window"], 7)


def test_change_keeps_the_gate():
    """A change of the qdisc's options keeps the gate, its window and the packets that it holds
    back."""
    with gate.Modem() as m:
        m.gate.set(SIZE, rate=10**6, delay=5 * MS)
        m.send(*range(6))
        m.expect_left(0, 1)
        for options in ({"order": bench.EDF}, {"limit": 2}, {"rate": 5, "delay": 6},
                        {"order": bench.FIFO, "limit": 1000}):
            m.change(**options)
            tap.equal("gate", shown(m.gate.get(), "window", "rate", "delay"),
                      {"window": SIZE, "rate": 10**6, "delay": 5 * MS})
        m.send(6)
        m.expect_left()
        m.gate.set(10 * SIZE)
        m.expect_left(2, 3, 6)


def test_link_down_drops_probes():
    """If the link goes down, pending packets and probes are dropped and counted. The gate stays,
    and works when the link is up again."""
    with Busy() as b:
        b.gate.set(0)
        b.plug()
        b.send(*map(gate.packet, range(2)))
        for number in range(3):
            b.gate.probe(number)
        b.ns.link("slip0", False)
        b.expect(packets_in=5, no_lifetime=2, reset=5, packets_out=0)
        tap.equal("gate", shown(b.gate.set(0), "window", "backlog"), {"window": 0, "backlog": 0})


def test_device_is_renamed_moved_and_deleted():
    """After a rename, requests find the device by its index. After the device was moved to another
    namespace or deleted, or its qdisc was replaced, the gate no longer exists."""
    with gate.Modem() as m, netns.Netns() as other:
        m.gate.set(5)
        m.ns.ip(f"link set {gate.DEV} down", f"link set {gate.DEV} name new0", "link set new0 up")
        tap.equal("window after the rename", m.gate.get()["window"], 5)
        m.netlink.qdisc("new0", netlink.NLM_F_CREATE | netlink.NLM_F_REPLACE, "lpd",
                        handle=0x80020000)
        refused(errno.ENOENT, "this lpd has no gate", m.gate.get)
        m.gate.set(6)
        m.netlink.move("new0", other, "far0")
        refused(errno.ENODEV, "no interface has this index", m.gate.get)
        far, route = gate.Client(other), netlink.Netlink(other)
        refused(errno.EOPNOTSUPP, "root lpd", far.gate_set, route.ifindex("far0"), window=1)
        route.qdisc("far0", netlink.NLM_F_CREATE, "lpd")
        far.gate_set(route.ifindex("far0"), window=1)
        route.delete("far0")
        tap.equal("gates", far.gates(), {})


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
