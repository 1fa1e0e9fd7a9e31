# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks packets with two independent dissectors, tshark and scapy."""
import contextlib
import os
import shutil
import struct
import subprocess
import tempfile
import xml.etree.ElementTree

from . import cast, tap


ETHERNET, IP = 1, 101                   # link types of a pcap file
IS_ROOT, NOBODY = os.geteuid() == 0, 65534
PLUGIN = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))),
                      "userspace", "wireshark", "freshlink")


def capture(packets, link=IP, when=0, more=0):
    """A pcap file (draft-ietf-opsawg-pcap) with packets that begin with the header of `link`. They
    were captured at the Unix time `when` in s. Each was longer by `more` bytes, which the capture
    has cut off."""
    out = struct.pack("<IHHIIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, link)
    for packet in packets:
        out += struct.pack("<IIII", when, 0, len(packet), len(packet) + more) + packet
    return out


@contextlib.contextmanager
def home(plugin=True):
    """A home folder for start(), with or without the plug-in of this tree."""
    if not shutil.which("tshark"):
        tap.skip("tshark is not installed")
    with tempfile.TemporaryDirectory() as folder:
        plugins = os.path.join(folder, ".local/lib/wireshark/plugins")
        os.makedirs(plugins)
        if plugin:
            shutil.copytree(PLUGIN, os.path.join(plugins, "freshlink"))
        if IS_ROOT:
            for path, _, files in os.walk(folder):
                for name in (".", *files):
                    os.chown(os.path.join(path, name), NOBODY, NOBODY)
        yield folder


def start(command, folder, **more):
    """Run a command in a home folder. Root runs it as another user, because Wireshark 4.4 loads no
    plug-in from root's home folder."""
    user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if IS_ROOT else {}
    return subprocess.run(command, capture_output=True, check=True, cwd=folder,
                          env=os.environ | {"HOME": folder}, **user, **more)


def run_tshark(recorded, *words, plugin=True):
    """Let tshark read a capture, with or without the plug-in. Returns what tshark prints."""
    with home(plugin) as folder:
        done = start(["tshark", "-r", "-", *words], folder, input=recorded)
    errors = done.stderr.decode(errors="replace")
    tap.true(f"the plug-in is loaded: {errors}", "Lua: Error" not in errors)
    return done.stdout.decode(errors="replace")


def tshark(packets, link=IP, plugin=False, preferences=(), **recorded):
    """Let tshark dissect each packet and verify its checksums. Returns {field: [(shown text, value
    in hex), ...]} for each packet."""
    checks = (f"{name}.check_checksum:TRUE" for name in ("ip", "udp", "tcp", "dccp"))
    shown = run_tshark(capture(packets, link, **recorded), "-T", "pdml",
                       *(word for one in (*checks, *preferences) for word in ("-o", one)),
                       plugin=plugin)
    found = [_fields(packet) for packet in
             xml.etree.ElementTree.fromstring(shown).findall("packet")]
    tap.equal("packets that tshark has read", len(found), len(packets))
    return found


def columns(packets, *names, link=IP, **recorded):
    """The values of some fields, as lists of texts, for each packet."""
    shown = run_tshark(capture(packets, link, **recorded), "-T", "fields", "-E", "separator=|",
                       *(word for name in names for word in ("-e", name)))
    found = [[text.split(",") if text else [] for text in line.split("|")]
             for line in shown.splitlines()]
    tap.equal("packets that tshark has read", len(found), len(packets))
    return found


def no_lua_error(packets, link=IP, **recorded):
    """Check that no dissector in Lua has an error with the packets."""
    wrong = run_tshark(capture(packets, link, **recorded), "-Y", "_ws.lua.error", "-T", "fields",
                       "-e", "frame.number", "-e", "_ws.lua.error").splitlines()
    tap.equal("errors in Lua", [(text, packets[int(text.split()[0]) - 1].hex())
                                for text in wrong[:3]], [])


def every_cut(packets):
    """Each packet, cut after each of its bytes."""
    return [packet[:size] for packet in packets for size in range(len(packet))]


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


def number(text):
    """The number that tshark shows. Wireshark 4.4 shows the bits of PDML as words."""
    return ("False", "True").index(text) if text in ("False", "True") else int(text, 0)


def _fields(packet):
    fields = {}
    for field in [*packet.iter("field"), *packet.iter("proto")]:
        fields.setdefault(field.get("name"), []).append((field.get("show"), field.get("value")))
    return fields
