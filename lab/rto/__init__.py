# SPDX-License-Identifier: GPL-2.0-or-later
"""Prabhakar, Kuri, Kiran and Kartik, An Adaptive Timeout Scheme for Short TCP Flows over 3G Wireless
Networks: how a link's messages improve TCP's timeouts, compared with TCP without messages."""
import pieces       # lets "lib", the tests' library, be found

TITLE = "An Adaptive Timeout Scheme for Short TCP Flows over 3G Wireless Networks"
AUTHORS = "T. V. Prabhakar, Joy Kuri, Kiran K. N. and Kartik M."
FIGURES = ["figure5", "figure8"]
# These figures need a link layer that is a module, which does not exist yet. Figure 5 judges the claims of
# figures 4, 6 and 7 about the paper's base station.
WAITING = {"figure1": "session completion time without the scheme", "figure2": "goodput by attempts",
           "figure4": "throughput of short flows", "figure6": "throughput of a bulk flow",
           "figure7": "mean timeout of a bulk flow"}
