# SPDX-License-Identifier: GPL-2.0-or-later
"""ElAarag and Hogg, Enhancement of IFTP for Transmission over Wireless Access Networks: the scenarios
with TCP, those with IFTP-W over DCCP, and the paper's congestion control on today's links."""
import pieces       # lets "lib", the tests' library, be found

TITLE = "Enhancement of IFTP for Transmission over Wireless Access Networks"
AUTHORS = "Hala ElAarag and Chris Hogg"
FIGURES = ["figure2", "figure3", "figure4", "figure5", "figure6", "figure7", "transports", "loss", "friendly",
           "queue"]
# These figures take a long time, and run only if FIG names them.
ON_REQUEST = ["tolerance", "fairness", "ablation", "causes"]
WAITING = {}
