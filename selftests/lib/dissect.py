# SPDX-License-Identifier: GPL-2.0-or-later
"""What independent dissectors make of packets."""
import os
import shutil
import struct
import subprocess
import tempfile
import xml.etree.ElementTree

from . import tap


def capture(packets):
    """A pcap file (draft-ietf-opsawg-pcap) of packets that begin with their IP header."""
    out = struct.pack("<IHHIIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101)
    for packet in packets:
        out += struct.pack("<IIII", 0, 0, len(packet), len(packet)) + packet
    return out


def tshark(packets):
    """What tshark makes of each packet, checksums included: its fields by name, (shown, value
    in hex) pairs."""
    if not shutil.which("tshark"):
        tap.skip("tshark is not installed")
    with tempfile.NamedTemporaryFile(suffix=".pcap") as file:
        file.write(capture(packets))
        file.flush()
        done = subprocess.run(
            ["tshark", "-r", file.name, "-T", "pdml"] +
            [word for name in ("ip", "udp", "tcp", "dccp")
             for word in ("-o", f"{name}.check_checksum:TRUE")],
            capture_output=True, check=True, env=os.environ | {"HOME": "/tmp"})
    found = [_fields(packet) for packet in
             xml.etree.ElementTree.fromstring(done.stdout).findall("packet")]
    tap.equal("packets that tshark has read", len(found), len(packets))
    return found


def _fields(packet):
    fields = {}
    for field in [*packet.iter("field"), *packet.iter("proto")]:
        fields.setdefault(field.get("name"), []).append((field.get("show"), field.get("value")))
    return fields
