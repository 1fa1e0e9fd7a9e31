# SPDX-License-Identifier: GPL-2.0-or-later
"""Carries out plans (plan.py) for trees of qdiscs. A world is a namespace with two devices. The
leaves of the trees are lpd or another qdisc.

    in0 (tap) == redirected ==> slip0: [ parents --> leaves ] ==wire==> read

The last byte of a frame's source address becomes the mark (skb->mark) of the packet."""
import collections
import os
import struct
import time

from . import bench, child, hosts, kmod, netlink, netns, packet as pkt, plan, qdiscs, slip, tap, \
    tc, tree, tun, wait

MS = bench.MS
MARK_AT = 21            # offset of the source address's last byte, after struct virtio_net_hdr
PATIENCE = 60           # time in s within which a tree must become empty
LOOKS = 3               # number of further checks if a sum is wrong
LIFE = 30               # ms: the lifetime of packets
YIELDS = 20             # calls of sched_yield(), enough for a kernel thread to run
AHEAD = 20_000          # ns between two expiries, less than the timer's pause


class World:
    """Carries out one plan after the other. `wrong` contains a message for each kind of error.
    `counters` contains the sums over all lpds in the trees."""

    device, inputs = "slip0", 1

    def __init__(self, leaf):
        tc.need("lpd", *self._kinds())
        for name in ("fw", "flower"):
            kmod.modprobe(f"cls_{name}")
        self.kind, self.ns = leaf, netns.Netns()
        self.taps = [tun.Pieces(self.ns, f"in{number}") for number in range(self.inputs)]
        self._make_device()
        self.netlink = netlink.Netlink(self.ns)
        for number in range(self.inputs):
            self._redirect(f"in{number}")
        self.waiting = tc.Waiting(self.ns)
        self.sent = self.refused = 0
        self.counters = collections.Counter()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.waiting.close()
        self._remove_device()
        for device in self.taps:
            os.close(device.wire)
        self.ns.close()

    def _kinds(self):
        return [kind.split()[0] for kind in qdiscs.KINDS]

    def _make_device(self):
        self.slip = slip.Slip(self.ns)

    def _remove_device(self):
        self.slip.close()

    def _redirect(self, device):
        hosts.offload(self.ns, device, gro=False)
        self.ns.run("tc -batch -", stdin=f"qdisc add dev {device} ingress\n" + "\n".join(
            f"filter add dev {device} parent ffff: protocol all prio 1 flower src_mac "
            f"02:00:00:00:00:0{mark} action skbedit mark {mark} pipe action mirred egress "
            f"redirect dev {self.device}" for mark in plan.MARKS))

    def carry_out(self, steps, frames):
        """Carry out the steps, and return the answer to each step. The function ends early if the
        tree does not become empty."""
        self.wrong, self.frames, answers = {}, frames, []
        self.hidden, self.seen = set(), {}
        while self.take(0.01):
            pass
        for self.at, (verb, *arguments) in enumerate(steps):
            answers.append(getattr(self, verb)(*arguments))
            self.look()
            if "stall" in self.wrong:
                break
        for counters in self.seen.values():
            self.counters.update({name: counters[name] for name in tree.COUNTERS})
        return answers

    def find(self, what, detail):
        self.wrong.setdefault(what, f"step {self.at}: {detail}")

    def look(self):
        """Check that every parent counts the packets that its children hold. Check that each lpd's
        counters are consistent. The kernel reports one qdisc after the other, and a timer may fire
        between two reports. An error is reported only if further checks find the same error."""
        wrong = self._wrong()
        for _ in range(LOOKS):
            if not wrong:
                return
            again = self._wrong()
            wrong = {what: again[what] for what in wrong if what in again}
        for what, detail in wrong.items():
            self.find(what, detail)

    def tree(self):
        found = tree.Tree(self.netlink, self.device)
        self.seen.update({q.handle: q.counters for q in found.qdiscs if q.kind == "lpd"})
        return found

    def _wrong(self):
        found, wrong = self.tree(), {}
        try:
            found.check_accounts()
        except tap.Failed as failure:
            wrong["account"] = str(failure)
        for parent in found.qdiscs:
            children = found.below(parent)
            if parent.kind == "lpd" and parent.counters["queued"] != parent.qlen:
                wrong[f"queued of {parent}"] = f"{parent.counters['queued']}, qlen {parent.qlen}"
            if not children or parent.kind in tree.NO_SUMS:
                continue
            for what in ("qlen", "backlog")[:1 if parent.kind in tree.NO_BACKLOG else 2]:
                held, own = sum(getattr(q, what) for q in children), getattr(parent, what)
                if own < held or own > held and not self._may_hold(parent):
                    wrong[f"{what} of {parent}"] = f"{own}, of its children {held}"
        return wrong

    def _may_hold(self, parent):
        """Whether a qdisc may count packets that none of the listed children has. The device may
        have returned packets, or the qdisc may have shown a packet to its parent. The qdisc may
        also delay packets, or have an unlisted child with packets. lpd also has its own queue
        besides its class."""
        about = qdiscs.KINDS.get(parent.kind)
        return parent.kind == "lpd" or parent.requeues or parent.handle in self.hidden or \
            about and (about.delays or about.holds and parent.parent != tree.ROOT)

    # steps

    def tc(self, lines):
        return self.waiting.run([line.replace("DEV", f"dev {self.device}") for line in lines])

    def delete(self, parent):
        """Delete a qdisc. The kernel replaces the qdisc by a default qdisc, which is not listed."""
        self.hidden.add(parent & 0xffff0000)
        return self.tc([f"qdisc del DEV parent {parent >> 16:x}:{parent & 0xffff:x}"])

    def leaf_at(self, flags, parent, handle, options):
        if self.kind == "lpd":
            attributes = bench.lpd_options(**options)
        else:
            attributes = [struct.pack("=I", options.get("limit", 1000))]
        try:
            self.netlink.qdisc(self.device, flags, self.kind, *attributes, parent=parent,
                               handle=handle)
        except netlink.Refused as refused:
            return str(refused)
        return ""

    def leaf(self, parent, handle, options):
        return self.leaf_at(netlink.NLM_F_CREATE | netlink.NLM_F_REPLACE, parent, handle, options)

    def change(self, parent, handle, options):
        return self.leaf_at(0, parent, handle, options)

    def inner(self, leaf, words, handle):
        """Give a qdisc to the class of an lpd, or delete the qdisc of the class (None). The class
        does not exist if the share is 0."""
        if self.kind != "lpd":
            return
        place = f"dev {self.device} parent {leaf >> 16:x}:1"
        self.waiting.run([f"qdisc replace {place} handle {handle >> 16:x}: {words}" if words else
                          f"qdisc del {place}"])

    def write(self, mark, pieces, number=0):
        """Write a packet to the device. If the device refuses the packet, for example because of a
        bad checksum offset, the packet is not counted as sent."""
        first = pieces[0][:MARK_AT] + bytes([mark]) + pieces[0][MARK_AT + 1:]
        try:
            os.writev(self.taps[number].wire, [first, *pieces[1:]])
            self.sent += 1
        except OSError:
            self.refused += 1

    def send(self, count, marks):
        for number in range(count):
            self.write(marks[number % len(marks)], next(self.frames))

    def plain(self, mark, option=b""):
        self.write(mark, [bytes(10) + pkt.ethernet(pkt.ipv4(option, bytes(60)))])

    def wait(self, ms):
        time.sleep(ms / 1000)

    def take(self, seconds):
        """Read a frame from the wire, which releases the next frame from the queue. Returns whether
        there was a frame."""
        return self.slip.read(seconds) is not None

    def read(self, count):
        for _ in range(count):
            self.take(0.002)

    def link(self):
        self.ns.link(self.device, False)
        self.look()
        self.ns.link(self.device, True)

    def stale(self, mark, row, others, arrivals, goes):
        self.plain(mark)
        sent = time.monotonic_ns()
        self.plain(mark, pkt.xlo4(LIFE))
        wait.sharp(sent + AHEAD)
        for _ in range(row):
            self.plain(mark, pkt.xlo4(LIFE))
        last = time.monotonic_ns()
        for other in others:
            self.plain(other)
        wait.sharp(last + LIFE * MS + 1000)
        for _ in range(arrivals):
            self.plain(mark)
        self.take(0)
        if not goes:
            return None
        # A kernel thread makes the device dequeue the next packet.
        for _ in range(YIELDS):
            os.sched_yield()
        return self.delete(goes)

    def drain(self):
        """Read the wire until the tree is empty. The test sends no new packets during this time."""
        until, step = time.monotonic() + PATIENCE, 0.002
        while True:
            while self.take(0.001):
                step = 0.002
            left = [q for q in self.tree().qdiscs if q.kind not in tree.NO_SUMS and
                    (q.qlen or q.backlog and q.kind not in tree.NO_BACKLOG)]
            if not left:
                return
            if time.monotonic() > until:
                self.find("stall", ", ".join(f"{q}: {q.qlen} packets, {q.backlog} bytes"
                                             for q in left))
                return
            time.sleep(step)
            step = min(step * 2, 1)


class Queues(World):
    """A world on a device with two transmit queues that accepts every packet."""

    device = "mq0"

    def _kinds(self):
        return super()._kinds() + [kind for kind in qdiscs.ROOTS if kind != "mq"]

    def _make_device(self):
        kmod.modprobe("veth")
        self.far = netns.Netns()
        netns.veth(self.ns, "mq0", self.far, "far0", queues=2)

    def _remove_device(self):
        self.far.close()

    def take(self, seconds):
        return False

    def link(self):
        super().link()
        wait.until("a link", lambda: self.netlink.operstate("mq0") == netlink.IF_OPER_UP)


class Race(World):
    """A world in which packets arrive on both CPUs and leave at the same time. The sums are not
    compared while packets arrive, because the kernel reports the qdiscs one after the other."""

    inputs = 2
    CHANGES = ("tc", "leaf", "inner", "change", "delete", "link")

    def carry_out(self, steps, frames):
        self.frames = frames
        with child.Beside(lambda: self._come(0)) as one, \
                child.Beside(lambda: self._come(1)) as other, child.Beside(self._leave):
            answers = super().carry_out([s for s in steps if s[0] in self.CHANGES], frames)
        self.sent += one.done + other.done
        self.drain()
        super().look()
        return answers

    def _come(self, number):
        """Let packets arrive on the CPU `number`."""
        os.sched_setaffinity(0, {number % os.cpu_count()})
        for mark in plan.MARKS:
            self.write(mark, next(self.frames), number)
        time.sleep(0.001)
        return len(plan.MARKS)

    def _leave(self):
        self.take(0.05)
        return 0

    def look(self):
        time.sleep(0.005)
        self.tree().check_accounts()
