#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""connected.py DEVICE: waits until an arqlink is connected to its peer."""
import sys

from lib import arq, netns

arq.End(netns.First(), sys.argv[1]).expect(connected=1)
