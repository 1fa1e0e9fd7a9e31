# SPDX-License-Identifier: GPL-2.0-or-later
"""A TCP connection between a socket of the kernel and a scripted peer.

    peer v0 ===== v1 socket"""
from . import hosts, icmp, kmod, netlink, netns, packet as pkt, path, peer, setup, tcp_info, \
    tcp_socket, xlo
from .peer import MS

# Sysctls whose defaults differ between kernels and distributions.
SYSCTLS = {"tcp_ecn": 0, "tcp_sack": 1, "tcp_dsack": 1, "tcp_timestamps": 1, "tcp_frto": 2,
           "tcp_recovery": 1, "tcp_early_retrans": 3, "tcp_reordering": 3,
           "tcp_slow_start_after_idle": 0, "tcp_no_metrics_save": 0,
           "tcp_no_ssthresh_metrics_save": 0, "tcp_min_tso_segs": 2}
# The modules of the project's congestion controls. Only the lab has the module tcp_2003.
OURS = {"iftpv": "tcp_iftpv"} | dict.fromkeys(("reno_2003", "reno_1323", "eifel_cc"), "tcp_2003")
OPTION = 8                          # bytes of the cross-layer option


class Connection:
    """An established connection with a given round-trip time `rtt` and congestion window `cwnd`. If
    the threshold `ssthresh` is None, the connection begins with slow start. `sysctls` overrides
    values of SYSCTLS. `stamped` is "rto" or "repeats", the lifetime that a profile of xlo gives to
    all segments. If `stamped` is set, the module xlo_rto accepts messages. `mapped` is passed to
    the socket. All other arguments are passed to the peer's accept()."""

    def __init__(self, algorithm, rtt=100 * MS, cwnd=10, ssthresh=None, sysctls=None,
                 stamped=None, **accept):
        if algorithm in OURS:
            kmod.insmod(OURS[algorithm])
        self.left, self.right = netns.Netns(), netns.Netns()
        netns.veth(self.left, "v0", self.right, "v1")
        # Without TSO, each segment leaves as a separate packet.
        hosts.offload(self.right, "v1", tso=False)
        for name, value in (SYSCTLS | (sysctls or {})).items():
            self.right.sysctl(f"net.ipv4.{name}", value)
        self._route(cwnd, ssthresh)
        if stamped:
            self._stamp(stamped)
        self.peer = peer.Peer(self.left, "v0", room=OPTION * bool(stamped))
        if ssthresh:
            self._remember_threshold(rtt, **accept)
        self.socket = self._connect(algorithm, rtt, **accept)
        self.socket.expect("at the beginning", cwnd=cwnd, ssthresh=ssthresh or tcp_info.INFINITE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.abort()
        self.left.close()
        self.right.close()

    def path(self, rtt=100 * MS):
        """Create a path, which replaces the script as the peer."""
        return path.Path(self, rtt)

    def _route(self, cwnd, ssthresh):
        route = netlink.Netlink(self.right)
        setup.add_address(route, "v1", pkt.TARGET4, 32)
        setup.add_route(route, "v1", pkt.SOURCE4, pkt.TARGET4, cwnd, ssthresh)
        setup.set_neighbour(route, "v1", pkt.SOURCE4, "02:00:00:00:00:01")

    def _stamp(self, lifetime):
        """Let xlo stamp all packets that have no mark."""
        xlo.Client(self.right).profile_add(profile_name="all", mark=0, mask=1, **{lifetime: True})
        xlo.Client(self.right, "xlo_rto").set(accept=icmp.BOTH)

    def _connect(self, algorithm, rtt, mapped=False, **accept):
        socket = tcp_socket.TcpSocket(self.right, algorithm, mapped)
        socket.connect()
        self.peer.accept(rtt, **accept)
        return socket

    def _remember_threshold(self, rtt, **accept):
        """Open and close a connection, because the kernel uses a route's threshold only for later
        connections."""
        socket = self._connect("reno", rtt, **accept)
        self.peer.close()
        socket.close()
        self.peer.closed()
