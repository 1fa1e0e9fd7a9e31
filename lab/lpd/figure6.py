# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 6: a flow of TFRC across one delay spike of 10 s, (a) without LPD and (b) with LPD. The lifetime is
5 s. Without LPD the receiving program drops what is stale, so the transport sees no loss. The buffer holds
all packets of the spike. The seed decides when the spike begins.

The paper states neither the link's rate and delay nor what the program sends. Before the spike the paper's
sender has a constant rate and no losses, so its program must have less to send than the link carries: 25 kbit/s
over 30 kbit/s, as in figure 9. The fast link has ten times as much of both. The delay decides how often the
nofeedback timer expires within the spike, so the figure has two delays: a nearby link, and the link of
figure 9."""
from lib.cell import MS, S

from pieces import spikes, tfrc, topology

TITLE = "TFRC across a delay spike"
HEADLINE = "(a) without LPD no loss is reported, and the rate is back after about 15 s; (b) with LPD losses " \
    "are reported and the rate is held down, but the sequence number is higher; on faster links (b) is worse"
SECONDS, SEEDS, COST = 70, 12, 0.6
SIZE, LIFETIME, BUFFER = 500, 5, 1000           # bytes of a packet; s; packets
PAYLOAD = SIZE - tfrc.HEADERS
RATES = {30: 25, 300: 250}                      # {kbit/s of the link: kbit/s of the program}
SLOW, FAST = RATES
DELAYS = NEAR, FAR = 100, 300                   # ms
TAIL, LPD = "drop-tail", "LPD"
SPIKE = 20, 22, 10                              # s: earliest start, latest start, length
PAPER = 15                                      # s after the spike: the paper's rate is back
BEFORE, AFTER = 15, 20                          # s around the end of the spike that are drawn
CELLS = [{"kbit": k, "delay": d, "queue": q} for k in RATES for d in DELAYS for q in (TAIL, LPD)]
QUICK = [cell for cell in CELLS if cell["delay"] == NEAR]


def run(cell, seed, directory):
    return measure(cell, seed, directory)


def measure(cell, seed, directory, words="--stale discard"):
    """The rows of a flow with these words for the source. Figure 7 needs them, too."""
    path = topology.Path(SIZE, cell["kbit"], cell["delay"] * MS)
    path.queue(cell["queue"], BUFFER)
    flow = tfrc.Flow(path, directory, SIZE, LIFETIME, RATES[cell["kbit"]], words)
    flow.listen()
    [met] = path.spikes(spikes.one(seed, *SPIKE))
    flow.begin(SECONDS)
    summary, sent, arrivals = flow.finish()
    total = {"what": "sum", "loss": summary["loss_event_rate"], "arrived": len(arrivals),
             "valid": sum(map(is_valid, arrivals)),
             **senders_view([one.when for one in sent], flow.reports(sent), met, cell["kbit"])}
    return [total] + (trace(sent, arrivals, met) if cell["delay"] == NEAR else [])


def is_valid(arrival):
    return arrival.received - arrival.sent <= LIFETIME * S


def payload_rate(kbit):
    """The program's bytes/s."""
    return RATES[kbit] * 125 * PAYLOAD / SIZE


def senders_view(times, reports, met, kbit):
    """What a sender that sent packets at these times did during the spike and after it, in s. `may` is the time
    of the feedback packet from which RFC 5348 lets it send at the program's rate again. `must` is the time of
    the feedback packet after it, if the nofeedback timer has halved the rate after the spike's last packet.
    `allowed` and `before` are the mean of the rate that the equation allowed after the spike, and the rate that
    the receive rate allowed before the spike."""
    pauses = [b - a for a, b in zip(times, times[1:]) if met.start <= a < met.end]
    usual = [report for report in reports if report.when < met.start][-1]
    last = PAYLOAD * S / pauses[-1]
    rates, slower = (tfrc.allowed(reports, met.end, PAYLOAD, rate) for rate in (last, last / 2))
    may, _ = first_two(rates, payload_rate(kbit))
    _, must = first_two(slower, payload_rate(kbit))
    begun = back(times, met.end, PAYLOAD * S / payload_rate(kbit))
    return {"until_end": sum(when < met.end for when in times),
            "later": sum(when < met.end + PAPER * S for when in times),
            "pause": max(pauses) / S, "rtt": usual.rtt / S, "first": (rates[0][0] - met.end) / S,
            **{name: (when - met.end) / S for name, when in (("back", begun), ("may", may), ("must", must))},
            "before": 2 * usual.rate, "allowed": mean(rates, met.end, met.end + PAPER * S)}


def back(times, end, every, number=8):
    """Return the time after `end` from which `number` packets follow each other as fast as the program makes
    them, one in each interval `every`."""
    after = [when for when in times if when >= end]
    slow = [b - a > 1.02 * every for a, b in zip(after, after[1:])]
    return next(after[at] for at in range(len(slow) - number + 1) if not any(slow[at:at + number]))


def first_two(rates, least):
    """The times of the first change to a rate of at least `least`, and of the next change."""
    first = next(at for at, (_, rate) in enumerate(rates) if rate >= least)
    return rates[first][0], rates[first + 1][0]


def mean(rates, start, end):
    """The mean over a time of a rate that changes at given moments. Before the first one it is 0."""
    within = [(when, rate) for when, rate in rates if when < end]
    edges = [when for when, _ in within[1:]] + [end]
    return sum(rate * (after - when) for (when, rate), after in zip(within, edges)) / (end - start)


def trace(sent, arrivals, met):
    """The packets around the end of the spike, each with its place in the order of sending."""
    order = {packet.number: place for place, packet in enumerate(sent)}
    packets = [("sent", packet.when, packet.number) for packet in sent] + \
        [("valid" if is_valid(a) else "stale", a.received, a.sequence) for a in arrivals]
    return [{"what": what, "at": (when - met.end) / S, "order": order[number]}
            for what, when, number in packets if -BEFORE * S <= when - met.end < AFTER * S]


# --- on the host ---

MARKS = {"sent": (0, "."), "valid": (2, "."), "stale": (1, "x")}


def draw(rows, path):
    draw_columns(rows, path, TITLE, "queue", {TAIL: "(a) without LPD", LPD: "(b) with LPD"})


def draw_columns(rows, path, text, parameter, names):
    """Draw one seed on both links, with a column for each value of a parameter: the sequence numbers at the
    sender and at the receiver."""
    from pieces import picture
    shown = rows[(rows["seed"] == rows["seed"].min()) & (rows["delay"] == NEAR)]
    sheet, axes = picture.sheet(len(RATES), len(names), (11, 8), sharex=True, sharey="row")
    for line, kbit in enumerate(RATES):
        for column, (value, name) in enumerate(names.items()):
            each = axes[line, column]
            picture.title(each, f"{name}, {kbit} kbit/s, {NEAR} ms")
            picture.shade(each, [(-SPIKE[2], 0)])
            here = shown[(shown["kbit"] == kbit) & (shown[parameter] == value)]
            for what, (number, mark) in MARKS.items():
                points = here[here["what"] == what]
                each.plot(points["at"], points["order"], mark, color=picture.COLORS[number],
                          markersize=3, label=what)
            axes[-1, column].set_xlabel("time after the spike [s]")
        axes[line, 0].set_ylabel("sequence number [packets]")
    picture.legend(axes[0, 0])
    picture.save(sheet, path, f"{text} (seed {int(shown['seed'].iloc[0])})")


def claims(rows):
    sums = rows[rows["what"] == "sum"]
    found = []
    for (kbit, delay), here in sums.groupby(["kbit", "delay"]):
        tail, lpd = (here[here["queue"] == q].set_index("seed") for q in (TAIL, LPD))
        where = f"{kbit} kbit/s, {delay} ms"
        found += _spike(where, tail, lpd) + _without(where, tail) + _with(where, tail, lpd, kbit)
    return found


def _spike(where, tail, lpd):
    """The claims about the time of the spike."""
    from pieces.claim import Claim
    from pieces.estimate import text
    pauses = tail["pause"] / tail["rtt"]
    return [
        Claim(f"{where}: packets that the sender has sent until the spike ends, (b) more than (a)", "identical",
              text(lpd["until_end"] - tail["until_end"]),
              bool((lpd["until_end"] == tail["until_end"]).all())),
        Claim(f"{where}: longest pause between two packets during the spike, in round-trip times",
              "one packet per RTT", text(pauses), bool(pauses.between(0.7, 1.4).all()), WHY_PAUSE)]


def _without(where, tail):
    """The claims about (a)."""
    from pieces.claim import Claim
    from pieces.estimate import span, text
    in_time = tail["back"].between(tail["may"] - tail["rtt"], tail["must"] + tail["rtt"])
    return [
        Claim(f"{where}, (a): runs in which losses are reported", "none",
              f"{(tail['loss'] > 0).sum()} of {len(tail)}", bool((tail["loss"] == 0).all())),
        Claim(f"{where}, (a): time after the spike until the rate is back", "about 15 s",
              text(tail["back"], " s"), bool(tail["back"].mean() > 0.75 * PAPER and
                                             tail["back"].mean() < 1.25 * PAPER), WHY_BACK),
        Claim(f"{where}, (a): the rate is back when RFC 5348 lets it, within a round trip", "",
              f"{span(tail['back'] - tail['may'], ' s', 2)} later than computed from the feedback packets",
              bool(in_time.all()), WHY_MUST)]


def _with(where, tail, lpd, kbit):
    """The claims about (b). On the fast link it is worse than (a)."""
    from pieces.claim import Claim
    from pieces.estimate import is_less, span, text
    more, share = lpd["later"] - tail["later"], 100 * lpd["allowed"] / lpd["before"]
    found = [Claim(f"{where}, (b): runs in which losses are reported", "all",
                   f"{(lpd['loss'] > 0).sum()} of {len(lpd)}", bool((lpd["loss"] > 0).all()))]
    if kbit == FAST:
        return found + [
            Claim(f"{where}: packets sent until {PAPER} s after the spike, (b) more than (a)", "fewer",
                  f"{text(more, digits=0)}; fewer in {(more < 0).sum()} of {len(more)} runs",
                  is_less(lpd["later"], tail["later"]), f"{_backs(tail, lpd)}. {WHY_FAST}")]
    return found + [
        Claim(f"{where}, (b): the rate is held down: the equation allows, of the rate before the spike, over "
              f"{PAPER} s", "reduced", span(share, " %"), bool((share < 100).all()),
              f"the program needs half of the rate before the spike. {_backs(tail, lpd)}"),
        Claim(f"{where}: packets sent until {PAPER} s after the spike, (b) more than (a)",
              "more", f"{span(more, digits=0)}; more in {(more > 0).sum()} of {len(more)} runs",
              bool((more > 0).all()),
              f"in the runs with more, the longest pause of the sender is {_pause(lpd, more > 0)}; in the "
              f"others it is {_pause(lpd, more <= 0)}: {WHY_FEWER}"),
        Claim(f"{where}: valid packets, (b) more than (a)", "", span(lpd["valid"] - tail["valid"], digits=0),
              bool((lpd["valid"] > tail["valid"]).all()))]


def _backs(tail, lpd):
    from pieces.estimate import text
    return f"The rate is back after {text(lpd['back'], ' s')}, in (a) after {text(tail['back'], ' s')}"


def _pause(rows, chosen):
    from pieces.estimate import span
    return span(rows.loc[chosen, "pause"], " s", 2) if chosen.any() else "unknown"


WHY_PAUSE = "the nofeedback timer takes four round trips, so the delay decides how often it halves the rate " \
    "in 10 s. RFC 5348 lets the rate fall to one packet in 64 s; the TFRC of 2003 did not go below one " \
    "packet per round trip"
WHY_BACK = "after the pause, RFC 5348 begins with four packets in a round trip. It doubles the rate in each " \
    "round trip, and the late packets make the smoothed round-trip time longer"
WHY_MUST = "the computation takes the rate at the end of the spike from the last two packets, and the times " \
    "of feedback packets from a capture. If the rate could just double, the sender may do so one packet later"
WHY_FEWER = "in most of them the nofeedback timer expired once more before the end of the spike. (a) gets " \
    "feedback from each stale packet, and (b) only from the few packets that are left"
WHY_FAST = "All packets of the spike but the one on the link are dropped, and the sender has become slow: " \
    "until its next packets nothing is acknowledged. Then the equation limits the rate"
