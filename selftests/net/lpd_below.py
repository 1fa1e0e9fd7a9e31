#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""With `rate link` and `delay link`, lpd takes the rate and the delay of the link from the arqlink
device below, and packets expire by them. All other devices tell nothing, and lpd refuses them."""
# run.sh: needs: simulated time
import errno
import time

from lib import arq_device, arq_frame, bench, child, gate, kmod, netlink, netns, port, \
    soak, tap, tc, tree, uapi, wait
from lib.arq_frame import MS, S

LINK = uapi.TC_LPD_LINK
BOTH = {"rate": LINK, "delay": LINK}
REPLACE = netlink.NLM_F_CREATE | netlink.NLM_F_REPLACE
MQ, LEAF, LPD = 0x30000, 0x30001, 0x20000
RATE, WAY = 100_000, 10 * MS
SIZE = 1000
LENGTH = SIZE + 14
ON_THE_LINK = LENGTH + arq_frame.HEADER + arq_frame.ETHERNET
EFFECTIVE = RATE * LENGTH / ON_THE_LINK
CHANNEL = {"rate": RATE, "delay": WAY}
ROUNDS = soak.amount(30, 1000)


class Linked(arq_device.Pair):
    """A pair over a slow link, with an lpd above the left device, below mq or as the root."""

    def __init__(self, parent=LEAF, lpd=None, **values):
        tc.need("lpd")
        super().__init__(channel=CHANNEL, back={"delay": WAY}, frame=1500, **values)
        self.parent = parent
        self.netlink = self.left.netlink
        if parent == LEAF:
            self.netlink.qdisc("arq0", REPLACE, "mq", handle=MQ)
        self.qdisc(REPLACE, **{"share": 0} | BOTH | (lpd or {}))
        self.out = self.left.port()

    def qdisc(self, flags=0, **options):
        self.netlink.qdisc("arq0", flags, "lpd", *bench.lpd_options(**options),
                           parent=self.parent, handle=LPD)

    def lpd(self):
        found = tree.Tree(self.netlink, "arq0")
        # the kernel may store packets that the device did not accept outside the qdiscs
        found.check_accounts()
        return found.by_handle(LPD)

    def counters(self):
        return self.lpd().counters

    def used(self):
        """The rate and the delay that lpd uses."""
        counters = self.counters()
        return counters["link_rate"], counters["link_delay"]

    def send(self, count, ms=None):
        """Send packets with a lifetime of `ms`, or without one."""
        for number in range(count):
            self.out.send(arq_device.packet(number, SIZE) if ms is None else
                          gate.mortal(number, ms, SIZE))

    def measured(self):
        """Send packets until the device knows rate and delay, and lpd has asked for them."""
        self.send(300)
        time.sleep(2.5)


def expected_delay(pair):
    """The delay that lpd takes from the counters of the device."""
    told = pair.left.counters()
    return told["delay_90"] - LENGTH * S // pair.used()[0]


def test_rate_and_delay_are_the_devices():
    """lpd uses the rate and the delay that the device has measured. At first the rate is unlimited and
    the delay is 0."""
    with Linked() as pair:
        tap.equal("at first", pair.used(), (0, 0))
        tap.equal("options", {name: pair.lpd().options[name] for name in BOTH}, BOTH)
        pair.measured()
        rate, delay = pair.used()
        tap.within("rate", rate, EFFECTIVE * 0.99, EFFECTIVE * 1.01)
        # lpd has asked at another time
        wanted = expected_delay(pair)
        tap.within("delay", delay, wanted * 0.95, wanted * 1.05)


def test_only_one_of_both():
    """The rate and the delay can be taken from the device independently of each other. A fixed value
    ends the asking for it."""
    with Linked(lpd={"rate": 50_000}) as pair:
        pair.measured()
        rate, delay = pair.used()
        tap.equal("rate", rate, 50_000)
        wanted = pair.left.counters()["delay_90"] - LENGTH * S // 50_000
        tap.within("delay", delay, wanted * 0.95, wanted * 1.05)
        pair.qdisc(rate=LINK, delay=7 * MS)
        time.sleep(1)
        rate, delay = pair.used()
        tap.within("rate", rate, EFFECTIVE * 0.99, EFFECTIVE * 1.01)
        tap.equal("delay", delay, 7 * MS)
        pair.qdisc(rate=0, delay=0)
        tap.true("no values of the device", not set(tree.LINK) & set(pair.counters()))


def test_idle_device():
    """While the device holds no packet, the delay is half of the least round-trip time."""
    with Linked() as pair:
        pair.measured()
        wait.until("all packets arrive", lambda: pair.left.counters()["held"] == 0)
        time.sleep(1.1)
        rate, delay = pair.used()
        tap.within("rate", rate, EFFECTIVE * 0.99, EFFECTIVE * 1.01)
        tap.equal("delay", delay, pair.left.counters()["least_rtt"] // 2)


def expires(pair, at, wait_for_ever):
    """Check that five packets expire at this time, and that the others stay."""
    wait.sharp(at - MS)
    tap.equal("queued before", pair.counters()["queued"], wait_for_ever + 5)
    wait.sharp(at + MS)
    tap.equal("queued afterwards", pair.counters()["queued"], wait_for_ever)


def test_packets_expire_early():
    """Packets that the link could not carry in time any more are discarded early with `link`, and late
    without. The link has stopped, so the packets wait in lpd."""
    with Linked() as pair:
        pair.measured()
        pair.lower.left.change(rate=1)
        time.sleep(1)
        queued = pair.counters()["queued"]
        tap.true("packets wait", queued)
        for options in BOTH, {"rate": 0, "delay": 0}:
            pair.qdisc(**options)
            time.sleep(1)
            rate, delay = pair.used() if options == BOTH else (0, 0)
            early = delay + (LENGTH * S // rate if rate else 0)
            # the eight frames of the window were in front of each packet
            tap.true("the link delays packets",
                     early > 8 * ON_THE_LINK * S // RATE or options != BOTH)
            before = pair.counters()["stale_timer"]
            with bench.Moment() as sent:
                pair.send(5, ms=2000)
            expires(pair, sent.first + 2 * S - early, queued)
            tap.equal("discarded by the timer", pair.counters()["stale_timer"] - before, 5)


def overloaded(**options):
    """Offer twice as many packets as the link carries, for 12 s. Returns how many packets have arrived
    in the last 6 s, and how many were given up below lpd because they were too late."""
    with Linked() as pair:
        pair.measured()
        pair.qdisc(**options)
        begin, step = time.monotonic_ns(), ON_THE_LINK * S // RATE // 2
        count = 12 * S // step
        for number in range(count):
            wait.till(begin + number * step)
            pair.send(1, ms=400)
            if number == count // 2:
                before, there = pair.left.counters(), pair.right.counters()["delivered"]
        told = pair.left.counters()
        return pair.right.counters()["delivered"] - there, \
            sum(told[name] - before[name] for name in ("expired", "late"))


def test_link_carries_packets_in_time():
    """On a link that gets twice as many packets as it carries, all that the link can carry arrive in time,
    and with `link`, lpd discards most of the packets that would have to be given up below it."""
    capacity = 6 * RATE // ON_THE_LINK
    arrived, late = overloaded(**BOTH)
    arrived_without, late_without = overloaded(rate=0, delay=0)
    tap.note(f"of {capacity}: {arrived}, late {late}; without: {arrived_without}, {late_without}")
    tap.true("packets that arrive", arrived >= 0.99 * capacity)
    tap.true("packets that arrive without", arrived_without <= arrived)
    tap.true("late packets", late <= late_without // 2)


def test_rate_follows_the_link():
    """If the rate of the link falls to a quarter, the new rate is used after the device has
    measured it, and when the link recovers, too. The used rate differs from the true one by less than
    a quarter of the used one."""
    with Linked(lpd={"limit": 3000}) as pair:
        pair.send(2500)
        for rate in (RATE, RATE // 4, RATE):
            pair.lower.left.change(rate=rate)
            time.sleep(7)
            used, true = pair.used()[0], EFFECTIVE * rate / RATE
            tap.within(f"at {rate}", used, true / 1.25, true / 0.75)
        tap.true("packets still wait", pair.counters()["queued"] > 0)


def test_gate_has_priority():
    """While there is a gate, lpd uses the rate and the delay of the gate. When the gate is opened, lpd
    asks the device again."""
    with Linked(parent=netlink.TC_H_ROOT) as pair:
        pair.measured()
        before = pair.used()
        client, index = gate.Client(pair.left.ns), pair.netlink.ifindex("arq0")
        for _ in range(3):
            client.gate_set(index, window=gate.OPEN, rate=9876, delay=5 * MS)
            time.sleep(1)
            tap.equal("with a gate", pair.used(), (9876, 5 * MS))
        client.gate_del(index)
        pair.send(100)
        time.sleep(1.5)
        rate, delay = pair.used()
        tap.within("rate", rate, before[0] * 0.99, before[0] * 1.01)
        tap.true("another delay", delay != 5 * MS)


def refusal(function, *arguments, **values):
    try:
        function(*arguments, **values)
    except netlink.Refused as refused:
        return refused.code, refused.text, refused.attribute
    raise tap.Failed(f"the request was accepted: {arguments} {values}")


def told_nothing(word, attribute):
    return errno.EOPNOTSUPP, \
        f"lpd: {word} link: the device tells no {word}: expected an arqlink", attribute


def check_refusals(socket, device):
    """Check that lpd on this device refuses link, and that a refused change changes nothing."""
    for word, attribute in (("rate", uapi.TCA_LPD_RATE), ("delay", uapi.TCA_LPD_DELAY)):
        def request(flags, word=word):
            return refusal(socket.qdisc, device, flags, "lpd",
                           *bench.lpd_options(limit=3, **{word: LINK}), handle=LPD)
        tap.equal(f"new, {word}", request(netlink.NLM_F_CREATE), told_nothing(word, attribute))
        socket.qdisc(device, netlink.NLM_F_CREATE, "lpd", *bench.lpd_options(limit=7),
                     handle=LPD)
        before = tree.Tree(socket, device).root.options
        tap.equal(f"changed, {word}", request(0), told_nothing(word, attribute))
        tap.equal("options", tree.Tree(socket, device).root.options, before)
        socket.remove_root(device)


def test_other_devices_are_refused():
    """A device that tells nothing is refused, whether arqlink is loaded or not. The answer names the
    attribute."""
    tc.need("lpd")
    with netns.Netns() as ns:
        ns.ip("link add d0 type dummy", "link set d0 up")
        socket = netlink.Netlink(ns)
        kmod.insmod("arqlink")
        check_refusals(socket, "d0")
        kmod.rmmod("arqlink")
        tap.true("arqlink is unloaded", not kmod.loaded("arqlink"))
        check_refusals(socket, "d0")


def test_arqlink_in_use_stays():
    """While an lpd has `link`, arqlink cannot be unloaded, even if link was set several times. Without
    `link`, arqlink can be unloaded, and sch_lpd stays loaded. lpd asks nobody after that."""
    with Linked() as pair:
        pair.qdisc(**BOTH)
        pair.qdisc(rate=0)
        for device in pair.left, pair.right:
            device.up(False)
        wait.until("frames below leave", lambda: pair.lower.left.counters()["held"] == 0)
        tap.equal("rmmod", kmod.rmmod("arqlink"), errno.EWOULDBLOCK)
        pair.qdisc(delay=0)
        pair.qdisc(delay=LINK)
        tap.equal("rmmod", kmod.rmmod("arqlink"), errno.EWOULDBLOCK)
        pair.qdisc(delay=0)
        tap.equal("rmmod without link", kmod.rmmod("arqlink"), 0)
        tap.true("sch_lpd stays", kmod.loaded("sch_lpd"))
        time.sleep(3)


def test_device_is_deleted():
    """When the device is deleted, its lpd goes with it and releases arqlink."""
    with Linked() as pair:
        pair.send(100)
        time.sleep(0.5)
        for device in pair.left, pair.right:
            device.netlink.delete(device.name)
        wait.until("frames below leave", lambda: pair.lower.left.counters()["held"] == 0)
        wait.until("arqlink unloads", lambda: not kmod.rmmod("arqlink"))
        time.sleep(3)           # a timer that still runs would call a function that is gone


def sender(ns, chance):
    """A function that sends some packets, with and without a lifetime."""
    out = port.Port(ns, "arq0", ethernet=True)

    def send():
        time.sleep(0.002)
        return sum(out.send(packet) for packet in
                   [arq_device.packet(0, chance.choice((60, 500, 1000))) for _ in range(3)] +
                   [gate.mortal(0, chance.randrange(1, 1000), 500)])
    return send


def test_change_under_traffic():
    """The options change between fixed values and `link` many times while packets pass, and nothing is
    lost but what the counters tell."""
    chance = bench.seed()
    with Linked(window=20) as pair, child.Beside(sender(pair.left.ns, chance)):
        for _ in range(ROUNDS):
            pair.qdisc(rate=chance.choice((LINK, 0, 5000)), delay=chance.choice((LINK, 0, MS)),
                       share=chance.choice((0, 50)))
            time.sleep(chance.random() / 5)
            pair.lower.left.change(rate=chance.choice((RATE, 10 * RATE)),
                                   loss=chance.choice((0, 100_000)))
        pair.counters()


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
