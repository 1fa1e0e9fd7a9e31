#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""example.c without libfreshlink: send HOST PORT LIFETIME_MS, or receive PORT."""
import socket as s, struct, sys, time


def remaining(options, ipv6):
    """The ms of a relative lifetime (linux/xlo.h); 65535 or more if no option has a relative
    lifetime."""
    at, option = (2, b"\x3e\x06") if ipv6 else (0, b"\x9e\x08")
    # the kernel has checked the lengths of all options; in IPv4 the option 0 is the last option
    while options[at:at + 2] != option and at + 8 < len(options) and (ipv6 or options[at]):
        at += 1 if options[at] == (0 if ipv6 else 1) else options[at + 1] + 2 * ipv6
    return struct.unpack_from("!I", options, at + 4)[0] if options[at:at + 2] == option else 65535


if sys.argv[1] == "send":
    family, kind, _, _, to = s.getaddrinfo(sys.argv[2], sys.argv[3], type=s.SOCK_DGRAM)[0]
    sock = s.socket(family, kind)
    # 61 is SO_TXTIME, 1 its deadline mode (linux/net_tstamp.h)
    sock.setsockopt(s.SOL_SOCKET, 61, struct.pack("iI", time.CLOCK_MONOTONIC, 1))
    deadline = struct.pack("Q", time.monotonic_ns() + int(sys.argv[4]) * 10**6)
    sock.sendmsg([b"hello"], [(s.SOL_SOCKET, 61, deadline)], 0, to)
else:
    sock = s.socket(s.AF_INET6, s.SOCK_DGRAM)  # also for IPv4
    sock.setsockopt(s.IPPROTO_IP, s.IP_RECVOPTS, 1)
    sock.setsockopt(s.IPPROTO_IPV6, s.IPV6_RECVHOPOPTS, 1)
    sock.bind(("", int(sys.argv[2])))
    while data := sock.recvmsg(2048, 4096):
        left = min([remaining(o, level == s.IPPROTO_IPV6) for level, _, o in data[1]] + [65535])
        print(len(data[0]), "bytes,", f"{left} ms left" if left < 65535 else "no lifetime", flush=True)
