#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The modules of lab/iftpv compute correct results: when packets come, three rates, the jitter, and the claims
of figures 6 and 7."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from iftpv import figure6, figure7, flow
from lib import tap
from lib.cell import MS


def refused(*arguments):
    try:
        flow.check(*arguments)
    except RuntimeError:
        return True
    return False


def test_arrivals():
    """A packet waits until the link is free. A packet that finds the link free does not wait."""
    tap.equal("arrivals", flow.arrivals([(0, "lost"), (1, "marked"), (50, "unknown")], 10, 100),
              [(110, "lost"), (120, "marked"), (160, "unknown")])


def test_rates():
    """All packets came, and whole packets are usable. 1448 bytes in 10 s are 1.1584 kbit/s."""
    found = flow.rates(["acknowledged", "marked", "damaged", "lost", "unknown", "acknowledged"])
    tap.equal("packets", {name: round(kbit / 1.1584, 6) for name, kbit in found.items()},
              {"came": 6, "whole": 2, "usable": 3})


def test_jitter():
    """Even delays have no jitter. A step of 16 ms gives 1 ms, then 15/16 ms."""
    step = [(0, 0), (10 * MS, 26 * MS), (20 * MS, 36 * MS)]
    tap.equal("a step", flow.jitter(step), (1 + 15 / 16) / 2)
    tap.equal("even", flow.jitter([(a, a + MS) for a in range(5)]), 0)
    tap.equal("one packet", flow.jitter(step[:1]), None)


def test_data_packets():
    """Data packets of DCCP are recognised behind an option, others are not."""
    for what, packet, expected in (
            ("Data", bytes([0x45]) + bytes(8) + b"\x21" + bytes(10 + 8) + b"\x04" + bytes(9), True),
            ("Data behind an option", bytes([0x47]) + bytes(8) + b"\x21" + bytes(18 + 8) + b"\x05", True),
            ("an Ack", bytes([0x45]) + bytes(8) + b"\x21" + bytes(10 + 8) + b"\x06", False),
            ("UDP", bytes([0x45]) + bytes(8) + b"\x11" + bytes(10 + 8) + b"\x04", False),
            ("a short packet", bytes([0x45]) + bytes(8) + b"\x21" + bytes(10), False)):
        tap.equal(what, flow.is_data(packet), expected)


def test_both_ends():
    """A source that knows of more packets than the sink got is refused, as are packets that came at other times
    than computed."""
    fates = ["acknowledged", "acknowledged", "marked", "unknown"]
    for what, heard, whole, expected in (("equal", 3, 2, False), ("the unknown one came, too", 4, 2, False),
                                         ("too few", 2, 2, True), ("too many", 5, 2, True),
                                         ("at other times", 3, 6, True)):
        tap.equal(what, refused(fates, fates, [None] * whole, {"received": heard}), expected)


def test_claims():
    """Each claim is judged at each place, by the mean. IFTPV, which has no length, is compared at each length
    of IFTP-W."""
    import pandas
    rows = pandas.DataFrame(
        [{"kind": kind, "length": length, "seed": 1, "came": came, "whole": 5 + came, "usable": 9,
          "jitter_ms": 1 / came, "end": "cannot send" if came == 3 else ""}
         for kind, length, came in (("IFTP-W", 40, 1), ("IFTP-W", 1464, 3), ("IFTPV", None, 2))])
    found = {claim.text.split(": ")[1]: claim for claim in figure7.claims(rows)}
    tap.equal("which", set(found), {*figure6.RATES.values(), "jitter"})
    tap.equal("came", (found["came"].holds, found["came"].ours),
              (False, "at 40 2 and 1 kbit/s; at 1464 2 and 3 kbit/s"))
    tap.equal("early", found["came"].why, "sources that ended early: 1 of IFTP-W at 1464")
    tap.equal("equal is not above", found["sensitive part whole"].holds, False)
    rows.loc[rows["kind"] == "IFTPV", ["came", "jitter_ms"]] = 4, 0.1
    tap.equal("above", {text: claim.holds for text, claim in found.items()} | {
        claim.text.split(": ")[1]: claim.holds for claim in figure7.claims(rows)},
        {"came": True, "whole": False, "sensitive part whole": False, "jitter": True})


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
