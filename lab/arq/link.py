# SPDX-License-Identifier: GPL-2.0-or-later
"""The link alone, without TCP: datagrams of 250 bytes at a constant rate, by loss rate and timer. This
figure is not in the paper. The loads are:

- full: 80 kbit/s, more than the link can carry, for the throughput. The queue drops packets
- light: 20 kbit/s, for delays and losses
- lifetime: 20 kbit/s, each datagram with a lifetime of 1 s

The adaptive timer has the device's defaults: the absolute value of the deviation, and no copies."""
import os

from arq import airtime, timers
from arq.network import SIZE, TWO_STATE, UNIFORM, Network
from arq.scenario import of
from lib.cell import S
from pieces import freshness, stream

TITLE = "The link without TCP: throughput, delays, losses"
HEADLINE = "not in the paper"
SECONDS, SEEDS, COST = 200, 3, 0.5
LOSSES = (0, 5.4, 9.8, 20, 30, 40, 50)
CHANNELS = [(UNIFORM, loss) for loss in LOSSES] + [(TWO_STATE, loss) for loss in (5.4, 9.8)]
ADAPTIVE = timers.ADAPTIVE_ABSOLUTE
TIMERS = (*timers.FIXED, ADAPTIVE, timers.RAW)
# {load: kbit/s, lifetime in ms, bytes that wait in arqlink, packets that wait above it}
LOADS = {"full": (80, None, "3000b", 20), "light": (20, None, "4mb", 1000),
         "lifetime": (20, 1000, "4mb", 1000)}
GIVEN_UP = ("expired", "late", "attempts", "persist")       # counters of arqlink
SHARES = {"median": 0.5, "p95": 0.95, "p99": 0.99}
CELLS = [{"timer": timer, "channel": channel, "loss": loss, "load": load} for load in LOADS
         for channel, loss in CHANNELS for timer in TIMERS]
QUICK = [cell for cell in CELLS if cell["loss"] == 20 and
         cell["timer"] in (timers.MIDDLE, ADAPTIVE, timers.RAW)]


def run(cell, seed, directory):
    kbit, lifetime, ring, queue = LOADS[cell["load"]]
    net = Network(timers.options(cell["timer"], cell["channel"], copies="no", ring=ring))
    net.damage(seed, cell["channel"], cell["loss"])
    net.router.run(f"tc qdisc replace dev {net.device} root pfifo limit {queue}")
    air = airtime.Airtime(net)
    flow = stream.Stream(net, os.path.join(directory, "flow.csv"), SIZE, kbit, lifetime)
    flow.listen()
    flow.begin(SECONDS)
    sent, arrivals = flow.finish()
    frames = air.frames()
    row = {"sent": sent, "frames": len(frames), "kbit": throughput(arrivals),
           "lost": 100 * (1 - len(arrivals) / sent),
           **dict(zip(SHARES, freshness.delays(arrivals, SHARES.values())))}
    row["given_up"] = sum(net.upper()[0].get(name, 0) for name in GIVEN_UP)
    if lifetime:
        row |= {"expired": airtime.expired(frames, lifetime),
                "valid": 100 * freshness.judge(arrivals, lifetime * S // 1000)["valid"] / sent}
    return [row]


def throughput(arrivals):
    """The bytes of all packets, divided by the time from the first to the last arrival."""
    return (len(arrivals) - 1) * SIZE / 125 / ((arrivals[-1].received - arrivals[0].received) / S)


# --- on the host ---

def draw(rows, path):
    from arq import results
    from pieces import picture
    shown = {"full": ("kbit", "throughput [kbit/s]"), "light": ("p99", "99 % of delays are below [s]"),
             "lifetime": ("valid", "packets that arrive within 1 s [%]")}
    sheet, axes = picture.sheet(1, len(shown), (15, 4.8), sharex=True)
    for each, (load, (value, label)) in zip(axes[0], shown.items()):
        picture.title(each, f"{load} load, uniform losses")
        results.by_loss(each, of(rows, load=load, channel=UNIFORM), value, label, "timer", TIMERS)
    picture.legend(axes[0, 0])
    picture.save(sheet, path, TITLE)


def claims(rows):
    from pieces.claim import Claim
    arq = rows[rows["timer"] != timers.RAW]
    found = []
    if len(light := of(arq, load="light")):
        found.append(Claim("without a lifetime, arqlink gives up no packet", "",
                           f"{int(light['given_up'].sum())} of {int(light['sent'].sum())} packets",
                           not light["given_up"].sum()))
    if len(bounded := of(arq, load="lifetime")):
        found.append(Claim("arqlink sends no frame whose packet has expired", "",
                           f"{int(bounded['expired'].sum())} of {int(bounded['frames'].sum())} frames",
                           not bounded["expired"].sum()))
    return found + faster(rows) + fresher(rows)


def faster(rows):
    """The claims that the adaptive timer has more throughput than each fixed timer, by channel."""
    from arq.results import over
    from pieces.claim import Claim
    from pieces.estimate import is_less
    found = []
    for channel in (UNIFORM, TWO_STATE):
        values = {timer: of(rows, load="full", channel=channel, loss=9.8, timer=timer)
                  .set_index("seed")["kbit"] for timer in TIMERS}
        if all(map(len, values.values())):
            own = values.pop(ADAPTIVE)
            found.append(Claim(
                f"{channel}, 9.8 %: throughput of the adaptive timer above each fixed timer and the "
                "raw link", "", "; ".join(over(own, other, timer) for timer, other in values.items()),
                all(is_less(other, own) for other in values.values())))
    return found


def fresher(rows):
    """The claim that more packets arrive within their lifetime than on the raw link."""
    from pieces.claim import Claim
    table = of(rows, load="lifetime").groupby(["channel", "loss", "timer"])["valid"].mean().unstack()
    if ADAPTIVE not in table or timers.RAW not in table:
        return []
    table = table[table.index.get_level_values("loss") > 0]
    return [Claim("more packets arrive within 1 s than on the raw link", "", "; ".join(
        f"{channel} {loss} %: {row[ADAPTIVE]:.1f} % instead of {row[timers.RAW]:.1f} %"
        for (channel, loss), row in table.iterrows()), bool((table[ADAPTIVE] > table[timers.RAW]).all()))]
