# SPDX-License-Identifier: GPL-2.0-or-later
"""ElAarag and Hogg, Enhancement of IFTP for Transmission over Wireless Access Networks: what of it TCP
can show, and what its congestion control is worth on links of today."""
import pieces       # so that the tests' own modules ("lib") are found

TITLE = "Enhancement of IFTP for Transmission over Wireless Access Networks"
AUTHORS = "Hala ElAarag and Chris Hogg"
FIGURES = ["figure2", "figure3", "figure4", "figure5", "loss", "friendly", "queue"]
# They take long, and run only if FIG names them.
ON_REQUEST = ["tolerance", "fairness", "ablation"]
# They compare IFTPV with IFTP-W, which delivers damaged packets: a congestion control of the
# user-level transport, which is yet to come, as is IFTP.
WAITING = {"figure6": "IFTP-W beside IFTPV by bit error rate",
           "figure7": "IFTP-W by the length that is sensitive to errors"}
