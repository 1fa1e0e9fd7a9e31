# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 8: how long sessions of the 3GPP model take, by the share of the time in which the channel
is bad. The figure also shows how long the source is idle in these sessions while it waits for its
timer."""
from rto import scenario

TITLE = "Session completion time and idle time, by the share of the time in which the channel is bad"
HEADLINE = "at 50 % bad sessions take 11 times as long as on a good channel, with messages 4 times; idle " \
    "time is at least 3 times shorter"
# Our aims if the channel is bad for 50 % of the time. The first number is the largest ratio of a
# session's time to its time on a good channel. The second number is the least factor by which idle
# time is shorter.
AIMS = {"xlo_rto": (6, 2), scenario.LINK_UP: (4.5, 3)}
SECONDS, COST = 600, 0.5    # approximate, because sessions differ in length
CELLS = [{"tcp": tcp, "bad": bad} for tcp in scenario.VARIANTS for bad in scenario.BADS]
QUICK = [cell for cell in CELLS if cell["tcp"] in ("default", "xlo_rto") and
         cell["bad"] in (0, 1, scenario.BADS[-1])]
TIMES = {"default": 11, "xlo_rto": 4}           # the paper's ratios to a good channel
WHY_SHORT = "bad times of 1 or 2 s are mostly over before TCP has backed off"


def run(cell, seed, directory):
    return scenario.run({"source": "3GPP", **cell}, seed, directory)


# --- on the host ---

def draw(rows, path):
    from pieces import picture
    sheet, axes = picture.sheet(1, 3, (15, 4.8), sharex=True)
    shown = {"seconds": "session completion time [s]", "idle": "idle before timeouts [s per session]",
             "timeouts": "timeouts per session"}
    rows = rows.assign(timeouts=rows["timeouts"] / rows["sessions"])
    for each, (value, label) in zip(axes[0], shown.items()):
        scenario.curves(each, rows, value, label)
        each.set_ylim(0)
    picture.legend(axes[0, 0])
    picture.save(sheet, path, TITLE)


def claims(rows):
    from pieces.claim import Claim
    from pieces.estimate import is_less
    found = []
    for tcp, times in TIMES.items():
        good, bad = (scenario.by_seed(rows, "seconds", tcp=tcp, bad=b)
                     for b in (0, scenario.BADS[-1]))
        ratio = bad.mean() / good.mean()
        found.append(Claim(
            f"{tcp}, 50 % bad: session completion time, relative to a good channel", f"{times} times",
            f"{ratio:.1f} times, {scenario.instead(bad, good, ' s')}",
            bool(0.75 * times < ratio < 1.25 * times)))
    for bad in scenario.BADS[1:]:
        for one, other in scenario.pairs(rows, "seconds", bad):
            found.append(Claim(
                f"{scenario.share(bad):.0f} % bad: sessions are shorter with messages",
                "significantly", scenario.instead(one, other, " s"), less := is_less(one, other),
                "" if less else WHY_SHORT))
    return found + aims(rows) + idle(rows) + [Claim(
        f"50 % bad: sessions are shorter with {one_name} than with {tcp}", "",
        scenario.instead(one, other, " s"), less := is_less(one, other),
        "" if less else scenario.WHY_OTHERS[tcp])
        for one_name in AIMS for tcp in scenario.OTHERS
        for one, other in scenario.pairs(rows, "seconds", scenario.BADS[-1], tcp, one_name)]


def aims(rows):
    """The claims about our aims for the module."""
    from pieces.claim import Claim
    from pieces.estimate import is_less
    found = []
    for tcp, (most, _) in AIMS.items():
        good, bad = (scenario.by_seed(rows, "seconds", tcp=tcp, bad=b) for b in (0, scenario.BADS[-1]))
        if len(good) and len(bad):
            found.append(Claim(
                f"{tcp}, 50 % bad: sessions take at most {most} times as long as on a good channel", "",
                f"{bad.mean() / good.mean():.2f} times", bool(bad.mean() <= most * good.mean())))
        for one, other in scenario.pairs(rows, "seconds", scenario.BADS[-1], one=tcp):
            found.append(Claim(f"{tcp}, 50 % bad: sessions are shorter than with default", "",
                               scenario.instead(one, other, " s"), is_less(one, other)))
    return found


def idle(rows):
    """The claims about the source's idle time: the paper's claim and our aim."""
    from pieces.claim import Claim
    return [Claim(
        f"{tcp}, 50 % bad: idle time is at least 3 times shorter than with default",
        "at least 3 times" if tcp == "xlo_rto" else "",
        f"{other.mean() / one.mean():.2f} times, {scenario.instead(one, other, ' s')}",
        bool(3 * one.mean() <= other.mean()), f"our aim is {least} times")
        for tcp, (_, least) in AIMS.items()
        for one, other in scenario.pairs(rows, "idle", scenario.BADS[-1], one=tcp)]
