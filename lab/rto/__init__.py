# SPDX-License-Identifier: GPL-2.0-or-later
"""Prabhakar, Kuri, Kiran and Kartik, An Adaptive Timeout Scheme for Short TCP Flows over 3G Wireless
Networks: how a link's messages improve TCP's timeouts, compared with TCP without messages."""
import pieces       # lets "lib", the tests' library, be found

TITLE = "An Adaptive Timeout Scheme for Short TCP Flows over 3G Wireless Networks"
AUTHORS = "T. V. Prabhakar, Joy Kuri, Kiran K. N. and Kartik M."
FIGURES = ["figure1", "figure2", "figure4", "figure5", "figure6", "figure7", "figure8"]
# no figure needs something that does not exist yet; figure 3 is a diagram
WAITING = {}
