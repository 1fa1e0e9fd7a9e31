# SPDX-License-Identifier: GPL-2.0-or-later
"""Lande and Liu, Implementation of the Deadline-based Selective Retransmission For Maintaining Low
End-to-End Delays: messages that are sent again until their deadline, versus until they arrive."""
import pieces       # lets "lib", the tests' library, be found

TITLE = "Deadline-based Selective Retransmission"
AUTHORS = "Suhas Lande and Jun Liu"
FIGURES = ["figure3", "peers"]
WAITING = {}
