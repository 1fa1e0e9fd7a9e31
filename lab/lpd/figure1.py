# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 1: the delay of a stream of 30 kbit/s over a GPRS link, for a user who stands still, who
walks and who is on a train. Each stream takes 10 minutes (20 minutes in the paper). The paper
measured a live network; here a generator emulates one. Therefore this figure only shows what kind
of link the other figures use.

The generator is a Markov chain of rates, and one of the rates is 0. The states are invented. The
delays resemble the delays of the paper's network: spikes last some seconds, and are more frequent
at higher speed."""
import os
import random

from lib.cell import S

from pieces import freshness, stream, topology, trace

TITLE = "Delay of a stream over an emulated GPRS link"
HEADLINE = "delay spikes of several seconds; about 8 % of the packets lost"
SECONDS = 600
KBIT, SIZE, BUFFER = 30, 500, 50                # the stream's rate; bytes of a packet; packets
PLACES = {"stationary": "40kbit:120s,0bit:1s", "walking": "40kbit:30s,20kbit:5s,0bit:4s",
          "train": "40kbit:15s,20kbit:5s,0bit:6s"}
LATE = 3                    # s; a longer delay is a spike
GRAIN = 5                   # s; the picture shows the longest delay in each such interval
QUANTILES = 100

CELLS = [{"place": place} for place in PLACES]
QUICK = CELLS


def run(cell, seed, directory):
    made = os.path.join(directory, "trace")
    trace.make(f"--kind markov --states {PLACES[cell['place']]} --duration {SECONDS}s "
               f"--size {SIZE + topology.HEADER}", random.Random(f"{cell} {seed}").getrandbits(32),
               made)
    path = topology.Path(SIZE)
    path.queue("drop-tail", BUFFER)
    flow = stream.Stream(path, os.path.join(directory, "flow.csv"), SIZE, KBIT)
    flow.listen()
    path.follow(made, size=SIZE + topology.HEADER)
    flow.begin(SECONDS)
    sent, arrivals = flow.finish()
    return [_total(sent, arrivals)] + _quantiles(arrivals) + _course(arrivals)


def _total(sent, arrivals):
    return {"what": "sum", "sent": sent, "arrived": len(arrivals),
            "longest": freshness.delays(arrivals, [1])[0]}


def _quantiles(arrivals):
    shares = [q / QUANTILES for q in range(QUANTILES + 1)]
    return [{"what": "quantile", "at": share, "delay": delay}
            for share, delay in zip(shares, freshness.delays(arrivals, shares))]


def _course(arrivals):
    """The longest delay in each interval of GRAIN s."""
    longest = {}
    first = min(a.sent for a in arrivals)
    for a in arrivals:
        grain = (a.sent - first) // S // GRAIN * GRAIN
        longest[grain] = max(longest.get(grain, 0), (a.received - a.sent) / S)
    return [{"what": "course", "at": at, "delay": delay} for at, delay in sorted(longest.items())]


# --- on the host ---

def draw(rows, path):
    """Draw the delay over time for one seed, and its distribution for all seeds."""
    from pieces import picture
    sheet, axes = picture.sheet(2, 1, (10, 7))
    course = rows[(rows["what"] == "course") & (rows["seed"] == rows["seed"].min())]
    spread = rows[rows["what"] == "quantile"].groupby(["place", "at"])["delay"].mean()
    for number, place in enumerate(PLACES):
        one = course[course["place"] == place]
        axes[0, 0].plot((one["at"] + number * SECONDS) / 60, one["delay"], linewidth=0.8,
                        color=picture.COLORS[number], label=place)
        axes[1, 0].plot(spread[place], spread[place].index, label=place,
                        color=picture.COLORS[number], linestyle=picture.DASHES[number])
    picture.title(axes[0, 0], "longest one-way delay in each 5 s (one seed)")
    axes[0, 0].set_xlabel("time [min]")
    axes[0, 0].set_ylabel("delay [s]")
    picture.title(axes[1, 0], "cumulative distribution of the delay (all seeds)")
    axes[1, 0].set_xlabel("delay [s]")
    axes[1, 0].set_ylabel("share of packets")
    for each in axes[:, 0]:
        picture.legend(each)
    picture.save(sheet, path, TITLE)


def claims(rows):
    from pieces.claim import Claim
    from pieces.estimate import text
    sums = rows[rows["what"] == "sum"]
    seeds = sums.groupby("seed")[["sent", "arrived"]].sum()
    lost = 100 * (1 - seeds["arrived"] / seeds["sent"])
    train = sums[sums["place"] == "train"]
    return [
        Claim("the longest delay on a train, emulated (the paper's live network: several seconds)",
              "", text(train["longest"], " s"), bool(train["longest"].mean() > LATE),
              "the generator makes these delays, so the claim reproduces nothing"),
        Claim("packets lost, emulated (the paper's live network: about 8 %)", "",
              text(lost, " %"), bool(lost.mean() > 0),
              "all because the queue was full; a live network also loses packets in handovers")]
