# SPDX-License-Identifier: GPL-2.0-or-later
"""The paper's network and its sources. A base station repeats frames that the channel damages, with a
window of three packets and up to six attempts for each packet, and then gives up (rto/station.py).
The base station is the module arqlink, whose messages go to xlo_rto at the sender. For TCP-LCD
(RFC 6069), a thread at the router sends the router message "host unreachable" for each DROP of
arqlink (rto/unreachable.py). Two variants are not in the paper: a base station that reports when the
channel is good again (LINK-UP), and a base station that never gives up.

The paper has 64 kbit/s on wire and radio, and a round trip of 1 s. Good times last 8 s on average
and have a bit error rate of 1e-6. Bad times last 0 to 8 s on average and have a bit error rate of
1e-3. Packets have 480 bytes on average, or 1500 bytes in bulk flows. TCP is New Reno, and there is
one user. The paper leaves some points open. These choices are ours:

- The round trip consists of 450 ms each way on the wire, and 50 ms each way on the radio. So the
  transmission of three packets of 480 bytes takes as long as the radio's round trip with an
  acknowledgment.
- 64 kbit/s is the rate of IP packets. A frame has 24 bytes of arqlink's header and two Ethernet
  headers of 14 bytes in addition to its packet. The cellink is faster by the share of these headers
  in a packet of the largest size. Headers can also be damaged. So a frame with 480 bytes is lost in
  bad times with 98.6 %, in the paper with 97.85 %.
- The channel also damages acknowledgments, at the same times and with the same bit error rates. An
  acknowledgment of arqlink is a frame of 38 bytes. TCP's acknowledgments have no ARQ. The lengths of
  good and bad times are exponential.
- An acknowledgment of arqlink has the number of the first frame that is missing. A frame that
  arrives after a missing one is therefore repeated when its timer expires.
- A packet "is in the link buffer" until the link has its acknowledgment. DEFER is sent for each
  packet that finds two or more other packets in the buffer. xlo_rto sends a DEFER only about a packet
  with the cross-layer option. Therefore a sender that listens to messages writes the option (xlo),
  with a lifetime that is longer than any packet waits. The option takes 8 bytes of each packet.
- xlo_rto sends at most ten messages per second to a host.
- The window is TCP's own. The initial window is 2 segments (RFC 2581).
- A session is a session of ETSI TR 101 112 (on average 5 packet calls of 25 datagrams), without its
  reading times of 412 s, in which nothing happens. Packets have up to 480 bytes, because the paper
  computes its probabilities of loss for this size.
- TCP has Linux's timer, SRTT + max(200 ms, 4 mdev) in steps of 1 ms. TCP has no time stamps, no
  SACK, no F-RTO and no loss probes. The paper's timer has steps of 100 ms. The timeout of a SYN is
  1 s, which is less than the round trip. No connection is given up. Linux would give up a
  connection after 15 timeouts, which take only 50 s in the variant with a lower maximum timeout.

If the link gives up, it loses all packets in arqlink. The cellink accepts one frame at a time, and has
already sent this frame. Of the lost packets, only those that have reached the mobile out of order
are delivered, as soon as the mobile learns that the link has given up. Then the next packet leaves.
The channel runs for 60 s before a source starts.

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

from lib import kmod, mib
from lib.cell import MS, S

from pieces import browser, contest, download, segments, senders, sockets, topology
from rto import station, unreachable

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
FLUSH, PROBE, PERSIST = "yes", "probe", None    # behaviour after the last attempt
STATIONS = {"default": FLUSH, "xlo_rto": FLUSH, LINK_UP: PROBE, PAPER: FLUSH, "TCP-LCD": FLUSH,
            LCD_UP: PROBE, LOWERED: FLUSH, NO_FLUSH: PERSIST}
OURS = ("xlo_rto", LINK_UP, PAPER)              # variants of the module's messages and settings
TRANSLATED = ("TCP-LCD", LCD_UP)                # variants of "host unreachable"
LISTENING = (*OURS, LCD_UP)                     # variants whose sender accepts the module's messages
LIFETIME = 60                                   # s
VARIANTS = tuple(STATIONS)
OTHERS = tuple(tcp for tcp in VARIANTS if tcp not in ("default", *OURS))
SESSIONS, BULK = 5, 200                         # sessions of a browser; s of a bulk flow
# s before the source starts; s after its end, for packets in the network; s between two samples
BEFORE, AFTER, EVERY = 60, 30, 0.5
# ns from an acknowledgment until all segments that it causes have left, including their wait for
# the wire
QUIET = {"3GPP": S // 2, "bulk": S}
HOURS = 4                                       # length of the channel's states
BAD_AXIS = "share of the time in which the channel is bad [%]"
REPORTS = ("drops", "defers", "link_ups")       # counters of arqlink
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
    """Build the path, and start its channel and the base station. Returns the path, the base station
    and the translator of its messages, if there is one."""
    size, variant = SIZES[cell["source"]], cell["tcp"]
    path = topology.Path(size, KBIT, delay=RADIO_DELAY, wire_delay=WIRE_DELAY,
                         wire_rate=KBIT * 125 * (size + topology.HEADER) // size,
                         headers=station.HEADERS)
    path.reach(mtu=size, initcwnd=FIRST)
    prepare(path, variant)
    base = station.Station(path, size, station.patience(size, KBIT, RADIO_DELAY),
                           words(variant, cell.get("attempts", station.ATTEMPTS)))
    translator = unreachable.Translator(path) if variant in TRANSLATED else None
    path.damage(seed, back=True, ber=BER, bad_ber=BAD_BER)
    if cell["bad"]:
        path.turn(turns(seed, cell["bad"]))
    return path, base, translator


def words(variant, attempts):
    """The options of arqlink that differ between variants."""
    then = STATIONS[variant]
    limit = f"attempts {attempts} flush {then}" if then else "attempts unlimited"
    return f"{limit} notify {'yes' if variant in (*OURS, *TRANSLATED) else 'no'}"


def prepare(path, variant):
    """Configure the sender for a variant, and load the modules of the variant."""
    for name, value in NEW_RENO.items():
        path.sender.sysctl(f"net.ipv4.{name}", value)
    if variant in (*OURS, *TRANSLATED):
        kmod.insmod("xlo_rto")
    if variant in LISTENING:
        early = "quarter" if variant == PAPER else "rtt"
        path.sender.run(f"freshlink rto set --accept native --early {early}")
    if variant in OURS:
        kmod.insmod("xlo")
        # every packet has a mark whose highest bit is 0
        path.sender.run(f"freshlink profile add all --mark 0/0x80000000 --lifetime {LIFETIME}s")
    if variant == LOWERED:
        if kmod.RELEASE < (6, 15):
            raise RuntimeError("tcp_rto_max_ms: needs Linux 6.15 or newer")
        path.sender.sysctl("net.ipv4.tcp_rto_max_ms", RTO_MAX * 1000)


def watch(path, busy):
    """The mean retransmission timeout in s, as long as the source is busy."""
    connections, found = sockets.Sockets(path.sender), []
    while busy():
        found += [info.rto / 1e6 for info in connections.established() if info.unacked]
        time.sleep(EVERY)
    return contest.mean(found)


def browse(path, seed, directory):
    """Run sessions one after the other. Returns the mean time of a session in s, and the throughput."""
    source = browser.Browser(path, os.path.join(directory, "calls.csv"), seed, SESSIONS,
                             "--reading 0s")
    source.listen()
    source.begin()
    rto = watch(path, source.is_busy)
    sent, calls = source.finish()
    seconds = sum(call.end - call.start for call in calls) / S
    return {"rto": rto, "kbit": sent["bytes"] / 125 / seconds, "seconds": seconds / SESSIONS,
            "sessions": SESSIONS}


def bulk(path, _seed, _directory):
    """Run one endless download."""
    flow = download.Download(path, contest.ENDLESS)
    flow.begin()
    end = time.monotonic() + BULK
    rto = watch(path, lambda: time.monotonic() < end)
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
    path, base, translator = network(cell, seed)
    wires = [segments.Wire(path.sender, "eth0"), segments.Wire(path.receiver, station.DEVICE)]
    time.sleep(BEFORE)
    row = (bulk if cell["source"] == "bulk" else browse)(path, seed, directory)
    time.sleep(AFTER)
    if translator:
        translator.check()
    row.update(judge(wires, QUIET[cell["source"]]))
    row["idle"] /= row["sessions"]
    counters = base.counters()
    return [{**row, **{name: counters[name] for name in REPORTS},
             "counted": mib.read(path.sender)["TcpExt.TCPTimeouts"], **verdicts(path, cell["tcp"])}]


# --- on the host ---

def age(source):
    """The age of a packet, in s, when its sender learns that the link has given it up. The packet is alone
    in the window."""
    size = SIZES[source]
    takes = size * S // (KBIT * 125)
    attempt = station.patience(size, KBIT, RADIO_DELAY)
    return (2 * WIRE_DELAY + takes + station.ATTEMPTS * attempt) / S


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


def draw(rows, path, title, value, label):
    """Draw a column of each variant against the share of bad time, in one panel."""
    from pieces import picture
    sheet, axes = picture.sheet(1, 1, (7, 5))
    curves(axes[0, 0], rows, value, label)
    axes[0, 0].set_ylim(0)
    picture.legend(axes[0, 0])
    picture.save(sheet, path, title)


def curves(axes, rows, value, label):
    """Draw a column of each variant against the share of bad time."""
    from pieces import picture
    for number, tcp in enumerate(VARIANTS):
        if len(one := of(rows, tcp=tcp)):
            picture.curve(axes, one.assign(share=share(one["bad"])), "share", value, number, tcp)
    axes.set_ylabel(label)
    axes.set_xlabel(BAD_AXIS)


def why_gain(source):
    return f"a DROP arrives {age(source):.1f} s after its packet was sent: the time on the wire in both " \
        "directions, and six attempts. No timeout becomes shorter than TCP's own estimate"


WHY_OTHERS = {
    "TCP-LCD": "TCP-LCD undoes one doubling of the timeout for each packet that the link gives up",
    LCD_UP: "TCP-LCD undoes a doubling of the timeout, and LINK-UP reports when the channel is good "
            "again",
    LOWERED: "a lower maximum bounds the back-off without any message",
    NO_FLUSH: "the link loses nothing, so all timeouts are spurious"}
