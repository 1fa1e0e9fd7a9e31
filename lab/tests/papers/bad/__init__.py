# SPDX-License-Identifier: GPL-2.0-or-later
"""A paper whose figures the engine must refuse."""
TITLE = "Bad input"
FIGURES = ("figure1", "figure2", "figure3")
