#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A TCP upload in the class of lpd gets the link as with fq_codel alone. A stream of packets
with a lifetime needs less than its share, and arrives completely.

    left v0: tbf --> lpd ===== v1 right"""
# run.sh: needs: simulated time (the rates of the link are exact)
import socket
import threading
import time

from lib import classful, hosts, packet as pkt, port, sniff, tap, tc, wait
from lib.bench import MS

SIZE = 4 * 10**6
LINK = "tbf rate 4mbit burst 5kb limit 1mb"
QUEUES = {"fq_codel": ["parent 1:1 handle 2: fq_codel"],
          "lpd": ["parent 1:1 handle 2: lpd rate 4mbit", "parent 2:1 handle 3: fq_codel"]}
STREAM = 300                    # packets of 514 bytes, one every 8 ms: an eighth of the link
LIFETIME = 200                  # ms


class Link(hosts.Hosts):
    """A link of 4 Mbit/s with one of QUEUES."""

    def __init__(self, queue):
        super().__init__()
        classful.need("tbf", "fq_codel")
        for words in (f"root handle 1: {LINK}", *QUEUES[queue]):
            tc.tc(self.left, f"qdisc add dev v0 {words}")

    def upload(self, stopped=None):
        """Send SIZE bytes, or until the event `stopped`. Returns the rate in bytes/s."""
        with self.right.socket(socket.AF_INET, socket.SOCK_STREAM) as listener, \
                self.left.socket(socket.AF_INET, socket.SOCK_STREAM) as client:
            listener.bind((hosts.address("right", socket.AF_INET), 0))
            listener.listen()
            client.connect(listener.getsockname())
            server = listener.accept()[0]
            begin, sender = time.monotonic(), threading.Thread(target=_send, args=(client, stopped))
            sender.start()
            got = 0
            while data := server.recv(1 << 20):
                got += len(data)
            sender.join()
            server.close()
            return got / (time.monotonic() - begin)

    def stream(self):
        """Send the stream. Returns how many of its packets have arrived."""
        out, sniffer = port.Port(self.left, "v0", ethernet=True), sniff.Sniffer(self.right, "v1")
        begin = time.monotonic_ns()
        for number in range(STREAM):
            wait.till(begin + number * 8 * MS)
            out.send(pkt.ipv4(pkt.xlo4(LIFETIME), pkt.body(number, 464)))
        time.sleep(1)
        return len({pkt.number(f.packet) for f in sniffer.drain()} - {None})


def _send(client, stopped):
    """Send SIZE bytes, or bytes until the event `stopped`."""
    left = SIZE
    while left > 0 if stopped is None else not stopped.is_set():
        left -= client.send(bytes(16384))
    client.shutdown(socket.SHUT_WR)


def test_an_upload_alone():
    """An upload without other traffic is as fast as with fq_codel instead of lpd."""
    rates = {}
    for queue in QUEUES:
        with Link(queue) as link:
            rates[queue] = link.upload()
    tap.note(f"bytes/s: {rates}")
    tap.within("rate with lpd, compared with fq_codel", rates["lpd"] / rates["fq_codel"],
               0.98, 1.02)


def test_an_upload_beside_a_stream():
    """While the upload runs, every packet of the stream arrives, and the upload gets the rest of
    the link."""
    with Link("lpd") as link:
        alone = link.upload()
        stopped, rates = threading.Event(), []
        upload = threading.Thread(target=lambda: rates.append(link.upload(stopped)))
        upload.start()
        time.sleep(1)
        arrived = link.stream()
        stopped.set()
        upload.join()
        tap.equal("packets of the stream", arrived, STREAM)
        tap.note(f"bytes/s alone {alone:.0f}, beside the stream {rates[0]:.0f}")
        # The stream needs 514 bytes every 8 ms of the 500 kB/s, for about half of the time.
        tap.within("rate beside the stream, compared with alone", rates[0] / alone, 0.85, 0.95)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
