# SPDX-License-Identifier: GPL-2.0-or-later
"""ElAarag and Hogg, Enhancement of IFTP for Transmission over Wireless Access Networks: the scenarios
that TCP can show, and the paper's congestion control on today's links."""
import pieces       # lets "lib", the tests' library, be found

TITLE = "Enhancement of IFTP for Transmission over Wireless Access Networks"
AUTHORS = "Hala ElAarag and Chris Hogg"
FIGURES = ["figure2", "figure3", "figure4", "figure5", "loss", "friendly", "queue"]
# These figures take a long time, and run only if FIG names them.
ON_REQUEST = ["tolerance", "fairness", "ablation"]
# These figures compare IFTPV with IFTP-W, which delivers damaged packets. IFTP-W and IFTP need the
# user-level transport, which does not exist yet.
WAITING = {"figure6": "IFTP-W compared with IFTPV, by bit error rate",
           "figure7": "IFTP-W, by the length that is sensitive to errors"}
