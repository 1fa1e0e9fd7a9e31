# SPDX-License-Identifier: GPL-2.0-or-later
"""Gurtov and Ludwig, Lifetime Packet Discard for Efficient Real-Time Transport over Cellular
Links (2003): its figures; where LPD helps TCP ("map"), and what TCP and real-time traffic cost each
other in one queue ("beside"); and what the paper could not do ("traces")."""
import pieces       # so that the tests' own modules ("lib") are found

TITLE = "Lifetime Packet Discard for Efficient Real-Time Transport over Cellular Links"
AUTHORS = "Andrei Gurtov and Reiner Ludwig, 2003"
FIGURES = ["figure1", "figure4", "figure5", "figure9", "figure10", "map", "beside",
           "traces"]
# They show TFRC, a congestion control of the user-level transport, which is yet to come.
WAITING = {"figure6": "TFRC across a delay spike", "figure7": "TFRC and headercasting",
           "figure11": "TFRC beside TCP", "figure12": "TFRC beside TCP in time"}
