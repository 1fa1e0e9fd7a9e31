# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 5: the mean retransmission timeout of short flows, by the share of the time in which the
channel is bad. The figure also has the timeout of a bulk flow (figure 7), the throughput of both
kinds of flows (figures 4 and 6), and the number of spurious timeouts."""
from rto import scenario

TITLE = "Mean retransmission timeout and throughput, by the share of the time in which the channel is bad"
HEADLINE = "short flows: 9.9 s instead of 15 s at 11 % bad, twice the throughput at 50 %; bulk: a gain at " \
    "33 %, a lower timeout only above 33 %"
SECONDS = 400               # approximate, because sessions differ in length
CELLS = [{"source": source, "tcp": tcp, "bad": bad} for source in scenario.SIZES
         for tcp in scenario.VARIANTS for bad in scenario.BADS]
QUICK = [cell for cell in CELLS if cell["tcp"] in ("default", "xlo_rto") and
         cell["bad"] == {"3GPP": 1, "bulk": 4}[cell["source"]]]


def run(cell, seed, directory):
    return scenario.run(cell, seed, directory)


# --- on the host ---

def draw(rows, path):
    """Draw the mean timeout above and the throughput below, in a column for each source."""
    from pieces import picture
    sheet, axes = picture.sheet(2, len(scenario.SIZES), (12, 8), sharex=True, sharey="row")
    for column, (source, size) in zip(axes.T, scenario.SIZES.items()):
        own = scenario.of(rows, source=source)
        picture.title(column[0], f"{source}, packets of up to {size} bytes")
        scenario.curves(column[0], own, "rto", "mean retransmission timeout [s]")
        scenario.curves(column[1], own, "kbit", "throughput [kbit/s]")
    picture.legend(axes[0, 0])
    picture.save(sheet, path, TITLE)


def claims(rows):
    short, bulk = (scenario.of(rows, source=source) for source in scenario.SIZES)
    return timeouts(short, bulk) + throughputs(short, bulk) + others(short) + \
        spurious(short, bulk) + [claim for source in scenario.SIZES for claim in early(rows, source)]


def timeouts(short, bulk):
    """The claims about timeouts (figures 5 and 7)."""
    from pieces.claim import Claim
    from pieces.estimate import is_less
    found = []
    for one, other in scenario.pairs(short, "rto", 1):
        found.append(Claim(
            "3GPP, 11 % bad: mean timeout with messages instead of without", "9.9 s instead of 15 s",
            scenario.instead(one, other, " s", 2), bool(one.mean() < 0.8 * other.mean()),
            f"{WHY_RTO}; also, bad times of 1 s are over before the timeout has doubled several times"))
    means = short[short["tcp"].isin(("default", "xlo_rto"))].groupby(["tcp", "bad"])["rto"].mean()
    if len(means) > 2:
        found.append(Claim(
            "3GPP: the mean timeout, by the share of bad time", "rises gradually",
            "; ".join(f"{tcp} " + ", ".join(f"{rto:.1f}" for rto in means[tcp])
                      for tcp in means.index.levels[0]) + " s",
            all(means[tcp].is_monotonic_increasing for tcp in means.index.levels[0])))
    lower = {bad: (is_less(one, other), scenario.instead(one, other, " s"))
             for bad in scenario.BADS[1:] for one, other in scenario.pairs(bulk, "rto", bad)}
    if len(lower) > 1:
        found.append(Claim(
            "bulk: mean timeout with messages instead of without", "lower only above 33 % bad",
            scenario.by_share({bad: text for bad, (_, text) in lower.items()}),
            [bad for bad, (less, _) in lower.items() if less] == [scenario.BADS[-1]], WHY_RTO))
    return found


def throughputs(short, bulk):
    """The claims about throughput (figures 4 and 6)."""
    from pieces.claim import Claim
    from pieces.estimate import is_less
    return [Claim(
        "3GPP, 50 % bad: throughput with messages instead of without", "about double",
        scenario.instead(one, other, " kbit/s"), bool(one.mean() > 1.7 * other.mean()), WHY_GAIN)
        for one, other in scenario.pairs(short, "kbit", 8)] + [Claim(
            "bulk, 33 % bad: throughput with messages instead of without", "significant benefits",
            scenario.instead(one, other, " kbit/s"), is_less(other, one), WHY_GAIN)
            for one, other in scenario.pairs(bulk, "kbit", 4)]


def others(short):
    """The claims about alternatives to the scheme."""
    from pieces.claim import Claim
    from pieces.estimate import is_less
    return [Claim(f"3GPP, 50 % bad: messages give more throughput than {tcp}", "",
                  scenario.instead(one, other, " kbit/s"), is_less(other, one), WHY_OTHERS[tcp])
            for tcp in scenario.OTHERS for one, other in scenario.pairs(short, "kbit", 8, tcp)]


def spurious(short, bulk):
    """The claims about spurious timeouts."""
    from pieces.claim import Claim
    from pieces.estimate import is_less
    found = []
    for name, rows in (("3GPP", short), ("bulk", bulk)):
        sums = rows.groupby(["tcp", "seed"])[["timeouts", "spurious"]].sum()
        share = 100 * sums["spurious"] / sums["timeouts"]
        total = sums.groupby("tcp").sum()
        if not {"default", "xlo_rto"}.issubset(total.index):
            continue
        found.append(Claim(
            f"{name}: messages do not raise the share of spurious timeouts", "",
            "; ".join(f"{tcp} {100 * own['spurious'] / own['timeouts']:.1f} % of {own['timeouts']:.0f}"
                      for tcp, own in total.iterrows()),
            not is_less(share["default"], share["xlo_rto"])))
    return found


def early(rows, source):
    """The claim about early DROPs (case 3 of the paper), which change no timeout."""
    from pieces.claim import Claim
    judged = scenario.of(rows, source=source, tcp="xlo_rto", bad=scenario.BADS[-1])
    if not len(judged):
        return []
    ignored, moved = (int(judged[list(names)].sum().sum())
                      for names in (("in_flight",), ("at_once", "shortened")))
    return [Claim(f"{source}, 50 % bad: most DROPs in the state \"normal\" come late enough to change the "
                  "timeout", "", f"{moved} of {moved + ignored}", moved > ignored, WHY_GAIN)]


WHY_RTO = "the paper's simulator starts with a timeout of 6 s and counts in steps of 100 ms; Linux starts " \
    "with 1 s, as in RFC 6298, and counts in steps of 1 ms"
WHY_GAIN = f"a DROP arrives {scenario.age('3GPP'):.1f} s after its packet was sent, with bulk data " \
    f"{scenario.age('bulk'):.1f} s after it: the time on the wire in both directions, and six attempts. " \
    "No timeout becomes shorter than TCP's own estimate"
WHY_SHORT = "bad times of 1 or 2 s are mostly over before TCP has backed off"
WHY_OTHERS = {"TCP-LCD": "TCP-LCD undoes one doubling of the timeout for each packet that the link gives up",
              scenario.LCD_UP: "TCP-LCD undoes a doubling of the timeout, and LINK-UP reports when the "
                               "channel is good again",
              scenario.LOWERED: "a lower maximum bounds the back-off without any message",
              scenario.NO_FLUSH: "the link loses nothing, so all timeouts are spurious"}
