#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A program sends requests for a gate, and packets and probes pass the gate. At the same time the
qdisc is replaced and deleted, the link goes down and up, the device is renamed and removed, its
namespace ends, and the module is unloaded. A request is applied or refused. No packet is lost
without being counted."""
# run.sh: all on smp-debug: qdisc_changes_under_requests (the others take minutes there)
# run.sh: soak on smp-debug, 7200 s: everything
import errno
import itertools
import time

from lib import bench, child, gate, kmod, netlink, netns, packet as pkt, port, soak, tap, tc, \
    tree, wait
from net import lpd_modules

# on an emulated machine each round of qdisc changes takes about 10 s of processor time
ROUNDS = soak.amount(15 if wait.virtual_time() else 5, 1500)
PAUSE = 0.001
# the qdisc is not an lpd, the device no longer exists, or the gate is new and does not know the
# probe
USUAL = {errno.EOPNOTSUPP, errno.ENODEV, errno.ENOENT}
KINDS = ("lpd limit 20", "lpd order edf", "pfifo limit 20", "prio", "lpd rate 1mbit delay 5ms")


class Asker:
    """Sends requests for the gates of a namespace's devices, one device after the other, with
    changing windows. The requests acknowledge probes that may be known. Each call sends a few
    requests."""

    numbers = itertools.count()

    def __init__(self, ns, devices=8):
        self.client = gate.Client(ns)
        self.indexes = range(1, devices)

    def __call__(self):
        done = 0
        for index in self.indexes:
            number = next(self.numbers)
            done += self._try(self.client.gate_set, index, **self._wish(number))
            done += self._try(self.client.gate_get, index)
            if number % 50 == 0:
                done += self._try(self.client.gate_del, index)
        self._try(self.client.gates)
        time.sleep(PAUSE)
        return done

    @staticmethod
    def _wish(number):
        """The attributes of a request. Every fourth request acknowledges a probe."""
        wish = {"window": (0, 3000, gate.OPEN)[number % 3], "rate": 1000 << number % 7,
                "delay": number % 5 * 10**6}
        return wish | {"probe": number % 300} if number % 4 == 0 else wish

    @staticmethod
    def _try(request, *arguments, **values):
        try:
            request(*arguments, **values)
        except netlink.Refused as refused:
            if refused.code not in USUAL:
                raise
            return 0
        return 1


class Sender:
    """Sends packets with and without a lifetime, GSO packets and probes to a device. Each call
    sends a few packets. The device may no longer exist."""

    def __init__(self, ns, device=gate.DEV):
        self.port, self.prober = port.Port(ns, device), gate.prober(ns, device)
        # send_gso() changes its socket
        self.super = port.Port(ns, device)
        self.number = 0

    def __call__(self):
        self.number += 1
        try:
            self.port.send(gate.packet(self.number, 500))
            self.port.send(gate.mortal(self.number, 1 + self.number % 5, 500))
            self.super.send_gso(pkt.tcp4(pkt.body(self.number, 3000)), 500)
            self.prober.send(gate.packet(self.number, 60))
        except OSError as error:
            if error.errno not in (errno.ENOBUFS, errno.ENETDOWN, errno.ENXIO, errno.ENODEV):
                raise
        time.sleep(PAUSE)
        return 1

    def close(self):
        for one in (self.port, self.super, self.prober):
            one.close()


def passed(beside):
    tap.true(f"{beside.done} requests were applied", beside.done > 0)


def test_qdisc_changes_under_requests():
    """Requests and packets continue while the root qdisc is replaced, changed and deleted, and
    while the link goes down and up. The counters account for each packet."""
    with gate.Modem() as m:
        # each process has its own sockets, because send_gso() changes its socket
        ask, senders = Asker(m.ns), [Sender(m.ns), Sender(m.ns)]
        with child.Beside(ask) as asking, child.Beside(senders[0]), child.Beside(senders[1]):
            for number in range(ROUNDS):
                kind = KINDS[number % len(KINDS)]
                m.ns.run(f"tc qdisc replace dev {gate.DEV} root handle {number + 2:x}: {kind}")
                m.frames()
                tree.Tree(m.netlink, gate.DEV).check_accounts()
                if number % 3 == 0:
                    m.ns.link(gate.DEV, False)
                    m.ns.link(gate.DEV, True)
                if number % 4 == 0:
                    m.ns.run(f"tc qdisc delete dev {gate.DEV} root")
                time.sleep(3 * PAUSE)
        passed(asking)
        m.lpd()
        m.gate.set(0)
        m.frames()
        m.send(1, 2)
        m.expect_left(1)


def test_device_goes_under_requests():
    """Requests and packets go on while devices with gates are created, renamed and removed."""
    tc.need("lpd")
    kmod.modprobe("dummy")
    with netns.Netns() as ns:
        with child.Beside(Asker(ns, 3 * ROUNDS)) as asking:
            for number in range(ROUNDS):
                ns.ip("link add d0 type dummy", "link set d0 up")
                ns.run("tc qdisc replace dev d0 root lpd limit 20")
                send = Sender(ns, "d0")
                with child.Beside(send):
                    time.sleep(5 * PAUSE)
                    if number % 2:
                        ns.ip("link set d0 down", "link set d0 name d1", "link set d1 up")
                    ns.ip(f"link delete d{number % 2}")
                send.close()
        passed(asking)


def test_namespace_goes_under_requests():
    """Namespaces with gates end, some with closed gates, waiting packets and pending timers."""
    for number in range(ROUNDS):
        with gate.Modem() as m:
            ask, send = Asker(m.ns), Sender(m.ns)
            with child.Beside(ask), child.Beside(send):
                time.sleep(5 * PAUSE)
            m.gate.set(0 if number % 2 else gate.OPEN)
            send()
    lpd_modules.unload()


def test_module_unloads_under_requests():
    """The module is unloaded and loaded while a program asks for gates. While the module is not
    loaded, the family does not exist."""
    def ask():
        """Finds the family, and sends requests until the family no longer exists."""
        try:
            return Asker(m.ns)()
        except (netlink.Refused, KeyError):
            time.sleep(PAUSE)
            return 0

    with gate.Modem() as m:
        with child.Beside(ask) as asking:
            for number in range(ROUNDS):
                m.lpd(limit=20)
                m.send(*range(5))
                time.sleep(3 * PAUSE)
                m.netlink.remove_root(gate.DEV)
                lpd_modules.unload()
                tc.need("lpd")
                m.frames()
        passed(asking)


def test_timeouts_race_with_requests():
    """Gates time out shortly after, at and shortly before the time of requests. The gate is open or
    closed afterwards, and works."""
    def empty():
        m.frames()
        return m.counters()["queued"] == 0

    with gate.Modem() as m:
        send = Sender(m.ns)
        with child.Beside(send):
            for early in (10**5, 0, -10**5) * soak.amount(1, ROUNDS // 3):
                with bench.Moment() as last:
                    m.gate.set(0)
                wait.till(last.last + 3 * 10**9 - early)
                for _ in range(20):
                    m.gate.set(0)
                m.frames()
        m.gate.delete()
        wait.until("all packets have left", empty)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
