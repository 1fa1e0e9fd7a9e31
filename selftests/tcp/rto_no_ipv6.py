#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A kernel without IPv6 (ipv6.disable=1) has no route to the source of an IPv6 packet, although an
IPv6 packet may arrive at its links. The kernel receives no messages over IPv6, even if xlo_rto
accepts all encodings."""
# run.sh: needs: no IPv6
from lib import child, tap, wait, xlo
from lib.icmp import BOTH, DISCARDED, DROP
from lib.notice import ipv6, segment


def test_no_way():
    """A message over IPv6 is counted as a message without a route, and the kernel keeps running."""
    client = xlo.Client(child.Here(), "xlo_rto")
    account = xlo.Account(client, "notices")
    client.set(accept=BOTH)
    for code in (DROP, DISCARDED):
        client.do("notify", code=code, packet=ipv6(segment()))
    wait.until("both messages are counted", lambda: account.risen().get("no_route") == 2)
    account.expect(asked=2, no_route=2)
    client.set(accept=0)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
