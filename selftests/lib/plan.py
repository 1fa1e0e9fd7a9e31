# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes a plan for a tree of qdiscs. The steps of the plan depend only on a seed, and not on the
qdisc in the leaves.

A step is a method of world.World and its arguments. Packets carry a mark. Each qdisc with classes
has filters, which select a class for each mark. With the filters, packets of each mark reach a leaf
in any tree."""
import random

from . import bench, qdiscs

MARKS = (1, 2, 3, 4)
DEPTH = 3
MS = bench.MS


class Leaf:
    """The qdisc under test."""

    def __init__(self, handle):
        self.handle = handle


class Node:
    """A classful qdisc of the plan. `slots` contains the child qdiscs in the slots 1, 2, and so on.
    `marks` contains the slot for each mark."""

    def __init__(self, some, kind, handle):
        self.kind, self.handle = kind, handle
        self.slots = dict.fromkeys(range(1, some.randint(*self.about.slots) + 1))
        self.marks = {mark: some.randint(1, len(self.slots)) for mark in MARKS}

    @property
    def about(self):
        return qdiscs.KINDS.get(self.kind) or qdiscs.ROOTS[self.kind]

    @property
    def name(self):
        return self.kind.split()[0]

    def at(self, slot):
        return f"{self.handle:x}:{slot:x}"


def leaf_options(some):
    """Random options of lpd. If a qdisc other than lpd is under test, it uses only the limit."""
    return {"limit": some.choice((1, 5, 50, 1000)), "memory": some.choice((1 << 16, 1 << 25)),
            "order": some.randrange(2), "overflow": some.randrange(4),
            "stale": some.randrange(4), "keep": some.choice((0, 12, 100)),
            "delay": some.choice((0, 0, 10)) * MS, "rate": some.choice((0, 0, 250_000)),
            "lifetime": some.choice((0, 0, 5, 20)) * MS, "adu": some.randrange(2),
            "strip": some.randrange(2), "notify": some.randrange(2),
            "exempt": some.randrange(2), "share": some.choice((0, 10, 50, 99)),
            "match": some.choice(([], [leaf_rule(some) for _ in range(some.randint(1, 4))]))}


def leaf_rule(some):
    return {**some.choice(({"mark": some.choice(MARKS)}, {"mark": 1, "mask": 1}, {"dscp": 0})),
            "lifetime": some.choice((0, 5, 20)) * MS, "stale": some.randint(1, 3),
            "importance": some.randrange(8)}


# Qdiscs for the class of lpd. A qdisc that delays its packets would trigger the known problems of
# parents.
OF_CLASS = ("pfifo limit 5", "pfifo limit 1000", "fq_codel limit 10", "fq_codel",
            "codel target 1ms interval 5ms", "sfq limit 10", "pfifo_head_drop limit 5",
            "red limit 100kb min 2kb max 20kb avpkt 1000 burst 10 probability 0.3")


class Plan:
    """Makes the steps one after the other, and remembers the tree after each step. If the device
    has several transmit queues, the root of a tree is one of qdiscs.ROOTS, with shapers below the
    root."""

    def __init__(self, seed, queues=False, length=24):
        self.some = random.Random(seed)
        self.roots = qdiscs.ROOTS if queues else qdiscs.KINDS
        # If a qdisc is put into one queue, mq and taprio reset all queues.
        self.kinds = [kind for kind, about in qdiscs.KINDS.items() if about.restarts or not queues]
        self.steps, self.major, self.root = [], 0, None
        self._plant()
        for _ in range(length):
            self.some.choices(*zip(*ACTIONS))[0](self)
        self.step("drain")

    def step(self, verb, *arguments):
        self.steps.append((verb, *arguments))

    def tc(self, *lines):
        self.step("tc", lines)

    def _plant(self):
        """Replace the whole tree by a new tree."""
        self.tc("qdisc del DEV root")
        self.root = self._node("root", DEPTH, self.roots)

    def _node(self, place, depth, kinds):
        """Put a qdisc with classes at a position, and other qdiscs below it."""
        some, self.major = self.some, self.major + 1
        node = Node(some, some.choice(sorted(kinds)), self.major)
        options = node.about.options(some, len(node.slots))
        self.tc(f"qdisc replace DEV {place} handle {node.handle:x}: {node.name} {options}",
                *self._classes(node), *_filters(node))
        for slot in node.slots:
            self._occupy(node, slot, depth - 1)
        return node

    def _classes(self, node):
        if not node.about.class_options:
            return []
        above, lines = f"{node.handle:x}:", []
        if node.about.inner and self.some.randrange(2):
            lines.append(self._class(node, f"{node.handle:x}:", 0xf0))
            above = node.at(0xf0)
        return lines + [self._class(node, above, slot) for slot in node.slots]

    def _class(self, node, above, slot, verb="add"):
        return f"class {verb} DEV parent {above} classid {node.at(slot)} {node.name} " \
               f"{node.about.class_options(self.some)}"

    def _occupy(self, node, slot, depth):
        shaped = node.kind in qdiscs.ROOTS
        if depth and node.about.deep and (shaped or not self.some.randrange(3)):
            node.slots[slot] = self._node(f"parent {node.at(slot)}", depth,
                                          qdiscs.SHAPERS if shaped else self.kinds)
        else:
            self._leaf(node, slot)

    def _leaf(self, node, slot):
        self.major += 1
        self.step("leaf", node.handle << 16 | slot, self.major << 16, leaf_options(self.some))
        node.slots[slot] = Leaf(self.major)

    def nodes(self):
        """All nodes of the tree, beginning with the root."""
        found = [self.root]
        for node in found:
            found += [child for child in node.slots.values() if isinstance(child, Node)]
        return found

    def leaf_of(self, mark):
        """Return (parent, handle) of the leaf that packets with a mark reach, or None if they reach
        no leaf."""
        node = self.root
        while isinstance(node, Node):
            above, slot = node, node.marks.get(mark, 1)
            if slot not in node.slots:
                return None
            node = node.slots[slot]
        return node and (above.handle << 16 | slot, node.handle << 16)

    # kinds of steps

    def send(self):
        marks = self.some.sample(MARKS, self.some.randint(1, len(MARKS)))
        self.step("send", self.some.randint(1, 40), marks)

    def wait(self):
        self.step("wait", self.some.choice((1, 5, 20, 60)))

    def read(self):
        self.step("read", self.some.choice((1, 3, 10)))

    def drain(self):
        self.step("drain")

    def link(self):
        """Set the link down and up again. When the link goes down, the kernel empties the tree."""
        if all(node.about.restarts for node in self.nodes()):
            self.step("link")

    def stale(self):
        """Make all packets of a leaf stale while the leaf's timer pauses. While the packets are
        stale, the device dequeues, or more packets arrive than the leaf has space for. The leaf may
        be deleted immediately. The packets of other leaves must still leave."""
        mark = self.some.choice(MARKS)
        leaf = self.leaf_of(mark)
        if not leaf:
            return
        row, arrivals = self.some.choice(((1, 0), (2, 0), (3, 0), (3, 5), (6, 8)))
        self.step("drain")
        self.step("change", *leaf, {"limit": row + 2, "stale": bench.HONOR, "delay": 0, "rate": 0,
                                    "order": bench.FIFO})
        goes = not self.some.randrange(3)
        self.step("stale", mark, row, [m for m in MARKS if m != mark], arrivals, goes and leaf[0])
        self.step("drain")
        if goes:
            self._forget(leaf[0])

    def change_class_of_leaf(self):
        """Put a qdisc into the class of a leaf, or delete the qdisc of the class."""
        leaf = self.leaf_of(self.some.choice(MARKS))
        if leaf:
            self.major += 1
            self.step("inner", leaf[1], self.some.choice((None, *OF_CLASS)), self.major << 16)

    def _forget(self, place):
        """Remove the qdisc at a position from the plan."""
        node = next(node for node in self.nodes() if node.handle == place >> 16)
        node.slots[place & 0xffff] = None

    def change_leaf(self):
        leaf = self.leaf_of(self.some.choice(MARKS))
        if leaf:
            options = leaf_options(self.some)
            self.step("change", *leaf, {name: options[name] for name in
                                        self.some.sample(sorted(options), 5)})

    def change_qdisc(self):
        """Change the options of a qdisc. If the classes of the qdisc are bands, the number of bands
        may change."""
        node = self.some.choice(self.nodes())
        slots = self.some.randint(*node.about.slots)
        if not node.about.class_options:
            node.slots = {slot: node.slots.get(slot) for slot in range(1, slots + 1)}
        self.tc(f"qdisc change DEV {self._place(node)} handle {node.handle:x}: {node.name} "
                f"{node.about.options(self.some, slots)}")

    def change_class(self):
        node = self.some.choice(self.nodes())
        if node.about.class_options:
            slot = self.some.choice(list(node.slots))
            self.tc(f"class change DEV classid {node.at(slot)} {node.name} "
                    f"{node.about.class_options(self.some)}")

    def delete_class(self):
        """Delete a class. Class 1 stays, because it receives the packets that belong to no other
        class."""
        node = self.some.choice(self.nodes())
        slot = self.some.choice(list(node.slots))
        if node.about.class_options and slot != 1:
            self.tc(f"filter del DEV parent {node.handle:x}:",
                    f"class del DEV classid {node.at(slot)}")
            del node.slots[slot]
            node.marks = {}

    def _place(self, wanted):
        for node in self.nodes():
            for slot, child in node.slots.items():
                if child is wanted:
                    return f"parent {node.at(slot)}"
        return "root"

    def replace(self):
        """Replace the qdisc in a slot, or the whole tree."""
        if not self.some.randrange(6):
            self._plant()
            return
        node = self.some.choice(self.nodes())
        self._occupy(node, self.some.choice(list(node.slots)), 2)

    def delete(self):
        node = self.some.choice(self.nodes())
        slot = self.some.choice(list(node.slots))
        self.step("delete", node.handle << 16 | slot)
        node.slots[slot] = None


def _filters(node):
    if not node.about.filters:
        return []
    return [f"filter add DEV parent {node.handle:x}: protocol all prio 1 handle {mark} fw "
            f"classid {node.at(slot)}" for mark, slot in node.marks.items()]


ACTIONS = ((Plan.send, 10), (Plan.wait, 4), (Plan.read, 4), (Plan.drain, 1), (Plan.link, 1),
           (Plan.stale, 2), (Plan.change_leaf, 3), (Plan.change_class_of_leaf, 3),
           (Plan.change_qdisc, 2), (Plan.change_class, 2), (Plan.delete_class, 1), (Plan.replace, 2), (Plan.delete, 1))
