# SPDX-License-Identifier: GPL-2.0-or-later
"""One boot of the lab machine, seen from the host."""
import contextlib
import os
import select
import subprocess


TICKS = os.sysconf("SC_CLK_TCK")    # in a second


def processes():
    """Return {process: (parent, ticks)} of this host. The ticks of processor time include those of
    children that have ended."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            with open(f"/proc/{name}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
            found[int(name)] = int(fields[1]), sum(map(int, fields[11:15]))
    return found


def processor(root):
    """Return the processor time in s that a process and its descendants have used."""
    found = processes()
    used, waiting = 0, [root]
    while waiting:
        process = waiting.pop()
        used += found.get(process, (0, 0))[1]
        waiting += [child for child, (parent, _) in found.items() if parent == process]
    return used / TICKS


class Silent(Exception):
    """The machine printed nothing for longer than a cell's limit."""


class Machine:
    """Runs a lab/uml command until the block ends, and then ends a machine that still runs. Standard
    error goes to the file log. The guest always starts in the directory /, because the directory's
    name is in the guest's memory and would change its results."""

    def __init__(self, command, log, limit):
        self.command, self.limit = command, limit
        self.log = open(log, "wb")

    def __enter__(self):
        # the machine ends with this process, even if a signal kills this process
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
        """The machine's lines as they arrive; raises Silent."""
        pipe, rest = self.process.stdout, b""
        while True:
            # a guest in an endless loop does not notice that time passes
            if not select.select([pipe], [], [], self.limit)[0]:
                raise Silent
            data = os.read(pipe.fileno(), 1 << 16)
            if not data:
                return
            *whole, rest = (rest + data).split(b"\n")
            yield from whole

    def processor(self):
        """The processor time in s that the machine has used."""
        return processor(self.process.pid)

    def status(self):
        """The exit status of lab/uml."""
        return self.process.wait()
