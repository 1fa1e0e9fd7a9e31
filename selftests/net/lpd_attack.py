#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""An attacker sends fragments of many datagrams, ten million in a soak test. The attacker's
fragments use no more memory than lpd allocated when it was created. Neither a fragment nor another
packet typically needs twice the processor time of a packet at an lpd that is not attacked.

In one test the fragments pass through lpd. In the other test the queue is full and drops one packet
for each arrival."""
# run.sh: all on lab-debug: nothing (KASAN keeps freed memory for a while)
# run.sh: soak on lab vm host, 7200 s: everything
import struct

from lib import bench, cycles, kmod, netlink, netns, packet as pkt, port, soak, tap, tc, tree, wait
from net import lpd_adu

BATCH, LIMIT = 100, 1000        # packets
BATCHES = soak.amount(2000, 100_000)
MOST = 2                # times a packet at an lpd that is not attacked
KB = 256                # kB allowed for other allocations of the kernel
SOURCE = {4: 12, 6: 20}             # offset of the last bytes of the source address


class Passing:
    """lpd on a device that accepts every packet."""

    def __init__(self):
        tc.need("lpd")
        kmod.modprobe("dummy")
        self.ns = netns.Netns()
        self.ns.ip("link add d0 type dummy")
        self.ns.link("d0", True)
        self.netlink = netlink.Netlink(self.ns)
        self.netlink.qdisc("d0", netlink.NLM_F_CREATE, "lpd", *bench.lpd_options())
        self.port, self.device, self.link = port.Port(self.ns, "d0"), "d0", pkt.ethernet

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ns.close()

    def counters(self):
        return tree.checked(self.netlink, "d0").lpd().counters


class Queued(bench.Bench):
    """lpd on a device that accepts no packet."""

    def __init__(self):
        super().__init__()
        self.lpd(limit=LIMIT, overflow=bench.HEAD)
        self.plug()
        self.device, self.link = "slip0", bytes


def kilobytes():
    """The memory that the kernel has allocated, in kB."""
    with open("/proc/meminfo") as file:
        lines = dict(line.split(":") for line in file)
    return sum(int(lines[name].split()[0]) for name in ("Slab", "VmallocUsed"))


class Attack:
    """Sends batches of fragments. The fragments of a batch have different identifications. Each
    batch has another source address."""

    def __init__(self, b, version):
        self.b, self.datagrams, self.sent = b, 0, 0
        fragment = lpd_adu.fragment4 if version == 4 else lpd_adu.fragment6
        whole = fragment(2, lpd_adu.LONG, more=False)
        self.place = len(b.link(whole)) - len(whole) + SOURCE[version]
        b.port.sock.bind((b.device, pkt.protocol(whole)))
        self.theirs = port.Batch([b.link(fragment(1, lpd_adu.LONG, ident=number))
                                  for number in range(BATCH)])
        self.others = port.Batch([b.link(whole)] * BATCH)

    def send(self, batch):
        """Send a batch. Returns the CPU cycles that the system call takes."""
        start = cycles.now()
        sent = self.b.port.send_batch(batch)
        taken = cycles.now() - start
        tap.equal("sent packets", sent, BATCH)
        self.sent += sent
        return taken

    def attack(self):
        self.datagrams += BATCH
        self.theirs.put(self.place, struct.pack("!I", 0x0a000000 + self.datagrams // BATCH))
        return self.send(self.theirs)

    def innocent(self):
        return self.send(self.others)


def fastest(taken):
    """The time of the fastest batch in the second half of the attack. Other load on the host makes
    batches slower. A batch takes some tens of us, so whenever the host is quiet, it sends batches
    of each kind."""
    return min(taken[len(taken) // 2:])


def attacked(make, version):
    """Attack one lpd, and compare the cycles for a packet with the cycles of a second lpd that is
    not attacked."""
    with make() as b, make() as left_alone:
        run, other = Attack(b, version), Attack(left_alone, version)
        theirs, others, elsewhere = [], [], []
        before = b.counters()["packets_in"]
        # these packets fill the queues
        for _ in range(LIMIT // BATCH):
            other.innocent()
            run.innocent()
        held = kilobytes()
        for _ in range(BATCHES):
            theirs.append(run.attack())
            elsewhere.append(other.innocent())
            others.append(run.innocent())
        found = [fastest(batches) / fastest(elsewhere) for batches in (theirs, others)]
        tap.note(f"{run.datagrams} datagrams: {kilobytes() - held} kB more; a fragment "
                 f"takes {found[0]:.2f}, another packet {found[1]:.2f} of the time elsewhere")
        # memory that was freed recently may still be counted
        wait.until(f"no more than {KB} kB are held", lambda: kilobytes() - held <= KB)
        tap.equal("packets in", b.counters()["packets_in"] - before, run.sent)
    for kind, value in zip(("a fragment", "another packet"), found):
        tap.within(f"time for {kind} / time for a packet elsewhere", value, 0, MOST)


def test_passing():
    """Fragments pass through lpd."""
    attacked(Passing, 4)


def test_queued():
    """Fragments arrive at a full queue."""
    attacked(Queued, 6)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
