# SPDX-License-Identifier: GPL-2.0-or-later
"""The paper's dumbbell (figure 1): wires of 10 Mbit/s and 10 ms, and a wireless link of 1 Mbit/s and
100 ms. Bit errors on the link are independent, and also affect acknowledgements. Packets have 1024
bytes. Windows are at most 50 packets, and initial windows are 2 packets (RFC 2581; the paper gives
no number).

The paper does not say how long its packets are on the link; here they are 14 bytes longer. The
paper also does not say whether the received packets include damaged packets. Damaged packets seem
to be included, because UDP has 0.92 Mbit/s at a bit error rate of 1e-3, at which only one packet in
4000 is intact. Here only the bytes that TCP delivers to the application count."""
from lib.cell import MS

from pieces import contest, download, poisson, topology

SIZE, KBIT, DELAY = 1024, 1000, 100 * MS
WINDOW, FIRST = 50, 2                   # segments
INFINITE, BUFFER = 10_000, 50           # packets; INFINITE drops no packets, BUFFER is 50 KB
SECONDS, SEEDS = 10, 60
BERS = (1e-7, 1e-6, 1e-5, 1e-4, 1e-3)
CONTROLS = ("iftpv", "reno", "veno", "westwood", "cubic", "bbr")
UDP = "udp"


def run(cell, seed, buffer, others=(), udp=0):
    """Run a cell's flow together with flows of other congestion controls, and with datagrams of `udp`
    kbit/s. Returns a row for each flow, and one for the datagrams."""
    path = topology.Path(SIZE, KBIT, delay=DELAY)
    path.queue("drop-tail", buffer)
    path.damage(seed, back=True, ber=round(cell.get("ber", 0) * 1e12))
    path.reach(mtu=SIZE, initcwnd=FIRST)
    window = WINDOW * (SIZE - download.IP_TCP)
    if not udp:
        return contest.compete(path, [cell["tcp"], *others], SECONDS, window)
    with poisson.Poisson(path, SIZE, udp, seed) as cross:
        rows = contest.compete(path, [cell["tcp"], *others], SECONDS, window)
    return rows + [{"flow": len(rows), "control": UDP, "kbit": cross.received / 125 / SECONDS}]


# --- on the host ---

def own(rows):
    """The rows of the flows under test, without the other flows."""
    return rows[rows["flow"] == 0]


def draw(rows, path, x, title, label):
    """Draw goodput, round-trip time and its jitter of each congestion control against a parameter."""
    from pieces import picture
    shown = {"kbit": "goodput [kbit/s]", "rtt_ms": "mean smoothed round-trip time [ms]",
             "jitter_ms": "mean deviation of the round-trip time [ms]"}
    sheet, axes = picture.sheet(1, len(shown), (15, 4.5), sharex=True)
    for number, name in enumerate(CONTROLS):
        one = own(rows)[own(rows)["tcp"] == name]
        for each, value in zip(axes[0], shown):
            picture.curve(each, one, x, value, number, name)
    for each, text in zip(axes[0], shown.values()):
        each.set_xlabel(label)
        each.set_ylabel(text)
        each.set_ylim(0)
        each.set_xscale("log")
    picture.legend(axes[0, 0])
    picture.save(sheet, path, title)


def means(rows, by):
    """Mean goodput in kbit/s of the flows under test, by congestion control and a parameter."""
    return own(rows).groupby(["tcp", by])["kbit"].mean()


def side_by_side(mean, one, other, values):
    """The goodputs of two congestion controls for each value of the parameter, as text."""
    return "; ".join(f"at {value:g} {mean[one][value]:.0f} and {mean[other][value]:.0f} kbit/s"
                     for value in values if value in mean[one].index)


def shares(rows, by):
    """Jain's index of the flow under test and the other TCP flow, by congestion control and
    parameter."""
    pairs = rows[rows["control"] != UDP].groupby(["tcp", by, "seed"])["kbit"].apply(
        lambda pair: contest.jain(list(pair)))
    return pairs.groupby(["tcp", by]).mean()
