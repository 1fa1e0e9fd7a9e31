# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 10: a download by TCP across delay spikes, through drop-tail and LPD, with and without the
Eifel algorithm. Through LPD a segment's lifetime is the retransmission timeout that its socket has
at the moment.

The paper prints neither the link's rate, nor the size of the file, nor the buffers; these are ours.
There are two rates, since it depends on them whether a timeout can be spurious at all: where a
full buffer alone delays packets for longer than a spike, the timer is longer, too. The timer is RFC
2988's but for what Linux does differently: SRTT + max(1 s, 4 mdev)."""
from lib import tree

from lpd.fetch import fetch
from pieces import segments, spikes

TITLE = "A download by TCP: drop-tail, LPD and Eifel"
HEADLINE = "drop-tail takes 10-20 % longer than LPD, Eifel up to 60 % with small buffers; " \
    "duplicates: up to 16 % with standard TCP, under 3 % with LPD and Eifel"
SECONDS = 200               # about: it ends when it is done
TOTALS = {30: 500_000, 100: 1_000_000}          # bytes, by the link's rate in kbit/s
BUFFERS = (5, 10, 20, 50, 100)
SOME, FAST = (5, 20, 100), 100                  # buffers and rate of queues beside these two
SENDERS = ("standard", "Eifel", "Eifel-CC", "F-RTO", "Eifel+F-RTO", "Linux")
OTHERS = ("LPD-head", "RED+LPD", "RED", "CoDel", "fq_codel", "age limit")

CELLS = [{"kbit": k, "tcp": t, "queue": "LPD", "buffer": b} for k in TOTALS
         for t in ("standard", "Linux") for b in BUFFERS] + \
    [{"kbit": k, "tcp": t, "queue": "drop-tail", "buffer": b} for k in TOTALS
     for t in SENDERS for b in BUFFERS] + \
    [{"kbit": FAST, "tcp": "standard", "queue": q, "buffer": b} for q in OTHERS for b in SOME] + \
    [{"kbit": FAST, "tcp": "standard", "queue": "CAKE"}]
QUICK = [cell for cell in CELLS if cell["queue"] in ("LPD", "drop-tail") and
         cell["buffer"] in (BUFFERS[1], BUFFERS[-1])]


def run(cell, seed, _directory):
    taken, (seen, arrivals), path, _ = fetch(cell, spikes.draw(seed), TOTALS[cell["kbit"]])
    counters = path.lpd()
    stale = sum(counters[name] for name in tree.STALE) if counters else 0
    return [{"seconds": taken, "stale": stale, **segments.summary(seen, arrivals)}]


# --- on the host ---

def of(rows, kbit, tcp, queue):
    return rows[(rows["kbit"] == kbit) & (rows["tcp"] == tcp) & (rows["queue"] == queue)]


def curves(rows, kbit):
    """(what it is called, its rows) of each sender through drop-tail, and of those through LPD."""
    return [("LPD", of(rows, kbit, "standard", "LPD"))] + \
        [(tcp, of(rows, kbit, tcp, "drop-tail")) for tcp in SENDERS] + \
        [("LPD, Linux", of(rows, kbit, "Linux", "LPD"))]


def percent(rows):
    return rows.assign(again_pct=100 * rows["again"] / rows["arrived"])


def draw(rows, path):
    """Download time and duplicates against the buffer: at either rate, and through other queues."""
    from pieces import picture
    rows = percent(rows)
    panels = [(f"senders through drop-tail, and LPD; {k} kbit/s", curves(rows, k)) for k in TOTALS]
    panels.append((f"the standard sender through queues; {FAST} kbit/s",
                   [(q, of(rows, FAST, "standard", q))
                    for q in ("LPD", "drop-tail", *OTHERS, "CAKE")]))
    sheet, axes = picture.sheet(2, len(panels), (14, 8), sharex=True)
    for column, (title, lines) in enumerate(panels):
        for number, (label, group) in enumerate(lines):
            _draw_line(picture, axes[:, column], group, number, label)
        picture.title(axes[0, column], title)
        picture.buffers(axes[1, column], BUFFERS)
        picture.legend(axes[1, column], ncols=2)
        axes[0, column].set_ylabel("download time [s]")
        axes[1, column].set_ylabel("duplicates [% of segments that arrive]")
        axes[1, column].set_ylim(-0.5, 24)
    picture.save(sheet, path, TITLE)


def _draw_line(picture, axes, group, number, label):
    for each, value in zip(axes, ("seconds", "again_pct")):
        if not len(group):
            continue
        if group["buffer"].isna().all():
            picture.level(each, group, value, number, label)
        else:
            picture.curve(each, group, "buffer", value, number, label)


class Means:
    """By buffer, at one rate: download times, and duplicates in percent of what arrives."""

    def __init__(self, rows, kbit):
        groups = {name: group.groupby("buffer") for name, group in curves(rows, kbit)}
        self.time = {name: g["seconds"].mean() for name, g in groups.items()}
        self.copies = {name: 100 * g["again"].sum() / g["arrived"].sum()
                       for name, g in groups.items()}
        self.timeouts, self.spurious = (int(groups["standard"][name].sum().sum())
                                        for name in ("timeouts", "spurious"))

    def longer(self, name, than="LPD"):
        """By how many percent."""
        return 100 * (self.time[name] / self.time[than] - 1)


def claims(rows):
    return [claim for kbit in TOTALS for claim in _claims(Means(rows, kbit), kbit)]


def _claims(means, kbit):
    from pieces.claim import Claim
    from pieces.estimate import span
    tail, eifel = means.longer("standard"), means.longer("Eifel")
    small, large = eifel.index[:2], eifel.index[-2:]
    stricter = means.longer("Eifel-CC", "Eifel")
    return [
        Claim(f"{kbit} kbit/s: drop-tail takes longer than LPD by", "10-20 %", span(tail, " %"),
              bool(tail.between(10, 20).all()), WHY_TIME),
        Claim(f"{kbit} kbit/s: LPD never takes longer than drop-tail", "", _worst(tail),
              bool(tail.min() >= 0), "" if tail.min() >= 0 else WHY_TIME),
        Claim(f"{kbit} kbit/s: Eifel takes longer than LPD with large buffers by",
              "slightly higher", span(eifel[large], " %"),
              bool(eifel[large].between(0, 10).all()), WHY_EIFEL),
        Claim(f"{kbit} kbit/s: Eifel takes longer than LPD with small buffers by", "up to 60 %",
              span(eifel[small], " %"), bool(eifel[small].max() > 10), WHY_EIFEL),
        Claim(f"{kbit} kbit/s: Eifel-CC takes longer than Eifel by", "even worse",
              span(stricter, " %"), bool(stricter.min() >= -1 and stricter.max() > 1)),
        Claim(f"{kbit} kbit/s: duplicates of standard TCP, from the smallest buffer to the largest",
              "grow up to 16 %", ", ".join(f"{v:.1f}" for v in means.copies["standard"]) + " %",
              bool(means.copies["standard"].is_monotonic_increasing), WHY_RATE),
        Claim(f"{kbit} kbit/s: timeouts of standard TCP through drop-tail that are spurious", "",
              f"{means.spurious} of {means.timeouts}", means.spurious > 0),
        *(Claim(f"{kbit} kbit/s: duplicates with {name}", "under 3 %" if name != "F-RTO" else "",
                span(means.copies[name], " %", 2), bool(means.copies[name].max() < 3))
          for name in ("LPD", "Eifel", "F-RTO", "Eifel+F-RTO"))]


WHY_TIME = "what is discarded in a spike has to be sent again, from a window of one segment, " \
    "while drop-tail has a queue to send from. Duplicates cost drop-tail more where there " \
    "are many. Where the buffer's own delay is longer than a spike drop-tail has no " \
    "timeouts, but LPD discards segments: Linux's timer starts anew with each " \
    "acknowledgement, a segment's lifetime does not (section IV.B warns of this). The option " \
    "takes 8 bytes of each segment"
WHY_RATE = "a buffer of b packets delays by b packets' time at the link's rate. Where that is " \
    "longer than a spike so is the timer, and there are no spurious timeouts"
WHY_EIFEL = "Linux takes back congestion control whole; what drop-tail held is delivered once, " \
    "and nothing has to be sent again: through LPD all of it does"


def _worst(tail):
    """Where LPD fares worst."""
    return f"LPD is slower by {max(0, -tail.min()):.1f} % at {tail.idxmin():.0f} packets, " \
        f"faster by {tail.max():.1f} % at {tail.idxmax():.0f}"
