# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads what the kernel reports about a TCP connection. The module reads the first 200 bytes of
TCP_INFO, which every supported kernel has. The module also reads TCP_CC_INFO in the format of
Vegas."""
import collections
import socket
import struct

OPEN, DISORDER, CWR, RECOVERY, LOSS = range(5)      # ca_state
INFINITE = 0x7fffffff                               # ssthresh before the first loss
TCP_CC_INFO = 26

_INFO = struct.Struct("=8B24I4Q6I4Q2I")
# windows in segments, times in us
Info = collections.namedtuple("Info", """
    state ca_state retransmits probes backoff options wscale flags
    rto ato mss rcv_mss unacked sacked lost retrans fackets
    last_data_sent last_ack_sent last_data_recv last_ack_recv
    pmtu rcv_ssthresh rtt rttvar ssthresh cwnd advmss reordering rcv_rtt rcv_space total_retrans
    pacing_rate max_pacing_rate bytes_acked bytes_received
    segs_out segs_in notsent_bytes min_rtt data_segs_in data_segs_out
    delivery_rate busy_time rwnd_limited sndbuf_limited delivered delivered_ce""")

_VEGAS = struct.Struct("=4I")
Vegas = collections.namedtuple("Vegas", "enabled rtt_count rtt min_rtt")


def parse(data):
    """Parse TCP_INFO as the kernel writes it."""
    return Info(*_INFO.unpack_from(data))


def info(sock):
    """TCP_INFO of a socket."""
    return parse(sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _INFO.size))


def vegas(sock):
    """TCP_CC_INFO of a socket whose congestion control reports it in the format of Vegas."""
    return Vegas(*_VEGAS.unpack(sock.getsockopt(socket.IPPROTO_TCP, TCP_CC_INFO, _VEGAS.size)))
