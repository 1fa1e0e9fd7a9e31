# SPDX-License-Identifier: GPL-2.0-or-later
"""Variants of the protocol and of the network at a frame loss rate of 9.8 %. The paper says that the
gains make only a marginal difference, and that two simpler protocols and a slower wire support its
conclusions. It does not print its window, and not whether each file has a TCP connection of its own.
The other variants are ours."""
from arq import scenario, timers
from arq.network import TWO_STATE, UNIFORM, Link
from arq.scenario import of

TITLE = "Variants of arqlink and of the wire, 9.8 % of the frames lost"
HEADLINE = "other gains: marginal differences; simpler protocols and a slower wire: the same conclusions"
SECONDS, SEEDS, COST = scenario.SECONDS, 3, 1
WIRE, STANDARD = "2 Mbit/s, 50 ms", "standard"
# {variant: the options that differ}
GAINS = {f"gains {name}": {"gains": name} for name in ("fast", "slow")}
OF_PAPER = {"reject single": {"reject": "single"}, "reject never": {"reject": "never"},
            "slow wire": {"wire": WIRE}}
OURS = {**{f"window {frames}": {"window": frames} for frames in (6, 8, 12, 16)},
        "no header": {"link": Link(header=0)}, "one connection": {"connect": "once"},
        "clock sent": {"clock": "sent"}, "no copies": {"copies": "no"}}
CHANGES = {STANDARD: {}, **GAINS, **OF_PAPER, **OURS}
TIMERS = (timers.LOW, timers.MIDDLE, timers.HIGH, timers.ADAPTIVE)
CELLS = [{"variant": variant, "channel": channel, "contention": contention, "timer": timer,
          "loss": scenario.WORST}
         for variant in CHANGES for channel in (UNIFORM, TWO_STATE) for contention in ("no", "yes")
         for timer in (TIMERS if variant not in GAINS else (timers.ADAPTIVE,))]
QUICK = []


def run(cell, seed, _directory):
    return scenario.run(cell, seed, cell["channel"], cell["contention"] == "yes",
                        **CHANGES[cell["variant"]])


# --- on the host ---

def draw(rows, path):
    """Draw the throughputs of each variant as bars."""
    from pieces import estimate, picture
    sheet, axes = picture.sheet(2, 2, (14, 8), sharex=True, sharey=True)
    for each, (channel, contention) in zip(axes.flat, ((c, m) for c in (UNIFORM, TWO_STATE)
                                                        for m in ("no", "yes"))):
        picture.title(each, f"{channel}, contention: {contention}")
        own = of(rows, channel=channel, contention=contention)
        for number, timer in enumerate(TIMERS):
            table = estimate.means(of(own, timer=timer), "kbit", ["variant"])
            at = [list(CHANGES).index(name) + 0.2 * (number - 1.5) for name in table["variant"]]
            each.bar(at, table["mean"], 0.2, yerr=table["half"], color=picture.COLORS[number], label=timer)
        each.set_xticks(range(len(CHANGES)), CHANGES, rotation=40, ha="right", fontsize=8)
        each.set_ylabel("throughput [kbit/s]")
    picture.legend(axes[0, 0])
    picture.save(sheet, path, TITLE)


def claims(rows):
    found = [claim for variant in GAINS for claim in marginal(rows, variant)]
    for variant in (STANDARD, *OF_PAPER, *OURS):
        found += conclusions(rows, variant, "supports the conclusions" if variant in OF_PAPER else "")
    return found


MARGINAL = 5        # percent


def marginal(rows, variant):
    """The claim that gains make a marginal difference."""
    from arq.results import gap, over
    from pieces.claim import Claim
    pairs = {}
    for (channel, contention), own in rows.groupby(["channel", "contention"]):
        values = [of(own, variant=name, timer=timers.ADAPTIVE).set_index("seed")["kbit"]
                  for name in (variant, STANDARD)]
        if all(map(len, values)):
            pairs[f"{channel}, contention {contention}"] = values
    if not pairs:
        return []
    return [Claim(f"{variant} instead of standard gains", "marginal difference", "; ".join(
        f"{over(*values, STANDARD)} ({where})" for where, values in pairs.items()),
        all(abs(gap(*values)[0]) <= MARGINAL for values in pairs.values()))]


def conclusions(rows, variant, paper):
    """The claim that the best fixed timer depends on contention, and that the adaptive timer is best with
    both. Only with uniform losses does the paper see the first conclusion clearly."""
    from arq import results
    pairs = {(UNIFORM, "no"): [(timers.LOW, timers.HIGH)], (UNIFORM, "yes"): [(timers.HIGH, timers.LOW)],
             (TWO_STATE, "no"): [], (TWO_STATE, "yes"): [(timers.HIGH, timers.LOW)]}
    found = []
    for (channel, contention), order in pairs.items():
        own = of(rows, variant=variant, channel=channel, contention=contention)
        words = f"{variant}: {channel}, contention {contention}"
        found += results.higher(own, f"{words}: the order of 0.9 s and 1.3 s", paper, order)
        found += results.no_lower(own, f"{words}: adaptive at least as good as 0.9, 1.1 and 1.3 s",
                                  timers.ADAPTIVE, TIMERS[:-1], paper=paper)
    return found
