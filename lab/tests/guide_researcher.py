#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Documentation/guide-researcher.rst, followed literally: the figures run in the lab kernel, also with the
tiny trace of the page, and the commands print what the page shows. The results stay in build/lab."""
import contextlib
import os
import shutil
import sys

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[0] = os.path.join(TREE, "selftests")
os.environ["PYTHONPATH"] = sys.path[0]
from lib import page, tap
from scapy.all import IP, UDP, Ether, wrpcap

PARTS = page.sections("guide-researcher.rst")
TRACE = "A trace of your own"
# what tshark says to root only, and what the path of the folder changes by more than a tenth
CHANCE = ["Running as user.*", r"age limit sent .*", r"download \d+ kbit/s"]


class Host:
    """This host."""

    @staticmethod
    def inside():
        return contextlib.nullcontext()


class Guide(page.Follower):
    def __init__(self):
        super().__init__({"host": Host}, TREE, chance=CHANCE)

    def say(self, title, number=0):
        """Follow a block of a section."""
        self.follow(PARTS[title][number])


def path(name):
    return os.path.join(TREE, "build", name)


def forget(figure):
    """Remove the results of a figure of LPD's, so that its cells run."""
    shutil.rmtree(path(f"lab/lpd/{figure}"), ignore_errors=True)


def test_packages():
    """make check installs what the page installs."""
    [command] = page.commands(PARTS["A researcher who repeats a figure with a trace"][0])
    with open(os.path.join(TREE, "lab", "check"), encoding="utf-8") as file:
        tap.true(command.line, f"{command.line} packages" in file.read())


def test_figure_of_a_paper():
    """Figure 9, and rows of its claims."""
    forget("figure9")
    for number in range(2):
        Guide().say("A figure of a paper", number)


def test_recording():
    """A capture becomes a trace with the times of its packets."""
    times = [0, 1, 1, 1001, 4000, 57001]    # ms
    packets = [Ether() / IP() / UDP() for _ in times]
    for packet, time in zip(packets, times):
        packet.time = 1000 + time / 1000
    wrpcap(path("drive.pcap"), packets)
    Guide().say(TRACE, 0)
    with open(path("drive.trace"), encoding="ascii") as file:
        tap.equal("trace", [int(line) for line in file], times)


def test_trace():
    """The tiny trace, the figure with it, the rows of its cells, and a cell with real programs."""
    forget("traces")
    for number in (1, 2):
        Guide().say(TRACE, number)
    with open(path("rows.py"), "w", encoding="utf-8") as file:
        file.write(PARTS["The numbers behind the picture"][0])
    Guide().say("The numbers behind the picture", 1)
    Guide().say("One cell, with other settings")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
