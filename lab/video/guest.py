#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The part of lab/video/compare inside the machine. In each scene a video crosses the same link:

    camera, freshlink send --- router === cellink, 50 ms each way, losses === freshlink recv, player

Leaves run.json in $FL_OUT, and for each scene what the player wrote."""
import os
import signal
import subprocess
import sys
import time

LAB = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = LAB
from video.programs import PORT, PROGRAMS
from video.scenes import DELAY, LINK, LOSS, SCENES
from lib import wait
from lib.cell import MS

from engine import record
from pieces import topology, traffic

MTU = 1500
DRAIN = 2       # s: after this time all that was sent has arrived


class Run:
    """A scene. Files begin with its number."""

    def __init__(self, number, scene, seed, directory):
        self.scene, self.program = scene, PROGRAMS[scene.program]
        self.prefix = os.path.join(directory, f"{number}.")
        self.path = topology.Path(MTU, LINK * 1000, delay=DELAY * MS, wire_rate=0, wire_delay=0)
        self.path.damage(seed, back=True, loss=LOSS * 10**4)
        for node in (self.path.sender, self.path.receiver):
            node.link("lo", True)

    def start(self, node, words, name):
        """Start a program, with its output and its errors in files."""
        with node.inside(), open(self.prefix + name, "w") as out, \
                open(f"{self.prefix}{name}.errors", "w") as errors:
            return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=errors)

    def listens(self, node):
        """Wait until a program receives on the port."""
        wait.until(f"port {PORT}", lambda: f":{PORT:04X} " in
                   node.run("cat /proc/net/udp /proc/net/udp6").stdout, step=0.01)

    def relay(self):
        """Start freshlink recv and send."""
        path = self.path
        receiver = traffic.await_ready(traffic.freshlink(
            path.receiver, f"recv --output udp:127.0.0.1:{PORT} {self.scene.receiver}"), "listening")
        sender = traffic.freshlink(
            path.sender, f"send {path.address} --via off --input udp:{PORT} {self.scene.sender}")
        self.listens(path.sender)
        return sender, receiver

    def carry(self):
        """Carry the video. Returns the summaries of freshlink send and recv, if they are in the scene."""
        relays = ()
        player = self.start(self.path.receiver, self.program.player(self.prefix + "png"), "player")
        self.listens(self.path.receiver)
        if self.scene.order:
            relays = self.relay()
        camera = self.start(self.path.sender, self.program.camera(
            "127.0.0.1" if relays else self.path.address), "camera")
        if camera.wait():
            raise RuntimeError(f"{self.prefix}camera: status {camera.returncode}")
        time.sleep(DRAIN)
        summaries = [finish(relay) for relay in relays]
        if not self.program.ENDS:
            player.send_signal(signal.SIGINT)
        player.wait()
        return summaries

    def notes(self):
        """What the report needs to know."""
        summaries = self.carry()
        counters = self.path.cell.counters()
        return {"way": self.scene.way, "program": self.scene.program, "lost": counters["lost"],
                "packets": counters["packets_in"], "send": summaries[0] if summaries else None,
                "recv": summaries[1] if summaries else None}


def finish(relay):
    relay.send_signal(signal.SIGINT)
    return traffic.end(relay)


def main():
    seed, directory = int(sys.argv[1]), os.environ["FL_OUT"]
    scenes = [Run(number, scene, seed, directory).notes() for number, scene in enumerate(SCENES)]
    record.write(os.path.join(directory, "run.json"), {
        "where": f"Linux {os.uname().release}, {os.environ['FL_MACHINE']}, seed {seed}", "scenes": scenes})


if __name__ == "__main__":
    main()
