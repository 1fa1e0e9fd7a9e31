# SPDX-License-Identifier: GPL-2.0-or-later
"""Data packets of freshlink traffic dccp-source, as a device captures them."""
from lib import dccp

SEQUENCE = 12                   # offset in struct traffic_header


def data(sniffer):
    """When the device saw each data packet, in ns, and the packet's number in the order of the
    source."""
    seen = [(frame.when, dccp.of_udp(frame.packet)) for frame in sniffer.drain()]
    sniffer.lossless()
    return [(when, number(packet)) for when, packet in seen
            if packet and packet[8] >> 1 & 15 in (dccp.DATA, dccp.DATAACK)]


def number(packet):
    at = packet[4] * 4 + SEQUENCE
    return int.from_bytes(packet[at:at + 4], "big")
