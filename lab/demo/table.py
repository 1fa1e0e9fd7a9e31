# SPDX-License-Identifier: GPL-2.0-or-later
"""The demo's tables, one for each kind of flow, and a sentence that sums up each table."""
from lib.cell import S

from pieces import paths

UDP_TITLES = ("flow", "queue", "sent", "valid", "stale delivered", "headers only", "discarded",
              "lost (queue full)", "still queued", "first fresh packet after spike")
PAIR_TITLES = ("flow", "queue", "sent", "valid", "stale delivered", "discarded",
               "lost (queue full)", "still queued", "urgent sent", "urgent valid",
               "first fresh urgent one after spike")
TCP_TITLES = ("flow", "queue", "sent", "delivered once", "duplicates", "discarded",
              "lost (queue full)", "still queued", "timeouts", "data delivered")
PATH_TITLES = ("flow", "queue", "with an option", *paths.PATHS)
UPLINK_TITLES = ("flow", "queue", "sent", "valid", "stale delivered", "discarded",
                 "lost (queue full)", "still queued", "dropped by the network")


def seconds(ns):
    return "none" if ns is None else f"{ns / S:.1f} s"


def _row(result, *arrived):
    """The columns that all kinds have. `arrived` has more columns about arrivals."""
    return (result.flow, result.queue, result.sent, result.arrivals.useful,
            result.arrivals.useless, *arrived, result.discarded, result.lost, result.queued)


def _waits(result):
    return ", ".join(seconds(wait) for wait in result.waits())


def _udp_row(result):
    return _row(result, result.headers) + (_waits(result),)


def _pair_row(result):
    return _row(result) + (result.urgent_sent, result.urgent_valid, _waits(result))


def _tcp_row(result):
    return _row(result) + (result.timeouts, kilobytes(result))


def _uplink_row(result):
    return _row(result) + (result.filtered,)


def kilobytes(result):
    """The data that a download delivered. Each byte counts once."""
    return f"{result.arrivals.delivered / 1000:.0f} kB"


def _line(row, widths):
    """Words are aligned left, numbers right."""
    cells = (str(cell).ljust(width) if index < 2 else str(cell).rjust(width)
             for index, (cell, width) in enumerate(zip(row, widths)))
    return "  ".join(cells).rstrip()


def _lines(rows):
    widths = [max(len(str(row[column])) for row in rows) for column in range(len(rows[0]))]
    text = [_line(row, widths) for row in rows]
    return text[:1] + ["-" * max(map(len, text))] + text[1:]


def udp(results):
    """The table of datagrams: a row for each flow and queue."""
    return _lines([UDP_TITLES] + [_udp_row(result) for result in results])


def pair(results):
    """The table of the two flows: a row for each queue."""
    return _lines([PAIR_TITLES] + [_pair_row(result) for result in results])


def tcp(results):
    """The table of downloads: a row for each queue."""
    return _lines([TCP_TITLES] + [_tcp_row(result) for result in results])


def uplink(results):
    """The table of the drone: a row for each queue."""
    return _lines([UPLINK_TITLES] + [_uplink_row(result) for result in results])


def of_paths(results):
    """The table of the paths through lpd: a row for each queue that is an lpd."""
    return _lines([PATH_TITLES] + [
        (result.flow, result.queue, paths.number(result.counters),
         *(result.counters[name] for name in paths.PATHS)) for result in results])


def _by_queue(results):
    queues = {}
    for result in results:
        queues.setdefault(result.queue, []).append(result)
    return queues.items()


def _longest_wait(results):
    waits = [wait for result in results for wait in result.waits()]
    return "until the next one" if None in waits else f"for {seconds(max(waits))}"


def _useless_part(results):
    """The share of stale or duplicate packets among the packets that arrived."""
    useless = sum(result.arrivals.useless for result in results)
    percent = 100 * useless / sum(result.arrived for result in results)
    if 0 < percent < 1:
        return "under 1 %"
    return f"{percent:.0f} %" if useless else "none"


def _each_queue(say, results):
    return ", ".join(f"{say(group)} with {queue}" for queue, group in _by_queue(results))


def headline(results):
    """The longest time without a fresh packet, over all flows."""
    return f"After a delay spike nothing fresh arrives {_each_queue(_longest_wait, results)}"


def _arrived_as_headers(results):
    """The packets that did not arrive whole, and how many of them arrived as headers."""
    absent = sum(result.sent - result.arrivals.useful - result.arrivals.useless
                 for result in results)
    return f"{sum(result.headers for result in results)} of {absent}"


def _headers_sentence(results):
    cut = [result for result in results if result.headers]
    if not cut:
        return ""
    return f" Headers of packets that do not arrive whole: {_each_queue(_arrived_as_headers, cut)}."


def _stale_sentence(results):
    return f"Stale packets among those that arrive: {_each_queue(_useless_part, results) or 'none'}."


def udp_sentence(results):
    """The effect that a user sees, over all flows."""
    return f"{headline(results)}. {_stale_sentence(results)}{_headers_sentence(results)}"


def pair_sentence(results):
    """The effect that the urgent flow's user sees."""
    return "After a delay spike nothing fresh of the urgent flow arrives " \
        f"{_each_queue(_longest_wait, results)}."


def tcp_sentence(results):
    """The share of duplicates among the packets that arrived."""
    return f"Duplicates among TCP's packets that arrive: {_each_queue(_useless_part, results)}."


def _arrives(results):
    """How many of the sent packets arrived in time."""
    valid = sum(result.valid for result in results)
    return f"{valid or 'none'} of {sum(result.sent for result in results)}"


def uplink_sentence(results):
    """Which queue's packets pass a network that drops options."""
    arrived = [result for result in results if result.arrived]
    return f"The drone's packets that arrive in time: {_each_queue(_arrives, results)}. " \
        f"{_stale_sentence(arrived)}"


# for each kind of flow the functions for the table's lines and for the sentence below it
OF_KIND = {"UDP": (udp, udp_sentence), "TCP": (tcp, tcp_sentence),
           "pair": (pair, pair_sentence), "uplink": (uplink, uplink_sentence)}
