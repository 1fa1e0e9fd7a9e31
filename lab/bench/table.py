# SPDX-License-Identifier: GPL-2.0-or-later
"""The bench's tables."""
import collections
import re

import cases

FUNCTIONS = 12      # number of functions that are named for a case
LEAST_RATIO = 0.05
# The parts of a path, each with the beginnings of its functions' names.
PARTS = {
    # CRC-32C of arqlink, which is in the crypto API before 6.15, and the cipher of macsec
    "cipher or CRC": "crc32|__crc32|chksum_|.*shash|.*ahash|crypto_|__crypto_|aes_|ghash_|gf128mul|"
                     "clmul|polyval|.*gcm_|skcipher|scatterwalk|hash_walk|sg_next|sg_init_one|"
                     "memcpy_(from|to)_sglist|kfree_sensitive",
    "arqlink": "arql_|fl_inbox",
    "buffers": "kmem_cache|k(m?alloc|free)|__kmalloc|memset|consume_skb|sk_skb_reason_drop|"
               "__alloc_skb|__netdev_alloc_skb|__build_skb|skb_(release|free)",
    "copies": "memcpy|memmove",
    "timers": "ktime|timer|.*timer|rb_",
    # User-Mode Linux disables interrupts by software
    "interrupts": "(un)?block_signals|um_set_signals|deliver_time_travel_irqs",
}


def _depth(depth):
    return f"{depth:,}".replace(",", " ")


def _lines(rows):
    """Rows as lines: the first column is aligned left, the others right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    text = ["  ".join([row[0].ljust(widths[0])] +
                      [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]).rstrip()
            for row in rows]
    return text[:1] + ["-" * max(map(len, text))] + text[1:]


def _by_depth(selected, cell):
    """A row for each queue, a column for each depth."""
    depths = [depth for depth in cases.DEPTHS if any(depth in case.depths for case in selected)]
    return _lines([("packets queued", *map(_depth, depths))] +
                  [(case.name, *(cell(case.name, depth) for depth in depths)) for case in selected])


def instructions(counted, selected=cases.QUEUES):
    """Instructions of enqueue and dequeue together, or of a request."""
    return _by_depth(selected, lambda case, depth: _number(counted.mean(case, depth), ".0f"))


def times(timed, to, selected=cases.QUEUES):
    """Times as ratios to another queue's time at the same depth."""
    return _by_depth(selected, lambda case, depth: _ratio(timed.ratio(case, depth, to)))


def rates(timed, to):
    """Packets in a time, as ratios to another case's."""
    return _lines([("packets", "ratio")] +
                  [(case.name, f"{1 / timed.ratio(case.name, 1, to):.2f}") for case in cases.RATES])


def memory(measured):
    """Memory for each packet."""
    return _lines([("queue", "empty", "full")] +
                  [(name, *(f"{size:.1f}" for size in sizes)) for name, sizes in measured.of.items()])


def _number(value, form):
    return "-" if value is None else format(value, form)


def _ratio(value):
    """A ratio; "< 0.05" if the time cannot be distinguished from the time of reading the clock."""
    if value is not None and value < LEAST_RATIO:
        return f"< {LEAST_RATIO}"
    return _number(value, ".2f")


def _by_case(title, cases_, counted):
    """A row for each case; these cases are measured at one depth."""
    return _lines([(title, "instructions")] +
                  [(case.name, f"{counted.mean(case.name, case.depths[0]):.0f}")
                   for case in cases_])


def hooks(counted):
    return _by_case("packet", cases.HOOKS, counted)


def links(counted):
    return _by_case("link", cases.LINKS, counted)


def _part(function):
    """The part of a path to which a function belongs."""
    return next((part for part, names in PARTS.items() if re.match(names, function)), "core")


def _by_part(steps, symbols):
    """{part: instructions per packet}."""
    found = collections.Counter()
    for function, hits in steps.functions(symbols):
        found[_part(function)] += hits
    return found


def paths(counted):
    """A row for each path, a column for each part of the instructions."""
    rows = [("path", "all", *PARTS, "core")]
    for case in cases.PATHS:
        found = counted.of[case.name, 1]
        parts = _by_part(found, counted.symbols)
        rows.append((case.name, f"{found.mean:.0f}",
                     *(f"{parts[part]:.0f}" for part in rows[0][2:])))
    return _lines(rows)


def aims(judged, unit="instructions", form=".0f"):
    """A row for each aim, with the unit of its numbers."""
    return _lines([("aim", unit, "at most", "")] +
                  [(aim, format(found, form), format(most, form),
                    "holds" if found <= most else "falls short") for aim, found, most in judged])


def throughput(measured):
    base = next(iter(measured.of.values()))
    return _lines([("path", "Mbit/s", "ratio")] +
                  [(name, f"{rate / 1e6:.0f}", f"{rate / base:.2f}")
                   for name, rate in measured.of.items()])


def functions(counted, case, depth):
    """The functions in which a case spends its instructions."""
    found = counted.of[case, depth].functions(counted.symbols)
    rest = sum(hits for _, hits in found[FUNCTIONS:])
    rows = found[:FUNCTIONS] + ([("others", rest)] if rest else [])
    return _lines([(f"{case}, {_depth(depth)} queued", "instructions")] +
                  [(name, f"{hits:.0f}") for name, hits in rows])
