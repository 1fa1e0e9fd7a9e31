#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The modules of lab/iftpv compute correct results: when packets come, three rates, the jitter, and the claims
of figures 6 and 7 and of scenarios 1 to 4. The figure "causes" asks for the right errors, and judges them."""
import os
import sys
import types

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from iftpv import alone, causes, figure6, figure7, flow, transports
from lib import dccp, tap
from lib.cell import MS


def refused(**arguments):
    try:
        alone.check(**arguments)
    except RuntimeError:
        return True
    return False


def packets(*fates):
    """Packets with these fates. The sequence number is the number and 100."""
    return [flow.Sent(number, 100 + number, fate) for number, fate in enumerate(fates)]


def test_rates():
    """All packets came, and whole packets are usable, also if the source was not told. 1448 bytes in 10 s are
    1.1584 kbit/s."""
    found = alone.rates(packets("acknowledged", "marked", "damaged", "lost", "unknown", "acknowledged"),
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
        found = alone.data_packet(packet)
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
    tap.equal("arrivals", alone.note({}, Device((data, 5), (ipv4(bytes(20), 17), 6)), path),
              {7: (5 + 10**6 * (20 + 16 + 50 + 14) + 3, 20 + 16 + 50)})


def test_both_ends():
    """Each contradiction between what left the router, what the sink got and what the source was told is
    refused."""
    sent = packets("acknowledged", "marked", "damaged", "lost", "unknown", "acknowledged")
    came = {packet.seq: alone.Arrival(1000 * packet.number, 0) for packet in sent}
    whole = {number: (0, 1000 * number + alone.CLOCKS) for number in (0, 4, 5)}
    for what, change in (
            ("all is well", {}), ("a lost one was damaged", {"damaged": 2}),
            ("one did not leave", {"came": {**came, 106: came[100]}}), ("one more left", {"packets": sent[1:]}),
            ("one came too late", {"whole": {**whole, 0: (0, alone.CLOCKS + 1)}}),
            ("one came too early", {"whole": {**whole, 0: (0, -alone.CLOCKS - 1)}}),
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
          "jitter_ms": 1 / came, "timeouts": came - 1, "end": "cannot send" if came == 3 else ""}
         for kind, length, came in (("IFTP-W", 40, 1), ("IFTP-W", 1464, 3), ("IFTPV", None, 2))])
    found = of_iftpv(rows)
    tap.equal("which", set(found), {*figure6.RATES.values(), "jitter"})
    tap.equal("came", (found["came"].holds, found["came"].ours),
              (False, "at 40 2 and 1 kbit/s; at 1464 2 and 3 kbit/s"))
    tap.equal("remarks", found["came"].why, "timeouts of a flow: at 40 1.0 and 0.0; at 1464 1.0 and 2.0; "
              "sources that ended early: 1 of IFTP-W at 1464")
    tap.equal("equal is not above", found["sensitive part whole"].holds, False)
    rows.loc[rows["kind"] == "IFTPV", ["came", "jitter_ms"]] = 4, 0.1
    tap.equal("above", {text: claim.holds for text, claim in of_iftpv(rows).items()},
              {"came": True, "whole": False, "sensitive part whole": False, "jitter": True})
    tap.equal("nothing holds of what was not measured",
              [claim.holds for claim in figure7.claims(rows) if claim.text.startswith("IFTPV-W")], [False] * 4)


def test_transports():
    """A row has the rate of its flow: those of DCCP by number, then TCP's in their order, then UDP's bytes."""
    found = transports.rows(["IFTPV", "TCP", "IFTP"], {0: 1.5, 2: 2.5}, [{"kbit": 3.5}], {"UDP": 125 * 40}, 10)
    tap.equal("rows", [(row["flow"], row["name"], row["kbit"]) for row in found],
              [(0, "IFTPV", 1.5), (1, "TCP", 3.5), (2, "IFTP", 2.5), (3, "UDP", 4.0)])


def scene(number, rates, control="IFTPV", links="one", seeds=(1,), **more):
    """The rows of a scenario."""
    return [{"scenario": number, "links": links, "control": control, "flow": flow, "name": name, "kbit": rate,
             "seed": seed, "ber": None, "udp": None, "lasted": 10, **more}
            for seed in seeds for flow, (name, rate) in enumerate(rates.items())]


def test_scenarios():
    """Flows are compared in the runs that test IFTPV, and in scenario 1 in runs of their own. What has no rate,
    and bit error rates of 1e-3, are not judged."""
    import pandas
    rows = pandas.DataFrame(
        [row for name, rate in (("IFTPV", 5), ("IFTP", 4), ("TCP", 3))
         for row in scene(1, {name: rate}, control=name, ber=1e-6)] +
        scene(2, {"IFTPV": 5, "TCP": 7, "IFTP": 4}, ber=1e-5) + scene(2, {"IFTPV": 0, "TCP": 0}, ber=1e-3) +
        scene(2, {"IFTP": 9, "TCP": 1}, control="IFTP", ber=1e-5) +
        scene(3, {"IFTPV": 5, "TCP": 6}, udp=10) + scene(3, {"IFTPV": 2, "TCP": 6}, udp=100) +
        scene(4, {"IFTPV": 5, "TCP": 5, "IFTP": 6}, links="own", ber=1e-4) +
        scene(4, {"IFTPV": 5, "TCP": 1}, ber=1e-6, lasted=120))
    tap.equal("claims", [(claim.text, claim.ours, claim.holds) for claim in transports.claims(rows)], [
        ("scenario 1, one link: IFTPV and IFTP", "at 1e-06 5 and 4 kbit/s", True),
        ("scenario 1, one link: IFTPV and TCP", "at 1e-06 5 and 3 kbit/s", True),
        ("scenario 1, one link: IFTP and TCP", "at 1e-06 4 and 3 kbit/s", True),
        ("scenario 2, one link: IFTPV and IFTP", "at 1e-05 5 and 4 kbit/s", True),
        ("scenario 2, one link: TCP and IFTPV", "at 1e-05 7 and 5 kbit/s", True),
        ("scenario 3, one link: IFTPV and TCP, by UDP's rate", "at 10 kbit/s 5 and 6; at 100 kbit/s 2 and 6",
         False),
        ("scenario 4, one link, 120 s: IFTPV and TCP", "at 1e-06 5 and 1 kbit/s", True),
        ("scenario 4, one link, 120 s: Jain's index of IFTPV and TCP", "at 1e-06 0.69", False),
        ("scenario 4, a link each: IFTPV and IFTP", "at 0.0001 5 and 6 kbit/s", False),
        ("scenario 4, a link each: TCP and IFTPV", "at 0.0001 5 and 5 kbit/s", False),
        ("scenario 4, a link each: Jain's index of IFTPV and TCP", "at 0.0001 1.00", True)])


def test_hits():
    """A share of the full packets is hit, each bit for itself. Without hits no bit is damaged."""
    for hit in causes.HITS:
        share = 1 - (1 - causes.ber(hit) / 1e12) ** causes.BITS
        tap.within(f"{hit} %", 100 * share, 0.999 * hit, 1.001 * hit)


def test_words():
    """Of packets that are delivered, the first bytes are sensitive, and all bytes if damage is only told.
    CCID 2 and 3 have no window to choose."""
    for kind, part in (("IFTPV, delivered", "iftpv --sensitive 40 --window 1000"),
                       ("IFTPV, told", f"iftpv --sensitive {alone.PAYLOAD} --window 1000"),
                       ("tolerance, guessed", "iftpv --tolerance 127 --window 1000"), ("CCID 2", "2")):
        tap.equal(kind, causes.words(kind).rpartition("--ccid ")[2], part)


def test_claims_of_causes():
    """The bar is judged at 1 %, and each order wherever packets are hit, by the median of the seeds."""
    import pandas
    shares = {"IFTPV, delivered": (91, 70), "IFTPV, told": (80, 60), "IFTPV, guessed": (70, 61),
              "IFTP": (20, 10), "tolerance, delivered": (89, 88)}
    rows = pandas.DataFrame([{"link": "a", "kind": kind, "hit": hit, "seed": seed, "share": share + seed % 3}
                             for kind, pair in shares.items() for hit, share in zip((1, 10), pair)
                             for seed in (1, 2, 3)] +
                            [{"link": "a", "kind": kind, "hit": 0, "seed": 1, "share": 90} for kind in shares])
    tap.equal("claims", [claim.holds for claim in causes.claims(rows)], [True, True, True, False, True])
    rows.loc[(rows["kind"] == "IFTPV, delivered") & (rows["hit"] == 1), "share"] = 89.9
    tap.equal("below the bar", [claim.holds for claim in causes.claims(rows)][0], False)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
