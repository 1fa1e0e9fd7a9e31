# SPDX-License-Identifier: GPL-2.0-or-later
"""Where LPD helps a download by TCP across delay spikes, and where it harms: delays, rates and buffers
of the link, four senders, and what lifetimes their packets have. A gain is by how much longer
drop-tail takes for the same file across the same spikes."""
from lpd import fetch

TITLE = "Where LPD helps TCP that runs alone, and where it harms"
HEADLINE = "not in the paper, whose figure 10 has one path; there drop-tail takes 10-20 % longer"
SECONDS, SEEDS = 200, 8        # about: it ends when it is done
RATES = (30, 100, 300)
LIFETIMES = ("rto", "repeats")
SENDERS = {"standard": "2003", "NewReno": "2003, no SACK", "each ACK": "2003, times each ACK",
           "Linux timer": "2003, Linux's timer", "Linux": "Linux"}
HEAVY = 300                     # kbit/s: costs most, and so has fewer buffers
COLUMNS = {k: fetch.BUFFERS if k < HEAVY else fetch.BUFFERS[::2] for k in RATES}
BLIND = {"queue": "drop-tail"}
TREATMENTS = [BLIND] + [{"queue": "LPD", "lifetime": words} for words in LIFETIMES]
BAR = 1.0                       # percent that a lifetime may cost, to be advised

CELLS = [{"tcp": t, "delay": d, "kbit": k, "buffer": b, **treatment}
         for t in SENDERS for d in fetch.DELAYS for k in RATES for b in COLUMNS[k]
         for treatment in TREATMENTS]
QUICK = [cell for cell in CELLS if cell["tcp"] in ("standard", "Linux") and
         cell["delay"] == fetch.DELAYS[1] and cell["kbit"] < HEAVY and
         cell["buffer"] == fetch.BUFFERS[1]]
BY = ["tcp", "delay", "kbit", "buffer"]


def run(cell, seed, _directory):
    return [fetch.measure(cell, seed)]


# --- on the host ---

def of(rows, lifetime=None):
    """Those through LPD with a lifetime, or through drop-tail."""
    if lifetime is None:
        return rows[rows["queue"] == "drop-tail"]
    return rows[(rows["queue"] == "LPD") & (rows["lifetime"] == lifetime)]


def gains(rows, lifetime):
    """By BY: what a lifetime gains in percent, and half of its confidence interval."""
    return fetch.longer(of(rows), of(rows, lifetime), BY).set_index(BY)


def sure(gain):
    """Those whose confidence interval is on one side of 0."""
    return gain[gain["mean"].abs() > gain["half"]]


def draw(rows, path):
    """A panel for each sender, lifetime and rate: the gain by delay and buffer."""
    from pieces import picture
    found = {words: gains(rows, words) for words in LIFETIMES}
    columns = [(words, k) for words in LIFETIMES for k in RATES]
    wide = [len(COLUMNS[k]) for _, k in columns]
    sheet, axes = picture.sheet(len(SENDERS), len(columns), (1.5 + 0.68 * sum(wide), 10.5),
                                gridspec_kw={"width_ratios": wide})
    for line, (sender, name) in enumerate(SENDERS.items()):
        for column, (words, kbit) in enumerate(columns):
            at = found[words].reset_index()
            at = at[(at["tcp"] == sender) & (at["kbit"] == kbit)]
            picture.tiles(axes[line, column], at, "buffer", "delay", COLUMNS[kbit], fetch.DELAYS)
            if not line:
                picture.title(axes[line, column], f"{words}, {kbit} kbit/s")
            if line == len(SENDERS) - 1:
                axes[line, column].set_xlabel("buffer [packets]")
        axes[line, 0].set_ylabel(name.replace(", ", "\n") + "\ndelay [ms]", fontsize=9)
    picture.save(sheet, path, f"{TITLE}\nby how many % drop-tail takes longer, ± half of the 95 % "
                 "confidence interval; faint: not sure to be longer or shorter")


def claims(rows):
    return [claim for words in LIFETIMES for claim in _of_lifetime(rows, words)]


def _of_lifetime(rows, words):
    """What a lifetime gains each sender, and whether it may be advised."""
    from pieces.claim import Claim
    gain = gains(rows, words)
    found = [_of_sender(gain.loc[sender], SENDERS[sender], words)
             for sender in SENDERS if sender in gain.index]
    worst = gain["mean"].idxmin()
    certain = gain["mean"] + gain["half"] < -BAR
    less = fetch.copies(of(rows, words), BY) - fetch.copies(of(rows), BY)
    return found + [
        Claim(f"lifetime {words}: never costs more than {BAR:.0f} %", "",
              f"{int((gain['mean'] < -BAR).sum())} of {len(gain)} cells cost more, {int(certain.sum())} "
              f"of them for sure; the worst {-gain['mean'].min():.1f} % ({_where(worst)})",
              bool(gain["mean"].min() >= -BAR), WHY[words]),
        Claim(f"lifetime {words}: never more duplicates than through drop-tail", "",
              f"{int((less > 0).sum())} of {len(less)} cells have more, by at most "
              f"{max(0, less.max()):.1f} points; in percent of all that arrive, through drop-tail "
              f"and with it: {_duplicates(rows, words)}", bool(less.max() <= 0))]


WHY = {
    "rto": "what LPD discards has to be sent again, from a window of one segment. That is less than "
           "the duplicates it saves where timeouts are spurious. Where there are none it is a loss: "
           "where a full buffer delays for longer than a spike, and with Linux, which finds spurious "
           "timeouts out and takes them back (F-RTO, time stamps, DSACK)",
    "repeats": "little is to be gained: the timer sends one segment again, the oldest. The duplicates "
               "are those behind it, which acknowledgments clock out once the spike is over. Where "
               "buffers are small a few bytes more or less decide what is lost, and seeds differ"}


def _duplicates(rows, words):
    """Of each sender, all cells together."""
    before, after = fetch.copies(of(rows), "tcp"), fetch.copies(of(rows, words), "tcp")
    return "; ".join(f"{SENDERS[sender]}: {before[sender]:.1f} and {after[sender]:.1f}"
                     for sender in SENDERS if sender in after)


def _of_sender(gain, name, words):
    """Gains by rate, and how many of them, and of losses, are sure."""
    from pieces.claim import Claim
    from pieces.estimate import span
    told = []
    for kbit, each in gain.groupby(level="kbit"):
        certain = sure(each)["mean"]
        told.append(f"{kbit} kbit/s: {span(each['mean'], ' %')}, in {(certain > 0).sum()} of "
                    f"{len(each)} cells a sure gain, in {(certain < 0).sum()} a sure loss")
    return Claim(f"{name}, lifetime {words}: LPD gains", "",
                 f"on average {gain['mean'].mean():+.1f} %; " + "; ".join(told),
                 bool(gain["mean"].min() >= 0))


def _where(index):
    tcp, delay, kbit, buffer = index
    return f"{SENDERS[tcp]}; {delay} ms, {kbit} kbit/s, {buffer} packets"
