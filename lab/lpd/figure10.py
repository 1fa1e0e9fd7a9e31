# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 10: a download by TCP across delay spikes, through drop-tail and LPD, with and without the
Eifel algorithm. With LPD the lifetime of a segment is the current retransmission timeout of its socket.
The sender is a sender of 2003 with RFC 2988's timer.

The paper states neither the link's rate and delay nor the size of the file and the buffers. These
numbers are ours. The paper also does not state how often the timer takes a sample. RFC 2988 allows
one sample per round trip ("standard") and, with time stamps, one sample from each acknowledgment
("each ACK"). Eifel needs time stamps, so it always takes a sample from each acknowledgment.

The rate decides whether a timeout can be spurious: if a full buffer delays packets for longer than
a spike, the timeout is also longer than a spike. Therefore the figure has two rates. The delay
decides how much LPD costs, because LPD has to begin with one segment after a spike. Therefore the
figure has three delays. Nearby links of 2003 had delays of 50 and 100 ms. The third delay is the
delay of figure 9.

The figure "map" has these delays and rates for other senders and other lifetimes."""
from lpd import fetch
from lpd.fetch import BUFFERS, DELAYS

TITLE = "A download by TCP: drop-tail, LPD and Eifel"
HEADLINE = "drop-tail takes 10-20 % longer than LPD, Eifel up to 60 % with small buffers; " \
    "duplicates: up to 16 % with standard TCP, under 3 % with LPD and Eifel"
SECONDS = 200               # approximate, because a cell ends when its download ends
SEEDS = 12
RATES = (30, 100)           # kbit/s
NEAR = 100                  # ms; all senders and queues are compared at this delay
SOME, FAST = (5, 20, 100), 100                  # buffers and rate for the other queues
JUDGED = ("standard", "each ACK")
OURS = ("Eifel", "Eifel-CC", "NewReno", "F-RTO", "Eifel+F-RTO", "Linux")
OTHERS = ("LPD-head", "RED+LPD", "RED", "CoDel", "fq_codel", "age limit")


def _grid(tcp, queue, delays=DELAYS, rates=RATES, buffers=BUFFERS):
    return [{"delay": d, "kbit": k, "tcp": tcp, "queue": queue, "buffer": b}
            for d in delays for k in rates for b in buffers]


CELLS = [cell for tcp in JUDGED for queue in ("LPD", "drop-tail") for cell in _grid(tcp, queue)] + \
    [cell for tcp in OURS for cell in _grid(tcp, "drop-tail", [NEAR])] + \
    [cell for tcp in ("NewReno", "Linux") for cell in _grid(tcp, "LPD", [NEAR])] + \
    [cell for queue in OTHERS for cell in _grid("standard", queue, [NEAR], [FAST], SOME)] + \
    [{"delay": NEAR, "kbit": FAST, "tcp": "standard", "queue": "CAKE"}]
QUICK = [cell for cell in CELLS if cell["queue"] in ("LPD", "drop-tail") and
         cell["delay"] == NEAR and cell["kbit"] == RATES[0] and
         cell["buffer"] in (BUFFERS[1], BUFFERS[-1])]


def run(cell, seed, _directory):
    return [fetch.measure(cell, seed)]


# --- on the host ---

def of(rows, delay, kbit, tcp, queue):
    return rows[(rows["delay"] == delay) & (rows["kbit"] == kbit) & (rows["tcp"] == tcp) &
                (rows["queue"] == queue)]


def named():
    """{name: (sender, queue)} for each combination of a sender with drop-tail or LPD."""
    return {"LPD": ("standard", "LPD"), **{tcp: (tcp, "drop-tail") for tcp in (*JUDGED, *OURS)},
            **{f"LPD, {tcp}": (tcp, "LPD") for tcp in ("each ACK", "NewReno", "Linux")}}


def groups(rows, delay, kbit):
    """{name: rows} for each combination in named() that has rows."""
    found = {name: of(rows, delay, kbit, *which) for name, which in named().items()}
    return {name: group for name, group in found.items() if len(group)}


def queues_of(rows):
    """{queue: rows} of the standard sender, at the delay NEAR and the rate FAST."""
    found = {q: of(rows, NEAR, FAST, "standard", q) for q in ("LPD", "drop-tail", *OTHERS, "CAKE")}
    return {name: group for name, group in found.items() if len(group)}


def pairs(rows):
    """The pairs of delay and rate that have rows."""
    return [(d, k) for d in DELAYS for k in RATES if len(of(rows, d, k, "standard", "LPD"))]


def draw(rows, path):
    """Draw by buffer size how much longer downloads take than with LPD, and their duplicates. There
    is a column for each delay, a column for other senders, and a column for other queues."""
    from pieces import picture
    common = [*JUDGED, "LPD", "LPD, each ACK"]
    sheet, axes = picture.sheet(4, len(DELAYS) + 2, (19, 15), sharex=True)
    for line, kbit in enumerate(RATES):
        found = {delay: groups(rows, delay, kbit) for delay in DELAYS}
        columns = [(f"{kbit} kbit/s, {delay} ms", {name: group for name, group in found[delay].items()
                                                   if name in common}) for delay in DELAYS]
        columns.append((f"{kbit} kbit/s, {NEAR} ms: senders", {
            name: group for name, group in found[NEAR].items() if name not in common[:3]}))
        columns.append((f"{FAST} kbit/s, {NEAR} ms: queues",
                        queues_of(rows) if kbit == FAST else {}))
        for column, (title, lines) in enumerate(columns):
            _panel(picture, axes[2 * line:2 * line + 2, column], title, lines,
                   found[NEAR] if column >= len(DELAYS) else found[DELAYS[column]])
        axes[2 * line, 0].set_ylabel("longer than LPD [%]")
        axes[2 * line + 1, 0].set_ylabel("duplicates [% of segments that arrive]")
    picture.save(sheet, path, TITLE)


def _panel(picture, axes, title, lines, base):
    """Two panels. The upper panel has download times relative to the standard sender with LPD,
    which is in `base`. The lower panel has duplicates."""
    if not lines or "LPD" not in base:
        for each in axes:
            each.set_visible(False)
        return
    names = list(named())
    for name, group in lines.items():
        number = names.index(name) if name in names else list(lines).index(name)
        _lines(picture, axes, group, base["LPD"], number, name)
    picture.title(axes[0], title)
    axes[0].axhline(0, color=picture.FAINT, linewidth=0.8)
    axes[0].set_ylim(-22, 42)
    axes[1].set_ylim(-0.5, 24)
    for each in axes:
        picture.buffers(each, BUFFERS)
    picture.legend(axes[0], ncols=2, loc="upper left")


def _lines(picture, axes, group, lpd, number, label):
    """Draw a group's lines. CAKE has no buffer in packets; it is drawn at each buffer."""
    if group["buffer"].isna().all():
        group = group.drop(columns="buffer").merge(lpd[["buffer", "seed"]], on="seed")
    longer = group.merge(lpd, on=["buffer", "seed"], suffixes=("", "_lpd"))
    longer["longer"] = 100 * (longer["seconds"] / longer["seconds_lpd"] - 1)
    longer["copies"] = 100 * longer["again"] / longer["arrived"]
    picture.curve(axes[0], longer, "buffer", "longer", number, label)
    picture.curve(axes[1], longer, "buffer", "copies", number, label)


class Means:
    """Results at one delay and rate, by buffer: how much longer downloads take, in percent, and
    duplicates in percent of the segments that arrive."""

    def __init__(self, rows, delay, kbit):
        self.groups = groups(rows, delay, kbit)
        self.copies = {name: fetch.copies(group, "buffer") for name, group in self.groups.items()}

    def longer(self, name, than="LPD"):
        """By how many percent downloads take longer, and half of the confidence interval."""
        return fetch.longer(self.groups[name], self.groups[than], ["buffer"]).set_index("buffer")

    def timeouts(self, name):
        """(spurious, all) timeouts of a sender."""
        return tuple(int(self.groups[name][word].sum()) for word in ("spurious", "timeouts"))


def claims(rows):
    return [_time(Means(rows, *pair), *pair, tcp, lpd) for pair in pairs(rows)
            for tcp, lpd in (("standard", "LPD"), ("each ACK", "LPD, each ACK"))] + \
        [claim for delay, kbit in pairs(rows) if delay == NEAR
         for claim in _near(Means(rows, delay, kbit), kbit)]


def _time(means, delay, kbit, tail, lpd):
    """The paper's claim about the download time, at one delay and rate."""
    from pieces.claim import Claim
    longer = means.longer(tail, lpd)
    return Claim(f"{kbit} kbit/s, {delay} ms, {tail}: drop-tail takes longer than LPD by", "10-20 %",
                 ", ".join(f"{one.mean:+.1f} ± {one.half:.1f}" for one in longer.itertuples()) +
                 f" % at {_listed(longer.index)} packets",
                 bool(longer["mean"].between(10, 20).all()), WHY_TIME)


def _near(means, kbit):
    """The paper's claims about other senders and about duplicates, at the delay NEAR."""
    from pieces.claim import Claim
    from pieces.estimate import span
    where = f"{kbit} kbit/s, {NEAR} ms"
    eifel = means.longer("Eifel", "LPD, each ACK")["mean"]
    stricter = means.longer("Eifel-CC", "Eifel")["mean"]
    small, large = eifel.iloc[:2], eifel.iloc[-2:]
    return [
        _time(means, NEAR, kbit, "NewReno", "LPD, NewReno"),
        Claim(f"{where}: Eifel takes longer than LPD with large buffers by", "slightly higher",
              span(large, " %"), bool(large.between(0, 10).all()), WHY_EIFEL),
        Claim(f"{where}: Eifel takes longer than LPD with small buffers by", "up to 60 %",
              span(small, " %"), bool(small.max() > 10), WHY_EIFEL),
        Claim(f"{where}: Eifel-CC takes longer than Eifel by", "even worse",
              span(stricter, " %"), bool(stricter.min() >= -1 and stricter.max() > 1)),
        *(_duplicates(means, where, tcp) for tcp in JUDGED),
        *(Claim(f"{where}: duplicates with {name}", "" if "F-RTO" in name else "under 3 %",
                span(means.copies[name], " %", 2), bool(means.copies[name].max() < 3))
          for name in ("LPD", "LPD, each ACK", "Eifel", "F-RTO", "Eifel+F-RTO"))]


def _duplicates(means, where, tcp):
    """The claim about duplicates with drop-tail."""
    from pieces.claim import Claim
    found = means.copies[tcp]
    return Claim(f"{where}, {tcp}: duplicates with drop-tail, at {_listed(found.index)} packets",
                 "grow up to 16 %", ", ".join(f"{value:.1f}" for value in found) +
                 " %; of {1} timeouts {0} are spurious".format(*means.timeouts(tcp)),
                 bool(found.is_monotonic_increasing), WHY_RATE)


def _listed(values):
    return ", ".join(f"{value:.0f}" for value in values)


WHY_TIME = "with drop-tail the duplicates after a spike take time on the link; with LPD the sender has to " \
    "send the discarded segments again, from a window of one segment. How many timeouts are spurious, and " \
    "so how many duplicates there are, depends on how often the timer takes a sample; the paper does not " \
    "say how often. If the buffer's own delay is longer than a spike, drop-tail has no duplicates, but LPD " \
    "discards segments: each acknowledgement restarts the timer, but not a segment's lifetime (section " \
    "IV.B warns of this). The option takes 8 bytes of each segment"
WHY_RATE = "a buffer of b packets delays packets by b transmission times. If this is longer than a spike, " \
    "the timer is longer than a spike, too, and no timeout is spurious"
WHY_EIFEL = "Linux undoes the timeout and restores the window; drop-tail delivers its queue once, so " \
    "nothing is sent again; with LPD the sender has to send the whole queue again"
