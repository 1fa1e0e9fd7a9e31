# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks packets with two independent dissectors, tshark and scapy."""
import os
import shutil
import struct
import subprocess
import tempfile
import xml.etree.ElementTree

from . import cast, tap


ETHERNET, IP = 1, 101                   # link types of a pcap file


def capture(packets, link=IP):
    """A pcap file (draft-ietf-opsawg-pcap) with packets that begin with the header of `link`."""
    out = struct.pack("<IHHIIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, link)
    for packet in packets:
        out += struct.pack("<IIII", 0, 0, len(packet), len(packet)) + packet
    return out


def tshark(packets, link=IP, script=None, preferences=()):
    """Let tshark dissect each packet and verify its checksums, with a dissector in Lua. Returns
    {field: [(shown text, value in hex), ...]} for each packet."""
    if not shutil.which("tshark"):
        tap.skip("tshark is not installed")
    with tempfile.NamedTemporaryFile(suffix=".pcap") as file:
        file.write(capture(packets, link))
        file.flush()
        done = subprocess.run(
            ["tshark", "-r", file.name, "-T", "pdml"] +
            (["-X", f"lua_script:{script}"] if script else []) +
            [word for one in (*(f"{name}.check_checksum:TRUE" for name in (
                "ip", "udp", "tcp", "dccp")), *preferences) for word in ("-o", one)],
            capture_output=True, check=True, env=os.environ | {"HOME": "/tmp"})
    found = [_fields(packet) for packet in
             xml.etree.ElementTree.fromstring(done.stdout).findall("packet")]
    tap.equal("packets that tshark has read", len(found), len(packets))
    return found


def accepted(shapes, packets):
    """Check with tshark and scapy that cut packets of cast.Shape are right. No packet is malformed,
    and every length and checksum is right."""
    for shape, packet, fields in zip(shapes, packets, tshark(packets)):
        _tshark_accepts(shape, packet, fields)
    for shape, packet in zip(shapes, packets):
        _scapy_accepts(shape, packet)


def _tshark_accepts(shape, packet, fields):
    name = {cast.TCP: "tcp", cast.UDP: "udp", cast.DCCP: "dccp"}[shape.proto]
    tap.true("nothing malformed", "_ws.malformed" not in fields)
    if shape.version == 4:
        tap.equal("header checksum", fields["ip.checksum.status"][0][0], "1")
        tap.equal("length", fields["ip.len"][0][0], str(len(packet)))
    else:
        tap.equal("length", fields["ipv6.plen"][0][0], str(len(packet) - 40))
    # For a missing checksum, tshark shows "not present" in IPv4. In IPv6 it shows "illegal",
    # because in IPv6 only tunnels may omit the checksum.
    right = "1" if shape.summed else "3" if shape.version == 4 else "4"
    tap.equal(f"{name} checksum", fields[f"{name}.checksum.status"][0][0], right)
    if shape.proto == cast.UDP:
        tap.equal("UDP length", fields["udp.length"][0][0], str(8 + shape.keep))
    if shape.proto == cast.TCP:
        tap.equal("TCP's data", fields["tcp.len"][0][0], "0")


def _scapy_accepts(shape, packet):
    """Check that scapy computes the same lengths and checksums when it builds the packet again from
    its fields. (DCCP is unknown to scapy.)"""
    try:
        from scapy.layers.inet import IP, TCP, UDP
        from scapy.layers.inet6 import IPv6
    except ImportError:
        tap.skip("scapy is not installed")
    read = IP(packet) if shape.version == 4 else IPv6(packet)
    if shape.version == 4:
        del read.len, read.chksum
    else:
        del read.plen
    if shape.proto == cast.TCP:
        del read[TCP].chksum
    if shape.proto == cast.UDP:
        del read[UDP].len
        if shape.summed:
            del read[UDP].chksum
    tap.equal("packet that scapy builds again", bytes(read).hex(), packet.hex())


def _fields(packet):
    fields = {}
    for field in [*packet.iter("field"), *packet.iter("proto")]:
        fields.setdefault(field.get("name"), []).append((field.get("show"), field.get("value")))
    return fields
