#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""While a trace is loaded, one memory allocation after the other fails. The device follows either
the old trace or the complete new trace. The kernel's leak detector finds no leak."""
# run.sh: needs: fault injection
from lib import cell, faults, tap

OLD, NEW = [5], [1, 2, 3]


def test_every_allocation_of_an_upload():
    """If one allocation of a request fails, the device follows the old or the new trace, or no
    trace after a deletion. The next attempt succeeds."""
    faults.prepare()
    with cell.Pair() as pair:
        traces = cell.Traces(pair.left.ns)
        requests = (lambda: traces.do("trace_start", count=len(NEW)),
                    lambda: traces.do("trace_add", times=NEW),
                    lambda: traces.commit(pair.left),
                    lambda: traces.delete(pair.left))
        for which, request in enumerate(requests):
            number = 1
            while True:
                pair.left.follow(OLD)
                # first send the requests that precede the failing request
                for before in requests[:which]:
                    before()
                if not faults.nth(number, request):
                    break
                number += 1
                told = pair.left.trace()
                tap.true(f"request {which}, allocation {number}: {told}",
                         told is None or told["count"] in (len(OLD), len(NEW)))
            tap.note(f"request {which}: {number - 1} allocations")
        pair.left.follow(NEW)
        tap.equal("count in the end", pair.left.trace()["count"], len(NEW))


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
