#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink send and recv carry the bytes of other programs unchanged, refuse wrong input before
anything is sent, and take words on a socket while they run."""
# run.sh: needs: simulated time
# run.sh: once: sockets, and what the library makes of them, are the same on every kernel
import json
import os
import random
import re
import signal
import socket
import stat
import subprocess
import sys
import time

from dccp import way
from dccp.line import GOT_TIMES, MS, SENT_TIMES, Line
from lib import child, dccp, sniff, tap, wait

LARGEST = 1 << 20
# the first round-trip times of a connection have waits of the handshake in them
LEARNT = 20


def bytes_of(count):
    return random.Random(count).randbytes(count)


def carried(w, data, size, words, receiver, family=socket.AF_INET):
    """What arrives of bytes of standard input, cut into messages."""
    with open(w.path("input"), "wb") as file:
        file.write(data)
    with open(w.path("output"), "wb") as output:
        sink = w.recv(f"--output - {receiver}", stdout=output)
    with open(w.path("input"), "rb") as file:
        sent = way.result(w.send(f"--input - --size {size} --via off {words}", family,
                                 stdin=file))
    tap.equal("the receiver's status", sink.wait(), 0)
    tap.equal("ends", sent["ends"]["acknowledged"], sent["submitted"])
    with open(w.path("output"), "rb") as output:
        return output.read(), sent


def test_bytes():
    """Messages of 1 byte to 1 MiB arrive byte for byte through a channel that loses 3 %."""
    for size, count in (1, 40), (1000, 200), (100_000, 2), (LARGEST, 1):
        with Line(loss=30_000, seed=1) as w:
            # the last message is shorter
            data = bytes_of(size * count - size // 3)
            got, sent = carried(w, data, size, "--control reliable", "--order ordered")
            tap.equal("messages", sent["submitted"], count)
            tap.true(f"bytes of messages of {size}", got == data)


def test_ways():
    """Bytes arrive over both carriers, by IPv4 and IPv6, with each congestion control."""
    for carrier in "udp", "ip":
        for family in way.FAMILIES:
            for control in "--ccid 2", "--ccid 3", "--control fixed --rate 4mbit":
                with Line(loss=30_000, seed=1) as w:
                    words = f"--carrier {carrier} --kernel-silent"
                    data = bytes_of(50_000)
                    got, _ = carried(w, data, 5000, f"{words} --lifetime 5s {control}",
                                     f"{words} --fixed --order ordered", family)
                    tap.true(f"bytes ({carrier} {family.name} {control})", got == data)


def test_reordered():
    """Through a router that changes the order of packets, ordered bytes arrive unchanged."""
    with Line() as w:
        w.router.run("tc qdisc replace dev cell0 root netem delay 20ms reorder 70%")
        data = bytes_of(200_000)
        got, _ = carried(w, data, 1000, "--lifetime 5s --control feasible", "--order ordered")
        tap.true("bytes", got == data)


def test_udp():
    """Each datagram is a message, and a message a datagram, also of many that wait. An empty one is
    none."""
    with Line() as w:
        w.sink.link("lo", True)
        w.source.link("lo", True)
        there = w.sink.socket(socket.AF_INET, socket.SOCK_DGRAM)
        there.bind(("127.0.0.1", 7001))
        there.settimeout(20)
        sink = w.recv("--output udp:127.0.0.1:7001")
        source = w.send("--input udp:7000 --via off --lifetime 5s")
        time.sleep(0.5)
        here = w.source.socket(socket.AF_INET, socket.SOCK_DGRAM)
        for size in (1, 100, 5000, 60000):
            data = bytes_of(size)
            here.sendto(data, ("127.0.0.1", 7000))
            tap.true(f"datagram of {size}", there.recv(65536) == data)
        # many wait, which are read together and given together, if they have equal lengths
        many = [bytes([n]) * (1000 - (n % 20 == 19)) for n in range(70)]
        source.send_signal(signal.SIGSTOP)
        for data in (*many[:32], b"", *many[32:]):
            here.sendto(data, ("127.0.0.1", 7000))
        source.send_signal(signal.SIGCONT)
        tap.equal("datagrams", [there.recv(65536) for _ in many], many)
        source.send_signal(signal.SIGINT)
        tap.equal("submitted", way.result(source)["ends"]["acknowledged"], 74)
        times = {row["submitted_ns"] for row in w.rows("sent.csv", SENT_TIMES)[4:]}
        tap.equal("times of 32, 32 and 6", len(times), 3)
        tap.equal("delivered", way.result(sink)["delivered"], 74)


def test_too_long_output():
    """A message that is too long for a datagram is not given, and counted."""
    with Line() as w:
        w.sink.link("lo", True)
        sink = w.recv("--output udp:127.0.0.1:7001")
        w.send("--size 70000 --count 3 --via off --lifetime 20s")
        got = way.result(sink)
        tap.equal("delivered, lost", (got["delivered"], got["lost_output"]), (3, 3))


def test_udp_burst():
    """Each datagram of a burst is submitted, held back because the buffer is full, or dropped by the
    socket. An encoder's large frame is no reason to drop."""
    with Line() as w:
        w.source.link("lo", True)
        w.recv()
        source = w.send("--input udp:7000 --via off --lifetime 20s --buffer 300")
        here = w.source.socket(socket.AF_INET, socket.SOCK_DGRAM)
        wait.until("the port", lambda: ":1B58 " in w.source.run("cat /proc/net/udp6").stdout)
        for burst, lines in (1, 2), (500, 302), (2000, 602):
            # meanwhile the sender reads nothing
            source.send_signal(signal.SIGSTOP)
            for _ in range(burst):
                here.sendto(bytes(1316), ("127.0.0.1", 7000))
            source.send_signal(signal.SIGCONT)
            wait.until("messages", lambda n=lines: w.lines("got.csv") == n, step=0.1)
        source.send_signal(signal.SIGINT)
        sent = way.result(source)
        tap.equal("submitted", sent["ends"]["acknowledged"], 601)
        tap.true(f"socket_drops {sent['socket_drops']}", 0 < sent["socket_drops"] < 1500)
        tap.equal("the others", sent["held_back"], 1900 - sent["socket_drops"])


def test_many_streams():
    """Many streams go into one receiver, each with numbers of its own."""
    with Line() as w:
        sink = w.recv(streams=50)
        sent = way.result(w.send("--streams 50 --count 20 --interval 100ms --via off"))
        got = way.result(sink)
        tap.equal("acknowledged", sent["ends"]["acknowledged"], 1000)
        tap.equal("delivered, streams", (got["delivered"], got["streams"]), (1000, 50))
        tap.equal("numbers", [row["number"] for row in w.rows("sent.csv", SENT_TIMES)],
                  50 * list(range(20)))


def complaints(sniffer):
    """What the packets tell of a receiver without room, in their order: Slow Receiver, and the codes
    of Data Dropped with the number of the packet that was dropped."""
    for packet in filter(None, (dccp.of_udp(frame.packet) for frame in sniffer.drain())):
        whole = dccp.decode(packet)
        for option in whole.options:
            if option.type == dccp.SLOW_RECEIVER:
                yield "slow", None
            elif option.type == dccp.DATA_DROPPED:
                for distance, code in enumerate(dccp.read_data_dropped(option.value)):
                    if code is not None:
                        yield code, whole.ack - distance


def test_stalled():
    """A program that does not read its pipe stops no stream: the sender hears of a slow receiver
    first, then of data dropped for want of room. When the program reads again, it gets all. Each
    packet that was dropped is counted at both ends and sent again once."""
    for ccid in 2, 3:
        with Line() as w:
            data = bytes_of(300_000)
            with open(w.path("input"), "wb") as file:
                file.write(data)
            acks = sniff.Sniffer(w.source, "s0")
            reader, writer = os.pipe()
            sink = w.recv("--order ordered --buffer 50 --output -", stdout=writer)
            os.close(writer)
            with open(w.path("input"), "rb") as file:
                source = w.send(f"--input - --size 1000 --via off --control reliable --ccid {ccid}",
                                stdin=file)
            heard = []
            wait.until("dropped data", lambda h=heard, a=acks: h.extend(complaints(a)) or
                       2 in dict(h), step=0.1)
            tap.equal("first", (heard[0][0], set(dict(heard))), ("slow", {"slow", 2}))
            with open(reader, "rb") as file:
                tap.true("bytes", file.read() == data)
            sent, got = way.result(source), json.loads(sink.stderr.read())
            tap.equal("acknowledged, delivered",
                      (sent["ends"]["acknowledged"], got["delivered"]), (300, 300))
            heard.extend(complaints(acks))
            dropped = {number for code, number in heard if code == 2}
            tap.true(f"dropped: {len(dropped)}", dropped)
            pieces, there = sent["packets"], got["packets"]
            # an Ack of CCID 3 may be so late that a piece is sent again without need
            tap.within("needless", pieces["needless"], 0, ccid - 2)
            tap.equal("pieces", pieces["pieces"], 300 + len(dropped) + pieces["needless"])
            tap.equal("repeats", pieces["repeats"], len(dropped) + pieces["needless"])
            tap.equal("the receiver's", (got["full"], there["pieces"], there["needless"]),
                      (len(dropped), pieces["pieces"], pieces["needless"]))


def test_signals():
    """A signal ends either command in order. What the sender has submitted still arrives."""
    with Line() as w:
        sink = w.recv()
        source = w.send("--via off --interval 20ms")
        wait.until("messages", lambda: w.lines("got.csv") > 50, step=0.1)
        source.send_signal(signal.SIGINT)
        sent, got = way.result(source), way.result(sink)
        tap.equal("acknowledged", sent["ends"]["acknowledged"], sent["submitted"])
        tap.equal("delivered", got["delivered"], sent["submitted"])
    with Line() as w:
        sink = w.recv()
        source = w.send("--via off --interval 20ms")
        wait.until("messages", lambda: w.lines("got.csv") > 50, step=0.1)
        sink.send_signal(signal.SIGINT)
        way.result(sink)
        sent = json.loads(source.communicate()[0])
        tap.equal("the sender's end", (source.returncode, sent["end"]), (1, "closed"))
        ends = sent["ends"]
        tap.equal("sum", ends["acknowledged"] + ends["closed"], sent["submitted"])


def refused(w, words, message):
    """A sender says why it does not begin. Nobody listens, so it would not end otherwise."""
    process = w.send(words)
    out, err = process.communicate()
    tap.equal(words, (process.returncode, out, err), (2, "", f"freshlink send: {message}\n"))


def test_bad_input():
    """Wrong input is refused, and the message says where and what was expected."""
    priority = "a priority of 0 to 255, or nothing"
    with Line() as w:
        trace = w.path("trace")
        for text, line, column, expected in (
                ("0,100\n1,0\n", 2, 2, "a size of 1 to 1048576 bytes"),
                (f"0,{LARGEST + 1}\n", 1, 2, "a size of 1 to 1048576 bytes"),
                ("# one\n1,100\n0.5,100\n", 3, 1,
                 "a time in seconds that is not below the line before, such as 0.040"),
                ("0,100,5\n", 1, 3, "a lifetime such as 300ms, up to 4294s, or nothing"),
                ("0,100,5s,256\n", 1, 4, priority), ("0,100,5s,1,1\n", 1, 4, priority)):
            w.path("trace", text)
            refused(w, f"--input {trace}",
                    f"--input {trace}: line {line}, column {column}: expected {expected}")
        refused(w, "--input -", "--input -: expected --size, the bytes of a message")
        refused(w, "--input - --size 1000 --streams 2", "--streams 2: expected 1 with --input -")
        refused(w, f"--size {LARGEST + 1}", f"--size {LARGEST + 1}: expected a size in b, kb, mb "
                "or gb from 1b to 1mb")


def test_short_lifetime():
    """A lifetime below the least round-trip time, of the stream or of a line, is taken with a
    warning that has both. It comes once, also if no message is sent."""
    with Line() as w:
        lines = w.path("trace", "".join(f"{n / 100},100,10ms\n" for n in range(50)))
        for words, lifetime in (("--lifetime 35ms --control none", "35ms"),
                                ("--lifetime 10ms", "10ms"), (f"--input {lines}", "10ms"),
                                ("--lifetime 45ms", ""), ("", ""),
                                ("--control reliable", "")):
            sink = w.recv()
            sent = w.send(f"{words} --count 50 --via off").communicate()
            sink.communicate()
            tap.equal(f"submitted ({words})", json.loads(sent[0])["submitted"], 50)
            warning = re.fullmatch("freshlink send: a lifetime of (.*) is below the least "
                                   "round-trip time of (40.{0,3}m|400..u)s: nothing that is lost "
                                   "can be repeated in time\n", sent[1])
            tap.equal(f"warning ({words})", warning[1] if warning else sent[1], lifetime)


def asked(path, *lines):
    """What the socket answers to lines, which are sent at once."""
    with socket.socket(socket.AF_UNIX) as sock:
        sock.settimeout(10)
        sock.connect(path)
        sock.sendall("".join(f"{line}\n" for line in lines).encode())
        with sock.makefile() as answers:
            return [answers.readline().rstrip("\n") for _ in lines]


def test_tune():
    """Either command takes a lifetime while it runs; the smaller one counts. A wrong line changes
    nothing. Only the owner may use the socket, which goes with the command."""
    ranges = "expected a time in s, ms, us or ns from 1ms to 4294s"
    with Line() as w:
        at, there = w.path("send"), w.path("recv")
        w.recv(f"--tune {there}")
        source = w.send(f"--via off --lifetime 500ms --tune {at}")
        wait.until("messages", lambda: w.lines("got.csv") > 20, step=0.1)
        tap.equal("mode", stat.S_IMODE(os.stat(at).st_mode), 0o600)
        tap.equal("wrong", asked(at, "bogus", "lifetime 5", "lifetime"),
                  ["expected lifetime TIME, overhead NUMBER or latency TIME",
                   *2 * (f"lifetime: {ranges}",)])
        tap.equal("right", asked(at, "lifetime 400ms"), ["ok"])
        tap.equal("overhead", asked(at, "overhead 0", "overhead 101", "overhead"),
                  ["ok", *2 * ("overhead: expected a number from 0 to 100",)])
        tap.equal("a receiver has none", asked(there, "overhead 0"),
                  ["expected lifetime TIME or latency TIME"])
        time.sleep(0.5)
        tap.equal("right", asked(there, "latency 1s", "lifetime 300ms"), ["ok", "ok"])
        time.sleep(0.5)
        # clients that send nothing, or no end of a line, block nothing
        idle = [socket.socket(socket.AF_UNIX) for _ in range(6)]
        for sock in idle:
            sock.connect(at)
            sock.send(b"x" * 200)
        before = w.lines("got.csv")
        wait.until("more messages", lambda: w.lines("got.csv") > before, step=0.1)
        source.send_signal(signal.SIGINT)
        way.result(source)
        lives = [row["deadline_ns"] - row["submitted_ns"] for row in w.rows("sent.csv", SENT_TIMES)]
        tap.equal("lifetimes", list(dict.fromkeys(lives)), [500 * MS, 400 * MS, 300 * MS])
        tap.true("the socket is gone", not os.path.exists(at))


def test_tune_overhead():
    """Without overhead nothing is repeated any more, though the channel loses packets."""
    with Line(loss=100_000, seed=1) as w:
        at = w.path("send")
        sink = w.recv()
        source = w.send(f"--via off --lifetime 300ms --overhead 0 --count 400 --tune {at}")
        wait.until("messages", lambda: w.lines("got.csv") > 100, step=0.1)
        tap.equal("answer", asked(at, "overhead 1"), ["ok"])
        sent, _ = way.result(source), way.result(sink)
        rows = w.rows("sent.csv", SENT_TIMES)
        # CCID 2 may not let all pass
        tap.equal("repeats of the first", [row for row in rows[:50] if row["attempts"] > 1], [])
        tap.true("some are repeated", sent["packets"]["repeats"] > 5)


def ages(w, words, changes):
    """How old messages of a paced stream are when they are given, by the sender's clock, with
    changes of the receiver's latency, one a second. Each message is given once, by number."""
    at = w.path("recv")
    sink = w.recv(f"--order paced --tune {at}")
    source = w.send(f"--via off --interval 10ms {words}")
    for change in changes:
        time.sleep(1)
        tap.equal(change, asked(at, change), ["ok"])
    time.sleep(1)
    source.send_signal(signal.SIGINT)
    sent, got = way.result(source), way.result(sink)
    rows = sorted(w.rows("got.csv", GOT_TIMES), key=lambda row: row["given_ns"])
    tap.equal("numbers", [row["number"] for row in rows], list(range(sent["submitted"])))
    tap.equal("given", (got["delivered"], got["missing"]), (sent["submitted"], 0))
    submitted = [row["submitted_ns"] for row in w.rows("sent.csv", SENT_TIMES)]
    return [row["given_ns"] - submitted[row["number"]] for row in rows]


def steps(values, of):
    """The parts of a list whose values are about the same: (value, how many)."""
    found = []
    for value in values:
        nearest = min(of, key=lambda level: abs(value - level))
        if abs(value - nearest) > MS:
            found.append(["else", 1])
        elif found and found[-1][0] == nearest:
            found[-1][1] += 1
        else:
            found.append([nearest, 1])
    return found


def test_tune_latency():
    """The latency of a paced stream changes by what the receiver says, from the message on that is
    given next; before, without a latency, it is the lifetime. With a shorter one, what is over its
    time is given at once."""
    for ccid in 2, 3:
        with Line() as w:
            found = ages(w, f"--ccid {ccid} --lifetime 300ms",
                         ("latency 100ms", "latency 160ms", "latency 130ms"))[LEARNT:]
            levels = [level * MS for level in (300, 100, 160, 130)]
            parts = steps(found, levels)
            whole = [part for part in parts if part[0] != "else" and part[1] > 2]
            tap.equal("latencies", [part[0] for part in whole], levels)
            # those that were given at once, when 300 ms became 100, and 160 ms became 130
            between = [age for age in found if min(abs(age - level) for level in levels) > MS]
            tap.within("messages between", len(between), 18, 22)


def test_tune_wish():
    """The sender's wish for a latency counts if the receiver has none, and the shorter lifetime of
    both ends."""
    with Line() as w:
        at = w.path("send")
        sink = w.recv(f"--order paced --lifetime 250ms --tune {w.path('recv')}")
        source = w.send(f"--via off --interval 10ms --lifetime 400ms --tune {at}")
        for change in "latency 200ms", "latency 90ms", "lifetime 80ms":
            time.sleep(1)
            tap.equal(change, asked(at, change), ["ok"])
        time.sleep(1)
        tap.equal("no wish of the sender counts", asked(w.path("recv"), "lifetime 4s",
                                                        "latency 60ms"), ["ok", "ok"])
        time.sleep(1)
        source.send_signal(signal.SIGINT)
        sent, got = way.result(source), way.result(sink)
        tap.equal("given", (got["delivered"], got["missing"]), (sent["submitted"], 0))
        rows = w.rows("sent.csv", SENT_TIMES)
        lives = [row["deadline_ns"] - row["submitted_ns"] for row in rows]
        tap.equal("lifetimes", list(dict.fromkeys(lives)), [400 * MS, 250 * MS, 80 * MS])
        found = [got["given_ns"] - row["submitted_ns"]
                 for row, got in zip(rows, w.rows("got.csv", GOT_TIMES))]
        levels = [level * MS for level in (250, 200, 90, 80, 60)]
        parts = [part for part in steps(found, levels) if part[0] != "else" and part[1] > 2]
        tap.equal("latencies", [part[0] for part in parts], levels)


def test_tune_clients():
    """Several programs use the socket at once, each with answers of its own; others that are not
    its owner cannot. What is no line is refused, and the line after it is taken."""
    with Line() as w:
        at = w.path("send")
        w.recv()
        w.send(f"--via off --tune {at}")
        wait.until("messages", lambda: w.lines("got.csv") > 5, step=0.1)
        clients = [socket.socket(socket.AF_UNIX) for _ in range(4)]
        expected = "expected lifetime TIME, overhead NUMBER or latency TIME\n"
        for sock in clients:
            sock.settimeout(10)
            sock.connect(at)
            sock.send(b"lifetime ")
        for number, sock in enumerate(clients):
            sock.send((b"1s\n", b"1\n", b"\xff\0\n", b"\n \n\0lifetime 1s\nlifetime 2s\n")[number])
        ranges = "lifetime: expected a time in s, ms, us or ns from 1ms to 4294s\n"
        wanted = ("ok\n", ranges, ranges, ranges + 2 * expected + "ok\n")
        for number, sock in enumerate(clients):
            answer = ""
            while answer.count("\n") < wanted[number].count("\n"):
                answer += sock.recv(1000).decode()
            tap.equal(f"client {number}", answer, wanted[number])
        tap.equal("another user", refused_as_nobody(at), "Permission denied")


def refused_as_nobody(path):
    """The error of a connection by another user."""
    script = f"import socket; socket.socket(socket.AF_UNIX).connect({path!r})"
    process = subprocess.run([sys.executable, "-c", script], user=child.NOBODY, group=child.NOBODY,
                             extra_groups=[], stderr=subprocess.PIPE, text=True, check=False)
    return process.stderr.strip().split("] ")[-1]


def test_tune_path():
    """The socket of a dead process is replaced. A file and a socket in use are refused."""
    with Line() as w:
        path = w.path("socket")
        used = "expected no file, or a socket that no process uses"
        with socket.socket(socket.AF_UNIX) as sock:
            sock.bind(path)
            sock.listen()
            refuse_tune(w, path, used)
        w.path("file", "x")
        refuse_tune(w, w.path("file"), used)
        w.recv(f"--tune {path}")
        tap.equal("answer", asked(path, "lifetime 1s"), ["ok"])


def refuse_tune(w, path, message):
    process = w.start(w.sink, f"recv --tune {path}")
    _, err = process.communicate()
    tap.equal("refused", (process.returncode, err),
              (1, f"freshlink recv: --tune {path}: {message}\n"))


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
