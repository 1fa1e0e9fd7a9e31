# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes random options for classful qdiscs, as arguments for tc. The first word of each key in
KINDS is the name of the qdisc in tc."""
from . import kmod

RATES = ("2mbit", "20mbit", "1gbit")
BANDS = 3


class Kind:
    """A kind of qdisc. The function options(some, slots) returns the arguments after the name. If
    tc creates the classes one by one, class_options(some) returns the arguments of a class. `slots`
    contains the minimum and the maximum number of classes. `inner` says whether a class may have a
    parent class. `holds` says whether the qdisc keeps a packet that it has shown on peek. `delays`
    says whether the qdisc delays packets. `restarts` says whether the qdisc works after a reset. If
    `restarts` is false, the qdisc stalls with any leaves. `deep` says whether classful qdiscs may
    be below the qdisc. `filters` says whether a plan may add filters."""

    def __init__(self, options, class_options=None, slots=(1, BANDS), inner=False, holds=True,
                 delays=False, restarts=True, deep=True, filters=True):
        self.options, self.class_options, self.slots = options, class_options, slots
        self.inner, self.holds, self.delays, self.restarts = inner, holds, delays, restarts
        self.deep, self.filters = deep, filters and slots[1] > 1


def _map(some, slots):
    return " ".join(str(some.randrange(slots)) for _ in range(16))


def _prio(some, slots):
    return f"bands {slots} priomap {_map(some, slots)}"


def _ets(some, slots):
    strict = some.randrange(slots + 1)
    shared = " ".join(some.choice(("300", "1500", "9000")) for _ in range(slots - strict))
    return f"bands {slots} strict {strict}" + (f" quanta {shared}" if shared else "") + \
        f" priomap {_map(some, slots)}"


def _htb_class(some):
    rate = some.choice(RATES)
    return f"rate {rate} ceil {some.choice((rate, '1gbit'))} prio {some.randrange(3)} " \
           f"quantum {some.choice((600, 1500, 9000))}"


def _hfsc_class(some):
    shared, limit = some.choice(RATES), some.choice(RATES)
    return some.choice((f"ls m2 {shared}", f"ls m2 {shared} ul m2 {limit}"))


def _real_time_class(some):
    real, shared = some.choice(RATES), some.choice(RATES)
    return some.choice((f"rt m2 {real}", f"rt m2 {real} ls m2 {shared}",
                        f"sc m1 1gbit d 10ms m2 {real} ul m2 1gbit"))


def _qfq_class(some):
    return f"weight {some.choice((1, 10, 100))} maxpkt {some.choice((600, 1500, 9000))}"


def _red(some, _):
    return f"limit 1mb min 20kb max {some.choice(('60kb', '200kb'))} avpkt 1000 burst 60 " \
           f"bandwidth 10mbit" + some.choice(("", " ecn", " ecn nodrop", " adaptive"))


def _netem(some, _):
    return f"limit {some.choice((10, 1000))}" + \
        some.choice((" delay 5ms", " delay 5ms 3ms", " delay 5ms reorder 30%", "")) + \
        some.choice((" loss 5%", " corrupt 10%", " rate 20mbit", ""))


KINDS = {
    "prio": Kind(_prio, slots=(2, BANDS), holds=False),
    "ets": Kind(_ets),
    "htb": Kind(lambda some, slots: "default 1", _htb_class, inner=True),
    "hfsc": Kind(lambda some, slots: "default 1", _hfsc_class, inner=True),
    "hfsc realtime": Kind(lambda some, slots: "default 1", _real_time_class, inner=True,
                          restarts=False),
    "drr": Kind(lambda some, slots: "",
                lambda some: f"quantum {some.choice((300, 1500, 9000))}"),
    # In Linux 6.1, qfq triggers a warning about a child that shows a packet on peek but returns no
    # packet on dequeue. Every shaper is such a child. Later kernels have another bug. If the child
    # of a netem below qfq refuses the only packet of netem, qfq dereferences a null pointer. The
    # child can also be a pfifo.
    "qfq": Kind(lambda some, slots: "", _qfq_class, deep=False),
    "tbf": Kind(lambda some, slots: f"rate {some.choice(RATES)} burst 20kb limit 1mb",
                slots=(1, 1)),
    "red": Kind(_red, slots=(1, 1), holds=False),
    "sfb": Kind(lambda some, slots: "limit 5000 max 5000 target 4000 increment 0.00005 "
                "decrement 0.000005 rehash 600000 db 60000", slots=(1, 1), holds=False),
    "netem": Kind(_netem, slots=(1, 1), delays=True),
}

# options of taprio for a device with two transmit queues
TAPRIO = "num_tc 1 map " + "0 " * 16 + "queues 2@0 base-time 0 sched-entry S 01 1000000000 " \
    "clockid CLOCK_TAI"
ROOTS = {
    "mq": Kind(lambda some, slots: "", slots=(2, 2), filters=False),
    "multiq": Kind(lambda some, slots: "", slots=(2, 2), filters=False),
}
# In Linux 6.1, taprio does not find a child that is to be changed or replaced.
if kmod.RELEASE >= (6, 12):
    ROOTS["taprio"] = Kind(lambda some, slots: TAPRIO, slots=(2, 2), filters=False)
# Qdiscs below which packets wait, even if the device accepts every packet.
SHAPERS = ("tbf", "htb", "hfsc", "netem")
