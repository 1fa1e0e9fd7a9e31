#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""If a profile has `lifetime repeats`, only segments that the retransmission timer sends again
carry the option. The lifetime of a repeated segment is the timeout that starts with this
transmission. All segments leave space for the option."""
# run.sh: all on lab-6.1 lab-6.12: nothing (very many packets)
# run.sh: all on lab-debug: ipv6:fast_open
# run.sh: all on vm-6.12: ipv4:data
import socket

from lib import hosts, port, segments, sniff, tap, tcp_info, wait
from lib.transfer import MTU, PORT, Transfer, tcp_only

# name, family, bytes of the option
FAMILIES = (("ipv4", socket.AF_INET, 8), ("ipv6", socket.AF_INET6, 16))
FULL = 10_000       # enough bytes for several full-size segments
FACES = {"left": ("v0", "right"), "right": ("v1", "left")}
# bits of net.ipv4.tcp_fastopen
CLIENT, SERVER, NO_COOKIE, NO_COOKIE_NEEDED = 1, 2, 4, 0x200
LATE = 4 if wait.virtual_time() else 10_000


class Repeats(Transfer):
    """Two hosts. The test can lose the packets between the hosts."""

    def __init__(self, family):
        super().__init__(family, repeats=True)
        for ns in (self.left, self.right):
            # no loss probe precedes the timeout, and a SYN's timeout doubles each time
            ns.sysctl("net.ipv4.tcp_early_retrans", 0)
            if ns.run("test -e /proc/sys/net/ipv4/tcp_syn_linear_timeouts", check=False).returncode == 0:
                ns.sysctl("net.ipv4.tcp_syn_linear_timeouts", 0)

    def void(self, name):
        """Lose all packets that this host sends from now on. Returns a sniffer that captures these
        packets."""
        device, other = FACES[name]
        ns = getattr(self, name)
        ns.ip(f"neighbour replace {hosts.address(other, self.family)} "
              f"lladdr 02:00:00:00:00:77 dev {device}")
        return sniff.Sniffer(ns, device, outgoing=True)

    def packets(self, device):
        """The number of packets that the profile has stamped."""
        return self.clients[device].profile_get()[0]["packets"]

    def counted(self, device, *names):
        stats = self.clients[device].stats()
        return [stats[name] for name in names]


def copies(sniffer, count, wanted=lambda segment: segment.payload):
    """Wait until one wanted segment has been sent `count` times. By default, all segments with data
    are wanted. Returns all wanted segments that were sent."""
    def segments_of(frames):
        return [s for s in tcp_only(frames) if wanted(s)]

    def enough(frames):
        sequences = [s.sequence for s in segments_of(frames)]
        return max(map(sequences.count, sequences), default=0) >= count
    return segments_of(sniffer.until(f"{count} copies", enough))


def is_syn(segment):
    return segment.flags & segments.SYN


def backed_off(sent, rto, bare=1):
    """Check that all packets are copies of one segment and that the first `bare` copies carry no
    option. Each later copy must carry the timeout that starts with it. The timeout doubles each
    time, and the next copy must follow when the timeout ends."""
    tap.equal("different segments", len({(s.sequence, s.flags & 7) for s in sent}), 1)
    tap.equal("lifetimes", [s.lifetime for s in sent],
              [None] * bare + [rto << number for number in range(1, 1 + len(sent) - bare)])
    for this, following in zip(sent[bare:], sent[bare + 1:]):
        # the kernel rounds its timers up by at most an eighth
        tap.within("to the next transmission, ms", (following.when - this.when) / 10**6,
                   this.lifetime - 1, this.lifetime * 1.125 + LATE)


def data(family):
    """The first transmission of a lost data segment carries no option. The timer sends the segment
    again with lifetimes of two, four and eight times the timeout that TCP reported. The option also
    carries the socket's reordering degree."""
    with Repeats(family) as t:
        t.left.sysctl("net.ipv4.tcp_reordering", 7)
        client, server = t.connect()
        client.sendall(b"x")
        tap.equal("received data", server.recv(10), b"x")
        wait.until("the data is acknowledged", lambda: tcp_info.info(client).unacked == 0)
        tap.equal("packets stamped before a loss", t.counted("v0", "stamped_output"), [0])
        rto = tcp_info.info(client).rto // 1000
        sniffer = t.void("left")
        client.sendall(b"lost")
        sent = copies(sniffer, 4)
        backed_off(sent, rto)
        tap.equal("reorder", [s.reorder for s in sent], [None, 7, 7, 7])
        tap.equal("counters", t.counted("v0", "stamped_output", "not_tcp"), [3, 0])
        tap.equal("packets of the profile", t.packets("v0"), 3)


def syn(family, option):
    """A SYN that the timer sends again carries the option. Full-size segments leave space for the
    option as soon as the connection is open."""
    with Repeats(family) as t:
        sniffer = t.void("left")
        client = t.marked(t.left)
        client.setblocking(False)
        client.connect_ex((hosts.address("right", family), PORT))
        backed_off(copies(sniffer, 3, is_syn), 1000)
        t.left.ip(f"neighbour replace {hosts.address('right', family)} "
                  "lladdr 02:00:00:00:00:02 dev v0")
        server = t.listener.accept()[0]
        client.setblocking(True)
        t.seen("v1")
        client.sendall(bytes(FULL))
        received = 0
        while received < FULL:
            received += len(server.recv(FULL))
        seen = [s for s in t.seen("v1") if s.payload]
        tap.equal("longest packet", max(s.length for s in seen), MTU - option)
        tap.equal("options in data", {s.lifetime for s in seen}, {None})


def syn_ack(family):
    """A SYN-ACK that the timer sends again carries the option with the request socket's timeout. A
    SYN-ACK that answers another copy of the SYN carries no option."""
    with Repeats(family) as t:
        sniffer, wire = t.void("right"), port.Port(t.left, "v0", ethernet=True)
        # without offload, the captured SYN has a complete checksum and can be sent again
        hosts.offload(t.left, "v0", tx=False)
        client = t.marked(t.left)
        client.setblocking(False)
        client.connect_ex((hosts.address("right", family), PORT))
        request = tcp_only(t.arriving["v1"].until("the SYN", tcp_only))[0]
        # without close(), the client would send another SYN
        client.close()
        sent = copies(sniffer, 1, is_syn)
        wire.send(request.packet)
        sent += copies(sniffer, 1, is_syn)
        tap.within("time to the second SYN-ACK, ns", sent[1].when - sent[0].when, 0, 10**9)
        sent += copies(sniffer, 2, is_syn)
        backed_off(sent, 1000, 2)


def fast_open(family):
    """With TCP Fast Open (RFC 7413), the connection's own timer sends the SYN-ACK again. New data
    that is sent during the back-off of this timer carries no option."""
    with Repeats(family) as t:
        t.left.sysctl("net.ipv4.tcp_fastopen", CLIENT | NO_COOKIE)
        t.right.sysctl("net.ipv4.tcp_fastopen", SERVER | NO_COOKIE_NEEDED)
        t.listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_FASTOPEN, 5)
        sniffer = t.void("right")
        client = t.marked(t.left)
        client.setblocking(False)
        client.sendto(b"early", socket.MSG_FASTOPEN, (hosts.address("right", family), PORT))
        client.close()
        server = t.listener.accept()[0]
        tap.equal("data before the connection is open", server.recv(10), b"early")
        sent = copies(sniffer, 1, is_syn) + copies(sniffer, 1, is_syn)
        server.sendall(b"answer")
        [answer] = copies(sniffer, 1)
        tap.equal("lifetime of the data", answer.lifetime, None)
        sent += copies(sniffer, 1, is_syn)
        backed_off(sent, 1000)


def accepted(family):
    """A host that accepts a connection sends its first data before TCP reserves space for the
    option. The first transmissions carry no option. The first segment, sent again with the option,
    still fits into the MTU."""
    with Repeats(family) as t:
        _, server = t.connect()
        sniffer = t.void("right")
        server.sendall(bytes(FULL))
        *originals, again = copies(sniffer, 2)
        tap.equal("segment that is sent again", again.sequence, originals[0].sequence)
        tap.equal("lifetimes of the first transmissions", {s.lifetime for s in originals}, {None})
        tap.true("the second transmission has a lifetime", again.lifetime)
        tap.equal("lengths of both transmissions", (originals[0].length, again.length), (MTU, MTU))
        tap.equal("no_room_mtu and resized", t.counted("v1", "no_room_mtu", "resized"), [0, 0])


def transfer(family, server_sends, option):
    """If nothing is lost, no segment carries the option. Each segment would fit into the MTU with
    the option, except the first data of the host that accepts the connection."""
    with Repeats(family) as t:
        seen = [s for part in t.run(server_sends, 200_000) for s in part]
        tap.equal("lifetimes", {s.lifetime for s in seen}, {None})
        sizes = [s.length for s in seen]
        tap.true("there are full-size segments", sizes.count(MTU - option) > 100)
        first = sizes.count(MTU)
        tap.within("segments without space for the option",
                   len([size for size in sizes if size > MTU - option]), 0,
                   10 if server_sends else 0)
        tap.note(f"{first} segments were sent before space was reserved")
        for device in ("v0", "v1"):
            tap.equal("counters", t.counted(device, "stamped_output", "resized", "no_room_mtu"),
                      [0, 0, 0])


def test_datagrams():
    """A datagram leaves without the option and is counted, because it has no retransmission
    timer."""
    for _, family, _ in FAMILIES:
        with Repeats(family) as t:
            sock = t.left.socket(family, socket.SOCK_DGRAM)
            sock.setsockopt(socket.SOL_SOCKET, hosts.SO_MARK, 1)
            sock.sendto(b"x", (hosts.address("right", family), PORT))
            tap.equal("counters", t.counted("v0", "not_tcp", "stamped_output"), [1, 0])


def cases():
    for name, family, option in FAMILIES:
        yield f"{name}:data", lambda f=family: data(f)
        yield f"{name}:syn", lambda f=family, o=option: syn(f, o)
        yield f"{name}:syn_ack", lambda f=family: syn_ack(f)
        yield f"{name}:fast_open", lambda f=family: fast_open(f)
        yield f"{name}:accepted", lambda f=family: accepted(f)
        for who in ("client", "server"):
            yield f"{name}:{who}_sends", \
                lambda f=family, w=who, o=option: transfer(f, w == "server", o)


if __name__ == "__main__":
    tap.run([*cases(), *tap.collect(globals())])
