#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The DCCP of freshlink and Linux's own DCCP talk to each other, over a link that loses, reorders
and doubles packets. The kernel logs nothing about it."""
# run.sh: needs: kernel DCCP
# run.sh: all on lab-debug: [!c]* (the others take long)
# run.sh: all on vm-6.1 vm-6.12: beside_linux partial_coverage no_sensitive_part (the others need simulated time)
# run.sh: smoke on lab-6.12: beside_linux partial_coverage
# run.sh: soak on lab-6.1 lab-6.12, 60000 s: ccid* handshake_under_loss
import functools
import os
import signal
import socket
import tempfile

from lib import dccp, hosts, linux_dccp as linux, sniff, soak, tap

PACKETS = soak.amount(10_000, 1_000_000)
FEW = 500
SIZE = 1000
V4, V6 = socket.AF_INET, socket.AF_INET6
LINUX = dict(zip((V4, V6), hosts.ADDRESSES["right"]))
OURS = dict(zip((V4, V6), hosts.ADDRESSES["left"]))


def serve(listener, stop=None, answers=0, timewait=0):
    """A program of Linux that receives from its first client. It closes after `stop` packets. In
    another process it sends `answers` packets at the same time. With `timewait`, it does not leave
    the state TIMEWAIT to the client."""
    sock = linux.accepted(listener)
    sock.setsockopt(linux.SOL_DCCP, linux.SERVER_TIMEWAIT, timewait)
    sender = answers and os.fork()
    if answers and not sender:
        try:
            linux.send_all(sock, answers, SIZE)
        finally:
            os._exit(0)
    found = linux.receive_all(sock, stop) | {"ccids": linux.ccids(sock)}
    sock.close()
    if sender:
        os.kill(sender, signal.SIGKILL)
        os.waitpid(sender, 0)
    return found


def supply(family, host, count, settings):
    """A program of Linux that sends to a server, and closes. Returns how long this took."""
    sock = linux.connected(family, host, **settings)
    seconds = linux.send_all(sock, count, SIZE)
    found = {"seconds": seconds, "ccids": linux.ccids(sock)}
    sock.close()
    return found


def to_linux(family, words="", count=PACKETS, program=(), **settings):
    """Our client sends to Linux's server, whose program gets the arguments `program` of serve().
    Returns the client's summary, the number of each packet in its log and whether it was
    acknowledged, and what Linux's program received."""
    with linux.Cell() as c, tempfile.TemporaryDirectory() as folder, linux.empty_log():
        log = os.path.join(folder, "log")
        listener = linux.listening(c.right.ns, family, **settings)
        there = c.run(c.right.ns, serve, listener, *program)
        listener.close()
        source = c.freshlink(f"dccp-source {LINUX[family]} --count {count} --size {SIZE}b "
                             f"--log {log} {words}")
        c.disturb()
        summary = source.result()
        return summary, [(line["packet"], line["fate"] == "acknowledged")
                         for line in linux.read_log(log)], there.result()


def from_linux(family, words="", count=PACKETS, **settings):
    """Linux's client sends to our server. Returns the server's summary and the numbers of the
    packets that it received, and what Linux's program says."""
    with linux.Cell() as c, tempfile.TemporaryDirectory() as folder, linux.empty_log():
        log = os.path.join(folder, "log")
        sink = c.freshlink(f"dccp-sink --connections 1 --log {log} {words}").listens()
        there = c.run(c.right.ns, supply, family, OURS[family], count, settings)
        c.disturb()
        done = there.result()
        summary = sink.result()
        return summary, [line["sequence"] for line in linux.read_log(log)], done


@functools.cache
def seconds_of_linux(ccid):
    """How long Linux's client takes to send all packets to Linux's server, over the same link."""
    with linux.Cell() as c, linux.empty_log():
        listener = linux.listening(c.right.ns, V4, ccid=ccid)
        there = c.run(c.right.ns, serve, listener)
        listener.close()
        here = c.run(c.left.ns, supply, V4, LINUX[V4], PACKETS, {"ccid": ccid})
        c.disturb()
        there.result()
        return here.result()["seconds"]


def is_as_fast(seconds, ccid, low, high):
    """Check the rate, divided by that of a pair of Linux's own. Documentation/dccp.rst explains why
    some rates differ by more than 10 %."""
    pair = seconds_of_linux(ccid)
    tap.note(f"CCID {ccid}: {seconds:.1f} s, Linux's pair {pair:.1f} s")
    tap.within("rate in relation to Linux's pair", pair / seconds, low, high)


def acknowledged(summary, log):
    """The packets that our source calls acknowledged. Each of its packets must have one fate."""
    fates = summary["fates"]
    tap.equal("end", summary["end"], "closed")
    tap.equal("sum of the fates", sum(fates.values()), summary["sent"])
    tap.equal("packets in the log", sorted(packet for packet, _ in log),
              list(range(summary["sent"])))
    found = {packet for packet, arrived in log if arrived}
    tap.equal("acknowledged in the log", len(found), fates["acknowledged"])
    return found


def is_whole(summary, log, there):
    """Check that what our source says became of its packets is what Linux's program received. Linux
    gives its program a packet twice if the link has doubled it. Returns the share that arrived."""
    received = set(there["numbers"])
    tap.equal("acknowledged, but not received", sorted(acknowledged(summary, log) - received), [])
    return len(received) / summary["sent"]


def test_ccid2_to_linux():
    """Our client sends with CCID 2 over IPv4, and closes. Each packet gets a fate, and those that
    it calls acknowledged have arrived."""
    summary, log, there = to_linux(V4, "--ccid 2")
    tap.equal("CCIDs of Linux", there["ccids"], [2, 2])
    tap.within("share that arrived", is_whole(summary, log, there), 0.94, 0.97)
    tap.within("share acknowledged", summary["fates"]["acknowledged"] / PACKETS, 0.92, 0.97)
    tap.within("unknown fates", summary["fates"]["unknown"], 0, 3)
    is_as_fast(summary["seconds"], 2, 0.5, 0.8)


def test_ccid3_to_linux():
    """The same with CCID 3 over IPv6. Linux acknowledges only some packets by their numbers."""
    summary, log, there = to_linux(V6, "--ccid 3")
    tap.equal("CCIDs of Linux", there["ccids"], [3, 3])
    tap.within("share that arrived", is_whole(summary, log, there), 0.94, 0.97)
    tap.within("share acknowledged", summary["fates"]["acknowledged"] / PACKETS, 0.1, 0.3)
    is_as_fast(summary["seconds"], 3, 0.9, 1.1)


def test_ccid2_from_linux():
    """Linux's client sends with CCID 2 over IPv6, and closes. Our server gets no packet twice."""
    summary, numbers, there = from_linux(V6, ccid=2)
    tap.equal("CCIDs of Linux", there["ccids"], [2, 2])
    tap.equal("received twice", len(numbers) - len(set(numbers)), 0)
    tap.within("share that arrived", summary["received"] / PACKETS, 0.94, 0.97)
    is_as_fast(there["seconds"], 2, 0.9, 1.1)


def test_ccid3_from_linux():
    """The same with CCID 3 over IPv4."""
    summary, numbers, there = from_linux(V4, ccid=3)
    tap.equal("CCIDs of Linux", there["ccids"], [3, 3])
    tap.equal("received twice", len(numbers) - len(set(numbers)), 0)
    tap.within("share that arrived", summary["received"] / PACKETS, 0.94, 0.97)
    is_as_fast(there["seconds"], 3, 0.9, 1.2)


def test_one_ccid_each_way():
    """Data in both directions, with another CCID in each: our client's with CCID 2 and Linux's with
    CCID 3, and the other way round. And the same two ways with Linux as client."""
    for ours, theirs in ((2, 3), (3, 2)):
        summary, log, there = to_linux(V4, count=FEW, program=(None, FEW), rx_ccid=ours,
                                       tx_ccid=theirs)
        tap.equal("CCIDs of Linux", there["ccids"], [theirs, ours])
        tap.equal("CCIDs of our client", [summary["features"][name] for name in
                                          ("ccid", "peer_ccid")], [ours, theirs])
        tap.within("share that arrived", is_whole(summary, log, there), 0.85, 1)
        tap.within("received from Linux", summary["received"], FEW / 10, FEW)
        summary, numbers, there = from_linux(V6, count=FEW, rx_ccid=ours, tx_ccid=theirs)
        tap.equal("CCIDs of Linux", there["ccids"], [theirs, ours])
        tap.equal("received twice", len(numbers) - len(set(numbers)), 0)
        tap.within("received", summary["received"], 0.85 * FEW, FEW)


def test_linux_closes():
    """Linux's server closes while our client sends: with CloseReq, or with Close if it holds the
    state TIMEWAIT itself. Our client ends in order."""
    for family, ccid, timewait in ((V4, 2, 0), (V6, 3, 0), (V4, 2, 1), (V6, 3, 1)):
        summary, log, there = to_linux(family, f"--ccid {ccid}", program=(FEW, 0, timewait))
        tap.equal("packets of Linux's program", len(there["numbers"]), FEW)
        acknowledged(summary, log)
        tap.within("sent", summary["sent"], FEW, 1.2 * FEW)


def test_our_server_closes():
    """Our server closes the connection of Linux's client, which has sent all it had."""
    reader, writer = os.pipe()

    def linger(host, settings):
        sock = linux.connected(V4, host, **settings)
        linux.send_all(sock, FEW, SIZE)
        os.write(writer, b" ")
        end = sock.recv(100)
        sock.close()
        return len(end)
    for ccid in (2, 3):
        with linux.Cell() as c, linux.empty_log():
            sink = c.freshlink("dccp-sink").listens()
            there = c.run(c.right.ns, linger, OURS[V4], {"ccid": ccid})
            c.disturb()
            os.read(reader, 1)
            c.quiet()
            sink.process.send_signal(signal.SIGINT)
            summary = sink.result()
            tap.equal("connections", (summary["connections"], summary["ended"]), (1, 1))
            tap.within("received", summary["received"], 0.85 * FEW, FEW)
            tap.equal("bytes that Linux's program read", there.result(), 0)


def coverages(frames):
    """The values of Checksum Coverage in all data packets."""
    found = set()
    for frame in frames:
        version = frame.packet[0] >> 4
        packet = frame.packet[20 if version == 4 else 40:]
        if frame.packet[9 if version == 4 else 6] == linux.IPPROTO_DCCP and \
                packet[8] >> 1 & 15 in (dccp.DATA, dccp.DATAACK):
            found.add(packet[5] & 15)
    return found


def test_partial_coverage():
    """Data packets are sent with the Checksum Coverage on which both ends agree: ours to Linux, and
    Linux's to us."""
    for family in (V4, V6):
        with linux.Cell() as c, linux.empty_log():
            sniffer = sniff.Sniffer(c.right.ns, "cell1")
            listener = linux.listening(c.right.ns, family, recv_cscov=4)
            there = c.run(c.right.ns, serve, listener)
            listener.close()
            # Linux drops what its program has no time to fetch
            source = c.freshlink(f"dccp-source {LINUX[family]} --count {FEW} --coverage 4 "
                                 "--rate 2mbit")
            summary = source.result()
            tap.equal("least coverage of Linux", summary["features"]["min_coverage"], 4)
            # a source that had no processor time holds back what it may not send at once
            tap.equal("due", summary["sent"] + summary["held_back"], FEW)
            received = there.result()["numbers"]
            tap.equal("received", (len(received), len(set(received))), 2 * (summary["sent"],))
            tap.equal("coverage to Linux", coverages(sniffer.drain()), {4})
        with linux.Cell() as c, linux.empty_log():
            sniffer = sniff.Sniffer(c.left.ns, "cell0")
            sink = c.freshlink("dccp-sink --connections 1 --coverage 4").listens()
            there = c.run(c.right.ns, supply, family, OURS[family], FEW, {"send_cscov": 4})
            there.result()
            tap.equal("received", sink.result()["received"], FEW)
            tap.equal("coverage from Linux", coverages(sniffer.drain()), {4})


def test_no_sensitive_part():
    """Linux does not know packets with a sensitive part, so they are refused, and it gets no data."""
    for family in (V4, V6):
        with linux.Cell() as c, linux.empty_log():
            sniffer = sniff.Sniffer(c.right.ns, "cell1")
            listener = linux.listening(c.right.ns, family, recv_cscov=1)
            c.run(c.right.ns, serve, listener)
            listener.close()
            source = c.freshlink(f"dccp-source {LINUX[family]} --count 9 --sensitive 40")
            _, err = source.process.communicate(timeout=linux.PATIENCE)
            tap.equal("exit status", source.process.returncode, 1)
            tap.true(f"the reason: {err}", "--sensitive: the peer is no end of freshlink" in err)
            tap.equal("data packets", coverages(sniffer.drain()), set())


def test_no_forgiveness():
    """Linux sends no Loss Intervals, which --forgive stale needs, so it is refused, and Linux gets no
    data. Without it, the same peer takes all."""
    for family in (V4, V6):
        for words, status, data in ("--forgive stale", 1, 0), ("--forgive nothing", 0, 9):
            with linux.Cell() as c, linux.empty_log():
                sniffer = sniff.Sniffer(c.right.ns, "cell1")
                listener = linux.listening(c.right.ns, family, ccid=3)
                c.run(c.right.ns, serve, listener)
                listener.close()
                source = c.freshlink(f"dccp-source {LINUX[family]} --count 9 --rate 100kbit "
                                     f"--ccid 3 {words}")
                _, err = source.process.communicate(timeout=linux.PATIENCE)
                tap.equal(f"exit status ({err.strip()})", source.process.returncode, status)
                tap.equal("the reason", "--forgive stale: the peer is no end of freshlink, and sends "
                          "no Loss Intervals" in err, bool(status))
                tap.equal("data packets", bool(coverages(sniffer.drain())), bool(data))


def test_handshake_under_loss():
    """The handshake comes to an end although the link loses a third of all packets: Linux accepts
    the connection from each packet that may be the first that it gets."""
    with linux.Cell() as c:
        c.disturb(0, loss=333_333)
        for _ in range(soak.amount(10, 1000)):
            listener = linux.listening(c.right.ns, V4, ccid=3)
            there = c.run(c.right.ns, serve, listener)
            listener.close()
            source = c.freshlink(f"dccp-source {LINUX[V4]} --count 20 --ccid 3")
            summary = source.result()
            tap.equal("end", (summary["sent"], summary["end"]), (20, "closed"))
            there.kill()


def test_beside_linux():
    """While Linux's DCCP is loaded, the carrier ip is refused, with its reason. With
    --kernel-silent but without a rule of a firewall, the kernel's Reset ends a connection."""
    with linux.Cell(silent=False) as c:
        for words in (f"dccp-source {LINUX[V4]}", "dccp-sink"):
            source = linux.Freshlink(c.left.ns, words, silent=False)
            error = source.process.communicate()[1]
            tap.equal("exit status", source.process.returncode, 1)
            for reason in ("the kernel's own DCCP would answer", "Device or resource busy"):
                tap.true(f"'{reason}' is in {error!r}", reason in error)
        listener = linux.listening(c.right.ns, V4)
        c.run(c.right.ns, linux.accepted, listener)
        listener.close()
        source = c.freshlink(f"dccp-source {LINUX[V4]} --count {FEW} --rate 8mbit")
        summary = source.result(status=1)
        tap.equal("end", summary["end"], "no connection")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
