#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Documentation/guide-program.rst, followed literally: the programs are built and run as the page
says, and their packets have the lifetime that the page shows."""
# run.sh: needs: simulated time
# run.sh: once: the library is the same on every kernel
import os
import subprocess
import tempfile

from lib import dissect, library, packet as pkt, page, tap
from lib.sender import Sender

HOST, PORT, COUNT = "198.51.100.7", 5000, 10
PC = """Name: freshlink
Description: the library of this tree
Version: 0
Cflags: -I{0}/userspace/libfreshlink
Libs: -L{1} -lfreshlink
"""


SET_UP, C, BUILD, PYTHON, RUN, SHOWN = page.blocks(page.text("guide-program.rst"))


class Guide(Sender):
    """A sending host after the page's first commands, which can reach the page's address."""

    def __init__(self):
        super().__init__()
        self.right.ip(f"address add {HOST}/32 dev v1")
        self.left.ip(f"route add {HOST}/32 dev v0")
        tap.equal("first command", SET_UP.splitlines()[0], "modprobe xlo")
        self.type(SET_UP.splitlines()[1])

    def type(self, lines, folder="/"):
        """Run commands in a folder, with the tools and the library of this tree."""
        with tempfile.TemporaryDirectory() as packages, self.left.inside():
            with open(f"{packages}/freshlink.pc", "w", encoding="utf-8") as file:
                file.write(PC.format(library.TREE, library.BUILD))
            done = subprocess.run(["sh", "-ec", lines], cwd=folder, capture_output=True, text=True,
                                  env=os.environ | {
                                      "PATH": f"{library.BUILD}:{os.environ['PATH']}",
                                      "PKG_CONFIG_PATH": packages})
        tap.equal(lines, (done.returncode, done.stdout, done.stderr), (0, "", ""))

    def follows(self, name, program, commands):
        """Write a program to a file, and run it as the page says. Check its packets."""
        tap.within(f"lines of {name}", program.count("\n"), 1, 22)
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
                file.write(program)
            self.type(commands, folder)
        packets = self.arrived(COUNT)
        tap.equal("lifetimes", [pkt.lifetime(packet) for packet in packets], [250] * COUNT)
        fields = dissect.columns(packets, "xlo.lifetime", "data.data", "udp.dstport")
        tap.equal("what tshark shows", fields,
                  [[["250"], [f"{0x30 + number:x}"], [str(PORT)]] for number in range(COUNT)])
        self.account.expect(stamped_output=COUNT, deadlines=COUNT)


def test_c():
    """The program in C."""
    with Guide() as guide:
        guide.follows("reading.c", C, BUILD)


def test_python():
    """The program in Python."""
    with Guide() as guide:
        guide.follows("reading.py", PYTHON, RUN)


def test_shown():
    """The page shows the first packets as tshark shows them."""
    command, *lines = SHOWN.splitlines()
    tap.true(command, "-Y xlo -T fields -e xlo.lifetime -e data.data" in command)
    tap.equal("lines", lines, [f"250\t{0x30 + number:x}" for number in range(2)])


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
