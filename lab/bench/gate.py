#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""gate.py DEVICE: makes a gate for the lpd at the root of DEVICE. The gate's window is so large that the
gate lets every packet pass. The kernel removes the gate after 3 s, which is simulated time here."""
import sys

from lib import gate, netns

client = gate.Client(netns.First())
client.gate_set(client.ifindex(sys.argv[1]), window=gate.OPEN)
