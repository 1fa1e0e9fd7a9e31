# SPDX-License-Identifier: GPL-2.0-or-later
"""Pieces that need a machine to be seen right: what lab/tests/engine.sh runs. A cell whose numbers are
not what the link makes of them fails."""
TITLE = "The pieces' own experiments"
FIGURES = ("arq", "damage", "iperf")
