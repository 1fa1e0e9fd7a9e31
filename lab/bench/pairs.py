#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""pairs.py: a part of the bench that runs in the virtual machine. The program measures the
throughput of TCP through a pair of devices:

    sender === receiver

The devices are a cellink or a veth. In the measurement with a rate, netem limits the rate of the
veth, and both kinds of devices have queues of the same length in packets. The results are
unlimited.json and limited.json in $FL_OUT."""
import itertools

import tcp
from lib import kmod, netlink, netns, wait

RATE = "rate 10gbit"
# {file: {path: (kind of device, root qdisc)}}
GROUPS = {"unlimited": {"veth": ("veth", ""), "cellink": ("cellink", "")},
          "limited": {f"veth, netem {RATE}": ("veth", f"netem {RATE} limit 10000"),
                      f"cellink {RATE}": (f"cellink {RATE}", "pfifo limit 10000"),
                      f"cellink {RATE} ring_packets 100": (
                          f"cellink {RATE} ring_packets 100", "pfifo limit 10000")}}


def connect(sender, receiver, number, kind, queue):
    """Create a pair of devices. Returns the receiver's address."""
    name = f"dev{number}"
    sender.ip(f"link add {name} type {kind} peer name {name} netns {receiver.path}",
              f"link set {name} up", f"addr add 10.0.{number}.1/24 dev {name}")
    receiver.ip(f"link set {name} up", f"addr add 10.0.{number}.2/24 dev {name}")
    if queue:
        sender.run(f"tc qdisc replace dev {name} root {queue}")
    route = netlink.Netlink(sender)
    wait.until(f"{name} is up", lambda: route.operstate(name) == netlink.IF_OPER_UP)
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
