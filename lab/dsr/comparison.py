# SPDX-License-Identifier: GPL-2.0-or-later
"""The results of figure "peers": a table, a picture, and the claims. This module runs on the host."""
import os

from dsr.peers import BASE, PROGRAMS, settings
from pieces import estimate, picture
from pieces.claim import Claim

FIXED, OURS = "fixed", ("CCID 2", "CCID 3")
SRT, RIST = ("SRT 1/2", "SRT 3/4", "SRT"), ("RIST",)
TCP, SCTP = ("TCP 1/4", "TCP"), ("PR-SCTP 1/4", "PR-SCTP")
QUIC, BBR = ("QUIC",), ("QUIC BBR",)
# the columns of the table, each with the best of some programs
SHOWN = {"fixed": (FIXED,), "CCID 2": OURS[:1], "CCID 3": OURS[1:], "TCP": TCP, "QUIC": QUIC,
         "QUIC BBR": BBR, "PR-SCTP": SCTP, "SRT": SRT, "RIST": RIST}
WIDTH = 10                          # characters of a column of the table
COLUMNS = 6                         # panels of the picture in a row
SAVED = 0.7                         # of SRT's airtime beyond the payload, at 64 kbit/s
ALLOWED = 1                         # ms: an error of the receiver's clock


def table(rows):
    """A line for each scene, with the share on time in % and the airtime of each program."""
    lines = ["Columns: share of the messages on time in %, airtime in bytes per byte of payload. Of several "
             "settings", "the one with the most messages on time.",
             f"{'scene':14}" + "".join(f"{name:>{WIDTH}}" for name in SHOWN)]
    for name, own in rows.groupby("scene", sort=False):
        scene = Scene(own)
        lines.append(f"{os.path.basename(name):14}" + "".join(
            f"{scene.cell(scene.best(names)):>{WIDTH}}" for names in SHOWN.values()))
    return "\n".join(lines)


def draw(rows, path, title):
    scenes = list(dict.fromkeys(rows["scene"]))
    down = len(scenes) // COLUMNS + 1       # the last panel has the legend
    sheet, axes = picture.sheet(down, COLUMNS, (3 * COLUMNS, 3 * down))
    for each, scene in zip(axes.flat, scenes):
        picture.title(each, os.path.basename(scene))
        _points(each, rows[rows["scene"] == scene])
        each.set_xlabel("airtime")
    for each in axes.flat[len(scenes):]:
        each.set_axis_off()
    for each in axes[:, 0]:
        each.set_ylabel("on time [%]")
    picture.legend(axes[-1, -1], handles=axes[0, 0].get_legend_handles_labels()[0])
    picture.save(sheet, path, title)


def _points(axes, rows):
    """A point for each program: its share on time and its airtime, with confidence intervals."""
    for number, name in enumerate(PROGRAMS):
        own = rows[rows["program"] == name]
        if len(own):
            look = picture.look(number) | {"linestyle": "none"}
            if number >= len(picture.COLORS):
                look["markerfacecolor"] = "none"
            axes.errorbar(own["airtime"].mean(), own["share"].mean(), label=name,
                          xerr=estimate.half_width(own["airtime"]), yerr=estimate.half_width(own["share"]),
                          **look)
    axes.set_ylim(0, 103)
    axes.set_xlim(0)


class Scene:
    """The results of a scene, by program and seed."""

    def __init__(self, rows):
        self.by = {name: own.set_index("seed") for name, own in rows.groupby("program")}

    def best(self, names):
        """The name among `names` with the largest share on time."""
        there = [name for name in names if name in self.by]
        return max(there, key=lambda name: self.by[name]["share"].mean(), default=None)

    def cell(self, name):
        """The text of a table's cell."""
        if name is None:
            return "-"
        share = f"{self.by[name]['share'].mean():.1f}".replace("100.0", "100")
        return f"{share} {self.by[name]['airtime'].mean():.2f}"

    def more(self, one, other, column="share"):
        """Whether `one` has surely more than `other`."""
        return estimate.is_less(*(self.by[name][column] for name in (other, one)))

    def pair(self, one, other):
        """Both results as a text."""
        return "; ".join(f"{name} {self.by[name]['share'].mean():.1f} % with "
                         f"{self.by[name]['airtime'].mean():.2f}" for name in (one, other))


def scenes(rows, *wanted):
    """{scene: its results} of the scenes where each of some groups of programs has a result."""
    found = {name: Scene(own) for name, own in rows.groupby("scene", sort=False)}
    return {name: scene for name, scene in found.items() if all(map(scene.best, wanted))}


def claims(rows):
    made = []
    for ours, others, text in (((FIXED,), SRT, "SRT"), ((FIXED,), RIST, "RIST"), (OURS, TCP, "TCP"),
                               (OURS, QUIC, "QUIC"), (OURS, BBR, "QUIC with BBR"),
                               (OURS, SCTP, "PR-SCTP")):
        if found := scenes(rows, ours, others):
            made += _versus(found, ours, others, text)
    return made + _overhead(rows) + _late(rows) + _fresh(rows)


def _versus(found, ours, others, text):
    """At no more airtime no lower share on time, and a higher share in half of the scenes."""
    pairs = {name: (scene, scene.best(ours), scene.best(others)) for name, scene in found.items()}
    worse = {name: scene.pair(own, other) for name, (scene, own, other) in pairs.items()
             if scene.more(other, own) or scene.more(own, other, "airtime")}
    better = [name for name, (scene, own, other) in pairs.items() if scene.more(own, other)]
    return [Claim(f"{' or '.join(ours)} versus {text}: at no more airtime no lower share on time", "",
                  f"in {len(pairs) - len(worse)} of {len(pairs)} scenes", not worse,
                  ". ".join(f"{name}: {told}" for name, told in worse.items())),
            Claim(f"{' or '.join(ours)} versus {text}: a higher share on time in half of the scenes", "",
                  f"in {len(better)} of {len(pairs)}", 2 * len(better) >= len(pairs), ", ".join(better))]


def _overhead(rows):
    """At a low rate the bytes beyond the payload."""
    rows = rows[rows["scene"].isin(("rate 64", "voice"))]
    made = []
    for name, scene in scenes(rows, (FIXED,), SRT).items():
        srt = scene.best(SRT)
        part = (scene.by[FIXED]["airtime"] - 1) / (scene.by[srt]["airtime"] - 1)
        made.append(Claim(f"{name}: at most {SAVED} of SRT's airtime beyond the payload", "",
                          estimate.text(part, digits=2), part.mean() <= SAVED))
    return made


def _late(rows):
    """Messages that our receiver gave to its program after the deadline."""
    own = rows[rows["program"].isin((FIXED, *OURS))]
    if not len(own):
        return []
    deadline = own["scene"].map(lambda name: settings(name)["deadline"])
    late = own["arrived"] - own["on_time"]
    worst = (own["longest_ms"] - deadline).max()
    return [Claim("our receiver gives no message after its deadline", "",
                  f"{late.sum()} of {own['messages'].sum()} messages, by at most {max(worst, 0):.2f} ms",
                  not late.sum(), f"within {ALLOWED} ms, the error of its clock" * (0 < worst <= ALLOWED))]


def _fresh(rows):
    """The first message on time after a spike."""
    rows = rows[rows["scene"] == "spike, lpd"]
    made = []
    for name in (FIXED, *OURS):
        own = rows[rows["program"] == name]
        if len(own):
            limit = 2 * BASE["delay"] + 8 * 1000 / BASE["kbit"]
            made.append(Claim(f"{name}: with lpd the first fresh message within {limit:.0f} ms of the end "
                              "of a spike", "", estimate.text(own["fresh_ms"], " ms", 0),
                              own["fresh_ms"].max() <= limit))
    return made
