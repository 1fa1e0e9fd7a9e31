#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The modules of lab/streams recognize traces and queues, and their tables and claims have the means of the
cells."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import streams
from streams import adverse, autorate, bars, links, options, places, results, scenario, troubles
from lib import tap
from lib.cell import MS, S


def test_links():
    """is_trace() recognizes a user's file even if TRACES is not set. In the machine TRACES is never set."""
    tap.equal("traces", [links.is_trace(name) for name in ("/x/a.down", "handover", "steady", "outage")],
              [True, True, False, False])


def test_queues():
    """Only known queues are accepted, and pace only with lpd."""
    for queue, known in (("lpd-edf+pace", True), ("cake", True), ("cake+pace", False), ("none", False),
                         ("lpd-shaped+pace", False), ("lpd+", False), ("lpd+pacer", False)):
        try:
            scenario.check({"queue": queue})
        except ValueError as error:
            tap.true(f"{queue}: {error}", not known)
        else:
            tap.true(f"{queue} is refused", known)


def test_troubles():
    """A trouble is an outage of some devices, or a change at a second. Only known troubles are
    accepted."""
    tap.equal("both directions", troubles.Trouble("outage").cut, ("cell", "mobile"))
    tap.equal("back", troubles.Trouble("outage-down").cut, ("mobile",))
    calls = []
    late = troubles.Trouble("half")
    tap.equal("an outage before a change", late.cut, ())
    late.change = lambda *arguments: calls.append(arguments)
    for second in range(scenario.SECONDS + 1):
        late.at(second, "path", "link")
        troubles.Trouble().at(second, None, None)
    tap.equal("calls", (calls, late.when), ([("path", "link")], troubles.LATER))
    try:
        scenario.check({"queue": "lpd", "trouble": "flood"})
    except ValueError as error:
        tap.true(f"message: {error}", str(error).startswith("trouble flood: expected one of outage, "))
    else:
        raise tap.Failed("an unknown trouble is accepted")


class Device:
    """A link that records its spikes and traces instead of sending."""

    cell, mobile = "cell", "mobile"
    START = 10**18

    def __init__(self):
        self.cut, self.followed = [], []

    def spikes(self, drawn, end):
        self.cut.append(end)
        return [spike._replace(start=self.START + spike.start) for spike in drawn]

    def follow(self, *what):
        self.followed.append(what)

    def trace_time(self):
        return self.START, 5 * MS


def constant(name):
    return links.Link(name, 1, None)


def recorded(times):
    """A link that follows a trace of these times in ms."""
    link = links.Link.__new__(links.Link)
    link.name, link.seed, link.start, link.kbit = "x.up", 1, 5, 8000
    link.file = tempfile.mkstemp(suffix=".up")[1]
    with open(link.file, "w") as file:
        file.writelines(f"{time}\n" for time in times)
    return link


def test_outages():
    """An outage of the direction of the video counts, and the link carries less. An outage of the way back
    does not count."""
    for name, cut, devices, count in (
            ("steady", (), [], 0), ("outage", (), ["cell", "mobile"], 1),
            ("steady", ("cell",), ["cell"], 1), ("steady", ("mobile",), ["mobile"], 0)):
        device = Device()
        outages, kbit = constant(name).begin(device, scenario.SECONDS, cut)
        tap.equal(f"{name} {cut}: devices", device.cut, devices)
        tap.equal(f"{name} {cut}: outages", len(outages), count)
        seconds = scenario.SECONDS - sum(end - begin for begin, end in outages) / S
        tap.equal(f"{name} {cut}: kbit", kbit, links.KBIT * seconds)


def test_outages_of_traces():
    """The outages of a trace are its gaps. Opportunities in an outage are not used. So a gap that begins in
    an outage lasts from the last opportunity before the outage until the first one after."""
    link = recorded([*range(1, 3000, 10), *range(6000, 60000, 10)])
    [gap], _ = link.begin(Device(), scenario.SECONDS)
    tap.equal("the gap of the trace", tuple((at - Device.START) // MS for at in gap), (2986, 5995))
    [drawn] = links.spikes.draw(link.seed, links.LENGTHS, links.LATEST, 1)
    outages, kbit = link.begin(Device(), scenario.SECONDS, ("cell",))
    cut = next(pair for pair in outages if pair != gap)
    for what, at, expected in zip(("begin", "end"), cut, (drawn.start, drawn.end)):
        tap.within(what, abs(at - Device.START - expected), 0, 10 * MS)
    whole = link.begin(Device(), scenario.SECONDS, ("mobile",))
    tap.equal("the way back", whole[0], [gap])
    tap.within("kbit in the outage", whole[1] - kbit, (drawn.length / (10 * MS) - 2) * links.SIZE / 125,
               (drawn.length / (10 * MS) + 2) * links.SIZE / 125)
    os.unlink(link.file)


def test_autorate():
    """The bandwidth falls only if several of the last probes are late, and then not again at once.
    It grows with a high load, returns to the base rate with a low load, and stays in its range."""
    rate = autorate.Rate(4000)
    times = (0.05 * number for number in range(100000))

    def samples(count, delay, load):
        for _ in range(count):
            rate.sample(next(times), 0, delay, load)
        return rate.rate
    tap.equal("no load", samples(20, 20, 0), 4000)
    tap.equal("two late probes", samples(2, 200, 0), 4000)
    tap.equal("a third", samples(1, 200, 0), 3000)
    tap.equal("too early", samples(3, 200, 0), 3000)
    tap.equal("least", samples(100, 200, 0), 1000)
    samples(6, 20, 0)
    tap.equal("back to the base rate", round(samples(4000, 20, 0)), 4000)
    tap.true("grows", 4000 < samples(10, 20, 4000))
    tap.equal("most", samples(100, 20, 9000), 7000)
    tap.equal("down to the base rate", round(samples(4000, 20, 0)), 4000)


def test_between():
    """The steps depend on the delay only between two thresholds."""
    tap.equal("steps", [round(autorate.between(delay, 30, 60, 0.99, 0.75), 3)
                        for delay in (0, 30, 45, 60, 99)], [0.99, 0.99, 0.87, 0.75, 0.75])


def rows(queue, modem, seed, shown, p99, fresh):
    """The rows of a cell with 100 frames. `shown` of them are shown, all in the first second."""
    import pandas
    whole = {"second": -1, "link_kbit": 100, "upload_kbit": 0, "frames": 100, "stale": 0,
             "fresh_s": fresh, "fresh_worst_s": fresh, "first_s": fresh, "control_sent": 10,
             "control_in_time": 5, "control_p50": 1, "control_p99": p99,
             **{f"shown_{delay}": shown for delay in scenario.DELAYS}}
    return pandas.DataFrame([{"link": "steady", "modem": modem, "queue": queue, "seed": seed,
                              "flows": scenario.VIDEO, **one}
                             for one in (whole, {"second": 0, "upload_kbit": 0, "shown": shown})])


def cells(paced):
    """Two seeds above the radio, in front of a modem, and with pace."""
    import pandas
    return pandas.concat([rows(queue, modem, seed, shown + seed, 10 * factor, 0.1 * factor)
                          for queue, modem, shown, factor in (
                              ("pfifo-1000", 1000, 40, 9), ("lpd", 0, 80, 1), ("lpd+pace", 1000, paced, 1),
                              ("lpd-edf", 0, 80, 1), ("lpd-edf+pace", 1000, paced, 1))
                          for seed in (1, 3)])


def test_means():
    """A mean is over the seeds, without the rows about seconds. The upload has no share if there is no
    upload."""
    found = results.means(cells(80)).loc[("steady", 0, "lpd", scenario.VIDEO)]
    tap.equal("shown", round(found["part_500"], 9), 0.82)
    tap.equal("control", found["control_part"], 0.5)
    tap.true("no upload", found["upload_part"] != found["upload_part"])
    text = results.table(cells(80))
    tap.true(f"table: {text}", "\nsteady\n" in text and "\n   0 lpd             video       0.820" in text)


def test_claims():
    """A claim holds if the results reach its bar."""
    for paced, holds in ((80, [True] * 4), (70, [False, True, True, True]), (30, [False, False, True, True])):
        tap.equal(f"{paced} frames", [c.holds for c in places.claims(cells(paced))], holds)
    slow = cells(80)
    slow.loc[slow["queue"].str.endswith("+pace"), ["control_p99", "fresh_worst_s"]] *= 4
    tap.equal("slow", [c.holds for c in places.claims(slow)], [True, True, False, False])


def targets(paced):
    """The lines of the table of targets for places, by the first line of a target."""
    return [line for line in streams.summary({"places": cells(paced)}).splitlines()
            if line.startswith(("met", "**missed**", "no results"))]


def test_targets():
    """The table of targets names the links that miss a target, and the worst link if none does."""
    tap.equal("verdicts", [line.split()[0] for line in targets(80)], ["met"] * 4)
    tap.true("the worst link", "1.00 to 1.00, worst: steady" in targets(80)[0])
    tap.equal("verdicts", [line.split()[0] for line in targets(30)], ["**missed**", "**missed**", "met", "met"])
    tap.true("the ratio", targets(30)[0].endswith("steady 0.39"))
    tap.true("each seed", "steady seed 1 0.76" in targets(30)[1])


def test_targets_with_many_links():
    """If many links miss a target, the table names the worst of them, and says how many there are. The table
    says so if there are no results."""
    import pandas
    many = pandas.concat(cells(80 - 10 * number).assign(link=f"/x/{number}.up") for number in range(9))
    bar = places.BARS[0]._replace(pairs=places.BARS[0].pairs[:1])
    tap.equal("links", results.target(many, bar),
              ("**missed**", "8.up 0.02, 7.up 0.15, 6.up 0.27, 5.up 0.39, 4.up 0.51, 3.up 0.63, and 2 more; "
               "others 1.00 to 1.00"))
    other = bars.Bar("", "part_500", [((1, "none", "video"), None)], least=1)
    tap.equal("no results", results.target(many, other), ("no results", ""))


def test_worst_kind():
    """The worst kind of cells counts, and a value that equals the bar reaches it."""
    table = cells(80)
    table.loc[table["queue"] == "lpd+pace", "shown_500"] -= 42
    table.loc[table["queue"] == "lpd+pace", "control_p99"] *= 1.5
    tap.equal("at least", results.target(table, places.BARS[0]), ("**missed**", "steady 0.49"))
    delay = places.BARS[2]
    tap.equal("at most", results.target(table, delay), ("met", "1.50 to 1.50, worst: steady"))
    tap.equal("above the bar", results.target(table, delay._replace(most=1.49))[0], "**missed**")
    tap.equal("as many frames", results.target(cells(40), places.BARS[1])[0], "met")


def stamped(queue, modem, seed, **counted):
    """The rows of a cell whose packets carry the option, with these packets on the paths through lpd."""
    table = rows(queue, modem, seed, 80, 10, 0.1)
    table["flows"] = scenario.STAMPED
    table.loc[table["second"] == -1, list(options.paths.PATHS)] = \
        [counted.get(name, 0) for name in options.paths.PATHS]
    return table


def test_paths():
    """Enough packets must take the fast path of lpd with each seed. The text has the sums of all seeds."""
    import pandas
    for fast, holds in ((95, True), (94, False)):
        cells = pandas.concat([stamped("lpd-edf", 0, 1, fast=100),
                               stamped("lpd-edf", 0, 2, fast=fast, slow_order=100 - fast)])
        tap.equal(f"{fast} of 100", [c.holds for c in options.claims(cells)], [holds])
    tap.equal("text", results.taken(cells),
              "The fast path of lpd-edf, radio, took 0.970 of 200 packets (slow_order 6).")


def test_need():
    """A target with a need leaves out the seeds in which the video needs more of the link."""
    table = cells(80)
    table.loc[(table["seed"] == 3) & table["queue"].str.endswith("+pace"), "shown_500"] /= 2
    table["need_kbit"] = table["seed"].map({1: 50, 3: 51})
    bar = places.BARS[0]
    tap.equal("both seeds", results.target(table, bar)[0], "**missed**")
    tap.equal("the first seed", results.target(table, bar._replace(need=0.5)),
              ("met", "1.00 to 1.00, worst: steady"))
    tap.equal("no seed", results.target(table, bar._replace(need=0.49)), ("no results", ""))


def test_adverse():
    """Each trouble on each link counts by itself."""
    table = cells(80).assign(trouble="half")
    tap.equal("links", list(adverse.by_trouble(table)["link"].unique()), ["half on steady"])


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
