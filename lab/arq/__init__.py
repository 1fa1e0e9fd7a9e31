# SPDX-License-Identifier: GPL-2.0-or-later
"""Xylomenos, Limitations of Fixed Timers for Wireless Links: the retransmission timer of a link layer
whose link is shared with other traffic."""
import pieces       # lets "lib", the tests' library, be found

TITLE = "Limitations of Fixed Timers for Wireless Links"
AUTHORS = "George Xylomenos"
FIGURES = ["figure2", "figure3", "figure4", "figure5", "link", "variants", "live"]
# no figure needs something that does not exist yet
WAITING = {}
