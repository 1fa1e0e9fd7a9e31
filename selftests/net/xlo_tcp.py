#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""In a profile's TCP connections, nearly all full-size segments and all other data, SYN and FIN
segments carry the option. No segment is fragmented, and pure ACKs carry no option.

The test captures each segment of a transfer at the receiver. The sender's device accepts no GSO
packets, so the stack segments GSO packets after the hook. The receiver's device does not merge
segments."""
# run.sh: all on lab-debug: *:syncookies [!i]*
# run.sh: all on vm-6.12: everything
# run.sh: all on vm-6.1 vm-7.2 smp-debug: rto_* *:server_sends*
import socket
import threading

from lib import hosts, packet as pkt, segments, sniff, tap, tcp_info, wait
from lib.transfer import MTU, PORT, SIZE, Transfer, drain, tcp_only

OPTIONS = 16      # bytes of the longer option, which is the IPv6 option
LATE = 4 if wait.virtual_time() else 10_000


def all_stamped(what, seen, mtu=MTU):
    """Check that the option is in at least 99.9 % of the full-size segments and in every other
    segment with data, SYN or FIN. Pure ACKs must carry no option, and no packet may be larger than
    the MTU."""
    tap.true(f"{what}: packets are within the MTU", max(s.length for s in seen) <= mtu)
    tap.equal(f"{what}: pure ACKs with the option",
              [s for s in seen if not s.carries and s.lifetime is not None], [])
    full = [s for s in seen if s.length > mtu - 2 * OPTIONS]
    bare = [s for s in full if s.lifetime is None]
    if full:
        share = 100 * (1 - len(bare) / len(full))
        tap.note(f"{what}: {len(full)} full-size segments, {share:.3f} % with the option")
        tap.within(f"{what}: share of full-size segments with the option, %", share, 99.9, 100)
    tap.equal(f"{what}: others without the option",
              [(s.flags, s.payload) for s in seen
               if s.carries and s.lifetime is None and s not in full], [])


def whole_transfer(family, server_sends, cookies, mtu=MTU):
    """During a transfer, nearly all full-size segments and all other segments with data, SYN or FIN
    carry the option."""
    with Transfer(family, mtu) as t:
        t.right.sysctl("net.ipv4.tcp_syncookies", 2 if cookies else 0)
        at_left, at_right = t.run(server_sends)
        all_stamped("from the client", at_right, mtu)
        all_stamped("from the server", at_left, mtu)
        data = at_left if server_sends else at_right
        tap.true("all data was seen", len([s for s in data if s.payload]) > SIZE // mtu)
        for seen in (at_left, at_right):
            tap.equal("SYNs and FINs with the option",
                      {bool(s.lifetime) for s in seen if s.flags & 3}, {True})


def cases():
    """Transfers in each family and direction, with and without SYN cookies, and with a small
    MTU."""
    for name, family in (("ipv4", socket.AF_INET), ("ipv6", socket.AF_INET6)):
        for who in ("client", "server"):
            for cookies in (False, True):
                title = f"{name}:{who}_sends" + ":syncookies" * cookies
                yield title, lambda f=family, w=who, c=cookies: whole_transfer(f, w == "server", c)
        # the peer announces a larger MSS than this link carries
        yield f"{name}:small_mtu", lambda f=family: whole_transfer(f, True, False, 1280)


def test_rto_of_the_moment():
    """Each transmission carries, as its lifetime, the timeout that starts with this transmission.
    The first timeout is the value that TCP reports, and each later timeout is twice as long. The
    next transmission follows when the lifetime in the last transmission is over."""
    with Transfer(socket.AF_INET) as t:
        # no loss probe before the timeout
        t.left.sysctl("net.ipv4.tcp_early_retrans", 0)
        client, server = t.connect()
        client.sendall(b"x")
        tap.equal("received data", server.recv(10), b"x")
        wait.until("the data is acknowledged", lambda: tcp_info.info(client).unacked == 0)
        rto = tcp_info.info(client).rto // 1000
        sniffer = sniff.Sniffer(t.left, "v0", outgoing=True)
        # from here on, packets are lost
        t.left.ip("neighbour replace 10.1.0.2 lladdr 02:00:00:00:00:77 dev v0")
        client.sendall(b"lost")
        frames = sniffer.until("three retransmissions", lambda seen: len(tcp_only(seen)) >= 4)
        sent = tcp_only(frames)[:4]
        tap.equal("payloads", [s.payload for s in sent], [4] * 4)
        tap.equal("lifetimes", [s.lifetime for s in sent], [rto, 2 * rto, 4 * rto, 8 * rto])
        for this, following in zip(sent, sent[1:]):
            # the kernel rounds its timers up by at most an eighth
            tap.within("to the next transmission, ms", (following.when - this.when) / 10**6,
                       this.lifetime - 1, this.lifetime * 1.125 + LATE)


def test_reordering_degree():
    """A segment carries the socket's reordering degree, which the sysctl tcp_reordering sets."""
    with Transfer(socket.AF_INET) as t:
        t.left.sysctl("net.ipv4.tcp_reordering", 7)
        _, at_right = t.run(False, 100_000)
        tap.equal("reorder", {s.reorder for s in at_right if s.carries}, {7})


def test_fixed_lifetime():
    """A profile with a fixed lifetime stamps the same segments with this lifetime and the profile's
    reordering degree."""
    with Transfer(socket.AF_INET6, lifetime=1234, reorder=9) as t:
        at_left, at_right = t.run(False, 100_000)
        tap.equal("lifetime and reorder", {(s.lifetime, s.reorder)
                                           for s in at_right + at_left if s.carries}, {(1234, 9)})
        all_stamped("from the client", at_right)


def test_own_ip_options():
    """If a socket has its own IP options, segments leave space for these options and our option."""
    with Transfer(socket.AF_INET) as t:
        t.listener.setsockopt(socket.IPPROTO_IP, socket.IP_OPTIONS, b"")
        received, sizes = [], 500_000

        def serve():
            conn, _ = t.listener.accept()
            with conn:
                received.append(drain(conn))
        thread = threading.Thread(target=serve)
        thread.start()
        with t.marked(t.left) as client:
            client.setsockopt(socket.IPPROTO_IP, socket.IP_OPTIONS, bytes([7, 7, 4]) + bytes(5))
            client.connect((hosts.address("right", socket.AF_INET), PORT))
            client.sendall(bytes(sizes))
            client.setsockopt(socket.IPPROTO_IP, socket.IP_OPTIONS, b"")
            client.sendall(bytes(sizes))
        thread.join()
        tap.equal("bytes", received, [2 * sizes])
        all_stamped("from the client", t.seen("v1"))


def test_announced_mss_stays():
    """The option does not reduce the MSS that a SYN announces (RFC 6691), but it reduces the data
    in a full-size segment."""
    with Transfer(socket.AF_INET) as t:
        at_left, at_right = t.run(False, 100_000)
        tap.equal("announced MSS", {s.mss() for s in at_left + at_right if s.flags & segments.SYN},
                  {MTU - 40})
        longest = max(s.length for s in at_right)
        tap.equal("longest packet", longest, MTU)


def test_checksums():
    """Every TCP and IP checksum on the wire is right if the stack computes the checksums in
    software."""
    for family in (socket.AF_INET, socket.AF_INET6):
        with Transfer(family) as t:
            hosts.offload(t.left, "v0", tx=False)
            _, at_right = t.run(False, 300_000)
            tap.true("TCP checksums are right",
                     all(segments.checksum_right(s.packet) for s in at_right))
            if family == socket.AF_INET:
                tap.true("IP checksums are right",
                         all(pkt.checksum_right(s.packet) for s in at_right))


if __name__ == "__main__":
    tap.run([*cases(), *tap.collect(globals())])
