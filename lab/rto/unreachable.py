# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the base station report a DROP as a router reports that its link is down: by the ICMP message
"host unreachable", which TCP-LCD understands (RFC 6069).

arqlink sends only the messages of xlo_rto. A thread at the router sees each message that leaves for
the sender. For a DROP it sends "host unreachable" with the same quoted packet. The DROP itself also
reaches the sender, where the packet filter drops it. xlo_rto sends no message about a SYN, so TCP
does not give up a connection that it opens."""
import select
import socket
import threading

from lib import icmp, sniff

HOST_UNREACHABLE = 1            # code (RFC 792)
HEADER, CODE, QUOTED = 20, 21, 28       # of a native message: an IP header without options; code; packet
FILTER = "table inet drops { chain in { type filter hook input priority 0; " \
    f"icmp type {icmp.TYPE4} icmp code {icmp.DROP} drop; }}; }}"


def translated(packet):
    """The message "host unreachable" instead of a DROP. None for all other packets."""
    if packet[9] != socket.IPPROTO_ICMP or (packet[HEADER], packet[CODE]) != (icmp.TYPE4, icmp.DROP):
        return None
    quoted = packet[QUOTED:QUOTED + icmp.QUOTE]
    return icmp.ipv4(socket.inet_ntoa(packet[12:16]), quoted[12:16],
                     icmp.icmp(icmp.UNREACHABLE4, HOST_UNREACHABLE, quoted))


class Translator:
    """The thread, which runs from its creation until the process ends."""

    def __init__(self, path):
        path.sender.run("nft -f -", stdin=FILTER)
        self.sniffer = sniff.Sniffer(path.router, "wire", outgoing=True)
        self.out = path.router.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
        self.failure = None
        threading.Thread(target=self._guarded, daemon=True).start()

    def check(self):
        """If an exception has ended the thread, raise this exception."""
        if self.failure:
            raise self.failure

    def _guarded(self):
        try:
            while True:
                select.select([self.sniffer.sock], [], [])
                for frame in self.sniffer.drain():
                    self._handle(frame.packet)
        except BaseException as error:
            self.failure = error

    def _handle(self, packet):
        message = translated(packet)
        if message:
            self.out.sendto(message, (socket.inet_ntoa(message[16:20]), 0))
