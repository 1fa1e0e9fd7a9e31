# SPDX-License-Identifier: GPL-2.0-or-later
"""The goodput and the round-trip times of TCP flows that share the link for some time, each with its
own congestion control."""
import statistics
import threading
import time

from lib import connection, kmod, tcp_info, wait

from pieces import download

ENDLESS = 1 << 40           # bytes
EVERY = 0.05                # s between two samples


class Watch:
    """Takes samples of the flows periodically while a `with` block runs, and calls also() each time."""

    def __init__(self, flows, also):
        self.flows, self.also = flows, also
        # SRTT and RTTVAR of RFC 6298 in us: smoothed round-trip times, and their mean deviations
        self.rtts = [[] for _ in flows]
        self.jitters = [[] for _ in flows]
        self.ended = False

    def __enter__(self):
        self.thread = threading.Thread(target=self._run)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended = True
        self.thread.join()

    def _run(self):
        while not self.ended:
            for flow, rtts, jitters in zip(self.flows, self.rtts, self.jitters):
                info = tcp_info.info(flow.sock)
                if info.rtt:
                    rtts.append(info.rtt)
                    jitters.append(info.rttvar)
            self.also()
            time.sleep(EVERY)


def prepare(path, names, **parameters):
    """Load the modules of these congestion controls. Our own modules get these parameters. Make sure
    that no connection uses metrics of an earlier connection."""
    for module in {connection.OURS[name] for name in names if name in connection.OURS}:
        if parameters and kmod.loaded(module):
            wait.until("end of the previous cell's connections", lambda m=module: not kmod.rmmod(m))
        kmod.insmod(module, **parameters)
    path.sender.sysctl("net.ipv4.tcp_no_metrics_save", 1)


def compete(path, names, seconds, window=None, also=lambda: None, **parameters):
    """Run a flow of each of these congestion controls at the same time, for some seconds, with receive
    windows of `window` bytes. Call also() periodically while the flows run. Load our modules with the
    parameters. Return a row for each flow."""
    prepare(path, names, **parameters)
    flows = [download.Download(path, ENDLESS, window, name, download.PORT + number)
             for number, name in enumerate(names)]
    for flow in flows:
        flow.begin()
    with Watch(flows, also) as watch:
        time.sleep(seconds)
        rows = [{"flow": number, "control": name, "kbit": flow.read / 125 / seconds,
                 "again": tcp_info.info(flow.sock).total_retrans,
                 "rtt_ms": mean(rtts) / 1000, "jitter_ms": mean(jitters) / 1000}
                for number, (name, flow, rtts, jitters) in
                enumerate(zip(names, flows, watch.rtts, watch.jitters))]
    for flow in flows:
        flow.give_up()
    return rows


def mean(values):
    """Return the mean of the values, or 0 if the list is empty."""
    return statistics.fmean(values) if values else 0.0


def jain(shares):
    """Jain's index of fairness, which is 1 if all shares are equal, and 1/n if one flow has the whole
    throughput."""
    squares = sum(share * share for share in shares)
    return sum(shares) ** 2 / (len(shares) * squares) if squares else 1.0
