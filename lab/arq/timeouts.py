# SPDX-License-Identifier: GPL-2.0-or-later
"""Which fixed timeout is the best one? Web Browsing with fixed timeouts from 0.4 to 2 s, at 9.8 %. The paper
has 0.9 to 1.3 s. The best fixed timeout is an upper bound of what any timer could gain that does not
know which frames are lost."""
from arq import scenario, timers
from arq.network import TWO_STATE, UNIFORM
from arq.scenario import of

TITLE = "Fixed timeouts from 0.4 to 2 s, 9.8 % of the frames lost"
HEADLINE = "not in the paper"
SECONDS, SEEDS, COST = scenario.SECONDS, 5, 1
TIMEOUTS = (0.4, 0.5, 0.6, 0.8, 1.1, 1.4, 2.0)      # s
ADAPTIVE = 0                                        # in the column "timeout"
LINKS = [(channel, contention) for channel in (UNIFORM, TWO_STATE) for contention in ("no", "yes")]
CELLS = [{"channel": channel, "contention": contention, "timeout": timeout, "loss": scenario.WORST}
         for channel, contention in LINKS for timeout in (*TIMEOUTS, ADAPTIVE)]
QUICK = []              # figure 3 has the same code


def run(cell, seed, _directory):
    timeout = cell["timeout"]
    timer, changes = (timers.MIDDLE, {"timeout": f"{round(1000 * timeout)}ms"}) if timeout else \
        (timers.ADAPTIVE, {})
    return scenario.run({"timer": timer, "loss": cell["loss"]}, seed, cell["channel"],
                        cell["contention"] == "yes", **changes)


# --- on the host ---

def draw(rows, path):
    from pieces import picture
    sheet, axes = picture.sheet(1, len(LINKS), (15, 4.5), sharex=True, sharey=True)
    for each, (channel, contention) in zip(axes[0], LINKS):
        picture.title(each, f"{channel}, contention: {contention}")
        own = of(rows, channel=channel, contention=contention)
        picture.curve(each, own[own["timeout"] > 0], "timeout", "kbit", 0, "fixed")
        picture.level(each, of(own, timeout=ADAPTIVE), "kbit", 1, "adaptive")
        each.set_xlabel("timeout [s]")
    axes[0, 0].set_ylim(0)
    axes[0, 0].set_ylabel("throughput [kbit/s]")
    picture.legend(axes[0, 0])
    picture.save(sheet, path, TITLE)


def regrets(rows):
    """For each timeout, the largest percentage over the four links by which its throughput is below that of
    the best fixed timeout of the link."""
    means = rows.groupby(["channel", "contention", "timeout"])["kbit"].mean().unstack()
    best = means.drop(columns=ADAPTIVE).max(axis=1)
    return (100 - 100 * means.div(best, axis=0)).max()


def claims(rows):
    from arq.results import over
    from pieces.claim import Claim
    found = []
    for channel, contention in LINKS:
        own = of(rows, channel=channel, contention=contention)
        fixed = {timeout: of(own, timeout=timeout).set_index("seed")["kbit"] for timeout in TIMEOUTS}
        best = max(fixed, key=lambda timeout: fixed[timeout].mean())
        middle = fixed[1.1]
        adaptive = of(own, timeout=ADAPTIVE).set_index("seed")["kbit"]
        found.append(Claim(f"{channel}, contention {contention}: the best fixed timeout is not 1.1 s", "",
                           f"{best} s: {over(fixed[best], middle, '1.1 s')}; adaptive: "
                           f"{over(adaptive, middle, '1.1 s')}", best != 1.1))
    lost = regrets(rows)
    own = lost.pop(ADAPTIVE)
    found.append(Claim("on its worst link, adaptive loses less than each fixed timeout on its own", "",
                       f"adaptive {own:.1f} % below the best fixed timeout; " + ", ".join(
                           f"{timeout} s {share:.1f} %" for timeout, share in lost.items()),
                       bool(own < lost.min())))
    return found
