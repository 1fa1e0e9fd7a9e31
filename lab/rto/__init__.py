# SPDX-License-Identifier: GPL-2.0-or-later
"""Prabhakar, Kuri, Kiran and Kartik, An Adaptive Timeout Scheme for Short TCP Flows over 3G Wireless
Networks: what a link's word is worth to TCP's timeouts, beside what TCP has without it."""
import pieces       # so that the tests' own modules ("lib") are found

TITLE = "An Adaptive Timeout Scheme for Short TCP Flows over 3G Wireless Networks"
AUTHORS = "T. V. Prabhakar, Joy Kuri, Kiran K. N. and Kartik M."
FIGURES = ["figure5", "figure8"]
# They come with the link layer that is to be a module of its own; what 4, 6 and 7 claim of the paper's
# base station is judged with figure 5.
WAITING = {"figure1": "session completion time without the scheme", "figure2": "goodput by attempts",
           "figure4": "throughput of short flows", "figure6": "throughput of a bulk flow",
           "figure7": "mean timeout of a bulk flow"}
