# SPDX-License-Identifier: GPL-2.0-or-later
"""The paper's network and its sources. A base station repeats frames that the channel damages, with a
window of three packets and up to six attempts for each packet, and then gives up (pieces/basestation.py).
The base station sends messages for xlo_rto, or the router message "host unreachable" for TCP-LCD
(RFC 6069), or nothing. Two variants are not in the paper: a base station that reports when the
channel is good again (LINK-UP), and a base station that never gives up.

The paper has 64 kbit/s on wire and radio, and a round trip of 1 s. Good times last 8 s on average
and have a bit error rate of 1e-6. Bad times last 0 to 8 s on average and have a bit error rate of
1e-3. Packets have 480 bytes on average, or 1500 bytes in bulk flows. TCP is New Reno, and there is
one user. The paper leaves some points open. These choices are ours:

- The round trip consists of 450 ms each way on the wire, and 50 ms each way on the radio. So the
  transmission of three packets of 480 bytes takes as long as the radio's round trip with an
  acknowledgment.
- The channel also damages acknowledgments, at the same times and with the same bit error rates.
  Acknowledgments have no ARQ. The lengths of good and bad times are exponential.
- A packet "is in the link buffer" until the link has its acknowledgment. DEFER is sent for each
  packet that finds two or more other packets in the buffer.
- The window is TCP's own. The initial window is 2 segments (RFC 2581).
- A session is a session of ETSI TR 101 112 (on average 5 packet calls of 25 datagrams), without its
  reading times of 412 s, in which nothing happens. Packets have up to 480 bytes, because the paper
  computes its probabilities of loss for this size.
- TCP has Linux's timer, SRTT + max(200 ms, 4 mdev) in steps of 1 ms. TCP has no time stamps, no
  SACK, no F-RTO and no loss probes. The paper's timer has steps of 100 ms. The timeout of a SYN is
  1 s, which is less than the round trip. No connection is given up. Linux would give up a
  connection after 15 timeouts, which take only 50 s in the variant with a lower maximum timeout.

A frame has 8 bytes of ARQ header and 14 bytes of Ethernet header in addition to its packet. If the
link gives up, it loses all packets in its buffer. The cellink accepts one frame at a time, and has
already sent this frame. Of the lost packets, only those that have reached the mobile out of order
are delivered, together with the next frame. The channel runs for 60 s before a source starts.

The retransmission timeout is a value of the kernel (TCP_INFO), sampled twice a second while data
are not acknowledged. TCP would set its timer to this value, which includes the back-off. Messages
also change this value. A timeout is spurious if an earlier copy of the segment arrives. Captures at
both ends show spurious timeouts. The kernel cannot count spurious timeouts without time stamps,
SACK and F-RTO. The kernel counts all timeouts ("counted"), including the timeouts of SYNs. A sender
counts as idle from the last packet before a timeout until the timeout."""
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
BER, BAD_BER = 10**6, 10**9                     # in 10^-12
NEW_RENO = senders.RENO | {"tcp_sack": 0, "tcp_no_metrics_save": 1, "tcp_retries2": 100}
FIRST = 2                                       # segments
RTO_MAX = 4                                     # s
LOWERED = f"rto_max {RTO_MAX} s"
PAPER, LINK_UP, NO_FLUSH = "xlo_rto a/4", "xlo_rto LINK-UP", "no flush"
LCD_UP = "TCP-LCD LINK-UP"
# {variant: (function that makes the base station's messages, behaviour after the last attempt)}
STATIONS = {"default": (None, arq.FLUSH), "xlo_rto": (basestation.adaptive, arq.FLUSH),
            LINK_UP: (basestation.adaptive, arq.PROBE), PAPER: (basestation.adaptive, arq.FLUSH),
            "TCP-LCD": (basestation.unreachable, arq.FLUSH),
            LCD_UP: (basestation.unreachable_and_up, arq.PROBE), LOWERED: (None, arq.FLUSH),
            NO_FLUSH: (None, arq.PERSIST)}
OURS = ("xlo_rto", LINK_UP, PAPER)              # variants of the module's messages and settings
LISTENING = (*OURS, LCD_UP)                     # variants for which the module is loaded
VARIANTS = tuple(STATIONS)
OTHERS = tuple(tcp for tcp in VARIANTS if tcp not in ("default", *OURS))
SESSIONS, BULK = 5, 200                         # sessions of a browser; s of a bulk flow
# s before the source starts; s after its end, for packets in the network; s between two samples
BEFORE, AFTER, EVERY = 60, 30, 0.5
# ns from an acknowledgment until all segments that it causes have left, including their wait for
# the wire
QUIET = {"3GPP": S // 2, "bulk": S}
HOURS = 4                                       # length of the channel's states
VERDICTS = ("at_once", "shortened", "in_flight", "drop_again", "cancelled", "back", "extended", "link_up")


def turns(seed, bad):
    """The times, in ms, at which the channel becomes bad, good, bad and so on."""
    chance, times, now = random.Random(f"turns {seed}"), [], 0
    while now < HOURS * 3600 * 1000:
        for mean in (GOOD, bad):
            now += round(chance.expovariate(1 / mean) * 1000)
            times.append(now)
    return times


def network(cell, seed):
    """Build the path, and start its channel and the base station. Returns the path and the base
    station."""
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
    """Configure the sender for a variant."""
    for name, value in NEW_RENO.items():
        path.sender.sysctl(f"net.ipv4.{name}", value)
    if variant in LISTENING:
        kmod.insmod("xlo_rto")
        early = "quarter" if variant == PAPER else "rtt"
        path.sender.run(f"freshlink rto set --accept native --early {early}")
    if variant == LOWERED:
        if kmod.RELEASE < (6, 15):
            raise RuntimeError("tcp_rto_max_ms: needs Linux 6.15 or newer")
        path.sender.sysctl("net.ipv4.tcp_rto_max_ms", RTO_MAX * 1000)


def watch(path, station, busy):
    """The mean retransmission timeout in s, as long as the source is busy."""
    connections, found = sockets.Sockets(path.sender), []
    while busy():
        station.check()
        found += [info.rto / 1e6 for info in connections.established() if info.unacked]
        time.sleep(EVERY)
    return contest.mean(found)


def browse(path, station, seed, directory):
    """Run sessions one after the other. Returns the mean time of a session in s, and the throughput."""
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
    """Run one endless download."""
    flow = download.Download(path, contest.ENDLESS)
    flow.begin()
    end = time.monotonic() + BULK
    rto = watch(path, station, lambda: time.monotonic() < end)
    kbit = flow.read / 125 / BULK
    flow.give_up()
    return {"rto": rto, "kbit": kbit, "seconds": BULK, "sessions": 1}


def judge(wires, quiet):
    """Sum up segments, timeouts and idle time of all connections, from the captures at both ends."""
    seen, arrivals = (wire.connections() for wire in wires)
    found = collections.Counter(idle=0)
    for ports, own in seen.items():
        found.update(segments.summary(own, arrivals.get(ports, []), quiet))
        found["idle"] += segments.idle(own, quiet) / S
    return found


def verdicts(path, variant):
    """The module's counters of messages, by verdict."""
    if variant not in LISTENING:
        return {}
    shown = json.loads(path.sender.run("freshlink rto show -j").stdout)
    return {name: shown[name] for name in ("received", *VERDICTS)}


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
    """The age of a packet, in s, when its sender learns that the link has given it up. The packet is alone
    in the window."""
    size = SIZES[source]
    takes = size * S // (KBIT * 125)
    attempt = takes + 2 * RADIO_DELAY + basestation.SLACK
    return (2 * WIRE_DELAY + takes + arq.ATTEMPTS * attempt) / S


def share(bad):
    """The share of the time, in percent, in which the channel is bad."""
    return 100 * bad / (GOOD + bad)


def of(rows, **wanted):
    """The rows with these parameters."""
    for name, value in wanted.items():
        rows = rows[rows[name] == value]
    return rows


def by_seed(rows, value, **wanted):
    """A column of the rows with these parameters, indexed by seed."""
    return of(rows, **wanted).set_index("seed")[value].sort_index()


def pairs(rows, value, bad, other="default", one="xlo_rto"):
    """A list with one pair of columns: the values of two variants at a mean bad time, indexed by
    seed. The list is empty if a variant has no rows."""
    found = [by_seed(rows, value, tcp=tcp, bad=bad) for tcp in (one, other)]
    return [found] if all(map(len, found)) else []


def instead(one, other, unit, digits=1):
    """Two means as text: "1.0 ± 0.1 s instead of 2.0 ± 0.2 s"."""
    from pieces.estimate import text
    return f"{text(one, unit, digits)} instead of {text(other, unit, digits)}"


def by_share(texts):
    """Join texts about mean bad times; each begins with the share of bad time."""
    return "; ".join(f"{share(bad):.0f} % bad: {text}" for bad, text in texts.items())


def curves(axes, rows, value, label):
    """Draw a column of each variant against the share of bad time."""
    from pieces import picture
    for number, tcp in enumerate(VARIANTS):
        if len(one := of(rows, tcp=tcp)):
            picture.curve(axes, one.assign(share=share(one["bad"])), "share", value, number, tcp)
    axes.set_ylabel(label)
    axes.set_xlabel("share of the time in which the channel is bad [%]")
