# SPDX-License-Identifier: GPL-2.0-or-later
"""Gurtov and Ludwig, Lifetime Packet Discard for Efficient Real-Time Transport over Cellular
Links (2003): the paper's figures, and three more. "map" shows where LPD helps TCP. "beside" shows how TCP
and real-time traffic affect each other in one queue. "traces" has links that follow traces."""
import pieces       # lets "lib", the tests' library, be found

TITLE = "Lifetime Packet Discard for Efficient Real-Time Transport over Cellular Links"
AUTHORS = "Andrei Gurtov and Reiner Ludwig, 2003"
FIGURES = ["figure1", "figure4", "figure5", "figure6", "figure7", "figure9", "figure10", "figure11",
           "figure12", "map", "beside", "traces"]
WAITING = {}
