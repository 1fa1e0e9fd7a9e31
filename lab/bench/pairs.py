#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""pairs.py: the bench's part inside the virtual machine: what TCP gets through a pair of devices

    sender === receiver

that are a cellink, or a veth with netem where there is a rate; then either has a FIFO of as many
packets. Leaves unlimited.json and limited.json in $FL_OUT."""
import itertools
import os
import sys

import tcp

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "../../selftests"))
from lib import kmod, netlink, netns, wait

RATE = "rate 10gbit"
# file: name: the kind of device, its root qdisc
GROUPS = {"unlimited": {"veth": ("veth", ""), "cellink": ("cellink", "")},
          "limited": {f"veth, netem {RATE}": ("veth", f"netem {RATE} limit 10000"),
                      f"cellink {RATE}": (f"cellink {RATE}", "pfifo limit 10000"),
                      f"cellink {RATE} ring_packets 100": (
                          f"cellink {RATE} ring_packets 100", "pfifo limit 10000")}}


def connect(sender, receiver, number, kind, queue):
    """A pair; the receiver's address."""
    name = f"dev{number}"
    sender.ip(f"link add {name} type {kind} peer name {name} netns {receiver.path}",
              f"link set {name} up", f"addr add 10.0.{number}.1/24 dev {name}")
    receiver.ip(f"link set {name} up", f"addr add 10.0.{number}.2/24 dev {name}")
    if queue:
        sender.run(f"tc qdisc replace dev {name} root {queue}")
    route = netlink.Netlink(sender)
    wait.until(f"{name} carries", lambda: route.operstate(name) == netlink.IF_OPER_UP)
    return f"10.0.{number}.2"


def main():
    kmod.insmod("cellink")
    sender, receiver = netns.Netns(), netns.Netns()
    number = itertools.count(1)
    for file, paths in GROUPS.items():
        addresses = {path: connect(sender, receiver, next(number), *what)
                     for path, what in paths.items()}
        tcp.take_turns(file, lambda path: tcp.rate(sender, receiver, addresses[path]), paths)


if __name__ == "__main__":
    main()
