# SPDX-License-Identifier: GPL-2.0-or-later
"""The paper's network and its sources. A base station repeats what the channel damages, three packets at
a time and six times each, then gives up (pieces/basestation.py); what it tells is acted on by xlo_rto, or
it says of a packet that it gives up what any router may say (TCP-LCD, RFC 6069), or nothing. Beyond the
paper are a base station that says when the channel is good again (LINK-UP), and one that never gives up.

The paper's are: 64 kbit/s on wire and radio, a round trip of 1 s, good times of 8 s and bad ones of 0 to
8 s on average with bit error rates of 1e-6 and 1e-3, packets of 480 bytes on average, in bulk of 1500
bytes, New Reno, one user. It does not say, and this is ours:

- how the second is divided: 450 ms each way on the wire, 50 ms on the radio, whose round trip and an
  acknowledgment three packets of 480 bytes just fill;
- what is done to acknowledgments: the channel is as bad for them at the same times, which are
  exponential, and without ARQ;
- when packets "are in the link buffer": as long as the link has no acknowledgment of them. DEFER comes
  with each packet that finds two others or more;
- which window there is: TCP's own, at first of 2 segments (RFC 2581);
- what a session is: the report's (mean 5 packet calls of 25 datagrams) without its reading times of
  412 s, in which nothing happens; packets are of up to 480 bytes, as the paper's chances of loss are;
- which timer TCP has: Linux's, SRTT + max(200 ms, 4 mdev) in steps of 1 ms, and neither time stamps nor
  SACK, F-RTO and loss probes. The paper's has steps of 100 ms. A SYN's is of 1 s, less than the round
  trip. No connection is given up, which Linux would do after 15 timeouts, with the lower maximum 50 s.

A frame has 8 bytes of the ARQ's and 14 of Ethernet's beside its packet. When the link gives up nothing
is left of what it held: the cellink takes one frame at a time, and has sent it. Only what has reached the
mobile out of order goes on with the next frame. The channel has had its times for 60 s when a source begins.

The retransmission timeout is the kernel's (TCP_INFO), twice a second while something is not acknowledged:
what TCP would set its timer to, doubled while it backs off; a message moves that, too.
A timeout is spurious if an earlier copy of what it sends arrives, which packets at both ends tell: without
time stamps, SACK and F-RTO the kernel cannot count them. All timeouts it does ("counted"), SYNs' as well.
A sender is idle from the packet before a timeout to that."""
import collections
import json
import os
import random
import time

from lib import icmp, kmod, mib
from lib.cell import MS, S

from pieces import arq, basestation, browser, contest, download, segments, senders, sockets, topology

KBIT, WIRE_DELAY, RADIO_DELAY = 64, 450 * MS, 50 * MS
SIZES = {"3GPP": 480, "bulk": 1500}             # bytes of a packet, by source
GOOD, BADS = 8, (0, 1, 2, 4, 8)                 # s, mean
BER, BAD_BER = 10**6, 10**9                     # of 10^-12
NEW_RENO = senders.RENO | {"tcp_sack": 0, "tcp_no_metrics_save": 1, "tcp_retries2": 100}
FIRST = 2                                       # segments
RTO_MAX = 4                                     # s
LOWERED = f"rto_max {RTO_MAX} s"
PAPER, LINK_UP, NO_FLUSH = "xlo_rto a/4", "xlo_rto LINK-UP", "no flush"
LCD_UP = "TCP-LCD LINK-UP"
# How the base station speaks, and what it does after the last attempt
STATIONS = {"default": (None, arq.FLUSH), "xlo_rto": (basestation.adaptive, arq.FLUSH),
            LINK_UP: (basestation.adaptive, arq.PROBE), PAPER: (basestation.adaptive, arq.FLUSH),
            "TCP-LCD": (basestation.unreachable, arq.FLUSH),
            LCD_UP: (basestation.unreachable_and_up, arq.PROBE), LOWERED: (None, arq.FLUSH),
            NO_FLUSH: (None, arq.PERSIST)}
OURS = ("xlo_rto", LINK_UP, PAPER)              # what the module does, by what it is told and set to
LISTENING = (*OURS, LCD_UP)                     # the module is loaded
VARIANTS = tuple(STATIONS)
OTHERS = tuple(tcp for tcp in VARIANTS if tcp not in ("default", *OURS))
SESSIONS, BULK = 5, 200                         # of a browser; s
BEFORE, AFTER, EVERY = 60, 30, 0.5              # s: the channel alone; what is under way; looks
# ns: after an acknowledgment, what it causes has left by then, though it waits for the wire
QUIET = {"3GPP": S // 2, "bulk": S}
HOURS = 4                                       # that the channel's course is long
VERDICTS = ("at_once", "shortened", "in_flight", "drop_again", "cancelled", "back", "extended", "link_up")


def turns(seed, bad):
    """When the channel turns bad, good and so on, in ms."""
    chance, times, now = random.Random(f"turns {seed}"), [], 0
    while now < HOURS * 3600 * 1000:
        for mean in (GOOD, bad):
            now += round(chance.expovariate(1 / mean) * 1000)
            times.append(now)
    return times


def network(cell, seed):
    """The path, its channel at work, and the base station."""
    size = SIZES[cell["source"]]
    path = topology.Path(size + arq.HEADER.size, KBIT, delay=RADIO_DELAY, wire_delay=WIRE_DELAY,
                         wire_rate=KBIT * 125 * (size + topology.HEADER) // size)
    path.damage(seed, back=True, ber=BER, bad_ber=BAD_BER)
    path.reach(mtu=size, initcwnd=FIRST)
    prepare(path, cell["tcp"])
    if cell["bad"]:
        path.turn(turns(seed, cell["bad"]))
    station = basestation.BaseStation(path, *STATIONS[cell["tcp"]])
    station.begin()
    return path, station


def prepare(path, variant):
    """Make the sender this one."""
    for name, value in NEW_RENO.items():
        path.sender.sysctl(f"net.ipv4.{name}", value)
    if variant in LISTENING:
        kmod.insmod("xlo_rto")
        early = "quarter" if variant == PAPER else "rtt"
        path.sender.run(f"freshlink rto set --accept native --early {early}")
    if variant == LOWERED:
        if kmod.RELEASE < (6, 15):
            raise RuntimeError("rto_max: Linux can lower it from 6.15 on")
        path.sender.sysctl("net.ipv4.tcp_rto_max_ms", RTO_MAX * 1000)


def watch(path, station, busy):
    """The mean retransmission timeout in s, as long as the source is busy."""
    looker, found = sockets.Sockets(path.sender), []
    while busy():
        station.check()
        found += [info.rto / 1e6 for info in looker.established() if info.unacked]
        time.sleep(EVERY)
    return contest.mean(found)


def browse(path, station, seed, directory):
    """Sessions one after the other: what one of them took, in s, and how fast its data were."""
    source = browser.Browser(path, os.path.join(directory, "calls.csv"), seed, SESSIONS,
                             "--reading 0s")
    source.listen()
    source.begin()
    rto = watch(path, station, source.is_busy)
    sent, calls = source.finish()
    seconds = sum(call.end - call.start for call in calls) / S
    return {"rto": rto, "kbit": sent["bytes"] / 125 / seconds, "seconds": seconds / SESSIONS,
            "sessions": SESSIONS}


def bulk(path, station, _seed, _directory):
    """One endless download."""
    flow = download.Download(path, contest.ENDLESS)
    flow.begin()
    end = time.monotonic() + BULK
    rto = watch(path, station, lambda: time.monotonic() < end)
    kbit = flow.read / 125 / BULK
    flow.give_up()
    return {"rto": rto, "kbit": kbit, "seconds": BULK, "sessions": 1}


def judge(wires, quiet):
    """What the connections did, by their packets at both ends."""
    seen, arrivals = (wire.connections() for wire in wires)
    found = collections.Counter(idle=0)
    for ports, own in seen.items():
        found.update(segments.summary(own, arrivals.get(ports, []), quiet))
        found["idle"] += segments.idle(own, quiet) / S
    return found


def verdicts(path, variant):
    """What became of the messages."""
    if variant not in LISTENING:
        return {}
    told = json.loads(path.sender.run("freshlink rto show -j").stdout)
    return {name: told[name] for name in ("received", *VERDICTS)}


def run(cell, seed, directory):
    path, station = network(cell, seed)
    wires = [segments.Wire(path.sender, "eth0"),
             segments.Wire(path.receiver, basestation.DEVICE, header=0)]
    time.sleep(BEFORE)
    row = (bulk if cell["source"] == "bulk" else browse)(path, station, seed, directory)
    time.sleep(AFTER)
    station.check()
    row.update(judge(wires, QUIET[cell["source"]]))
    row["idle"] /= row["sessions"]
    return [{**row, "drops": station.reported[icmp.DROP], "defers": station.reported[icmp.DEFER],
             "link_ups": station.reported[icmp.LINK_UP],
             "counted": mib.read(path.sender)["TcpExt.TCPTimeouts"], **verdicts(path, cell["tcp"])}]


# --- on the host ---

def age(source):
    """How old a packet is when the sender hears that the link has given up on it, in s; by itself in the
    window."""
    size = SIZES[source]
    takes = size * S // (KBIT * 125)
    attempt = takes + 2 * RADIO_DELAY + basestation.SLACK
    return (2 * WIRE_DELAY + takes + arq.ATTEMPTS * attempt) / S


def part(bad):
    """Of the time, in percent, that the channel is bad."""
    return 100 * bad / (GOOD + bad)


def of(rows, **wanted):
    """The rows with these parameters."""
    for name, value in wanted.items():
        rows = rows[rows[name] == value]
    return rows


def by_seed(rows, value, **wanted):
    """A column of the rows with these parameters."""
    return of(rows, **wanted).set_index("seed")[value].sort_index()


def pairs(rows, value, bad, other="default", one="xlo_rto"):
    """A column of one variant's rows and of another's at a mean bad time, by seed; nothing where there
    are none."""
    found = [by_seed(rows, value, tcp=tcp, bad=bad) for tcp in (one, other)]
    return [found] if all(map(len, found)) else []


def instead(one, other, unit, digits=1):
    """In words."""
    from pieces.estimate import text
    return f"{text(one, unit, digits)} instead of {text(other, unit, digits)}"


def by_part(texts):
    """What is to be said of each mean bad time, in words."""
    return "; ".join(f"{part(bad):.0f} % bad: {text}" for bad, text in texts.items())


def curves(axes, rows, value, label):
    """A column of each variant against the part of the time that is bad."""
    from pieces import picture
    for number, tcp in enumerate(VARIANTS):
        if len(one := of(rows, tcp=tcp)):
            picture.curve(axes, one.assign(part=part(one["bad"])), "part", value, number, tcp)
    axes.set_ylabel(label)
    axes.set_xlabel("part of the time that the channel is bad [%]")
