#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""If any allocation fails while a trace is loaded, the device follows either the former trace or
the complete new one. The kernel's leak detector finds nothing."""
# run.sh: needs: fault injection
from lib import cell, faults, tap

OLD, NEW = [5], [1, 2, 3]


def test_every_allocation_of_an_upload():
    """If any one allocation of a request fails, the device follows the old trace, the new trace, or
    none after a deletion. The next attempt works."""
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
                # the requests before the one that fails
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
