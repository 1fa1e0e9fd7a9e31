# SPDX-License-Identifier: GPL-2.0-or-later
"""The TCP senders of an experiment: Linux's TCP with different sysctls. None of them sets lifetimes
itself; the module xlo can stamp the packets of each."""
from lib import kmod

# Reno with SACK, without Linux's later improvements against spurious timeouts
RENO = {"tcp_congestion_control": "reno", "tcp_timestamps": 0, "tcp_frto": 0,
        "tcp_early_retrans": 0}
# The sender of 2003. It also has RFC 2988's timer (lab/lpd/module), and detects losses by duplicate
# acknowledgments, not by time (RACK; Linux 7.2 has no other way). Linux sends a SYN again after 1 s, not
# after 3 s; this makes no difference, because no path here is so long.
STANDARD = RENO | {"tcp_congestion_control": "reno_2003", "tcp_recovery": 0}
SENDERS = {
    "standard": STANDARD,
    "NewReno": STANDARD | {"tcp_sack": 0},
    # with a sample for the timer from each acknowledgment, as with RFC 1323's time stamps
    "each ACK": STANDARD | {"tcp_congestion_control": "reno_1323"},
    # with Linux's timer: SRTT + max(1 s, 4 mdev), with a sample from each acknowledgment
    "Linux timer": STANDARD | {"tcp_congestion_control": "reno"},
    # The Eifel algorithm: with time stamps Linux finds out which copy was acknowledged, and undoes a
    # spurious timeout, including the window.
    "Eifel": STANDARD | {"tcp_timestamps": 1},
    # Eifel that does not restore the window
    "Eifel-CC": STANDARD | {"tcp_timestamps": 1, "tcp_congestion_control": "eifel_cc"},
    # RFC 5682: detects spurious timeouts by the acknowledgements of two new segments
    "F-RTO": STANDARD | {"tcp_frto": 2},
    "Eifel+F-RTO": STANDARD | {"tcp_timestamps": 1, "tcp_frto": 2},
    # Linux's default settings
    "Linux": {},
}
# A receiver of 2003 does not report duplicates (DSACK). With such reports Linux would undo timeouts.
RECEIVERS = {"Linux": {}}
OLD_RECEIVER = {"tcp_dsack": 0}
# The least timeout of 1 s, in ms, for senders whose timeout Linux computes; and RFC 2581's initial
# window in segments, because Linux has RFC 6928's of 2013
OLD_ROUTE = {"rto_min": 1000, "initcwnd": 2}
MODULE = "tcp_2003"


def prepare(path, sender, segment):
    """Configure the ends of a path as this sender and its receiver. `segment` is the length of their
    packets in bytes."""
    if sender != "Linux":
        kmod.insmod(MODULE)
    for node, values in ((path.sender, SENDERS[sender]),
                         (path.receiver, RECEIVERS.get(sender, OLD_RECEIVER))):
        for name, value in values.items():
            node.sysctl(f"net.ipv4.{name}", value)
    path.reach(mtu=segment, **({} if sender == "Linux" else OLD_ROUTE))


def stamp(path, mark, lifetime="rto"):
    """Have the sender's kernel stamp packets with this mark with a lifetime."""
    kmod.insmod("xlo")
    path.sender.run(f"freshlink profile add flow --mark {mark} --lifetime {lifetime}")
