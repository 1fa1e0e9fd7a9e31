#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The modules of lab/iftpv compute correct results: when packets come, three rates, the jitter, and the claims
of figures 6 and 7."""
import os
import sys
import types

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from iftpv import figure6, figure7, flow
from lib import dccp, tap
from lib.cell import MS


def refused(**arguments):
    try:
        flow.check(**arguments)
    except RuntimeError:
        return True
    return False


def packets(*fates):
    """Packets with these fates. The sequence number is the number and 100."""
    return [flow.Sent(number, 100 + number, fate) for number, fate in enumerate(fates)]


def test_rates():
    """All packets came, and whole packets are usable, also if the source was not told. 1448 bytes in 10 s are
    1.1584 kbit/s."""
    found = flow.rates(packets("acknowledged", "marked", "damaged", "lost", "unknown", "acknowledged"),
                       {0: None, 4: None, 5: None})
    tap.equal("packets", {name: round(kbit / 1.1584, 6) for name, kbit in found.items()},
              {"came": 6, "whole": 3, "usable": 4})


def test_jitter():
    """Even delays have no jitter. A step of 16 ms gives 1 ms, then 15/16 ms."""
    step = [(0, 0), (10 * MS, 26 * MS), (20 * MS, 36 * MS)]
    tap.equal("a step", flow.jitter(step), (1 + 15 / 16) / 2)
    tap.equal("even", flow.jitter([(a, a + MS) for a in range(5)]), 0)
    tap.equal("one packet", flow.jitter(step[:1]), None)


def ipv4(body, protocol=dccp.PROTOCOL, option=b""):
    """An IPv4 packet, of which only the fields that are read have values."""
    return bytes([0x45 + len(option) // 4]) + bytes(8) + bytes([protocol]) + bytes(10) + option + body


def test_data_packets():
    """Data packets of DCCP are recognised behind an option, with their sequence number. Others are not."""
    data = dccp.Packet(dccp.DATA, seq=7, data=b"x" * 9).encode()
    both = dccp.Packet(dccp.DATAACK, seq=8, ack=1, data=b"x").encode()
    for what, packet, expected in (
            ("Data", ipv4(data), 7), ("DataAck behind an option", ipv4(both, option=bytes(8)), 8),
            ("an Ack", ipv4(dccp.Packet(dccp.ACK, seq=9).encode()), None), ("UDP", ipv4(data, 17), None)):
        found = flow.data_packet(packet)
        tap.equal(what, found and found.seq, expected)


class Device:
    """The frames that left a device."""

    def __init__(self, *frames):
        self.frames = [types.SimpleNamespace(packet=packet, when=when) for packet, when in frames]

    def drain(self):
        return self.frames

    def lossless(self):
        pass


def test_arrivals():
    """A packet comes when its last bit has passed the link: its length, with the frame's header of 14 bytes,
    over the rate, and the delay."""
    data = ipv4(dccp.Packet(dccp.DATA, seq=7, data=bytes(50)).encode())
    path = types.SimpleNamespace(rate=1000, delay=3)
    tap.equal("arrivals", flow.note({}, Device((data, 5), (ipv4(bytes(20), 17), 6)), path),
              {7: 5 + 10**6 * (20 + 16 + 50 + 14) + 3})


def test_both_ends():
    """Each contradiction between what left the router, what the sink got and what the source was told is
    refused."""
    sent = packets("acknowledged", "marked", "damaged", "lost", "unknown", "acknowledged")
    came = {packet.seq: 1000 * packet.number for packet in sent}
    whole = {number: (0, 1000 * number + flow.CLOCKS) for number in (0, 4, 5)}
    for what, change in (
            ("all is well", {}), ("a lost one was damaged", {"damaged": 2}),
            ("one did not leave", {"came": {**came, 106: 0}}), ("one more left", {"packets": sent[1:]}),
            ("one came too late", {"whole": {**whole, 0: (0, flow.CLOCKS + 1)}}),
            ("one came too early", {"whole": {**whole, 0: (0, -flow.CLOCKS - 1)}}),
            ("one was acknowledged and is missing", {"whole": {0: whole[0]}}),
            ("one was marked and is whole", {"whole": {**whole, 1: (0, 1000)}}),
            ("a marked one is missing", {"damaged": 0}), ("too many are damaged", {"damaged": 4})):
        tap.equal(what, refused(**{"packets": sent, "came": came, "whole": whole, "damaged": 1} | change),
                  what not in ("all is well", "a lost one was damaged"))


def of_iftpv(rows):
    """The claims about IFTPV in figure 7, by rate."""
    return {claim.text.split(": ")[1]: claim for claim in figure7.claims(rows)
            if claim.text.startswith("IFTPV and")}


def test_claims():
    """Each claim is judged at each place, by the mean. IFTPV, which has no length, is compared at each length
    of IFTP-W."""
    import pandas
    rows = pandas.DataFrame(
        [{"kind": kind, "length": length, "seed": 1, "came": came, "whole": 5 + came, "usable": 9,
          "jitter_ms": 1 / came, "end": "cannot send" if came == 3 else ""}
         for kind, length, came in (("IFTP-W", 40, 1), ("IFTP-W", 1464, 3), ("IFTPV", None, 2))])
    found = of_iftpv(rows)
    tap.equal("which", set(found), {*figure6.RATES.values(), "jitter"})
    tap.equal("came", (found["came"].holds, found["came"].ours),
              (False, "at 40 2 and 1 kbit/s; at 1464 2 and 3 kbit/s"))
    tap.equal("early", found["came"].why, "sources that ended early: 1 of IFTP-W at 1464")
    tap.equal("equal is not above", found["sensitive part whole"].holds, False)
    rows.loc[rows["kind"] == "IFTPV", ["came", "jitter_ms"]] = 4, 0.1
    tap.equal("above", {text: claim.holds for text, claim in of_iftpv(rows).items()},
              {"came": True, "whole": False, "sensitive part whole": False, "jitter": True})
    tap.equal("nothing holds of what was not measured",
              [claim.holds for claim in figure7.claims(rows) if claim.text.startswith("IFTPV-W")], [False] * 4)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
