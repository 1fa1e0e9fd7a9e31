# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures of what an experiment's devices see, where PCAP=1 asks for them. In the machine: a
network begins one for each of its devices that are of interest; the engine ends them all with the
cell."""
import os
import signal
import subprocess
import time

from lib import tap

DRAIN = 0.001       # s: in simulated time whoever has something to do has done it by then
LENGTH = 256        # bytes of a packet that are kept

_running = []


def begin(ns, device):
    """Capture what passes a device, into a file of the cell's directory, if that is wanted. The
    files have numbers in the order in which they were begun: other namespaces have devices of the
    same name."""
    directory = os.environ.get("FL_PCAP")
    if not directory:
        return
    path = os.path.join(directory, f"{len(_running)}-{device}.pcap")
    # as root: tcpdump would become a user who may not write there
    command = ["tcpdump", "-Z", "root", "-i", device, "-w", path, "-s", str(LENGTH), "-n",
               "--immediate-mode", "--time-stamp-precision=nano"]
    with ns.inside():
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    _running.append(process)
    if not any("listening on" in line for line in iter(process.stderr.readline, "")):
        raise tap.Failed(f"tcpdump on {device} did not start")


def end():
    """Complete the files."""
    if _running:
        time.sleep(DRAIN)
    for process in _running:
        process.send_signal(signal.SIGINT)
        said = process.communicate()[1]
        if "\n0 packets dropped by kernel" not in said:
            raise tap.Failed(f"tcpdump lost packets: {said}")
