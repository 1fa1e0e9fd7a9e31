# SPDX-License-Identifier: GPL-2.0-or-later
"""Scenarios 1 to 4 with transports that do not retransmit: IFTP, IFTPV, CCID 2 and CCID 3, over DCCP. The
paper's flows of scenarios 2 to 4 run at the same time: the flow under test beside TCP (reno), in scenarios 2
and 4 beside IFTP, and in scenarios 2 and 3 beside UDP.

The paper's receivers seem to have a wireless link each, behind one buffer: in its scenario 2, UDP has the whole
rate of a link, and TCP is faster than the flows under test. So scenarios 2 to 4 run with one link for all, and
with a link for each receiver. The links are then a queue that sends each flow at the rate of a link, before a
channel without a rate of its own; they share the buffer of 50 packets.

The paper's runs of 10 s are short compared with slow start, which ends at 32 packets with IFTP and not with
TCP. So the claims of scenario 4 about few errors are also judged by longer runs.

Rates are those of the data that come whole: what the application gets, also of TCP."""
import contextlib
import time

from lib.cell import S

from iftpv import flow, scenario
from pieces import contest, poisson, topology

TITLE = "IFTP, IFTPV, CCID 2 and CCID 3 in scenarios 1 to 4"
HEADLINE = "IFTPV above IFTP; TCP better at congestion; a fair share"
SECONDS, SEEDS = scenario.SECONDS, 10           # the paper has 60 runs
LONG = 120                                      # s
PAYLOAD = scenario.SIZE - 20 - 8 - 16           # the headers of IP, UDP and DCCP
TCP, IFTP, IFTPV = "TCP", "IFTP", "IFTPV"
CONTROLS = {IFTP: "--ccid iftp", IFTPV: "--ccid iftpv --causes off", "CCID 2": "--ccid 2", "CCID 3": "--ccid 3"}
ONE, OWN = "one", "own"
UDP_KBIT, UDP_RATES, BER = 1000, (10, 100, 200, 400, 600, 800, 1000), 1e-5
BESIDE = {1: (), 2: (TCP, IFTP), 3: (TCP,), 4: (TCP, IFTP)}

CELLS = [{"scenario": 1, "links": ONE, "control": name, "ber": ber}
         for name in (*CONTROLS, TCP) for ber in scenario.BERS] + \
    [{"scenario": number, "links": links, "control": name, "ber": ber}
     for number in (2, 4) for links in (ONE, OWN) for name in CONTROLS for ber in scenario.BERS] + \
    [{"scenario": 3, "links": links, "control": name, "udp": udp}
     for links in (ONE, OWN) for name in CONTROLS for udp in UDP_RATES] + \
    [{"scenario": 4, "links": links, "control": IFTPV, "ber": ber, "seconds": LONG}
     for links in (ONE, OWN) for ber in scenario.BERS if ber < BER]
QUICK = [cell for cell in CELLS if (cell["control"] == IFTPV or cell["scenario"] == 1) and
         (cell.get("ber") == BER or cell.get("udp") == 400)]


def run(cell, seed, directory):
    names, seconds = [cell["control"], *BESIDE[cell["scenario"]]], cell.get("seconds", SECONDS)
    path = place(cell["links"], scenario.INFINITE if cell["scenario"] == 1 else scenario.BUFFER)
    path.damage(seed, back=True, ber=round(cell.get("ber", BER) * 1e12))
    path.reach(mtu=scenario.SIZE, initcwnd=scenario.FIRST)
    flows = {number: flow.Flow(path, directory, PAYLOAD, CONTROLS[name], number=number)
             for number, name in enumerate(names) if name != TCP}
    udp = cell.get("udp", UDP_KBIT if cell["scenario"] == 2 else 0)
    with poisson.Poisson(path, scenario.SIZE, udp, seed) if udp else contextlib.nullcontext() as cross:
        start = time.monotonic_ns()
        for one in flows.values():
            one.begin(seconds)
        found = contest.compete(path, ["reno"] * names.count(TCP), seconds,
                                scenario.WINDOW * (scenario.SIZE - 40))
        received = {"UDP": cross.received} if udp else {}
    # what is still on the way is of no interest
    path.damage(seed, back=True, ber=0)
    return rows(names, {number: kbit(one, start, seconds) for number, one in flows.items()}, found, received,
                seconds)


def place(links, buffer):
    """The paper's network with one wireless link, or with one for each flow, and a buffer in packets."""
    path = topology.Path(scenario.SIZE, scenario.KBIT, delay=scenario.DELAY)
    path.queue("drop-tail" if links == ONE else "links", buffer)
    if links == OWN:
        # the queue sends a packet when its transmission begins
        path.cell.change(rate=0, delay=path.delay + path.service)
    return path


def kbit(one, start, seconds):
    """The rate of a flow's data that came whole within the time."""
    one.finish()
    number = sum(start < arrival <= start + seconds * S for _, arrival in one.whole.values())
    return number * PAYLOAD / 125 / seconds


def rows(names, rates, found, received, seconds):
    """A row for each flow. `rates` has those of DCCP by number, `found` the rows of TCP, and `received` the
    bytes of other traffic."""
    tcp = iter(row["kbit"] for row in found)
    flows = [(name, rates[number] if number in rates else next(tcp)) for number, name in enumerate(names)]
    others = [(name, count / 125 / seconds) for name, count in received.items()]
    return [{"flow": number, "name": name, "kbit": rate, "lasted": seconds}
            for number, (name, rate) in enumerate(flows + others)]


# --- on the host ---

LABELS = {"ber": "bit error rate", "udp": "UDP [kbit/s]"}
WHERE = {ONE: "one link", OWN: "a link each"}


def by(number):
    """What varies in a scenario."""
    return "udp" if number == 3 else "ber"


def draw(rows, path):
    from pieces import picture
    sheet, axes = picture.sheet(2, len(BESIDE), (18, 9))
    for line, links in enumerate(WHERE):
        for column, number in enumerate(BESIDE):
            here = rows[(rows["scenario"] == number) & (rows["links"] == links) & (rows["lasted"] == SECONDS)]
            panel(axes[line, column], here, number, WHERE[links])
    picture.legend(axes[0, 0])
    picture.save(sheet, path, TITLE)


def panel(axes, here, number, where):
    """Draw a scenario: the flows under test, and TCP alone or beside IFTPV."""
    from pieces import picture
    axes.set_visible(len(here) > 0)
    tested = here[(here["flow"] == 0) & (here["control"] != TCP)]
    for style, name in enumerate(CONTROLS):
        picture.curve(axes, tested[tested["control"] == name], by(number), "kbit", style, name)
    picture.curve(axes, of(here, number, TCP), by(number), "kbit", len(CONTROLS), TCP)
    picture.title(axes, f"scenario {number}, {where}")
    axes.set_xlabel(LABELS[by(number)])
    axes.set_ylabel("data that came whole [kbit/s]")
    axes.set_ylim(0)
    axes.set_xscale("log")


def of(here, number, name):
    """The rows of a flow in a scenario: alone in scenario 1, else in the runs that test IFTPV."""
    runs = here if number == 1 else here[here["control"] == IFTPV]
    return runs[runs["name"] == name]


def claims(rows):
    """The paper's claims about each scenario. At 1e-3 hardly any packet is whole, so that is not judged."""
    places = rows[~(rows["ber"] >= 1e-3)].groupby(["scenario", "links", "lasted"])
    return [claim for (number, links, lasted), here in places
            for claim in JUDGES[number](here, number, place_of(links, lasted)) if claim.ours]


def place_of(links, lasted):
    """The name of a place, for runs of this length."""
    return WHERE[links] + (f", {lasted} s" if lasted > SECONDS else "")


def means(here, number, *names):
    """The mean rates of these flows, a column for each, by what varies."""
    import pandas
    return pandas.DataFrame({name: of(here, number, name).groupby(by(number))["kbit"].mean()
                             for name in names}).dropna()


RANDOM = "IFTPV keeps its window after random losses, and TCP halves its own"
SHORT = "10 s are short compared with slow start, which ends at 32 packets with IFTP and IFTPV, and not with TCP"


def judged(text, paper, ours, holds, why):
    """A claim. `why` tells why it does not hold."""
    from pieces.claim import Claim
    return Claim(text, paper, ours, bool(holds), "" if holds else why)


def above(here, number, where, one, other, among=lambda value: True, why=""):
    """The claim that a flow is above another one, for some values of what varies, and why it may not be."""
    mean = means(here, number, one, other)
    mean = mean[mean.index.map(among).astype(bool)]
    return judged(f"scenario {number}, {where}: {one} and {other}", f"{one} above",
                   "; ".join(f"at {value:g} {first:.0f} and {second:.0f} kbit/s"
                             for value, (first, second) in mean.iterrows()),
                   (mean[one] > mean[other]).all(), why)


def few(ber):
    return ber < BER


def alone(*place):
    return [above(*place, IFTPV, IFTP), above(*place, IFTPV, TCP, few),
            above(*place, IFTP, TCP, few, "both halve their windows after a loss")]


def crowded(*place):
    return [above(*place, IFTPV, IFTP), above(*place, TCP, IFTPV, why=RANDOM)]


def friendly(here, number, where):
    """The claim of scenario 3."""
    mean = means(here, number, IFTPV, TCP)
    own, tcp = mean[IFTPV], mean[TCP]
    return [judged(f"scenario {number}, {where}: {IFTPV} and {TCP}, by UDP's rate",
                    f"similar, {IFTPV} mostly below",
                    "; ".join(f"at {udp:g} kbit/s {own[udp]:.0f} and {tcp[udp]:.0f}" for udp in own.index),
                    (own < tcp).mean() > 0.5 and (own > tcp / 2).all(), RANDOM)]


def fair(here, number, where):
    """The claims of scenario 4."""
    place = here, number, where
    index = index_of(here, number)
    return [above(*place, IFTPV, IFTP), above(*place, TCP, IFTPV, lambda ber: not few(ber), RANDOM),
            above(*place, IFTPV, TCP, few, SHORT),
            judged(f"scenario {number}, {where}: Jain's index of {IFTPV} and {TCP}", "a fair share",
                    "; ".join(f"at {ber:g} {value:.2f}" for ber, value in index.items()),
                    (index >= 0.9).all(), RANDOM)]


def index_of(here, number):
    """The mean of Jain's index of IFTPV and TCP over the seeds, by bit error rate."""
    both = here[(here["control"] == IFTPV) & here["name"].isin([IFTPV, TCP])]
    each = both.groupby([by(number), "seed"])["kbit"].apply(lambda pair: contest.jain(list(pair)))
    return each.groupby(by(number)).mean()


JUDGES = {1: alone, 2: crowded, 3: friendly, 4: fair}
