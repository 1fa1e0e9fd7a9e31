#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink trace log writes each packet of a cellink device in the format of mahimahi's tools: the
time at which the packet arrived, and the time at which it left or was lost. The command also writes
each opportunity to send."""
# run.sh: once: what a command prints does not depend on the kernel
import collections
import ctypes
import glob
import os
import re
import signal
import subprocess
import tempfile
import time

from cli import tools
from lib import cell, child, packet as pkt, tap, wait

LINE = re.compile(r"(\d+) (?:([+#]) (\d+)|(-) (\d+) (\d+)|(d) (1) (\d+))")
HEADER = re.compile(r"# freshlink trace log \(cell0\), as mahimahi mm-link\n"
                    r"# init timestamp: \d+\n# base timestamp: 0\n")
SIZE = 1000
LIBC, PR_SET_NAME = ctypes.CDLL(None), 15


class Log:
    """A log of the left device, in a file, while a block runs. Afterwards the attributes `came`,
    `left`, `lost` and `chances` contain the packets and opportunities of the file."""

    def __init__(self, pair, words="", status=0, message=""):
        self.pair, self.words, self.status, self.message = pair, words, status, message
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "log")

    def __enter__(self):
        with self.pair.left.ns.inside():
            self.process = subprocess.Popen(
                [tools.FRESHLINK, "trace", "log", "cell0", "--output", self.path,
                 *self.words.split()], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait.until("the log begins", lambda: os.path.exists(self.path) and self._text())
        return self

    def _text(self):
        with open(self.path) as file:
            return file.read()

    def __exit__(self, kind, *_):
        self.process.send_signal(signal.SIGINT)
        out, errors = self.process.communicate(timeout=60)
        self.text = self._text()
        self.folder.cleanup()
        if kind is None:
            tap.equal("status and output", (self.process.returncode, out), (self.status, ""))
            tap.true(f"message {errors!r} matches {self.message!r}",
                     re.fullmatch(self.message, errors))
            self._parse()
        tap.equal("instances that are left in tracefs",
                  glob.glob("/sys/kernel/tracing/instances/freshlink-*"), [])

    def _parse(self):
        header = HEADER.match(self.text)
        tap.true(f"header: {self.text[:200]!r}", header)
        self.came, self.left, self.lost, self.chances = [], [], [], []
        last = 0
        for line in self.text[header.end():].splitlines():
            if line.startswith("# "):
                continue
            match = LINE.fullmatch(line)
            tap.true(f"line {line!r} has the format", match)
            at = int(match[1])
            tap.true(f"line {line} is in the order of time", at >= last)
            last = at
            if match[2]:
                (self.came if match[2] == "+" else self.chances).append((at, int(match[3])))
            elif match[4]:
                self.left.append((at, int(match[5]), int(match[6])))
                tap.true(f"the delay is not longer than the log: {line}", int(match[6]) <= at)
            else:
                self.lost.append((at, int(match[9])))


def send(pair, count, size=SIZE, pause=0):
    port = pair.port()
    for number in range(count):
        port.send(cell.packet(number, size))
        if pause:
            time.sleep(pause)
    port.close()


def test_trace():
    """Each packet leaves at an opportunity, with the same number of bytes, after the logged delay.
    The log also contains the opportunities at which no packet waits."""
    lines = [5, 5, 5, 20, 40]
    with cell.Pair(ring_packets=100) as pair:
        pair.left.follow(lines)
        with Log(pair) as log:
            send(pair, 10, 700)
            pair.left.expect(delivered=10)
            time.sleep(0.5)
            send(pair, 3, 700)
            pair.left.expect(delivered=13)
        tap.equal("bytes", {size for _, size in log.came}, {700})
        tap.equal("came and left", (len(log.came), len(log.left), log.lost), (13, 13, []))
        tap.equal("delays", [at - delay for at, _, delay in log.left],
                  [at for at, _ in log.came])
        moments = collections.Counter(at for at, size in log.chances)
        tap.equal("bytes of an opportunity", {size for _, size in log.chances}, {1504})
        tap.true("each leaves at one", {at for at, _, _ in log.left} <= set(moments))
        for at, count in moments.items():
            tap.within("bytes at a moment", sum(size for when, size, _ in log.left if when == at),
                       0, 1504 * count + 700)
        # from the first packet on, no opportunity is missing: 3 after 5 ms, 1 after 15 ms, 1 after
        # 20 ms
        counts = list(moments.values())
        start = (counts + counts).index(3)
        tap.true(f"opportunities: {counts}",
                 all(count == (3, 1, 1)[(number - start) % 3] for number, count in
                     enumerate(counts)))
        gaps = [b - a for a, b in zip(sorted(moments), sorted(moments)[1:])]
        for number, gap in enumerate(gaps):
            tap.within("gap", gap, *{0: (14, 16), 1: (19, 21), 2: (4, 6)}[(number - start) % 3])
        tap.true("as long as the log", len(moments) >= 3 * 500 // 40)


def test_rate_and_losses():
    """If the device has a rate, the log contains no opportunities. Each packet has left or was
    lost, in agreement with the counters."""
    with cell.Pair(rate=100_000, loss=300_000, seed=1) as pair:
        with Log(pair) as log:
            send(pair, 100)
            pair.left.expect(sent=100, held=0)
        counters = pair.left.counters()
        tap.equal("came", [size for _, size in log.came], [SIZE] * 100)
        tap.equal("lost", [size for _, size in log.lost], [SIZE] * counters["lost"])
        tap.true("some packets are lost", counters["lost"])
        tap.equal("left", [size for _, size, _ in log.left], [SIZE] * counters["delivered"])
        tap.equal("opportunities", log.chances, [])


def test_directly():
    """If the device does not delay packets, each packet leaves at the time of its arrival."""
    with cell.Pair() as pair:
        with Log(pair) as log:
            send(pair, 7)
            pair.left.expect(delivered=7)
        tap.equal("came", [size for _, size in log.came], [SIZE] * 7)
        tap.equal("left", log.left, [(at, size, 0) for at, size in log.came])


def test_from_then_on():
    """The log does not contain packets that arrived before the log began, although these packets
    leave during the log."""
    with cell.Pair(rate=10_000) as pair:
        send(pair, 5)
        with Log(pair) as log:
            send(pair, 3)
            pair.left.expect(delivered=8)
        tap.equal("left", len(log.left), len(log.came))
        # two of the first five packets were in the ring before the log began
        tap.within("came", len(log.came), 4, 6)


def test_named_like_an_event():
    """The name of the process that sends never becomes part of an event."""
    with cell.Pair() as pair:
        with Log(pair) as log:
            for name in (b" at=1", b": cell_drop: ", b"[LOST 9 "):
                tap.equal("prctl", LIBC.prctl(PR_SET_NAME, name), 0)
                send(pair, 5)
            pair.left.expect(delivered=15)
        tap.equal("prctl", LIBC.prctl(PR_SET_NAME, b"trace_log"), 0)
        tap.equal("came", [size for _, size in log.came], [SIZE] * 15)
        tap.equal("left and lost", (len(log.left), log.lost), (15, []))


def test_one_device():
    """The log contains neither packets of the other direction nor packets of a device with the same
    ifindex in another namespace."""
    with cell.Pair() as pair, cell.Pair() as other:
        index = {end.netlink.ifindex("cell0") for end in (pair.left, other.left)}
        tap.equal("the same number", len(index), 1)
        with Log(pair) as log:
            send(other, 5)
            port = cell.port.Port(pair.right.ns, "cell1", ethernet=True)
            port.send(cell.packet(0, 100))
            send(pair, 2)
            for end, count in ((pair.left, 2), (pair.right, 1), (other.left, 5)):
                end.expect(delivered=count)
        tap.equal("in the log", len(log.came), 2)


def test_duration_and_output():
    """The command ends when the requested duration is over. Without a file the command writes to
    standard output."""
    with cell.Pair() as pair:
        start = time.monotonic()
        done = pair.left.ns.run(f"{tools.FRESHLINK} trace log cell0 --duration 300ms")
        tap.true(done.stdout, HEADER.fullmatch(done.stdout))
        tap.within("time", time.monotonic() - start, 0.3, 20)
        done = pair.left.ns.run(f"{tools.FRESHLINK} trace log cell0 --duration 1ms --output "
                                "/nowhere/x", check=False)
        tap.equal("a bad file", (done.returncode, done.stdout, done.stderr),
                  (1, "", "freshlink trace log: --output /nowhere/x: expected a file that can be "
                   "written: No such file or directory\n"))


def test_too_fast():
    """If events are lost because nobody reads them, the log and a message contain the number of
    lost events, and the status is 1. No other event is missing."""
    with cell.Pair() as pair:
        count = 60_000
        with Log(pair, status=1, message=r"freshlink trace log: \d+ events came too fast and are "
                 r"missing in the log\n") as log:
            log.process.send_signal(signal.SIGSTOP)
            os.waitpid(log.process.pid, os.WUNTRACED)
            pair.flood([pkt.ipv4(b"", pkt.body(0, 20))] * count)
            pair.left.expect(delivered=count)
            log.process.send_signal(signal.SIGCONT)
        lost = int(re.search(r"^# lost: (\d+)$", log.text, re.M)[1])
        tap.equal("events", len(log.came) + len(log.left) + lost, 2 * count)


def test_refused():
    """The command refuses a device that is not a cellink, and a user who may not use tracefs. The
    output file stays unchanged."""
    with cell.Pair() as pair, tempfile.NamedTemporaryFile("r+") as old:
        old.write("old")
        old.flush()
        for words, message in (("nodev", "nodev: no such network device"),
                               ("lo", "lo: expected a cellink device")):
            done = pair.left.ns.run(f"{tools.FRESHLINK} trace log {words} --output {old.name}",
                                    check=False)
            tap.equal(words, (done.returncode, done.stdout, done.stderr),
                      (1, "", f"freshlink trace log: {message}\n"))
        os.chmod(old.name, 0o666)

        def as_nobody():
            child.become_nobody()
            return tools.run(tools.FRESHLINK, "trace", "log", "cell0", "--output",
                             old.name).stderr
        with pair.left.ns.inside():
            message = child.answer(as_nobody)
        tap.true(message, re.fullmatch(r"freshlink trace log: /sys/kernel/tracing/instances/"
                                       r"freshlink-\d+: cannot be made: .*: expected root, and "
                                       r"tracefs in /sys/kernel/tracing .*\n", message))
        tap.equal("the file", open(old.name).read(), "old")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
