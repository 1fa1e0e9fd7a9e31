# SPDX-License-Identifier: GPL-2.0-or-later
"""Contention that comes and goes: Media Distribution for a minute and silence for a minute, by turns, at a
frame loss rate of 9.8 %. This figure is not in the paper. A fixed timer suits only one of the turns."""
from arq import scenario, timers
from arq.network import TWO_STATE, UNIFORM
from arq.scenario import of

TITLE = "Contention that comes and goes, 9.8 % of the frames lost"
HEADLINE = "not in the paper"
SECONDS, SEEDS, COST = scenario.SECONDS, 10, 1
TURN = 60               # s
FIXED = (timers.LOW, timers.MIDDLE, timers.HIGH)
CHANNELS = (UNIFORM, TWO_STATE)
CELLS = [{"channel": channel, "timer": timer, "loss": scenario.WORST} for channel in CHANNELS
         for timer in (*FIXED, *timers.forms(channel))]
QUICK = []              # figure 3 has the same code


def run(cell, seed, _directory):
    return scenario.run(cell, seed, cell["channel"], True, TURN)


# --- on the host ---

def draw(rows, path):
    """Draw the throughputs as bars."""
    from pieces import estimate, picture
    sheet, axes = picture.sheet(1, 2, (11, 4.5), sharey=True)
    for each, channel in zip(axes[0], CHANNELS):
        picture.title(each, channel)
        names = (*FIXED, *timers.forms(channel))
        for number, timer in enumerate(names):
            own = of(rows, channel=channel, timer=timer)["kbit"]
            each.bar(number, own.mean(), 0.6, yerr=estimate.half_width(own),
                     color=picture.COLORS[number])
        each.set_xticks(range(len(names)), [name.replace("adaptive ", "adaptive\n") for name in names])
    axes[0, 0].set_ylabel("throughput [kbit/s]")
    picture.save(sheet, path, TITLE)


def claims(rows):
    from arq import results
    return [claim for channel in CHANNELS for timer in timers.forms(channel)
            for claim in results.no_lower(of(rows, channel=channel), f"{channel}: {timer} at least as good "
                                          "as each fixed timer", timer, FIXED)]
