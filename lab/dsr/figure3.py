# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 3: latency, round-trip time and dispersion with deadlines of twice the smoothed round-trip time
(the controller "paper"), versus the reliable control. Not in the paper is the controller "feasible". The paper's "90 % confidence interval" is the range
of 90 % of the samples: from the 5th to the 95th percentile."""
import statistics

from dsr import scenario

TITLE = "Messages with deadlines versus reliable messages"
HEADLINE = "with deadlines, latencies are lower and in a narrower range; dispersions are in a narrower range"
SECONDS, SEEDS, COUNT = 50, 2, 5000
DEADLINE, RELIABLE, OURS = "deadline", "reliable", "feasible"
# {control: the options of the sender, and of the receiver}
CONTROLS = {DEADLINE: ("--control paper", "--late deliver"),
            RELIABLE: ("--control reliable", "--order ordered"),
            OURS: ("--control feasible", "")}
LOSSES, BUFFERS, CCIDS = (1, 2, 5, 10), (16, 64, 256), (2, 3)
LOSS, BUFFER = 5, 64        # where the other one is varied
# {link: its rate as a share of what the streams offer}
LINKS = {"all": 1.5, "three quarters": 0.75, "half": 0.5}
CELLS = [{"control": control, "link": link, "loss": loss, "buffer": buffer, "ccid": ccid}
         for ccid in CCIDS for link in LINKS for buffer in BUFFERS for loss in LOSSES
         for control in CONTROLS if buffer == BUFFER or (loss == LOSS and control != OURS)]
QUICK = [cell for cell in CELLS if cell["loss"] == LOSS and cell["buffer"] == BUFFER and
         cell["link"] == "half" and cell["ccid"] == 2 and cell["control"] == OURS]
SHOWN = {"latency": "latency [ms]", "rtt": "round-trip time [ms]", "dispersion": "dispersion [ms]"}


def run(cell, seed, directory):
    kbit = round(scenario.OFFERED * LINKS[cell["link"]])
    streams = scenario.Streams(seed, kbit, cell["loss"], directory)
    sender, receiver = CONTROLS[cell["control"]]
    sent, _ = streams.run(COUNT, f"{sender} --ccid {cell['ccid']} --buffer {cell['buffer']}", receiver)
    latencies, rtts = zip(*streams.sent())
    row = {"submitted": sent["submitted"], "acknowledged": len(latencies),
           "on_time": sent["on_time"], "repeats": sent["packets"]["repeats"]}
    for name, samples in zip(SHOWN, (latencies, rtts, list(streams.dispersions()))):
        row |= {f"{name}{end}": value for end, value in zip(("", "_low", "_high"), spread(samples))}
    return [row]


def spread(samples):
    """The mean of samples, and their 5th and 95th percentiles."""
    cuts = statistics.quantiles(samples, n=20)
    return statistics.fmean(samples), cuts[0], cuts[-1]


# --- on the host ---

def draw(rows, path):
    from pieces import picture
    sheet, axes = picture.sheet(len(SHOWN), len(LINKS), (14, 10), sharex=True)
    for down, (value, label) in zip(axes, SHOWN.items()):
        for each, link in zip(down, LINKS):
            picture.title(each, f"link for {link}, CCID 2, buffer {BUFFER}")
            each.set_ylabel(label)
            _bars(each, rows[(rows["link"] == link) & (rows["buffer"] == BUFFER) & (rows["ccid"] == 2)], value)
    for each in axes[-1]:
        each.set_xlabel("lost packets [%]")
    picture.legend(axes[0, 0])
    picture.save(sheet, path, TITLE)


def _bars(axes, rows, value):
    """The mean and the range of each control, by loss rate."""
    from pieces import picture
    for number, control in enumerate(CONTROLS):
        mean = rows[rows["control"] == control].groupby("loss").mean(numeric_only=True)
        if not len(mean):
            continue
        ends = [mean[value] - mean[f"{value}_low"], mean[f"{value}_high"] - mean[value]]
        axes.errorbar([x * (1 + 0.04 * number) for x in mean.index], mean[value],
                      yerr=[each.clip(lower=0) for each in ends], label=control, **picture.look(number))
    axes.set_xscale("log")
    axes.set_xticks(LOSSES, LOSSES)
    axes.set_ylim(0)


def pairs(rows):
    """A line for each cell, with both controls side by side."""
    means = rows.groupby(["control", "ccid", "link", "buffer", "loss"]).mean(numeric_only=True)
    for value in SHOWN:
        means[f"{value}_range"] = means[f"{value}_high"] - means[f"{value}_low"]
    return means.loc[DEADLINE].join(means.loc[RELIABLE], lsuffix="_ours", rsuffix="_other", how="inner")


def less(table, value, equal=False):
    """In how many cells the value is less with deadlines, as a text, and whether it is in all."""
    ours, other = table[f"{value}_ours"], table[f"{value}_other"]
    better = (ours <= other) if equal else (ours < other)
    return f"in {better.sum()} of {len(table)} cells; medians {ours.median():.1f} and " \
        f"{other.median():.1f} ms", bool(better.all())


def claims(rows):
    from pieces.claim import Claim
    if not {DEADLINE, RELIABLE} <= set(rows["control"]):
        return []
    table = pairs(rows)
    short = table[table.index.get_level_values("link") != "all"]
    wanted = [("mean latency where the link is short", "lower", short, "latency", False),
              ("range of latencies where the link is short", "narrower", short, "latency_range", False),
              ("range of dispersions where the link is short", "narrower", short, "dispersion_range", False),
              ("range of round-trip times", "narrower", table, "rtt_range", True)]
    return [Claim(text, paper, *less(cells, value, equal)) for text, paper, cells, value, equal in wanted
            if len(cells)]
