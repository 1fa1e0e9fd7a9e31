# SPDX-License-Identifier: GPL-2.0-or-later
"""The demo's table and what it says in a sentence."""
from result import S

TITLES = ("flow", "queue", "sent", "valid", "stale delivered", "discarded", "lost (queue full)",
          "still queued", "first fresh packet after spike")


def seconds(ns):
    return "none" if ns is None else f"{ns / S:.1f} s"


def _row(result):
    return (result.flow, result.queue, result.sent, result.valid, result.stale,
            result.discarded, result.lost, result.queued,
            ", ".join(seconds(wait) for wait in result.waits()))


def _line(row, widths):
    """Words to the left, numbers to the right."""
    cells = (str(cell).ljust(width) if index < 2 else str(cell).rjust(width)
             for index, (cell, width) in enumerate(zip(row, widths)))
    return "  ".join(cells).rstrip()


def lines(results):
    """The table: a row for each flow and queue."""
    rows = [TITLES] + [_row(result) for result in results]
    widths = [max(len(str(row[column])) for row in rows) for column in range(len(TITLES))]
    text = [_line(row, widths) for row in rows]
    return text[:1] + ["-" * max(map(len, text))] + text[1:]


def _by_queue(results):
    queues = {}
    for result in results:
        queues.setdefault(result.queue, []).append(result)
    return queues.items()


def _longest_wait(results):
    waits = [wait for result in results for wait in result.waits()]
    return "until the next one" if None in waits else f"for {seconds(max(waits))}"


def _stale_part(results):
    stale = sum(result.stale for result in results)
    arrived = sum(len(result.arrivals) for result in results)
    return f"{100 * stale / arrived:.0f} %" if stale else "none"


def _each_queue(say, results):
    return ", ".join(f"{say(group)} with {queue}" for queue, group in _by_queue(results))


def headline(results):
    """How long nothing fresh arrives, at worst, all flows together."""
    return f"After a delay spike nothing fresh arrives {_each_queue(_longest_wait, results)}"


def sentence(results):
    """What the user sees, all flows together."""
    return f"{headline(results)}; of what arrives is stale: {_each_queue(_stale_part, results)}."
