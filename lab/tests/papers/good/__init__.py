# SPDX-License-Identifier: GPL-2.0-or-later
"""A paper that nobody wrote: what lab/tests/engine.sh runs."""
TITLE = "The engine's own experiments"
FIGURES = ("figure1", "figure2", "slow")
