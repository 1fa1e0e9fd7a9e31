# SPDX-License-Identifier: GPL-2.0-or-later
"""Packet captures of an experiment's devices, if PCAP=1 requests them. A network starts a capture
for each interesting device in the machine; the engine ends all captures with the cell."""
import os
import signal
import subprocess
import time

from lib import tap

DRAIN = 0.001       # s; in simulated time every process has finished its work within this time
LENGTH = 256        # captured bytes of a packet

_running = []


def begin(ns, device):
    """Capture a device's packets to a file in the cell's directory, if captures were requested.
    Files are numbered in order of creation, because devices in two namespaces may share a name."""
    directory = os.environ.get("FL_PCAP")
    if not directory:
        return
    path = os.path.join(directory, f"{len(_running)}-{device}.pcap")
    # otherwise tcpdump changes to a user who may not write there
    command = ["tcpdump", "-Z", "root", "-i", device, "-w", path, "-s", str(LENGTH), "-n",
               "--immediate-mode", "--time-stamp-precision=nano"]
    with ns.inside():
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    _running.append(process)
    if not any("listening on" in line for line in iter(process.stderr.readline, "")):
        raise tap.Failed(f"tcpdump on {device} did not start")


def end():
    """End all captures and complete their files."""
    if _running:
        time.sleep(DRAIN)
    for process in _running:
        process.send_signal(signal.SIGINT)
        output = process.communicate()[1]
        if "\n0 packets dropped by kernel" not in output:
            raise tap.Failed(f"tcpdump lost packets: {output}")
