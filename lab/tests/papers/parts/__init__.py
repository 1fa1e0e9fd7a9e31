# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of pieces that need a machine; lab/tests/engine.sh runs them. A cell fails if its numbers do not
fit the link."""
TITLE = "The pieces' own experiments"
FIGURES = ("arq", "damage", "iperf")
