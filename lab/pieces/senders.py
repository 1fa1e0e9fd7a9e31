# SPDX-License-Identifier: GPL-2.0-or-later
"""The TCP senders of an experiment: what sysctls make of Linux's. None has lifetimes by itself: the
module xlo stamps the packets of any of them."""
from lib import kmod

# Reno with SACK, without what Linux has learnt since against timeouts that are spurious
RENO = {"tcp_congestion_control": "reno", "tcp_timestamps": 0, "tcp_frto": 0,
        "tcp_early_retrans": 0}
# That of 2003: with RFC 2988's timer as well (lab/lpd/module), and losses told by what has overtaken
# them, not by time (RACK; Linux 7.2 has no other way). Linux sends a SYN again after 1 s, not after 3:
# no path here is so long.
STANDARD = RENO | {"tcp_congestion_control": "reno_2003", "tcp_recovery": 0}
SENDERS = {
    "standard": STANDARD,
    "NewReno": STANDARD | {"tcp_sack": 0},
    # with a sample for the timer from each acknowledgment, as with RFC 1323's time stamps
    "each ACK": STANDARD | {"tcp_congestion_control": "reno_1323"},
    # with Linux's timer: SRTT + max(1 s, 4 mdev), by a sample of each acknowledgment
    "Linux timer": STANDARD | {"tcp_congestion_control": "reno"},
    # By time stamps Linux tells whose acknowledgement it has, and takes back a timeout that was
    # spurious, congestion control included: the Eifel algorithm, in its place.
    "Eifel": STANDARD | {"tcp_timestamps": 1},
    # likewise without taking back the latter
    "Eifel-CC": STANDARD | {"tcp_timestamps": 1, "tcp_congestion_control": "eifel_cc"},
    # RFC 5682: tells it from the acknowledgements of two new segments
    "F-RTO": STANDARD | {"tcp_frto": 2},
    "Eifel+F-RTO": STANDARD | {"tcp_timestamps": 1, "tcp_frto": 2},
    # as it comes
    "Linux": {},
}
# To be of 2003 a receiver does not tell of duplicates (DSACK), by which Linux takes back as well.
RECEIVERS = {"Linux": {}}
OLD_RECEIVER = {"tcp_dsack": 0}
# The least timeout of 1 s, ms, where it is Linux's to compute; RFC 2581's first window, segments:
# Linux's own is RFC 6928's of 2013
OLD_ROUTE = {"rto_min": 1000, "initcwnd": 2}
MODULE = "tcp_2003"


def prepare(path, sender, segment):
    """Make the ends of a path such a sender and its receiver; segment is what a packet of theirs
    is long."""
    if sender != "Linux":
        kmod.insmod(MODULE)
    for node, values in ((path.sender, SENDERS[sender]),
                         (path.receiver, RECEIVERS.get(sender, OLD_RECEIVER))):
        for name, value in values.items():
            node.sysctl(f"net.ipv4.{name}", value)
    path.reach(mtu=segment, **({} if sender == "Linux" else OLD_ROUTE))


def stamp(path, mark, lifetime="rto"):
    """Have the kernel give packets of the sender's with a mark their lifetime."""
    kmod.insmod("xlo")
    path.sender.run(f"freshlink profile add flow --mark {mark} --lifetime {lifetime}")
