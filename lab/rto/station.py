# SPDX-License-Identifier: GPL-2.0-or-later
"""The paper's base station and its mobile: an arqlink device at each end of the cellular link.

    sender --- wire --- router [arqlink] === cellular link === [arqlink] receiver

The packets for the receiver pass through arqlink. The packets in the opposite direction, TCP's
acknowledgments, have no ARQ and go directly into the cellular link.

A packet is one frame, and the mobile acknowledges each frame at once. The paper has no rejects, so
only the timer causes retransmissions. The timer starts when a frame begins to be sent. Its timeout
is the transmission time of a packet of the largest size, the round trip of the radio, and SLACK."""
import json

from lib import cell, kmod, netlink, wait
from lib.cell import S

from pieces import route

DEVICE = "arq0"
WINDOW, ATTEMPTS = 3, 6
BACKLOG = 3                     # the link reports DEFER if it has this number of packets
LIMIT = 50                      # packets that wait for the window; the paper gives no number
SLACK = 20 * cell.MS            # for an acknowledgment that waits for another packet
ETHERNET, HEADER = cell.HEADER, 24      # bytes of an Ethernet header, and of arqlink's header
HEADERS = ETHERNET + HEADER + ETHERNET  # of a frame
UPPER = [bytes.fromhex("020000000011"), bytes.fromhex("020000000012")]


def patience(size, kbit, delay):
    """The timeout of a frame in ns. It counts from the beginning of the transmission."""
    return size * S // (kbit * 125) + 2 * delay + SLACK


class Station:
    """The base station of a path whose packets have up to `size` bytes. `words` are more options of its
    arqlink device."""

    def __init__(self, path, size, timeout, words=""):
        kmod.insmod("arqlink")
        self.router = path.router
        common = f"frame {size} window {WINDOW} below 1 ring {LIMIT * (size + ETHERNET)}b " \
            f"backlog {BACKLOG} timer fixed timeout {timeout}ns clock sent reject never ack_delay 0"
        for end, address, more in zip((path.cell, path.mobile), UPPER, (words, "")):
            end.up(mtu=size + ETHERNET + HEADER)
            end.ns.ip(f"link add link {end.name} name {DEVICE} address {address.hex(':')} mtu {size} "
                      f"type arqlink {common} {more}", f"link set {DEVICE} up")
            # packets wait in arqlink, where a flush finds them
            end.ns.run(f"tc qdisc add dev {DEVICE} root pfifo limit 1")
        for end in (path.cell, path.mobile):
            wait.until("arqlink has a peer", lambda end=end: end.netlink.operstate(DEVICE) ==
                       netlink.IF_OPER_UP, step=0.1)
        to_mobile = route.Route(path.router)
        to_mobile.neighbour(DEVICE, path.address, UPPER[1])
        to_mobile.through(DEVICE, path.address)

    def counters(self):
        """The counters of the base station's arqlink device."""
        [shown] = json.loads(self.router.run(f"ip -s -d -j link show dev {DEVICE}").stdout)
        return shown["linkinfo"]["info_xstats"]
