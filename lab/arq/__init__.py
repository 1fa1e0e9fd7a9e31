# SPDX-License-Identifier: GPL-2.0-or-later
"""Xylomenos, Limitations of Fixed Timers for Wireless Links: the retransmission timer of a link layer
whose link is shared with other traffic."""
import os

import pieces       # lets "lib", the tests' library, be found

TITLE = "Limitations of Fixed Timers for Wireless Links"
AUTHORS = "George Xylomenos"
FIGURES = ["figure2", "figure3", "figure4", "figure5", "turns", "timeouts", "link", "variants", "live"]
WAITING = {}
if os.environ.get("TRACES"):
    FIGURES.append("traced")
else:
    WAITING["traced"] = "a download over recorded traces; needs TRACES=DIR, a folder with traces"
