# SPDX-License-Identifier: GPL-2.0-or-later
"""One boot of the lab machine, as the host sees it: lines that come, or that do not."""
import os
import select
import subprocess


class Silent(Exception):
    """Nothing came for as long as a cell may take."""


class Machine:
    """Runs a command (lab/run's) until the block ends; a machine that still runs then is ended.
    What it says besides goes to the file log. The guest begins in the same directory wherever the
    results go: its name is in the guest's memory."""

    def __init__(self, command, log, limit):
        self.command, self.limit = command, limit
        self.log = open(log, "wb")

    def __enter__(self):
        # it ends with this process, whatever ends that
        self.process = subprocess.Popen(["setpriv", "--pdeathsig", "TERM", *self.command],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=self.log, cwd="/")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()
        self.log.close()

    def lines(self):
        """As they come; raises Silent."""
        pipe, rest = self.process.stdout, b""
        while True:
            # a guest that spins has no time of its own to notice
            if not select.select([pipe], [], [], self.limit)[0]:
                raise Silent
            data = os.read(pipe.fileno(), 1 << 16)
            if not data:
                return
            *whole, rest = (rest + data).split(b"\n")
            yield from whole

    def status(self):
        """lab/run's exit status."""
        return self.process.wait()
