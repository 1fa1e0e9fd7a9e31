# SPDX-License-Identifier: GPL-2.0-or-later
"""The TCP senders of an experiment: Linux's TCP with different sysctls. The senders do not set
lifetimes, but the module xlo can stamp the packets of each sender."""
from lib import kmod

# Reno with SACK, without Linux's later improvements against spurious timeouts
RENO = {"tcp_congestion_control": "reno", "tcp_timestamps": 0, "tcp_frto": 0,
        "tcp_early_retrans": 0}
# The sender of 2003 also has RFC 2988's timer (lab/lpd/module). This sender detects losses by
# duplicate acknowledgments, because Linux 7.2 itself detects losses only by time (RACK). Linux
# retransmits a SYN after 1 s instead of 3 s. The difference does not affect the results, because
# all round trips are shorter than 1 s.
STANDARD = RENO | {"tcp_congestion_control": "reno_2003", "tcp_recovery": 0}
SENDERS = {
    "standard": STANDARD,
    "NewReno": STANDARD | {"tcp_sack": 0},
    # each acknowledgment gives the timer a round-trip sample, as with RFC 1323's time stamps
    "each ACK": STANDARD | {"tcp_congestion_control": "reno_1323"},
    # Linux's timer is SRTT + max(1 s, 4 mdev), with a sample from each acknowledgment
    "Linux timer": STANDARD | {"tcp_congestion_control": "reno"},
    # With the Eifel algorithm, Linux finds out by time stamps which copy was acknowledged. After a
    # spurious timeout it restores the state before the timeout, including the window.
    "Eifel": STANDARD | {"tcp_timestamps": 1},
    # the Eifel algorithm without restoring the window
    "Eifel-CC": STANDARD | {"tcp_timestamps": 1, "tcp_congestion_control": "eifel_cc"},
    # F-RTO of RFC 5682 detects spurious timeouts by the acknowledgements of two new segments
    "F-RTO": STANDARD | {"tcp_frto": 2},
    "Eifel+F-RTO": STANDARD | {"tcp_timestamps": 1, "tcp_frto": 2},
    # Linux's default settings
    "Linux": {},
}
# A receiver of 2003 does not report duplicates (DSACK). With DSACK reports Linux would undo timeouts.
RECEIVERS = {"Linux": {}}
OLD_RECEIVER = {"tcp_dsack": 0}
# rto_min is the minimum timeout of 1 s, in ms, for senders whose timeout Linux computes. initcwnd is
# RFC 2581's initial window in segments, because Linux uses RFC 6928's larger window of 2013.
OLD_ROUTE = {"rto_min": 1000, "initcwnd": 2}
MODULE = "tcp_2003"


def prepare(path, sender, segment):
    """Configure the TCP of a path's sender and receiver. `sender` is a name in SENDERS, and `segment`
    is the length of the packets in bytes."""
    if sender != "Linux":
        kmod.insmod(MODULE)
    for node, values in ((path.sender, SENDERS[sender]),
                         (path.receiver, RECEIVERS.get(sender, OLD_RECEIVER))):
        for name, value in values.items():
            node.sysctl(f"net.ipv4.{name}", value)
    path.reach(mtu=segment, **({} if sender == "Linux" else OLD_ROUTE))


def stamp(path, mark, lifetime="rto", name="flow"):
    """Let the sender's kernel write a lifetime into packets with this mark. `name` is the profile's."""
    kmod.insmod("xlo")
    path.sender.run(f"freshlink profile add {name} --mark {mark} --lifetime {lifetime}")
