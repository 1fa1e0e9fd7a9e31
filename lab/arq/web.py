# SPDX-License-Identifier: GPL-2.0-or-later
"""What the figures about Web Browsing have in common. Two figures of the paper share their cells: one
compares fixed timers, and the other compares adaptive timers, three fixed timers and the raw link."""
from typing import NamedTuple

from arq import scenario, timers
from arq.network import TWO_STATE, UNIFORM

LOWER = scenario.LOSSES[1:-1]       # loss rates
WHY_GAP = "the paper does not print its window, the length of its header, when a frame is rejected " \
    "again, and other details of its protocol"
WHY_GAIN = "without contention no fixed timeout gains as much over 1.1 s (figure timeouts), and with it " \
    "our choices of what the paper does not print decide how long frames wait"


class Web(NamedTuple):
    """Two figures of the paper, with its claims about 9.8 %."""

    numbers: tuple          # of the figures in the paper
    channel: str
    contention: bool
    best: str = ""          # the best fixed timer and the worst, or "" if they hardly differ
    worst: str = ""
    spread: float = 0       # by how many percent the best fixed timer is above the worst
    gain: float = 0         # by how many percent the adaptive timer is above 1.1 s

    @property
    def title(self):
        words = {UNIFORM: "uniform losses", TWO_STATE: "two-state channel"}
        return f"Figures {self.numbers[0]} and {self.numbers[1]}: Web Browsing " \
            f"{'with' if self.contention else 'without'} contention, {words[self.channel]}"

    @property
    def losses(self):
        """The loss rates. Without losses both channels are the same."""
        return scenario.LOSSES[self.channel == TWO_STATE:]

    def cells(self):
        """All timers at the highest loss rate, about which the paper has its numbers, and some of them at
        each loss rate."""
        return [{"timer": timer, "loss": loss} for loss in self.losses
                for timer in (timers.SOME if loss < scenario.WORST else timers.most(self.channel))]

    def run(self, cell, seed, _directory):
        return scenario.run(cell, seed, self.channel, self.contention)

    # --- on the host ---

    def draw(self, rows, path):
        from arq import results
        results.draw(rows, path, self.title, self.numbers)

    def claims(self, rows):
        from arq import results
        return self._fixed(rows) + self._adaptive(rows) + results.loss_claim(rows)

    def _fixed(self, rows):
        """The claims about fixed timers."""
        from arq import results
        words = f"figure {self.numbers[0]}, 9.8 %: "
        gap = words + "gap between the best and the worst fixed timer"
        if not self.best:
            return results.spread_claim(rows, gap, self.spread)
        return results.order_claim(rows, words + "fixed timers", self.best, self.worst) + \
            results.gap_claim(rows, gap, self.best, self.worst, self.spread, WHY_GAP)

    def _adaptive(self, rows):
        """The claims about the adaptive timer, for each of its forms."""
        from arq import results
        found = []
        for timer in timers.forms(self.channel):
            words = f"figure {self.numbers[1]}, 9.8 %: "
            found += results.higher(rows, f"{words}{timer} above all fixed timers and the raw link", "best",
                                    results.above(timer, (*timers.FIXED, timers.RAW)))
            found += results.gap_claim(rows, f"{words}gap of {timer} over 1.1 s", timer, timers.MIDDLE,
                                       self.gain, WHY_GAIN)
            found += results.no_lower(rows, f"figure {self.numbers[1]}: {timer} at least as good as each "
                                      "fixed timer", timer, timers.FIXED, self.losses)
        return found

    def extremes(self, rows):
        """The claim that the shortest fixed timer is also the best one, or the worst one, at the lower loss
        rates."""
        from arq import results
        others, word = (timers.MIDDLE, timers.HIGH), "above" if self.best == timers.LOW else "below"
        pairs = getattr(results, word)(timers.LOW, others)
        return results.higher(rows, f"figure {self.numbers[0]}: 0.9 s {word} 1.1 s and 1.3 s at lower loss "
                              "rates", "best" if word == "above" else "worst", pairs, losses=LOWER)

    def low_below_raw(self, rows, paper, enough):
        """The claim that the shortest fixed timer is below the raw link, at all loss rates or at one."""
        from arq import results
        return results.higher(rows, f"figure {self.numbers[1]}: 0.9 s below the raw link", paper,
                              [(timers.RAW, timers.LOW)], losses=scenario.LOSSES[1:], enough=enough)

    def tcp(self, rows, words, paper, pairs, whys):
        """The claims about plain TCP, for both forms of the variance. `pairs` returns the timers that are
        compared."""
        from arq import results
        found = []
        for timer, why in zip((timers.TCP, timers.TCP_ABSOLUTE), whys):
            found += results.higher(rows, f"figure {self.numbers[1]}, 9.8 %: {timer} {words}", paper,
                                    pairs(timer), why)
        return found

    def tcp_below_raw(self, rows):
        """The claims that plain TCP is below the raw link."""
        from arq import results
        found = []
        for timer in (timers.TCP, timers.TCP_ABSOLUTE):
            found += results.higher(rows, f"figure {self.numbers[1]}: {timer} below the raw link",
                                    "nearly always below", [(timers.RAW, timer)],
                                    losses=scenario.LOSSES[1:])
        return found
