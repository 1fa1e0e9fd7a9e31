#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink reflect works on a kernel without IPv6 (ipv6.disable=1)."""
# run.sh: needs: no IPv6
import json
import signal
import socket
import subprocess

from cli import tools
from lib import netns, stamp, tap, wait

IP_RECVTOS, IP_RECVTTL = 13, 12
THERE = ("127.0.0.9", stamp.PORT)


def test_answer():
    """An answer comes from the address that its test packet was sent to. It states the TTL of the
    test packet, and has the DSCP of the test packet and the TTL 255."""
    with netns.Netns() as ns, ns.inside():
        ns.link("lo", True)
        process = subprocess.Popen([tools.FRESHLINK, "reflect", "-j", "--allow", "127.0.0.0/8"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        tap.equal("the reflector", process.stderr.readline(), "reflecting on port 862\n")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.settimeout(wait.patient(1))
            for option, value in ((socket.IP_TTL, 77), (socket.IP_TOS, 0xb9), (IP_RECVTOS, 1),
                                  (IP_RECVTTL, 1)):
                sock.setsockopt(socket.IPPROTO_IP, option, value)
            sock.sendto(stamp.test(), THERE)
            data, ancillary, _, source = sock.recvmsg(100, 100)
        tap.equal("TTL of the test packet", stamp.reflected(data).ttl, 77)
        tap.equal("source", source, THERE)
        tap.equal("type of service and TTL", {kind: value[0] for _, kind, value in ancillary},
                  {socket.IP_TOS: 0xb8, socket.IP_TTL: 255})
        process.send_signal(signal.SIGTERM)
        tap.equal("answered", json.loads(process.communicate()[0])["answered"], 1)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
