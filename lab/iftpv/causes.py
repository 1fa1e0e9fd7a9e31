# SPDX-License-Identifier: GPL-2.0-or-later
"""This figure, which is not in the paper, shows what it is worth to know why packets are missing. A flow of
DCCP, without retransmission, is alone on a link of the figure "loss". Bit errors hit a share of its packets,
those of full size. The flows differ in what becomes of a packet that was hit:

delivered   The link delivers it, and the program gets it: all headers and 40 bytes of data are sensitive.
told        The link delivers it, and the receiver drops it and tells the sender: all data are sensitive.
guessed     The link drops it, and nobody tells the sender why it is missing.

Headers are always sensitive. A packet whose headers were hit is only missing, because nobody knows whose it
was. The goodput is payload, as TCP's in "loss". Headers of 59 bytes leave 96 % of the link, and those of a
flow to which the link delivers nothing damaged are shorter.

A cell of 20 s on the fast link would take a minute of processor time. So it takes 10 s there, which are 500
round trips, with fewer shares."""
from lib.cell import DROP, TOLERANT

from iftpv import alone, flow
from iftpv.loss import LINKS, path_of
from pieces import topology

TITLE = "Causes known and guessed, by the share of packets that bit errors hit"
HEADLINE = "not in the paper"
SECONDS, SEEDS = 20, 2
FAST, FAST_SECONDS = "100 Mbit/s, 20 ms", 10
HITS, FAST_HITS = (0, 0.1, 1, 3, 10), (0, 1, 10)        # percent of packets
HEADERS = 20 + 8 + 31                   # bytes: IP with an option, DCCP with its options
BITS = 8 * (alone.PAYLOAD + HEADERS + topology.HEADER)
WINDOW = 1000                           # packets: more than the fastest link and its buffer hold
SENSITIVE = {"delivered": 40, "told": alone.PAYLOAD}     # bytes of data
# {name: (congestion control, what becomes of a packet that was hit)}
KINDS = {"IFTPV, delivered": ("iftpv", "delivered"), "IFTPV, told": ("iftpv", "told"),
         "IFTPV, guessed": ("iftpv", "guessed"),
         "tolerance, delivered": ("iftpv --tolerance 127", "delivered"),
         "tolerance, guessed": ("iftpv --tolerance 127", "guessed"),
         "IFTP": ("iftp", "guessed"), "CCID 2": ("2", "guessed"), "CCID 3": ("3", "guessed")}
BAR = 1, 90                             # percent of packets; percent of the link

CELLS = [{"link": link, "kind": kind, "hit": hit} for link in LINKS for kind in KINDS
         for hit in (FAST_HITS if link == FAST else HITS)]
QUICK = [cell for cell in CELLS if cell["link"] == "5 Mbit/s, 50 ms" and cell["hit"] == BAR[0] and
         cell["kind"].startswith("IFTP")]


def ber(hit):
    """The bit error rate, in 10^-12, at which a percentage of full packets is hit."""
    return round((1 - (1 - hit / 100) ** (1 / BITS)) * 1e12)


def words(kind):
    """The words of the source."""
    control, fate = KINDS[kind]
    part = f" --sensitive {SENSITIVE[fate]}" if fate in SENSITIVE else ""
    window = f" --window {WINDOW}" if control.startswith("iftp") else ""
    return f"--carrier ip --ccid {control}{part}{window}"


def run(cell, seed, directory):
    path = path_of(*LINKS[cell["link"]])
    delivers = KINDS[cell["kind"]][1] in SENSITIVE
    seconds = FAST_SECONDS if cell["link"] == FAST else SECONDS
    one = flow.Flow(path, directory, alone.PAYLOAD, words(cell["kind"]),
                    f"--carrier ip --coverage {int(delivers)}")
    path.damage(seed, ber=ber(cell["hit"]), corrupt=TOLERANT if delivers else DROP)
    one.begin(seconds)
    one.finish()
    counted, causes = path.cell.counters(), one.summary["causes"]
    return [{"share": one.got["bytes"] / 1.25 / seconds / LINKS[cell["link"]][0],
             "sent": one.summary["sent"], "hits": counted["damaged"] + counted["corrupted"],
             "told": causes["flawed"] + causes["damaged"], "missing": causes["missing"], "end": one.end}]


# --- on the host ---

def draw(rows, path):
    from pieces import picture
    sheet, axes = picture.sheet(1, len(LINKS), (16, 5), sharey=True)
    medians = rows.groupby(["link", "kind", "hit"])["share"].median()
    for each, link in zip(axes[0], LINKS):
        for number, name in enumerate(KINDS):
            if (link, name) in medians:
                line = medians[link, name]
                each.errorbar(line.index, line, label=name, **picture.look(number))
        picture.title(each, link)
        each.set_xscale("symlog", linthresh=HITS[1])
        each.set_xticks(HITS, [f"{hit:g}" for hit in HITS])
        each.minorticks_off()
        each.set_xlabel("packets that were hit [%]")
        each.set_ylim(0, 100)
    axes[0, 0].set_ylabel("goodput [% of the link]")
    picture.legend(axes[0, 0], loc="lower left")
    picture.save(sheet, path, TITLE)


def claims(rows):
    from pieces.claim import Claim
    hit, least = BAR
    median = rows.groupby(["link", "hit", "kind"])["share"].median()
    found = []
    for link in rows["link"].unique():
        at = median[link][hit]
        ours = "; ".join(f"{name} {at[name]:.1f}" for name in KINDS if name in at)
        found += [Claim(f"{link}, {hit} % hit: at least {least} % of the link, {name}", "", ours,
                        bool(at[name] >= least), "" if at[name] >= least else
                        "a packet whose headers were hit is only missing, and IFTPV takes it for congestion if "
                        "beta packets wait")
                  for name in KINDS if name in at and name.endswith("delivered")]
        found += [Claim(f"{link}: {one} has more goodput than {other} wherever packets are hit", "",
                        _pairs(median[link], one, other), _above(median[link], one, other),
                        "" if _above(median[link], one, other) else WHY.get(one, ""))
                  for one, other in zip(ORDER, ORDER[1:])]
    return found


ORDER = "IFTPV, delivered", "IFTPV, told", "IFTPV, guessed", "IFTP"
WHY = {"IFTPV, told": "a random loss, known or guessed, keeps the window from growing for a round trip, and "
                      "many round trips have one"}


def _both(median, one, other):
    return median.unstack("kind")[[one, other]].drop(index=0, errors="ignore")


def _above(median, one, other):
    both = _both(median, one, other)
    return bool((both[one] > both[other]).all())


def _pairs(median, one, other):
    return "; ".join(f"at {hit:g} % {pair[one]:.1f} and {pair[other]:.1f}"
                     for hit, pair in _both(median, one, other).iterrows())
