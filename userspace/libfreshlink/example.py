#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""example.c without libfreshlink: send HOST PORT LIFETIME_MS, or receive PORT."""
import socket as s, struct, sys, time

SO_TXTIME, DEADLINE_MODE = 61, 1  # linux/net_tstamp.h


def remaining(options, ipv6):
    """The ms of a relative lifetime (linux/xlo.h); None without one."""
    at, option = (2, b"\x3e\x06") if ipv6 else (0, b"\x9e\x08")
    while at + 8 <= len(options) and (ipv6 or options[at]):  # 0 ends IPv4's options
        if options[at:at + 2] == option:
            ms, = struct.unpack_from("!I", options, at + 4)
            return ms if ms < 65535 else None
        at += 1 if options[at] == (0 if ipv6 else 1) else options[at + 1] + 2 * ipv6
    return None


if sys.argv[1] == "send":
    family, kind, _, _, to = s.getaddrinfo(sys.argv[2], sys.argv[3], type=s.SOCK_DGRAM)[0]
    sock = s.socket(family, kind)
    sock.setsockopt(s.SOL_SOCKET, SO_TXTIME, struct.pack("iI", time.CLOCK_MONOTONIC, DEADLINE_MODE))
    deadline = struct.pack("Q", time.monotonic_ns() + int(sys.argv[4]) * 10**6)
    sock.sendmsg([b"hello"], [(s.SOL_SOCKET, SO_TXTIME, deadline)], 0, to)
else:
    sock = s.socket(s.AF_INET6, s.SOCK_DGRAM)  # and IPv4
    sock.setsockopt(s.IPPROTO_IP, s.IP_RECVOPTS, 1)
    sock.setsockopt(s.IPPROTO_IPV6, s.IPV6_RECVHOPOPTS, 1)
    sock.bind(("", int(sys.argv[2])))
    while True:
        data, control, _, _ = sock.recvmsg(2048, 4096)
        left = [remaining(options, level == s.IPPROTO_IPV6) for level, _, options in control]
        what = "no lifetime" if left in ([], [None]) else f"{left[0]} ms left"
        print(len(data), "bytes,", what, flush=True)
