# SPDX-License-Identifier: GPL-2.0-or-later
"""Web Browsing across the paper's network, alone or beside Media Distribution.

A client loads Web pages for 2000 s. A transaction is a page and its objects, which the client
requests one after the other. There is no pause between transactions. The sizes are from Mah's
measurements, as in the paper. Mah counted the files of a page by its TCP connections, so the client
opens a connection for each file. The throughput is the bytes of all replies of the complete
transactions, divided by the time at the end of the last of them. So a transaction that is not
complete at the end, for example with a file of 1 MB, does not count.

The packets of Media Distribution bypass arqlink (speaker.py).

TCP is Linux's Reno, without SACK, time stamps, F-RTO and loss probes. Its timer has steps of 1 ms,
in the paper 10 ms."""
from lib import mib

from arq import timers
from arq.network import WIRE, Link, Network
from arq.speaker import Speaker
from pieces import senders, traffic

SECONDS = 2000
RENO = senders.RENO | {"tcp_sack": 0, "tcp_dsack": 0, "tcp_no_metrics_save": 1,
                       "tcp_retries2": 100}     # no connection is given up
PORT = 80
LOSSES = (0, 1.5, 2.5, 5.4, 9.8)                # percent
WORST = LOSSES[-1]                              # nearly all of the paper's numbers are about it
COUNTED = ("data", "repeats_timer", "repeats_nack")


def run(cell, seed, channel, contention, turn=None, wire=WIRE, link=Link(), connect="file", **changes):
    """Run a cell. With `turn`, the contention is there in every other `turn` seconds. `connect` is an
    option of the client. `changes` replace options of arqlink."""
    net = Network(timers.options(cell["timer"], channel, **changes), wire, link)
    for node in (net.sender, net.receiver):
        for name, value in RENO.items():
            node.sysctl(f"net.ipv4.{name}", value)
    net.damage(seed, channel, cell["loss"])
    traffic.listen(net.sender, f"web-server --port {PORT}")
    if contention:
        Speaker(net, seed, SECONDS, turn)
    web = traffic.end(traffic.start(net.receiver, f"web {net.sender_address} --port {PORT} "
                                    f"--duration {SECONDS}s --connect {connect} --seed {seed}"))
    return [result(net, web)]


def result(net, web):
    """A row: the client's summary, and counters of the link in both directions."""
    row = {"kbit": web.get("throughput", 0) / 125, "transactions": web["transactions"],
           "timeouts": mib.read(net.sender)["TcpExt.TCPTimeouts"]}
    for way, lower, upper in zip(("down", "up"), net.lower(), net.upper()):
        row[f"{way}_sent"] = lower["sent"]
        row[f"{way}_lost"] = lower["lost"] + lower["corrupted"]
        row.update({f"{way}_{name}": upper[name] for name in COUNTED if upper})
    return row


# --- on the host ---

def of(rows, **wanted):
    """The rows with these parameters."""
    for name, value in wanted.items():
        rows = rows[rows[name] == value]
    return rows
