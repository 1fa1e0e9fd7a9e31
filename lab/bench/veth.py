#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""veth.py: a part of the bench that runs in the virtual machine. The program measures the
throughput of TCP through a router, with and without an option in each packet:

    sender === router === receiver

The queue is on the router's egress device. The result is veth.json in $FL_OUT."""
import sys

import tcp
from lib import kmod, netns, tc

# {path: (queue, mark of the packets)}
PATHS = {"pfifo, without options": ("pfifo", 0),
         "lpd, without options": ("lpd limit 10000 share 0", 0),
         "lpd, with options": ("lpd limit 10000 share 0", 1)}


def connect():
    """Three namespaces in a row."""
    sender, router, receiver = (netns.Netns() for _ in range(3))
    netns.veth(sender, "out", router, "in")
    netns.veth(router, "out", receiver, "in")
    sender.ip("addr add 10.0.1.1/24 dev out", "route add default via 10.0.1.2")
    router.ip("addr add 10.0.1.2/24 dev in", "addr add 10.0.2.1/24 dev out")
    receiver.ip("addr add 10.0.2.2/24 dev in", "route add default via 10.0.2.1")
    router.sysctl("net.ipv4.ip_forward", 1)
    sender.run("freshlink profile add bench --mark 1 --lifetime 10s")
    return sender, router, receiver


def main():
    for name in ("sch_lpd", "xlo"):
        kmod.insmod(name)
    sender, router, receiver = connect()

    def measure(path):
        queue, mark = PATHS[path]
        router.run(f"tc qdisc replace dev out root {queue}")
        found = tcp.rate(sender, receiver, "10.0.2.2", mark)
        if mark and not tc.show(router, "out")[0]["rewritten"]:
            sys.exit("veth.py: the packets had no option")
        return found
    tcp.take_turns("veth", measure, PATHS)


if __name__ == "__main__":
    main()
