# SPDX-License-Identifier: GPL-2.0-or-later
"""A paper that does not exist, with figures that lab/tests/engine.sh runs."""
TITLE = "The engine's own experiments"
FIGURES = ("figure1", "figure2", "slow")
WAITING = {"figure3": "needs a file"}
