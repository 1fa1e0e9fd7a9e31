# SPDX-License-Identifier: GPL-2.0-or-later
"""The cases of the bench and their aims: packets through queues, through xlo's hooks, across links,
and to the other end of a path."""
from typing import NamedTuple

DEPTHS = (1, 100, 1000, 10_000, 1_000_000)
LIMIT = 1_000_100               # packets
MEMORY = "3gb"
SPREAD = 1000                   # ms between the shortest and the longest lifetime


class Case(NamedTuple):
    """One path of a packet: a row of a table."""
    name: str
    what: str                   # parameter of the module: qdisc, prerouting, output, device, path
                                # or nothing
    setup: tuple = ()           # commands before the case; later cases keep their effect. {limit} fits
                                # the depth
    packets: dict = {}          # parameters of the module
    depths: tuple = (1,)
    turnover: int = 0           # ms after which all queued packets have left


def _queue(name, qdisc, turnover=0, depths=DEPTHS, child=None, gate=False, what="qdisc", **packets):
    """A queue. `child` is the qdisc of lpd's class, or the qdisc below tbf. `gate` is true for an lpd
    with a gate."""
    # set noqueue first, because replacing a qdisc of the same kind would keep its other options
    setup = ("tc qdisc replace dev {dev} root noqueue",
             f"tc qdisc replace dev {{dev}} root handle 1: {qdisc}")
    if child:
        setup += (f"tc qdisc replace dev {{dev}} parent 1:1 {child}",)
    if gate:
        setup += ("/usr/bin/python3 lab/bench/gate.py {dev}",)
    return Case(name, what, setup, packets, depths, turnover)


def _below_tbf(name, qdisc):
    """A queue below a shaper, with packets that have a lifetime. The shaper has tokens for each packet,
    because the packets arrive more slowly than its rate. README.md has this shaper."""
    return _queue(name, "tbf rate 4mbit burst 5kb limit 1mb", 300, DEPTHS[:3], qdisc,
                  lifetime=10_000)


# Random times, by which edf and etf sort. Each packet is queued for the time `spread`, so the next
# packet to leave has an earlier time than the arriving packet, as etf requires.
_RANDOM = {"turnover": SPREAD, "spread": SPREAD}
_LPD = f"lpd limit {LIMIT} memory {MEMORY} share 0"
_CLASS = f"lpd limit {LIMIT} memory {MEMORY} share 50"
_EDF = f"{_LPD} order edf"
# order edf with tables for as many packets as wait, as with a limit that somebody has chosen
_FITTING = _EDF.replace(f"limit {LIMIT}", "limit {limit}")
_LINK = "rate 4mbit delay 40ms"     # of the queue below tbf in README.md
# An estimate of the link's rate that moves fifty times a second: ten packets come with each estimate
_MOVING = {"what": "moving", "turnover": 1, "lifetime": 60_000, "pause": 2000}
# Rules that give marked packets a lifetime of 10 s. The last rule matches the mark 1.
_RULE = "match mark 1 10s"
_RULES = " ".join([f"match mark {mark} 10s" for mark in range(2, 33)] + [_RULE])
QUEUES = (
    _queue("pfifo", f"pfifo limit {LIMIT}"),
    _queue("codel", f"codel limit {LIMIT}"),
    _queue("fq_codel", f"fq_codel limit {LIMIT} memory_limit {MEMORY}"),
    _queue("fq", f"fq limit {LIMIT} flow_limit {LIMIT}"),
    _queue("etf", "etf clockid CLOCK_TAI delta 2100000000 skip_sock_check", ahead=1000, **_RANDOM),
    _queue("cake", f"cake unlimited memlimit {MEMORY}"),
    _queue("lpd", _LPD),
    _queue("lpd, options", _LPD, turnover=1, lifetime=10_000),
    _queue("lpd, options, rate and delay", f"{_LPD} {_LINK}", turnover=1, lifetime=10_000),
    _below_tbf("tbf, lpd, options", _LPD),
    _below_tbf("tbf, lpd, options, rate and delay", f"{_LPD} {_LINK}"),
    _queue("lpd, options, moving rate", _LPD, **_MOVING),
    # every second packet has an option
    _queue("lpd, half with options", _LPD, turnover=1, lifetime=10_000, mixed=1),
    _queue("lpd, options, clones of TCP", _LPD, turnover=1, depths=DEPTHS[:4], lifetime=10_000,
           cloned=1),
    _queue("lpd, options, empty class", _CLASS, turnover=1, lifetime=10_000),
    _queue("lpd, half in class with pfifo", _CLASS, child=f"pfifo limit {LIMIT}", turnover=1,
           lifetime=10_000, mixed=1),
    # all packets are in the class
    _queue("lpd, class with pfifo", _CLASS, child=f"pfifo limit {LIMIT}"),
    _queue("lpd, class with fq_codel", _CLASS,
           child=f"fq_codel limit {LIMIT} memory_limit {MEMORY}"),
    _queue("lpd, open gate", _LPD, gate=True),
    _queue("lpd, options, empty class, open gate", _CLASS, turnover=1, lifetime=10_000, gate=True),
    _queue("lpd, 1 rule", f"{_LPD} {_RULE}", turnover=1, mark=1),
    _queue("lpd, 32 rules", f"{_LPD} {_RULES}", turnover=1, mark=1),
    _queue("lpd, edf", _EDF, lifetime=10_000, **_RANDOM),
    _queue("lpd, edf, reorder 3", _EDF, lifetime=10_000, reorder=3, **_RANDOM),
    # the packets that wait for a block of their flow leave late, so they are not among the first ones
    _queue("lpd, edf, settled", _EDF, lifetime=10_000, settled=1, **_RANDOM),
    _queue("lpd, edf, reorder 3, settled", _EDF, lifetime=10_000, reorder=3, settled=1, **_RANDOM),
    _queue("lpd, edf, fitting limit", _FITTING, lifetime=10_000, **_RANDOM),
    _queue("lpd, edf, reorder 3, fitting limit", _FITTING, lifetime=10_000, reorder=3, **_RANDOM),
    # "truncating" has no depth 1, because lpd cuts no packet while fewer than three packets are
    # queued: the parents of lpd need a packet that remains queued
    _queue("lpd, kept whole", _LPD, turnover=15, lifetime=10_000, size=500),
    _queue("lpd, truncating", _LPD, turnover=15, depths=DEPTHS[1:], lifetime=10, stale=2,
           size=500),
)

# Packets of 64 bytes with the Ethernet header, which go through the core to a dummy device
_SMALL = {"what": "rate", "depths": (1,), "lifetime": 10_000, "size": 50}
RATES = (
    _queue("64 bytes, pfifo", f"pfifo limit {LIMIT}", **_SMALL),
    _queue("64 bytes, fq_codel", f"fq_codel limit {LIMIT} memory_limit {MEMORY}", **_SMALL),
    _queue("64 bytes, fq", f"fq limit {LIMIT} flow_limit {LIMIT}", **_SMALL),
    _queue("64 bytes, lpd", _LPD, **_SMALL),
    _queue("64 bytes, lpd, edf", _EDF, reorder=3, **_SMALL),
)


def _request(name, qdisc, pause, low, high, **packets):
    """Requests to lpd's gate, while packets are queued. The estimate of the link's rate alternates
    between `low` and `high`. Few requests are measured, because each may concern many packets."""
    return _queue(name, qdisc, what="request", turnover=1, lifetime=60_000, pause=pause, low=low,
                  high=high, packets=4, **packets)


# lpd uses a new rate if it differs by a quarter, once a second
_OLD_RATE = {"pause": 20_000, "low": 1_000_000, "high": 1_100_000}
_NEW_RATE = {"pause": 1_100_000, "low": 1_000_000, "high": 500_000}
REQUESTS = (
    _request("fifo, the rate stays", _LPD, **_OLD_RATE),
    _request("fifo, the rate changes", _LPD, **_NEW_RATE),
    _request("edf, the rate stays", _EDF, spread=SPREAD, reorder=3, **_OLD_RATE),
    _request("edf, the rate changes", _EDF, spread=SPREAD, reorder=3, **_NEW_RATE),
)

# the queues of which the bench measures how much memory they need for a million packets
MEMORIES = tuple(case for case in QUEUES if case.name in ("pfifo", "lpd, options", "lpd, edf, reorder 3"))


def _named(name):
    return next(case for case in QUEUES if case.name == name)


# The queues that the bench also measures in Linux 7.2, because dualpi2 is new there. tc of Debian 12
# cannot give dualpi2 options, and its default limit is 10,000 packets.
NEWER = tuple(case._replace(depths=DEPTHS[:3]) for case in (
    *map(_named, ("codel", "fq_codel", "fq")), _queue("dualpi2", "dualpi2"),
    *map(_named, ("lpd", "lpd, options", "lpd, edf, reorder 3"))))

# TCP keeps each segment, and sends a clone.
_TCP = {"tcp": 1, "cloned": 1}
HOOKS = (
    Case("arriving, no module", "prerouting", ("tc qdisc replace dev {dev} root noqueue",)),
    Case("sent, no module", "output"),
    Case("arriving, an empty hook", "prerouting", packets={"hooked": 1}),
    Case("sent, an empty hook", "output", packets={"hooked": 1}),
    Case("arriving, xlo unused", "prerouting", ("insmod {modules}/xlo.ko",)),
    Case("sent, xlo unused", "output"),
    Case("arriving, without option", "prerouting", ("freshlink set --validate on",)),
    Case("arriving, validated", "prerouting", packets={"lifetime": 1000}),
    Case("sent, no profile matches", "output",
         ("freshlink profile add bench --mark 1 --lifetime 300ms",)),
    Case("sent, stamped", "output", packets={"mark": 1}),
    Case("sent, stamped, TCP segment", "output", packets={"mark": 1, "size": 1400, **_TCP}),
    Case("sent, stamped, TCP super-packet", "output",
         packets={"mark": 1, "size": 14_040, "segment": 1400, **_TCP}),
)

# With this rate and delay, each packet has arrived before the next packet is sent, so each
# measurement contains the work for one packet.
_RATE, _DELAY, _APART = "rate 10mbit", "delay 10ms", 15
# The least loss that can be configured: a random number is drawn for each packet, but hardly any
# packet is lost.
_LOSS, _BER = "loss 0.0001%", "ber 1e-12"
_BUFFER, _GRANT = "buffer 1mb", "grant 1ms"
_NETEM = "netem limit 1000"


def _above(name, qdisc):
    """A queue of two packets above a link. Each measurement enqueues one packet and dequeues
    another packet."""
    return _queue(name, qdisc, 2 * _APART, (2,))


def _pair(number, name, options):
    """A device that hands packets to another device."""
    return Case(name, "device", (f"ip link add left{number} up type {options} "
                                 f"peer name right{number}", f"ip link set right{number} up"),
                {"dev": f"left{number}"}, turnover=_APART)


LINKS = (
    _above("tbf", f"tbf {_RATE} burst 5kb limit 1mb"),
    _above("netem", _NETEM),
    _above("netem, rate", f"{_NETEM} {_RATE}"),
    _above("netem, delay", f"{_NETEM} {_DELAY}"),
    _above("netem, rate and delay", f"{_NETEM} {_RATE} {_DELAY}"),
    _above("netem, loss", f"{_NETEM} {_LOSS}"),
    _pair(0, "veth", "veth"),
    _pair(1, "cellink", "cellink"),
    _pair(2, "cellink, rate", f"cellink {_RATE}"),
    _pair(3, "cellink, delay", f"cellink {_DELAY}"),
    _pair(4, "cellink, rate and delay", f"cellink {_RATE} {_DELAY}"),
    _pair(5, "cellink, loss", f"cellink {_LOSS}"),
    _pair(6, "cellink, bit errors", f"cellink {_BER}"),
    _pair(7, "cellink, rate and buffer", f"cellink {_RATE} {_BUFFER}"),
    _pair(8, "cellink, rate and grant", f"cellink {_RATE} {_GRANT}"),
)


def _veth(number, name, **packets):
    """A packet over a veth pair, until the stack of the other end has it."""
    left, right = f"vethl{number}", f"vethr{number}"
    return Case(name, "path", (f"ip link add {left} up type veth peer name {right}",
                               f"ip link set {right} up"),
                {"dev": left, "to": right, **packets})


def _arqlink(number, name, options, **packets):
    """A packet through an arqlink over a veth pair, until the stack of the other end has it."""
    below = _veth(number, name)
    left, right = f"arql{number}", f"arqr{number}"
    pair = tuple(f"ip link add link {below.packets[end]} name {device} up type arqlink {options}"
                 for end, device in (("dev", left), ("to", right)))
    connected = tuple(f"/usr/bin/python3 lab/bench/connected.py {device}"
                      for device in (left, right))
    return Case(name, "path", below.setup + pair + connected, {"dev": left, "to": right, **packets})


# The addresses of the devices below macsec, and the key of its frames
_BELOW = {"dev": "02:00:00:00:00:01", "to": "02:00:00:00:00:02"}
_KEY = 16 * "5a"


def _macsec(number, name, **packets):
    """A packet through a macsec over a veth pair, until the stack of the other end has it."""
    below = _veth(number, name)
    ends = {"dev": f"secl{number}", "to": f"secr{number}"}
    setup = below.setup
    for end, device in ends.items():
        lower = below.packets[end]
        setup += (f"ip link set {lower} down", f"ip link set {lower} address {_BELOW[end]} up",
                  f"ip link add link {lower} {device} type macsec encrypt on")
    for device, peer in (ends["dev"], _BELOW["to"]), (ends["to"], _BELOW["dev"]):
        receive = f"ip macsec add {device} rx port 1 address {peer}"
        setup += (f"ip macsec add {device} tx sa 0 pn 1 on key 00 {_KEY}", receive,
                  f"{receive} sa 0 pn 1 on key 00 {_KEY}", f"ip link set {device} up")
    return Case(name, "path", setup, {**ends, **packets})


_LARGE = 1400
PATHS = (
    _veth(0, "veth, 100 bytes"),
    _veth(1, f"veth, {_LARGE} bytes", size=_LARGE),
    _macsec(6, "macsec, 100 bytes"),
    _arqlink(2, "arqlink, 100 bytes", "frame 250b"),
    _arqlink(3, "arqlink, 100 bytes, each answered", "frame 250b ack_delay 0ms"),
    _arqlink(4, f"arqlink, {_LARGE} bytes in 6 frames", "frame 250b", size=_LARGE),
    _arqlink(5, f"arqlink, {_LARGE} bytes in 1 frame", "frame 1462b", size=_LARGE),
)
# The cost of the measurement itself
NOTHING = Case("nothing", "nothing")


class Multiple(NamedTuple):
    """A multiple of the mean of other cases at the same depth."""
    factor: float
    cases: tuple


class Spread(NamedTuple):
    """A multiple of the case's own smallest number."""
    factor: float


class Aim(NamedTuple):
    """The most that a case may need at each of the depths, after another case has been subtracted."""
    name: str
    case: str
    most: float | Multiple | Spread
    less: str | None = None
    depths: tuple = DEPTHS


# instructions
AIMS = (
    Aim("FIFO without options", "lpd", 90),
    Aim("FIFO with options", "lpd, options", 370),
    Aim("FIFO with options, rate and delay", "lpd, options, rate and delay",
        Multiple(1.1, ("lpd, options",))),
    Aim("FIFO with options, rate and delay, below tbf", "tbf, lpd, options, rate and delay",
        Multiple(1.1, ("tbf, lpd, options",))),
    # a rate that moves needs no more than one that stays
    Aim("FIFO with options, while an estimate moves", "lpd, options, moving rate",
        Multiple(1.1, ("lpd, options, rate and delay",))),
    # packets of both kinds need no more because they are mixed
    Aim("FIFO, half of the packets with options", "lpd, half with options",
        Multiple(1.1, ("lpd", "lpd, options"))),
    Aim("an empty class, with options", "lpd, options, empty class", 15, "lpd, options"),
    Aim("an open gate", "lpd, open gate", 15, "lpd"),
    Aim("an empty class and an open gate, with options", "lpd, options, empty class, open gate", 15,
        "lpd, options"),
    Aim("EDF", "lpd, edf", 650, depths=DEPTHS[:3]),
    Aim("EDF, long queues", "lpd, edf", 820, depths=DEPTHS[3:]),
    Aim("EDF, reorder 3", "lpd, edf, reorder 3", 580),
    Aim("EDF, reorder 3, at most 10 % more than at any depth", "lpd, edf, reorder 3", Spread(1.1)),
    Aim("truncation of a linear UDP packet", "lpd, truncating", 350, "lpd, kept whole"),
    Aim("a request that changes the rate, at any depth", "fifo, the rate changes", Spread(1.1)),
    Aim("the same with EDF", "edf, the rate changes", Spread(1.1)),
    Aim("a request, at any depth", "fifo, the rate stays", Spread(1.1)),
    Aim("the same with EDF", "edf, the rate stays", Spread(1.1)),
    Aim("xlo unused, arriving", "arriving, xlo unused", 5, "arriving, no module"),
    Aim("xlo unused, sent", "sent, xlo unused", 5, "sent, no module"),
    Aim("xlo validates", "arriving, validated", 60, "arriving, an empty hook"),
    Aim("xlo stamps", "sent, stamped", 250, "sent, an empty hook"),
    Aim("xlo stamps a TCP segment, which is a clone", "sent, stamped, TCP segment", 250,
        "sent, an empty hook"),
    Aim("xlo stamps a TCP super-packet", "sent, stamped, TCP super-packet", 250, "sent, an empty hook"),
    Aim("idle cellink, compared with veth", "cellink", Multiple(1.3, ("veth",))),
)

# The times of order edf before it got buckets, as ratios to etf's time: medians of 30 rounds in 10 passes,
# measured twice. etf keeps its packets in a tree, and so is as sensitive to the processor's caches.
EDF_BEFORE = {
    "lpd, edf": dict(zip(DEPTHS, (0.56, 0.52, 0.74, 0.62, 0.15))),
    "lpd, edf, reorder 3": dict(zip(DEPTHS, (0.56, 0.61, 0.77, 0.63, 0.37))),
}
# ratios to the time of fq_codel
TIME_AIMS = (
    Aim("FIFO with options", "lpd, options", 1.1),
    *(Aim(f"{case}{limit}, {depth} queued: {part:.1f} of its time before", case + limit,
          Multiple(part * before, ("etf",)), depths=(depth,))
      for limit in ("", ", fitting limit") for case, times in EDF_BEFORE.items()
      for depth, before in times.items() for part in [0.7 if depth <= 1000 else 1.0]),
)
# bytes for each packet of a full queue
MEMORY_AIMS = (("EDF's tables", "lpd, edf, reorder 3", 112),)

# The cases that "make check" measures. The cases of the hooks are all here, because most of them need
# the commands of the cases before them.
SMOKE = ("lpd", "lpd, options", "lpd, open gate", "lpd, options, empty class, open gate",
         "lpd, kept whole", "lpd, truncating", "veth", "cellink", *(case.name for case in HOOKS))
SMOKE_DEPTHS = (1, 1000)
