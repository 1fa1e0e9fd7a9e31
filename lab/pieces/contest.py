# SPDX-License-Identifier: GPL-2.0-or-later
"""TCP flows that share the link for a time, each with a congestion control of its own: what each gets
through, and how long its packets take."""
import statistics
import threading
import time

from lib import connection, kmod, tcp_info, wait

from pieces import download

ENDLESS = 1 << 40           # bytes
EVERY = 0.05                # s between two looks


class Watch:
    """Looks at flows, and does what else has to be done, again and again while a block runs."""

    def __init__(self, flows, also):
        self.flows, self.also = flows, also
        # us, smoothed as RFC 6298 has it: round-trip times, and how far samples are from them
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
    """Let these congestion controls be used, ours with these parameters, and no connection learn
    from one before."""
    for module in {connection.OURS[name] for name in names if name in connection.OURS}:
        if parameters and kmod.loaded(module):
            wait.until("no connection of the cell before", lambda m=module: not kmod.rmmod(m))
        kmod.insmod(module, **parameters)
    path.sender.sysctl("net.ipv4.tcp_no_metrics_save", 1)


def compete(path, names, seconds, window=None, also=lambda: None, **parameters):
    """A row for each of these congestion controls, whose flows run for so long side by side, through
    receive windows of so many bytes. also() is called again and again meanwhile. Our modules are
    loaded with the parameters."""
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
    """0 of none."""
    return statistics.fmean(values) if values else 0.0


def jain(shares):
    """Jain's index of fairness: 1 if all are the same, 1/n if one has all."""
    squares = sum(share * share for share in shares)
    return sum(shares) ** 2 / (len(shares) * squares) if squares else 1.0
