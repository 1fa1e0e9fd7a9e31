#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""ip's plugin for cellink creates, changes and shows a pair of devices. The plugin refuses every
wrong word before it sends a request to the kernel."""
import json

from cli import tools
from lib import cell, kmod, netns, tap

RATE = "expected a rate in bit, kbit, mbit, gbit or tbit from 8bit to 1tbit, or unlimited"
DELAY = "expected a time in s, ms, us or ns from 0 to 60s"
PACKETS = "expected a number of packets from 1 to 65536"
LOSS = "expected a percentage with its % from 0 to 100%"
BER = "expected a fraction such as 1e-6 from 0 to 100e-3"
GOOD = "expected a time in s, ms, us or ns from 1ms to 86400s, or always"
WORDS = "expected one of rate delay ring_packets ring_bytes buffer grant loss ber good bad " \
    "bad_loss bad_ber ber_state sojourn corrupt seed outage outage_start outage_every outage_jitter " \
    "outage_law outages handover help"
OUTAGES = "expected up to 32 of START+LENGTH, separated by commas, times in s, ms, us or ns; " \
    "or none"
BYTES = "expected a size in b, kb, mb or gb from 1b to 1gb, or unlimited"
BUFFER = "expected a size in b, kb, mb or gb from 1b to 64mb, or none"
GRANT = "expected a time in s, ms, us or ns from 1ns to 10s, or none"
REFUSED = [
    ("rate 7bit", f"rate 7bit: {RATE}"),
    ("rate 1000", f"rate 1000: {RATE}"),
    ("rate", f"rate has no value: {RATE}"),
    ("delay 61s", f"delay 61s: {DELAY}"),
    ("delay 5", f"delay 5: {DELAY}"),
    ("ring_packets 0", f"ring_packets 0: {PACKETS}"),
    ("ring_packets 2 ring_packets 2", "ring_packets is given twice: expected it once"),
    ("ring_bytes 2gb", f"ring_bytes 2gb: {BYTES}"),
    ("buffer 65mb", f"buffer 65mb: {BUFFER}"),
    ("buffer 1ms", f"buffer 1ms: {BUFFER}"),
    ("grant 11s", f"grant 11s: {GRANT}"),
    ("grant 40", f"grant 40: {GRANT}"),
    ("grant", f"grant has no value: {GRANT}"),
    ("loss 5", f"loss 5: {LOSS}"),
    ("loss 101%", f"loss 101%: {LOSS}"),
    ("ber 0.2", f"ber 0.2: {BER}"),
    ("ber 1e-13", f"ber 1e-13: {BER}"),
    ("good 999us", f"good 999us: {GOOD}"),
    ("good 1ms bad 10ns", "bad 10ns: expected a time in s, ms, us or ns from 1ms to 86400s, "
     "or never"),
    ("ber_state byte", "ber_state byte: expected one of packet, bit"),
    ("sojourn uniform", "sojourn uniform: expected one of exponential, constant"),
    ("corrupt no", "corrupt no: expected one of drop, deliver, tolerant"),
    ("seed 4294967296", "seed 4294967296: expected a whole number from 0 to 4294967295"),
    ("outage_every 5us", "outage_every 5us: expected a time in s, ms, us or ns from 1ms to "
     "86400s, or once"),
    ("outages 5s", f"outages 5s: {OUTAGES}"),
    ("outages 5s+1", f"outages 5s+1: {OUTAGES}"),
    ("outages 5s+1s,", f"outages 5s+1s,: {OUTAGES}"),
    ("outages " + ",".join(f"{k}s+1ms" for k in range(33)),
     "outages " + ",".join(f"{k}s+1ms" for k in range(33)) + f": {OUTAGES}"),
    ("rat 5", f"unknown word \"rat\": {WORDS}"),
    ("peer name cell1 delay 61s", f"delay 61s: {DELAY}"),
    ("peer name cell1 delay 1s what 5",
     f"unknown word \"what\": {WORDS}"),
    ("peer name cell1 type veth",
     "type veth: expected no type for the peer"),
]


REST = {"buffer": 0, "grant": 0, "loss": 0, "ber": 0, "good": 0, "bad": 0, "bad_loss": 0,
        "bad_ber": 0, "ber_state": "packet", "sojourn": "exponential", "corrupt": "drop", "outage": 0,
        "outage_start": 0, "outage_every": 0, "outage_jitter": 0, "outage_law": "constant",
        "outages": "none"}


def show(ns, words):
    return json.loads(ns.run(f"ip -j {words}").stdout)[0]["linkinfo"]


def data_of(ns, device):
    """The options of a device, except its seed."""
    data = show(ns, f"-d link show {device}")["info_data"]
    tap.within("seed", data.pop("seed"), 0, 0xffffffff)
    return data


def test_refusals():
    """ip refuses each wrong word or value. The message names the word, its value and the expected
    value."""
    for words, expected in REFUSED:
        done = tools.ip(f"link add cell0 type cellink {words}")
        tap.true(f"{words} fails", done.returncode)
        tap.equal(words, done.stderr, f"cellink: {expected}\n")


def test_help():
    """The word help prints the usage on standard output. ip sends no request. Its exit status is 1,
    as with the help of ip's own kinds of devices."""
    for words in ("link add cell0 type cellink help", "link add cell0 type cellink rate 1mbit "
                  "peer name cell1 help"):
        done = tools.ip(words)
        tap.equal(words, (done.returncode, done.stderr), (1, ""))
        tap.true("the usage is printed", done.stdout.startswith("Usage: ... cellink [rate RATE] "))
    tap.true("link help", tools.ip("link help cellink").stdout.startswith("Usage: ... cellink "))


def test_help_in_a_batch():
    """In a batch, help counts as a failed command. The batch ends at this command, or continues if
    -force is given."""
    tools.help_fails_in_a_batch("cellink", "rate 7bit")


def test_made_changed_and_shown():
    """ip shows both directions with the typed options, as text and as JSON, and with -s the
    counters."""
    kmod.insmod("cellink")
    with netns.Netns() as ns:
        ns.run("ip link add cell0 type cellink rate 1.5mbit delay 20ms ring_bytes 64kb "
               "peer name cell1 mtu 1400 rate 8kbit ring_packets 5")
        first = ns.run("ip -d link show cell0").stdout
        tap.true(first, "cellink rate 1500kbit delay 20ms ring_packets 2 ring_bytes 64kb" in first)
        second = ns.run("ip -d link show cell1").stdout
        tap.true(second, " mtu 1400 " in second and
                 "cellink rate 8kbit delay 0 ring_packets 5 ring_bytes unlimited" in second)
        tap.equal("kind", show(ns, "-d link show cell0")["info_kind"], "cellink")
        tap.equal("in JSON", data_of(ns, "cell0"),
                  REST | {"rate": 187_500, "delay": 20 * cell.MS, "ring_packets": 2,
                          "ring_bytes": 65536})
        ns.run("ip link set cell0 type cellink rate unlimited ring_packets 9")
        tap.equal("changed", data_of(ns, "cell0"),
                  REST | {"rate": 0, "delay": 20 * cell.MS, "ring_packets": 9,
                          "ring_bytes": 65536})
        counters = show(ns, "-s -d link show cell0")["info_xstats"]
        tap.equal("counters", sorted(counters), sorted(cell.COUNTERS.values()))
        text = ns.run("ip -s -d link show cell0").stdout
        tap.true(text, "\n  packets_in 0  sent 0  sent_bytes 0  delivered 0  delivered_bytes 0  "
                 "damaged 0  held 0\n  overflow 0  lost 0  corrupted 0  handover 0  peer_down 0  "
                 "refused 0  purged 0\n"
                 "  state 0  good_ns 0  bad_ns 0  down 0  outages 0  outage_ns 0\n" in text)


def test_modem_is_shown_as_typed():
    """ip shows the buffer and the grants of a modem as they were typed, in JSON as bytes and ns.
    The word none removes the buffer and the grants."""
    kmod.insmod("cellink")
    with netns.Netns() as ns:
        ns.run("ip link add cell0 type cellink buffer 1mb grant 40ms peer name cell1 buffer 100000")
        for device, text, data in (("cell0", "buffer 1mb grant 40ms ", (1 << 20, 40 * cell.MS)),
                                   ("cell1", "buffer 100000b grant none ", (100_000, 0))):
            shown = ns.run(f"ip -d link show {device}").stdout
            tap.true(shown, f" ring_bytes unlimited {text}loss 0 " in shown)
            told = data_of(ns, device)
            tap.equal("in JSON", (told["buffer"], told["grant"]), data)
        ns.run("ip link set cell0 type cellink buffer none grant 1.5ms")
        shown = ns.run("ip -d link show cell0").stdout
        tap.true(shown, " buffer none grant 1500us " in shown)


def test_errors_are_shown_as_typed():
    """ip shows probabilities and outages as they were typed, except that it shows 0.01 as 10e-3."""
    kmod.insmod("cellink")
    with netns.Netns() as ns:
        outages = ",".join(f"{k}s+1ms" for k in range(1, 33))
        words = "loss 1.5% ber 1e-6 good 10s bad 500ms bad_loss 9.8% bad_ber 0.01 " \
            "ber_state bit sojourn constant corrupt tolerant seed 4294967295"
        ns.run(f"ip link add cell0 type cellink {words} peer name cell1")
        shown = ns.run("ip -d link show cell0").stdout
        tap.true(shown, words.replace("0.01", "10e-3") in shown)
        for words in ("outage 2s outage_start 1s outage_every 10s outage_jitter 500ms "
                      "outage_law constant outages none",
                      "outage 1s outage_start 2s outage_every 20s outage_jitter 0 "
                      "outage_law exponential outages none",
                      f"outage none outage_start 0 outage_every once outage_jitter 0 "
                      f"outage_law constant outages {outages}"):
            ns.run(f"ip link set cell0 type cellink {words}")
            shown = ns.run("ip -d link show cell0").stdout
            tap.true(shown, words in shown)


def test_peer_elsewhere():
    """The word netns among the words of the peer creates the peer in another namespace."""
    kmod.insmod("cellink")
    with netns.Netns() as ns, netns.Netns() as other:
        ns.run(f"ip link add cell0 type cellink peer name cell1 netns {other.path} delay 1ms")
        tap.equal("there", show(other, "-d link show cell1")["info_data"]["delay"], cell.MS)
        tap.true("not here", ns.run("ip link show cell1", check=False).returncode)


def test_kernel_refuses():
    """If the kernel refuses a device, ip shows the kernel's message."""
    kmod.insmod("cellink")
    with netns.Netns() as ns:
        done = ns.run("ip link add cell0 numtxqueues 2 type cellink peer name cell1", check=False)
        tap.true(done.stderr, "Error: cellink: numtxqueues must be 1" in done.stderr)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
