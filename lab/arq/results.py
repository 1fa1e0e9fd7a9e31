# SPDX-License-Identifier: GPL-2.0-or-later
"""Pictures and claims about Web Browsing. This module runs on the host."""
from arq import timers
from arq.scenario import WORST, of
from pieces import picture
from pieces.claim import Claim
from pieces.estimate import half_width, is_less, text

NEAR = 0.25         # a measured gap reproduces the paper's gap if it differs by at most this share of it
FLR = 0.1           # the same for a frame loss rate
STALLED = 1         # kbit/s
WHY_LESS = "the channel has these rates, but a sender that waits for acknowledgments sends less in " \
    "bad times"


def throughput(rows, timer, loss=WORST):
    """The throughput in kbit/s at a loss rate, indexed by seed."""
    return of(rows, timer=timer, loss=loss).set_index("seed")["kbit"].sort_index()


def measured(rows, names, loss=WORST):
    """The names of the timers that have rows at a loss rate."""
    return [name for name in names if len(throughput(rows, name, loss))]


def gap(one, other):
    """By how many percent one throughput is higher than another, and half of the confidence interval of
    this percentage."""
    difference = one - other
    return 100 * difference.mean() / other.mean(), 100 * half_width(difference) / other.mean()


def over(one, other, name):
    """The gap over a timer as text, or both throughputs if the other one is almost 0."""
    if other.mean() < STALLED:
        return f"{text(one)} kbit/s instead of {text(other)} of {name}"
    mean, half = gap(one, other)
    return f"{mean:+.1f} ± {half:.1f} % over {name}"


def against(rows, one, other, loss=WORST):
    """The throughputs of two timers as text."""
    return f"{text(throughput(rows, one, loss))} against {text(throughput(rows, other, loss))} kbit/s"


def gap_claim(rows, words, one, other, paper, why=""):
    """A list with the claim that one timer's throughput is `paper` percent higher than another timer's, or
    an empty list without both."""
    if len(measured(rows, (one, other))) < 2:
        return []
    mean, half = gap(throughput(rows, one), throughput(rows, other))
    holds = mean - half > 0 and abs(mean - paper) <= max(NEAR * paper, half)
    return [Claim(words, f"{paper} %", f"{mean:+.1f} ± {half:.1f} %; {against(rows, one, other)}",
                  bool(holds), "" if holds else why)]


def spread_claim(rows, words, paper, why=""):
    """The claim that all fixed timers are within `paper` percent of each other."""
    names = measured(rows, timers.FIXED)
    if len(names) < 2:
        return []
    names.sort(key=lambda name: throughput(rows, name).mean())
    worst, best = names[0], names[-1]
    mean, half = gap(throughput(rows, best), throughput(rows, worst))
    holds = mean - half <= paper
    return [Claim(words, f"{paper} %", f"{mean:+.1f} ± {half:.1f} %: {best} over {worst}; "
                  f"{against(rows, best, worst)}", bool(holds), "" if holds else why)]


def order_claim(rows, words, best, worst, why=""):
    """The claim that throughput changes steadily with the fixed timeout, from the best to the worst."""
    names = measured(rows, timers.FIXED)
    if not {best, worst}.issubset(names):
        return []
    if names.index(best) > names.index(worst):
        names.reverse()
    means = [throughput(rows, name).mean() for name in names]
    holds = is_less(throughput(rows, worst), throughput(rows, best)) and \
        means == sorted(means, reverse=True)
    return [Claim(words, f"best {best}, worst {worst}",
                  ", ".join(f"{name} {text(throughput(rows, name))}" for name in names) + " kbit/s",
                  holds, "" if holds else why)]


def higher(rows, words, paper, pairs, why="", losses=(WORST,), enough=all):
    """The claim that the first timer of each pair has more throughput than the second, at each loss rate.
    With `enough` any, a single loss rate is enough."""
    compared = {(*pair, loss): [throughput(rows, name, loss) for name in pair]
                for loss in losses for pair in pairs if len(measured(rows, pair, loss)) == 2}
    if not compared:
        return []
    holds = enough(is_less(low, high) for high, low in compared.values())
    return [Claim(words, paper, "; ".join(
        f"{high} {over(*values, low)}" + (f" at {loss} %" if len(losses) > 1 else "")
        for (high, low, loss), values in compared.items()), holds, "" if holds else why)]


def above(one, others):
    """Pairs for higher(): one timer has more throughput than each of the others."""
    return [(one, other) for other in others if other != one]


def below(one, others):
    return [(other, one) for other in others if other != one]


def no_lower(rows, words, one, others, losses=(WORST,), paper=""):
    """The claim that a timer's throughput is at least that of each of the others, within the interval of the
    difference, at each loss rate."""
    compared = {(other, loss): [throughput(rows, name, loss) for name in (one, other)] for loss in losses
                for other in others if len(measured(rows, (one, other), loss)) == 2}
    if not compared:
        return []
    low = [f"{over(*values, other)} at {loss} %" for (other, loss), values in compared.items()
           if is_less(*values)]
    best = max(compared, key=lambda pair: compared[pair][1].mean() / compared[pair][0].mean())
    return [Claim(words, paper, "; ".join(low) or
                  f"least {over(*compared[best], best[0])} at {best[1]} %", not low)]


def loss_claim(rows):
    """The claim about the frame loss rates towards the receiver, over all timers."""
    rows = rows[(rows["loss"] > 0) & (rows["timer"] != timers.TCP)]
    sums = rows.groupby(["loss", "seed"])[["down_lost", "down_sent"]].sum()
    share = 100 * sums["down_lost"] / sums["down_sent"]
    rates = {loss: share[loss] for loss in sorted(set(rows["loss"]))}
    holds = all(abs(own.mean() - loss) <= FLR * loss for loss, own in rates.items())
    return [Claim("frame loss rates", ", ".join(f"{loss} %" for loss in rates),
                  ", ".join(text(own, " %", 2) for own in rates.values()),
                  holds, "" if holds else WHY_LESS)]


def by_loss(axes, rows, value, label, column, names):
    """Draw a column of the rows by the loss rate, with a curve for each name in another column."""
    for style, name in enumerate(names):
        if len(one := rows[rows[column] == name]):
            picture.curve(axes, one, "loss", value, style, name)
    axes.set_xlabel("frame loss rate [%]")
    axes.set_ylabel(label)
    axes.set_ylim(0)


def draw(rows, path, title, numbers):
    """Draw the throughput against the loss rate: fixed timers as in the paper's figure of the first
    number, and adaptive timers as in the paper's figure of the second number."""
    sheet, axes = picture.sheet(1, 2, (12, 4.8), sharex=True, sharey=True)
    panels = (timers.FIXED, (*timers.ADAPTIVES, timers.TCP, timers.TCP_ABSOLUTE, timers.LOW,
                             timers.MIDDLE, timers.HIGH, timers.RAW))
    for each, number, names in zip(axes[0], numbers, panels):
        picture.title(each, f"figure {number}")
        for style, name in enumerate(names):
            if len(one := rows[rows["timer"] == name]):
                picture.curve(each, one, "loss", "kbit", style, name)
        each.set_xlabel("frame loss rate [%]")
        picture.legend(each)
    axes[0, 0].set_ylim(0)
    axes[0, 0].set_ylabel("Web Browsing throughput [kbit/s]")
    picture.save(sheet, path, title)
