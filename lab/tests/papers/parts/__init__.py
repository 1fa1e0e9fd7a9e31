# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of those modules of lab/pieces, lab/rto, lab/arq, lab/dsr and lab/iftpv that
need a machine. The script lab/tests/engine.sh runs the tests. A cell fails if its results do not agree with the
configuration of the link."""
TITLE = "The pieces' own experiments"
FIGURES = ("carriers", "causes", "damage", "decoder", "errors", "given_up", "iperf", "links", "outage",
           "speaker", "unreachable")
