#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""On a link that loses nothing, arqlink has the goodput of the link below, less its headers. The
window is never full, and the lower device always has the next frame."""
# run.sh: needs: simulated time
import hashlib
import time

from lib import arq_device, cell, ethtool, sniff, tap
from lib.arq_frame import MS, S
from net import cell_network

RATE = 1_250_000                        # bytes/s, 10 Mbit/s
CHANNEL = {"rate": RATE, "delay": 5 * MS}
WINDOW = 64                             # 77 ms of frames
FRAME, MTU = 1462, 1500                 # a packet of FRAME bytes travels in a frame of MTU bytes
TCP_HEADERS = 52                        # IPv4, and TCP with the timestamps option
LEAST = 0.99                            # of the goodput of the link below
PACKETS = 900                           # fewer than the queue above the device stores
DATA = hashlib.shake_128(b"arqlink").digest(4_000_000)


def below():
    pair = cell.Pair(back=CHANNEL, **CHANNEL)
    for end in pair.left, pair.right:
        # arqlink also sends single segments
        ethtool.switch(end.ns, end.name, tso=False, gso=False)
    return pair


def above():
    return arq_device.Pair(channel=CHANNEL, frame=FRAME, window=WINDOW)


def packets_a_second(pair, size):
    """Send packets of `size` bytes as fast as the device accepts them. Returns the packets that
    arrive in a second."""
    sniffer = sniff.Sniffer(pair.right.ns, pair.right.name)
    left = arq_device.Device(pair.left.ns, pair.left.name)
    arq_device.flood(left, [arq_device.packet(number, size) for number in range(PACKETS)])
    seen = cell.arrivals(sniffer, PACKETS)
    tap.equal("packets", [number for number, _ in seen], list(range(PACKETS)))
    return (PACKETS - 1) * S / (seen[-1][1] - seen[0][1])


def tcp_segments_a_second(pair, mtu):
    """Send data over TCP in packets of `mtu` bytes. Returns the full segments that arrive in a
    second."""
    for end, own in (pair.left, 1), (pair.right, 2):
        end.up(mtu=mtu)
        end.ns.ip(f"address add 10.1.0.{own}/24 dev {end.name}")
    begin = time.monotonic_ns()
    tap.true("all data arrives", cell_network.transfer(pair, DATA) == DATA)
    return len(DATA) / (mtu - TCP_HEADERS) * S / (time.monotonic_ns() - begin)


def compare(what, measure):
    """Measure with and without arqlink, in frames of the same length."""
    with below() as pair:
        raw = measure(pair, MTU)
    with above() as pair:
        found = measure(pair, FRAME)
        told = pair.left.counters()
    tap.note(f"{what} a second: {found:.3f}, {raw:.3f} without arqlink: {found / raw:.2%}")
    tap.equal("frames sent again", told["repeats_timer"] + told["repeats_nack"], 0)
    tap.true("share of the goodput of the link below", found >= LEAST * raw)


def test_packets():
    """Packets that fill a frame arrive as fast as frames of the same length."""
    compare("packets", packets_a_second)


def test_tcp():
    """A TCP transfer is as fast as over the link below in frames of the same length."""
    compare("segments", tcp_segments_a_second)


def test_small_packets():
    """Small packets that wait share frames. The first packets, which find space in the window, do
    not. A frame of 250 bytes has room for three packets of 60 bytes."""
    for pack, frames in ((0, 1000), (1, 8 + (1000 - 8 + 2) // 3)):
        with arq_device.Pair(channel=CHANNEL, window=8, ring=10**6, pack=pack) as pair:
            sniffer = sniff.Sniffer(pair.right.ns, pair.right.name)
            arq_device.flood(pair.left, [arq_device.packet(number, 60) for number in range(1000)])
            seen = cell.arrivals(sniffer, 1000)
            tap.equal("packets", [number for number, _ in seen], list(range(1000)))
            pair.left.expect(data=frames, packed=992 * pack, sent=1000, repeats_timer=0,
                             repeats_nack=0)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
