#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink trace log ends in time even if events arrive faster than the command reads events."""
# run.sh: needs: real time
# run.sh: all on vm-6.12: everything
import os
import signal
import subprocess
import tempfile
import time

from cli import tools
from lib import cell, child, packet as pkt, port, tap, wait

PATIENCE = 60                           # seconds, in which buffered events are still written
BUSY = 1 << 16                          # bytes


def ends(duration, number=None):
    """During a flood of packets, a log ends after this duration, or at this signal."""
    with cell.Pair() as pair, tempfile.NamedTemporaryFile() as log:
        packet = pkt.ipv4(b"", pkt.body(0, 20))
        frames = port.Batch([pkt.ethernet(packet)] * 500)
        sender = pair.port()
        sender.sock.bind(("cell0", pkt.protocol(packet)))

        def flood():
            # simulated time passes only during a sleep
            time.sleep(1e-9)
            return sender.send_batch(frames)
        with child.Beside(flood), pair.left.ns.inside():
            process = subprocess.Popen([tools.FRESHLINK, "trace", "log", "cell0", "--output",
                                        log.name, "--duration", duration],
                                       stderr=subprocess.DEVNULL)
            try:
                if number:
                    wait.until("the log is busy", lambda: os.path.getsize(log.name) > BUSY,
                               seconds=PATIENCE)
                    process.send_signal(number)
                status = process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                raise tap.Failed(f"the log has not ended within {PATIENCE} s") from None
        # 1 if events were lost
        tap.within("status", status, 0, 1)


def test_after_its_time():
    """A log ends after its duration although a flood of packets continues."""
    ends("500ms")


def test_at_a_signal():
    """A signal ends a log although a flood of packets continues."""
    ends("3600s", signal.SIGTERM)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
