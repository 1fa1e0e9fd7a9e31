#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A message that is not credible does not move the timeout. xlo_rto counts the message under the
reason of the refusal, and the timer fires at its normal time."""
# run.sh: needs: simulated time
import contextlib
import errno
import os
import socket
import struct

from lib import icmp, netlink, packet as pkt, rto, sniff, tap, wait
from lib.icmp import BOTH, DEFER, DISCARDED, DROP, EXTENSION, NATIVE
from lib.peer import MS, S

LATE = 0.8                      # fraction of the timeout at which a DROP fires the timer at once
TCP = 20                        # offset of the TCP header in a quoted packet
TCP_REPAIR = 19
SO_BINDTODEVICE = 25
IP_RECVERR = 11
MODPROBE = "/proc/sys/kernel/modprobe"
SLOW_MODPROBE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                             "lib/slow-modprobe")


def changed(packet, offset, value):
    """The packet with other bytes at this offset."""
    return packet[:offset] + value + packet[offset + len(value):]


def refused(*messages, flow=None, **counted):
    """Check that these messages about the first segment do not move the timeout."""
    with flow or rto.Flow(accept=BOTH, timestamps=True) as f:
        for message in messages:
            f.send(message(f.segments[0].packet), LATE)
        f.times_out(1, 0)
        f.account.expect(received=sum(counted.values()), **counted)


def about(change, code=DROP, **more):
    """A function that changes a packet by `change` and makes a message about it."""
    return lambda packet: icmp.message(code, change(packet), **more)


def with_sequence(add):
    def change(packet):
        sequence, = struct.unpack_from("!I", packet, TCP + 4)
        return changed(packet, TCP + 4, struct.pack("!I", sequence + add & 0xffffffff))
    return change


def flipped(packet):
    """The packet with its last bit changed."""
    return packet[:-1] + bytes([packet[-1] ^ 1])


def whole(packet):
    return packet


def test_sequence():
    """xlo_rto refuses a message if the quoted sequence number is not in flight. The test quotes the
    byte before the oldest byte in flight, the next byte to be sent, and bytes far away."""
    mss = 1000
    sent = rto.SEGMENTS * mss
    refused(*(about(with_sequence(add)) for add in (-1, sent, 1 << 31, -(1 << 20))), sequence=4)


def test_any_segment_in_flight():
    """xlo_rto accepts a message that quotes the last byte in flight."""
    with rto.Flow() as flow:
        packet = with_sequence(rto.SEGMENTS * 1000 - 1)(flow.segments[0].packet)
        flow.send(icmp.message(DROP, packet), LATE)
        flow.times_out(LATE, LATE)
        flow.account.expect(received=1, at_once=1)


def test_connection():
    """xlo_rto refuses a message if the quoted ports and addresses belong to no connection or to
    another host."""
    refused(about(lambda p: changed(p, TCP, b"\0\x51")),
            about(lambda p: changed(p, TCP + 2, b"\x0f\xa1")),
            about(lambda p: changed(p, 16, socket.inet_aton("192.0.2.77"))), no_socket=3)
    refused(lambda p: icmp.ipv4(pkt.SOURCE4, p[12:16], icmp.icmp(
        icmp.TYPE4, DROP, changed(p, 12, socket.inet_aton("203.0.113.1"))[:28])), not_ours=1)


def test_bound_to_a_device():
    """A socket that is bound to a device accepts only messages that arrive on this device."""
    with rto.Flow() as flow:
        message = icmp.message(DROP, flow.segments[0].packet)
        flow.socket.sock.setsockopt(socket.SOL_SOCKET, SO_BINDTODEVICE, b"lo")
        flow.send(message, 0.5)
        wait.until("the message is refused", lambda: flow.client.stats()["no_socket"])
        flow.socket.sock.setsockopt(socket.SOL_SOCKET, SO_BINDTODEVICE, b"v1")
        flow.send(message, LATE)
        flow.times_out(LATE, LATE)
        flow.account.expect(received=2, no_socket=1, at_once=1)


def test_time_stamp():
    """If a message quotes a time stamp, xlo_rto accepts only the time stamp that was sent."""
    # after two NOPs
    at = TCP + 20 + 4

    def with_stamp(add):
        return lambda p: changed(p, at, struct.pack(
            "!I", struct.unpack_from("!I", p, at)[0] + add & 0xffffffff))
    refused(*(about(with_stamp(add), quote=52) for add in (1, -1, 1 << 31)), timestamp=3)
    with rto.Flow(timestamps=True) as flow:
        flow.say(DROP, LATE, quote=52)
        flow.times_out(LATE, LATE)
        flow.account.expect(received=1, at_once=1)


def test_earlier_copy():
    """A message about an earlier copy of a segment that was sent again does not apply to the
    pending timeout."""
    with rto.Flow(timestamps=True) as flow:
        old = flow.segments[0]
        new = flow.times_out(1, 0)
        flow.say(DROP, 0.5, old, quote=52)
        flow.say(DROP, 0.6, new, quote=52)
        flow.times_out(0.85, 0.6)
        flow.account.expect(received=2, timestamp=1, shortened=1)


def test_malformed():
    """xlo_rto refuses a message if the quote is too short, is not IPv4 or TCP, or is a later
    fragment. xlo_rto also refuses a message with a wrong checksum or with a code that has no
    meaning for the timeout."""
    refused(about(whole, quote=27), about(whole, quote=1),
            about(lambda p: b"\x65" + p[1:]), about(lambda p: b"\x44" + p[1:]), malformed=4)
    refused(lambda p: flipped(icmp.message(DROP, p)), checksum=1)
    refused(about(lambda p: changed(p, 9, b"\x11")), about(lambda p: changed(p, 6, b"\0\1")),
            not_tcp=2)
    refused(about(whole, DISCARDED), about(whole, 255), about(whole, DISCARDED, encoding=EXTENSION),
            code=3)


def test_longest():
    """A message may be as long as the longest ICMPv6 error, but not longer."""
    for quote, counted in ((1280 - 8, {"at_once": 1}), (1280 - 7, {"malformed": 1})):
        with rto.Flow() as flow:
            packet = flow.segments[0].packet
            flow.send(icmp.message(DROP, packet + bytes(2000), quote=quote), LATE)
            flow.times_out(LATE if "at_once" in counted else 1, LATE)
            flow.account.expect(received=1, **counted)


def test_extension_malformed():
    """xlo_rto refuses an extension if its quote is too short, if an object has no end, if an object
    occurs twice, or if the version is wrong."""
    def unreachable(quoted, words, structure):
        return lambda p: icmp.ipv4(pkt.SOURCE4, p[12:16], icmp.icmp(
            icmp.UNREACHABLE4, 0, p[:quoted] + structure, words << 16))
    ours = struct.pack("!HBB", 4, icmp.CLASS, DROP)
    refused(unreachable(124, 31, icmp.extension(ours)), unreachable(128, 33, icmp.extension(ours)),
            unreachable(128, 32, icmp.extension(struct.pack("!HBB", 8, icmp.CLASS, DROP))),
            unreachable(128, 32, icmp.extension(ours * 2)),
            unreachable(128, 32, b"\x10" + icmp.extension(ours)[1:]), malformed=5)
    # a message without our object is an ordinary Destination Unreachable message
    refused(unreachable(128, 32, icmp.extension(struct.pack("!HBB", 4, 1, 1))),
            unreachable(28, 0, b""))


def test_extension_refused():
    """If xlo_rto refuses a message inside Destination Unreachable, the stack still processes it as
    Destination Unreachable. A program that asks for errors receives the error."""
    with rto.Flow(accept=BOTH) as flow:
        flow.socket.sock.setsockopt(socket.IPPROTO_IP, IP_RECVERR, 1)
        flow.say(255, 0.5, encoding=EXTENSION)
        flow.account.expect(received=1, code=1)
        tap.equal("error of the socket", flow.socket.error(), errno.ENETUNREACH)
        flow.times_out(1, 0)


def test_too_soon():
    """xlo_rto refuses a message if less than an eighth of the timeout has passed since an earlier
    message moved the timeout."""
    with rto.Flow() as flow:
        flow.say(DROP, 0.3)
        flow.say(DEFER, 0.42)
        wait.till(flow.at(0.425))
        flow.account.expect(received=2, shortened=1, too_soon=1)
        flow.say(DEFER, 0.43)
        flow.times_out(1.25, 0.43)
        flow.account.expect(received=1, cancelled=1)


def test_another_connection():
    """The state of a former connection does not apply to a new connection with the same ports, even
    if the new connection uses the same memory."""
    with rto.Flow() as flow:
        segment = flow.segments[0]
        for _ in range(3):
            segment = flow.times_out(1, 0)
        eighth = flow.rto // 8
        flow.say(DROP, 0.3, segment)
        said = flow.at(0.3)
        wait.until("the message is accepted", lambda: flow.client.stats()["shortened"])
        flow.another()
        flow.say(DROP, 0.5)
        tap.within("ns between the messages", flow.at(0.5) - said, 0, eighth)
        flow.times_out(0.75, 0.5)
        flow.account.expect(received=2, shortened=2)


def test_ignored():
    """After a message without effect, xlo_rto accepts the next message without a delay."""
    with rto.Flow() as flow:
        for part, code in ((0.22, DROP), (0.23, DEFER), (0.3, DROP), (0.44, DROP), (0.46, DEFER)):
            flow.say(code, part)
        flow.times_out(1.25, 0.46)
        flow.account.expect(received=5, in_flight=1, defer_normal=1, shortened=1, drop_again=1,
                            cancelled=1)


def test_other_timer():
    """A message does not move a loss probe's timer, but it moves the retransmission timer
    afterwards."""
    with rto.Flow(sysctls={"tcp_early_retrans": 3}) as flow:
        flow.say(DROP, 0.5)
        probe = flow.peer.receive(flow.at(1))
        tap.equal("segment of the probe", probe.number, rto.SEGMENTS - 1)
        tap.within("ms after the expected time",
                   (probe.when - flow.begin - 2 * rto.RTT) / MS, 0, 80)
        flow.account.expect(received=1, other_timer=1)
        flow.began(probe.when)
        flow.say(DROP, 0.5, probe)
        flow.times_out(0.75, 0.5)
        flow.account.expect(received=1, shortened=1)


def test_orphan():
    """A message does not move the timeout of a connection that its program has closed."""
    with rto.Flow() as flow:
        flow.socket.close()
        flow.socket.sock = flow.right.socket(socket.AF_INET, socket.SOCK_STREAM)
        flow.send(icmp.message(DROP, flow.segments[0].packet), LATE)
        flow.comes_again(1, 0)
        flow.account.expect(received=1, state=1)


def test_time_wait():
    """xlo_rto refuses a message about a connection in TIME-WAIT, because the connection no longer
    has a full socket."""
    with rto.Flow() as flow:
        flow.peer.now = flow.at(0.35)
        flow.peer.ack(rto.SEGMENTS)
        flow.socket.close()
        flow.socket.sock = flow.right.socket(socket.AF_INET, socket.SOCK_STREAM)
        flow.peer.now = flow.at(0.4)
        flow.peer.answer_close()
        flow.say(DROP, 0.5)
        wait.until("the message is refused", lambda: flow.client.stats()["state"])
        flow.account.expect(received=1, state=1)


def test_repair():
    """xlo_rto refuses a message about a connection in repair mode."""
    with rto.Flow() as flow:
        flow.socket.sock.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR, 1)
        flow.say(DROP, LATE)
        wait.until("the message is refused", lambda: flow.client.stats()["state"])
        flow.socket.sock.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR, -1)
        flow.times_out(1, 0)
        flow.account.expect(received=1, state=1)


def test_opening():
    """xlo_rto refuses a message about a SYN that has not been acknowledged."""
    with rto.Flow() as flow, flow.right.socket(socket.AF_INET, socket.SOCK_STREAM) as opening:
        sniffer = sniff.Sniffer(flow.left, "v0")
        opening.setblocking(False)
        opening.bind((pkt.TARGET4, 81))
        opening.connect_ex((pkt.SOURCE4, 4000))
        syn, = wait.until("a SYN", sniffer.drain)
        wait.till(syn.when + 800 * MS)
        flow.peer.port.send(icmp.message(DROP, syn.packet))
        again = wait.until("the SYN is sent again", sniffer.drain)[0]
        tap.within("ms until the SYN is sent again", (again.when - syn.when) / MS, 999,
                   1000 + rto.granularity(S) / MS)
        flow.account.expect(received=1, state=1)


def test_expired():
    """xlo_rto refuses a message if the timeout is over but the kernel's coarse timer has not fired
    yet."""
    expired = 0
    for _ in range(5):
        with rto.Flow() as flow:
            packet, ticks = icmp.message(DROP, flow.segments[0].packet), 0
            while not (segment := flow.peer.receive(flow.begin + flow.rto + ticks * rto.TICK)):
                ticks += 2
                flow.peer.port.send(packet)
            tap.within("ms after the expected time", (segment.when - flow.begin - flow.rto) / MS, 0,
                       rto.granularity(flow.rto) / MS)
            flow.account.expect(received=ticks // 2, expired=ticks // 2)
            expired += ticks // 2
    tap.true("messages arrived in this interval", expired)


def test_busy():
    """xlo_rto refuses a message that arrives while a system call of the program locks the
    socket."""
    with rto.Flow() as flow, slow_modprobe():
        wait.till(flow.at(0.3))
        program = os.fork()
        if not program:
            with contextlib.suppress(OSError):
                flow.socket.control("absent")
            os._exit(0)
        flow.say(DROP, 0.35)
        wait.until("the message is refused", lambda: flow.client.stats()["busy"])
        tap.equal("the program is still in the call", os.waitpid(program, os.WNOHANG), (0, 0))
        os.waitpid(program, 0)
        flow.say(DROP, 0.6)
        flow.times_out(0.85, 0.6)
        flow.account.expect(received=2, busy=1, shortened=1)


@contextlib.contextmanager
def slow_modprobe():
    """Within the block, the kernel's module loader takes half a second and loads no module."""
    with open(MODPROBE) as file:
        before = file.read()
    with open(MODPROBE, "w") as file:
        file.write(SLOW_MODPROBE)
    try:
        yield
    finally:
        with open(MODPROBE, "w") as file:
            file.write(before)


def test_off():
    """All encodings are off by default. If an encoding is off, xlo_rto does not inspect or count
    its messages, and the timeout does not move."""
    with rto.Flow(accept=0) as flow:
        flow.say(DROP, 0.7)
        flow.say(DROP, LATE, encoding=EXTENSION)
        flow.times_out(1, 0)
        flow.account.expect()
    for accept, other in ((NATIVE, EXTENSION), (EXTENSION, NATIVE)):
        with rto.Flow(accept=accept) as flow:
            flow.say(DROP, LATE, encoding=other)
            flow.times_out(1, 0)
            flow.account.expect()


def test_one_hop():
    """If one_hop is set, xlo_rto refuses a message that a router may have forwarded, and accepts a
    message with its full hop limit."""
    with rto.Flow() as flow:
        flow.client.set(one_hop=1)
        flow.say(DROP, 0.5, ttl=254)
        flow.say(DROP, LATE, ttl=255)
        flow.times_out(LATE, LATE)
        flow.account.expect(received=2, hops=1, at_once=1)


def test_settings():
    """Settings are read as they were set. A setting out of range changes nothing."""
    with rto.Flow(accept=0) as flow:
        def got():
            settings = flow.client.get()
            return settings["accept"], settings["one_hop"], settings["early"]
        flow.client.set(early=rto.BY_RTT)
        for values, want in (({}, (0, 0, 0)), ({"one_hop": 1}, (0, 1, 0)), ({"accept": 3}, (3, 1, 0)),
                             ({"accept": 1, "one_hop": 0, "early": 1}, (1, 0, 1))):
            flow.client.set(**values)
            tap.equal(f"after {values}", got(), want)
        for values in ({"accept": 4}, {"one_hop": 2}, {"accept": 2, "one_hop": 2},
                       {"early": 2, "accept": 2}):
            with contextlib.suppress(netlink.Refused):
                flow.client.set(**values)
                tap.true(f"{values} is refused", False)
            tap.equal(f"after {values}", got(), (1, 0, 1))


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
