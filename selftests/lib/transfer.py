# SPDX-License-Identifier: GPL-2.0-or-later
"""A TCP transfer between two hosts, each with a profile of xlo. A sniffer captures the segments
that arrive at each host."""
import socket
import threading

from . import hosts, segments, sniff, tap, wait, xlo

PORT = 5000
MTU = 1500
# An emulated VM needs a minute for the packets that a lab kernel sends in a second.
SIZE = (10 if wait.virtual_time() else 2) * 10**6


class Transfer(hosts.Hosts):
    """TCP connections between the left and the right host. The profile decides which segments are
    stamped."""

    def __init__(self, family, mtu=MTU, **profile):
        super().__init__(mtu)
        self.family = family
        self.clients = {}
        for ns, device in ((self.left, "v0"), (self.right, "v1")):
            hosts.offload(ns, device, tso=False, gro=False)
            client = self.clients[device] = xlo.Client(ns)
            client.profile_add(**{"profile_name": "tcp", "mark": 1, "mask": 1} |
                               (profile or {"rto": True}))
        self.arriving = {device: sniff.Sniffer(ns, device)
                         for ns, device in ((self.left, "v0"), (self.right, "v1"))}
        self.listener = self.marked(self.right)
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind((hosts.address("right", family), PORT))
        self.listener.listen()

    def marked(self, ns):
        sock = ns.socket(self.family, socket.SOCK_STREAM)
        sock.setsockopt(socket.SOL_SOCKET, hosts.SO_MARK, 1)
        sock.settimeout(60)
        return sock

    def connect(self):
        client = self.marked(self.left)
        client.connect((hosts.address("right", self.family), PORT))
        return client, self.listener.accept()[0]

    def run(self, server_sends, size=SIZE):
        """Run a complete connection, in which one end sends `size` bytes and the other end reads
        all of them. Returns the segments that arrived at v0 and at v1."""
        received = []

        def serve():
            conn, _ = self.listener.accept()
            with conn:
                conn.settimeout(60)
                if server_sends:
                    conn.sendall(bytes(size))
                else:
                    received.append(drain(conn))

        thread = threading.Thread(target=serve)
        thread.start()
        with self.marked(self.left) as client:
            client.connect((hosts.address("right", self.family), PORT))
            if server_sends:
                received.append(drain(client))
            else:
                client.sendall(bytes(size))
                client.shutdown(socket.SHUT_WR)
                client.recv(1)
        thread.join()
        tap.equal("bytes received", received, [size])
        return self.seen("v0"), self.seen("v1")

    def seen(self, device):
        """The segments that have arrived at a device since the last call."""
        frames = self.arriving[device].drain()
        self.arriving[device].lossless()
        tap.true("no fragment", not any(segments.is_fragment(f.packet) for f in frames))
        return tcp_only(frames)


def drain(sock):
    total = 0
    while data := sock.recv(1 << 16):
        total += len(data)
    return total


def tcp_only(frames):
    return [segments.Segment(f.packet, f.when) for f in frames if segments.is_tcp(f.packet)]
