# SPDX-License-Identifier: GPL-2.0-or-later
"""Unmodified programs across a link whose rate changes: where packets wait decides what a receiver can
show. There is no paper. The figures compare queues directly above the radio with queues in front of a
modem that takes all packets at once."""
import pieces       # lets "lib", the tests' library, be found

TITLE = "Where the packets wait: queues above the radio and in front of a modem"
AUTHORS = "not a paper"
FIGURES = ["places", "upload", "settings", "programs", "adverse", "options"]
WAITING = {}


def summary(rows):
    """The table of the verdicts about all bars. `rows` has the rows of each figure."""
    import importlib

    from streams import adverse, results
    text = "These are the targets, and the results over all seeds:"
    figures = [(adverse.by_trouble(table) if figure == "adverse" else table,
                importlib.import_module(f"streams.{figure}").BARS) for figure, table in rows.items()]
    return f"{text}\n\n{results.targets(figures)}"
