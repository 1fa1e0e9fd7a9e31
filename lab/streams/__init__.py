# SPDX-License-Identifier: GPL-2.0-or-later
"""Unmodified programs across a link whose rate changes: where packets wait decides what a receiver can
show. There is no paper. The figures compare queues directly above the radio with queues in front of a
modem that takes all packets at once."""
import pieces       # lets "lib", the tests' library, be found

TITLE = "Where the packets wait: queues above the radio and in front of a modem"
AUTHORS = "not a paper"
FIGURES = ["places", "upload", "settings", "programs", "adverse"]
WAITING = {}
