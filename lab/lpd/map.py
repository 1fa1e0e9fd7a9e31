# SPDX-License-Identifier: GPL-2.0-or-later
"""Where LPD helps a download by TCP across delay spikes, and where LPD harms the download. The
figure has different delays, rates and buffers of the link, five senders, and two lifetimes. A gain
is the percentage by which a download of the same file across the same spikes takes longer with
drop-tail."""
from lpd import fetch

TITLE = "Where LPD helps TCP that runs alone, and where it harms"
HEADLINE = "not in the paper; its figure 10 has one path, on which drop-tail takes 10-20 % longer"
SECONDS, SEEDS = 200, 8        # approximate, because a cell ends when its download ends
RATES = (30, 100, 300)
LIFETIMES = ("rto", "repeats")
SENDERS = {"standard": "2003", "NewReno": "2003, no SACK", "each ACK": "2003, times each ACK",
           "Linux timer": "2003, Linux's timer", "Linux": "Linux"}
HEAVY = 300                     # kbit/s: takes longest, so it has fewer buffers
COLUMNS = {k: fetch.BUFFERS if k < HEAVY else fetch.BUFFERS[::2] for k in RATES}
BLIND = {"queue": "drop-tail"}
TREATMENTS = [BLIND] + [{"queue": "LPD", "lifetime": words} for words in LIFETIMES]
BAR = 1.0                       # most percent that a recommended lifetime may cost

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
    """The rows of LPD with a lifetime, or of drop-tail."""
    if lifetime is None:
        return rows[rows["queue"] == "drop-tail"]
    return rows[(rows["queue"] == "LPD") & (rows["lifetime"] == lifetime)]


def gains(rows, lifetime):
    """The gain of a lifetime in percent, and half of its confidence interval, indexed by BY."""
    return fetch.longer(of(rows), of(rows, lifetime), BY).set_index(BY)


def sure(gain):
    """The gains whose confidence interval does not contain 0."""
    return gain[gain["mean"].abs() > gain["half"]]


def draw(rows, path):
    """Draw a panel for each sender, lifetime and rate: the gain by delay and buffer."""
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
                 "confidence interval; faint: the interval contains 0")


def claims(rows):
    return [claim for words in LIFETIMES for claim in _of_lifetime(rows, words)]


def _of_lifetime(rows, words):
    """The claims about a lifetime: its gain for each sender, and whether it can be recommended."""
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
              f"of them certainly; the worst costs {-gain['mean'].min():.1f} % ({_where(worst)})",
              bool(gain["mean"].min() >= -BAR), WHY[words]),
        Claim(f"lifetime {words}: never more duplicates than with drop-tail", "",
              f"{int((less > 0).sum())} of {len(less)} cells have more, by at most "
              f"{max(0, less.max()):.1f} points; in percent of the segments that arrive, with drop-tail "
              f"and with the lifetime: {_duplicates(rows, words)}", bool(less.max() <= 0))]


WHY = {
    "rto": "the sender has to send the segments that LPD discards again, from a window of one segment. "
           "This costs less than the duplicates of spurious timeouts. If no timeout is spurious, it is a "
           "loss: if a full buffer delays packets for longer than a spike, and with Linux, which detects "
           "spurious timeouts and undoes them (F-RTO, time stamps, DSACK)",
    "repeats": "there is little to gain: the timer sends only the oldest segment again. The duplicates are "
               "the segments behind it, which acknowledgments clock out after the spike. With small buffers "
               "a few bytes decide which packets are lost, so seeds differ"}


def _duplicates(rows, words):
    """The duplicates of each sender, over all cells."""
    before, after = fetch.copies(of(rows), "tcp"), fetch.copies(of(rows, words), "tcp")
    return "; ".join(f"{SENDERS[sender]}: {before[sender]:.1f} and {after[sender]:.1f}"
                     for sender in SENDERS if sender in after)


def _of_sender(gain, name, words):
    """The claim about a sender: gains by rate, and how many gains and losses are statistically
    certain."""
    from pieces.claim import Claim
    from pieces.estimate import span
    texts = []
    for kbit, each in gain.groupby(level="kbit"):
        certain = sure(each)["mean"]
        texts.append(f"{kbit} kbit/s: {span(each['mean'], ' %')}, in {(certain > 0).sum()} of "
                     f"{len(each)} cells a certain gain, in {(certain < 0).sum()} a certain loss")
    return Claim(f"{name}, lifetime {words}: LPD gains", "",
                 f"on average {gain['mean'].mean():+.1f} %; " + "; ".join(texts),
                 bool(gain["mean"].min() >= 0))


def _where(index):
    tcp, delay, kbit, buffer = index
    return f"{SENDERS[tcp]}; {delay} ms, {kbit} kbit/s, {buffer} packets"
