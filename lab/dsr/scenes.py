# SPDX-License-Identifier: GPL-2.0-or-later
"""A network that loses packets, and a program that carries messages across it:

    sender --- 100 Mbit/s, 1 ms --- router [queue] === link, loses packets both ways === receiver

A scene is a dictionary with the settings of BASE."""
import time

from lib.cell import MS

from dsr import messages
from lpd.traces import link_of
from pieces import spikes, topology

# the rates of messages and link in kbit/s, sizes in bytes, times in ms, losses in %
BASE = {"kbit": 1000, "size": 1000, "shape": "even", "delay": 50, "deadline": 300, "loss": 5, "burst": False,
        "link": 10000, "queue": "drop-tail", "spike": False, "trace": ""}
LPD = {"queue": "age limit"}    # the deadline is the lifetime of packets without one
WIRE_DELAY, WIRE_RATE, MTU, LIMIT = 1, 10**8 // 8, 1500, 50     # ms, bytes/s, bytes, packets
HANDSHAKE, DRAIN = 2, 0.1       # s: before the first message, and after the last deadline
SPIKE, EARLIEST, LATEST = 10, 2, 4      # s: the length of a spike, and its begin
BURST = 100                     # ms: the mean length of a burst, which loses all packets


def losses(scene):
    """The settings of cellink. In bursts as many packets are lost as otherwise."""
    if not scene["burst"]:
        return {"loss": scene["loss"] * 10**4}
    return {"bad_loss": 10**6, "bad": BURST * MS, "good": BURST * MS * (100 - scene["loss"]) // scene["loss"]}


def source(scene, seconds, seed):
    """The messages of a scene."""
    if scene["shape"] == "video":
        return messages.video(scene["kbit"], seconds, seed)
    return messages.even(scene["kbit"], scene["size"], seconds)


class Scene:
    """A scene of a seed. start(path, scene, kbit) starts the program, which has the link's rate. Losses
    begin when the program has connected."""

    def __init__(self, scene, seed, directory, start):
        self.scene = scene
        trace, at, kbit = link_of(scene["trace"], seed, directory) if scene["trace"] else \
            (None, 0, scene["link"])
        self.path = topology.Path(MTU, None if trace else kbit, (scene["delay"] - WIRE_DELAY) * MS,
                                  wire_rate=WIRE_RATE, wire_delay=WIRE_DELAY * MS)
        self.path.queue(scene["queue"], LIMIT, age=scene["deadline"])
        if trace:
            self.path.follow(trace, at)
        self.program = start(self.path, scene, kbit)
        time.sleep(HANDSHAKE)
        self.path.damage(seed, back=True, **losses(scene))
        self.sink = messages.Sink(self.program.read)
        self.spike = spikes.one(seed, EARLIEST, LATEST, SPIKE) if scene["spike"] else []

    def carry(self, sent):
        """Send messages. Return the bytes of IP packets that both ends of the link have sent."""
        before = self._bytes()
        if self.spike:
            self.path.spikes(self.spike)
        messages.send(sent, self.program.LARGEST, self.program.write)
        time.sleep(self.scene["deadline"] / 1000 + DRAIN)
        carried = self._bytes() - before
        self.program.end()
        return carried

    def _bytes(self):
        found = [end.counters() for end in (self.path.cell, self.path.mobile)]
        return sum(each["sent_bytes"] - topology.HEADER * each["sent"] for each in found)

    def fresh(self, sent, on_time):
        """The time from the end of the spike to the first arrival of a message on time, in ns, or None."""
        end = self.spike[0].end
        arrivals = [sent[number].at + self.sink.delays[number] for number in on_time]
        return min((at - end for at in arrivals if at > end), default=None)
