#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The table of connections with a moved timeout has a limited number of entries. A connection keeps
its entry until its timer fires. Another connection can then use the entry."""
# run.sh: needs: simulated time
import resource
import socket
import time

from lib import hosts, icmp, port, segments, sniff, tap, tcp_socket, wait, xlo
from lib.icmp import DROP, NATIVE
from lib.peer import MS, S
from tcp.rto_ipv6 import PORT, ROUTER

ROOM = 1024                             # kmod/xlo_rto/inbox.c
CONNECTIONS = 1100
TIMEOUT = 8 * S
# kmod/xlo_rto/inbox.c accepts two of these batches in a period
BATCH, PAUSE = 50, 51 * MS


class Many(hosts.Hosts):
    """Connections, each with a segment in flight that is not acknowledged."""

    def __enter__(self):
        self.right.sysctl("net.ipv4.tcp_early_retrans", 0)
        self.right.ip(f"route add {ROUTER}/128 dev v1 rto_min {TIMEOUT // S}s")
        self.client = xlo.Client(self.right, "xlo_rto")
        self.client.set(accept=NATIVE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (4 * CONNECTIONS, 4 * CONNECTIONS))
        with self.left.socket(socket.AF_INET6, socket.SOCK_STREAM) as listener:
            listener.bind((ROUTER, PORT))
            listener.listen()
            self.sockets = [self._connect(listener) for _ in range(CONNECTIONS)]
        self.left.ip(f"route add unreachable {hosts.ADDRESSES['right'][1]}/128 metric 1")
        self.sniffer, self.port = sniff.Sniffer(self.left, "v0"), port.Port(self.left, "v0", True)
        for number, (sock, _) in enumerate(self.sockets):
            # do not send more packets in a burst than net.core.netdev_max_backlog
            if number % 100 == 0:
                time.sleep(0.001)
            sock.send(b"x" * 100)
        return self

    def _connect(self, listener):
        sock = self.right.socket(socket.AF_INET6, socket.SOCK_STREAM)
        sock.connect((ROUTER, PORT))
        return sock, listener.accept()[0]

    def __exit__(self, *_):
        for pair in self.sockets:
            for sock in pair:
                tcp_socket.reset(sock)
        super().__exit__()

    def sent(self, count):
        """Wait for this many data segments. Returns their frames."""
        frames = []

        def data():
            frames.extend(frame for frame in self.sniffer.drain() if segments.is_tcp(frame.packet)
                          and segments.Segment(frame.packet).payload)
            return len(frames) >= count
        wait.until(f"{count} segments", data, seconds=30)
        return frames

    def say(self, moment, packets):
        """Send a DROP about each packet, beginning at the time `moment`. Wait until all messages
        are processed. Returns how much each counter has risen."""
        before = self.client.stats()
        for start in range(0, len(packets), BATCH):
            wait.till(moment + start // BATCH * PAUSE)
            for packet in packets[start:start + BATCH]:
                self.port.send(icmp.message6(DROP, packet, NATIVE, ROUTER))
        wait.until("all messages are processed",
                   lambda: sum((now := self.client.stats()).values()) == 2 * now["received"])
        now = self.client.stats()
        return {name: now[name] - before[name] for name in now if now[name] != before[name]}


def test_room():
    """A connection without an entry sends its segment again at the normal time. xlo_rto accepts
    messages about the next timeout of this connection after the timers of the other connections
    have fired."""
    with Many() as many:
        frames = many.sent(CONNECTIONS)
        tap.equal("segments", len(frames), CONNECTIONS)
        begin = frames[0].when
        risen = many.say(begin + TIMEOUT * 3 // 10, [frame.packet for frame in frames])
        tap.within("connections without an entry",
                   risen["no_room"], CONNECTIONS - ROOM, CONNECTIONS // 2)
        tap.equal("counters", risen, {"received": CONNECTIONS, "no_room": risen["no_room"],
                                      "shortened": CONNECTIONS - risen["no_room"]})
        again = many.sent(CONNECTIONS)
        late = [frame for frame in again if frame.when - begin > TIMEOUT * 9 // 10]
        tap.equal("segments that are sent again at their normal time", len(late), risen["no_room"])
        risen = many.say(late[0].when + 2 * TIMEOUT * 3 // 10, [frame.packet for frame in late])
        tap.true("most of these connections get an entry later",
                 risen["shortened"] > len(late) * 3 // 4)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
