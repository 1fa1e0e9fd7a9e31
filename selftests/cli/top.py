#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink top shows in a terminal what lpd, its class, freshlink pace and the flows do. Its keys
work, the terminal is left as it was, and what others send does not disturb it."""
# run.sh: needs: simulated time
# run.sh: once: what a command prints does not depend on the kernel
import contextlib
import json
import os
import re
import shlex
import socket
import subprocess
import tempfile
import time

from cli import tools
from cli.export import everything, tc
from cli.namespace import freshlink, namespace
from lib import kmod, modem, tap, wait

FRESHLINK = tools.FRESHLINK
COLUMNS, ROWS = 110, 30
STEP = 0.1              # seconds between two looks at the screen, which start a process each
WITHOUT = "setpriv --bounding-set=-{0} --inh-caps=-{0}"


class Terminal:
    """A program in a terminal of tmux, which runs in a namespace."""

    def __init__(self, ns, command, columns=COLUMNS, rows=ROWS):
        self.ns, self.folder = ns, tempfile.TemporaryDirectory()
        # the shell stays when the program has ended, so its screen can be read
        shell = f"trap : INT; {command}; echo ended $?; exec cat"
        self.tmux("new-session", "-d", "-x", str(columns), "-y", str(rows),
                  f"env PS1= TERM=screen sh -c {shlex.quote(shell)}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tmux("kill-server", check=False)
        self.folder.cleanup()

    def tmux(self, *words, check=True):
        return self.ns.run(["tmux", "-S", os.path.join(self.folder.name, "socket"), "-f",
                            "/dev/null", *words], check=check).stdout

    def screen(self):
        return self.tmux("capture-pane", "-p")

    def press(self, *keys):
        self.tmux("send-keys", *keys)

    def resize(self, columns, rows):
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def shows(self, pattern):
        """Wait until the screen shows a pattern. Returns the match."""
        try:
            return wait.until(pattern, lambda: re.search(pattern, self.screen(), re.M), step=STEP)
        except tap.Failed:
            tap.note(self.screen())
            raise

    def hides(self, pattern):
        wait.until(f"{pattern} is gone", lambda: not re.search(pattern, self.screen(), re.M),
                   step=STEP)


@contextlib.contextmanager
def queue():
    """A namespace with lpd on v0."""
    kmod.insmod("sch_lpd")
    with namespace() as ns:
        tc(ns, "qdisc replace dev v0 root handle 9: lpd share 0")
        yield ns


def qdisc(m):
    """lpd on cell0, as tc prints it."""
    return json.loads(tc(m.left.ns, "-s -j qdisc show dev cell0"))[0]


@contextlib.contextmanager
def stream(m, rate="4mbit", seconds=60):
    """A stream with lifetimes, for which the link is too slow. The queue is full at first."""
    dropped = qdisc(m)["overflow_limit"]
    sink = m.start("traffic sink -j --idle 8s", m.right.ns)
    tap.equal("the sink", sink.stderr.readline(), "receiving on port 5001\n")
    with modem.large_send_buffers():
        source = m.start(f"traffic source {modem.RIGHT} --rate {rate} --size 1000 --duration "
                         f"{seconds}s --lifetime 300ms -j")
        wait.until("packets are dropped", lambda: qdisc(m)["overflow_limit"] > dropped, step=STEP)
        yield
        source.kill()


def test_screen():
    """The screen shows the link's rate, what waits, the lifetimes left, what is discarded and why,
    the estimate of freshlink pace, and the flow with its rate. In 4 s the sample has some 250 packets,
    so its rate is wrong by a sixteenth (watch.rst)."""
    with everything() as (m, _), stream(m), \
            Terminal(m.left.ns, f"{FRESHLINK} top cell0 --delay 4s --sample 4") as t:
        found = t.shows(r"^cell0 +8: +(\S+)M +(\S+)k (\S{10}) +(\S+)M +(\S+)ms +(\S+) "
                        ".*stale_timer")
        flow = t.shows(r"^cell0 +(\S+)M +\d+% +udp 10.1.0.1:\d+ > 10.1.0.2:5001$")
        screen = t.screen()
    tap.note(screen)
    tap.within("rate", float(found[1]), 1.8, 2.1)
    tap.within("backlog", float(found[2]), 30, 110)
    tap.true("lifetimes left", re.fullmatch(r"[.0-9#]+", found[3]))
    tap.within("estimate", float(found[4]), 1.8, 2.1)
    tap.within("delay", int(found[5]), 20, 60)
    tap.within("discarded", float(found[6]), 150, 350)
    tap.within("rate of the flow", float(flow[1]), 1.4, 2.6)
    tap.true("the class", " 8:1 " in screen)
    tap.true("timeouts", "\ntimeouts moved: 0/s\n" in screen)
    tap.true("other devices are left out", "arq0" not in screen)


def test_keys():
    """Each key does what the help says, and q gives the terminal back."""
    with queue() as ns, Terminal(ns, f"{FRESHLINK} top --delay 3600s; stty -a", rows=50) as t:
        t.shows(r"^v0 +9: ")
        t.shows("every 3600 s$")
        t.press("h")
        t.shows("^  space +look now$")
        t.press("x")
        t.shows(r"^v0 +9: ")
        t.press("i")
        t.hides(r"^v0 +9: ")
        t.press("i")
        t.shows(r"^v0 +9: ")
        t.press("d")
        t.shows("new delay in s: _")
        t.press("1", "q", "5", "BSpace")
        t.shows("new delay in s: 1_")
        t.press("Escape")
        t.shows("every 3600 s$")
        t.press("s")
        t.press("0", ".", "5", "Enter")
        t.shows("every 0.5 s$")
        first = t.shows(r"top - (\S+),")[1]
        wait.until("another look", lambda: t.shows(r"top - (\S+),")[1] != first, step=STEP)
        t.press("d", "9", "9", "Enter")
        t.shows("every 99 s$")
        first = t.shows(r"top - (\S+),")[1]
        time.sleep(2)
        tc(ns, "qdisc replace dev v1 root handle a: lpd")
        tap.true("no look yet", not re.search("^v1 ", t.screen(), re.M))
        t.press("Space")
        t.shows("^v1 +a: ")
        t.press("q")
        t.shows("^ended 0$")
        t.shows(r" icanon .*\n?.* echo ")


def test_signal():
    """Ctrl-C and a hangup of the terminal end it. The terminal is given back."""
    with namespace() as ns:
        with Terminal(ns, f"{FRESHLINK} top") as t:
            t.shows("^no lpd and no arqlink is there")
            t.press("C-c")
            t.shows("^ended 0$")
        with tempfile.NamedTemporaryFile("r") as file:
            with Terminal(ns, f"sh -c 'echo $$ > {file.name}; exec {FRESHLINK} top'") as t:
                t.shows("^no lpd and no arqlink is there")
            wait.until("the end", lambda number=file.read().strip():
                       not os.path.exists(f"/proc/{number}/fd"))


def test_size():
    """The lines fit any size of the terminal, also after it has changed."""
    with queue() as ns, Terminal(ns, f"{FRESHLINK} top") as t:
        t.shows("BY CAUSE$")
        for columns, rows in ((40, 3), (20, 1), (150, 40)):
            t.resize(columns, rows)
            wait.until("a screen of the size", lambda: t.shows("^fresh") and max(
                len(line) for line in t.screen().splitlines()) <= columns, step=STEP)
        t.shows("BY CAUSE$")
        t.press("q")
        t.shows("^ended 0$")


def test_modem_comes_back():
    """A device that disappears is awaited, and shown when it is there again under another index."""
    with queue() as ns:
        ns.ip("link add m0 type dummy", "link set m0 up")
        tc(ns, "qdisc replace dev m0 root handle 7: lpd")
        with Terminal(ns, f"{FRESHLINK} top m0 --delay 1s --sample 1") as t:
            t.shows("^m0 +7: ")
            ns.ip("link del m0")
            t.shows("the device is not there")
            t.hides("^m0 +7: ")
            ns.ip("link add m0 type dummy", "address add 203.0.113.1/24 dev m0", "link set m0 up",
                  "neighbour add 203.0.113.2 lladdr 02:00:00:00:00:09 dev m0")
            tc(ns, "qdisc replace dev m0 root handle 6: lpd")
            t.shows("^m0 +6: ")
            with ns.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
                def sent():
                    sock.sendto(bytes(100), ("203.0.113.2", 7))
                    return re.search("^m0 .*udp 203.0.113.1:.* > 203.0.113.2:7$", t.screen(), re.M)

                wait.until("the flow", sent, step=0.1)


def test_foreign_bytes():
    """A device with a name that would control the terminal is shown as \\xNN."""
    with queue() as ns:
        name = b"e\x1b[2J\xff"
        ns.run([b"ip", b"link", b"add", name, b"type", b"dummy"])
        ns.run([b"tc", b"qdisc", b"add", b"dev", name, b"root", b"handle", b"5:", b"lpd"])
        with Terminal(ns, f"{FRESHLINK} top") as t:
            t.shows(r"^e\\x1b\[2J\\xff +5: ")


def test_hostile_packets():
    """Packets of any bytes, and thousands of flows, leave the screen readable. The largest flow
    stays on top."""
    with queue() as ns:
        ns.ip("link add m0 type dummy", "link set m0 up")
        tc(ns, "qdisc replace dev m0 root handle 7: lpd")
        with ns.socket(socket.AF_PACKET, socket.SOCK_RAW) as raw, \
                Terminal(ns, f"{FRESHLINK} top m0 --delay 1s --sample 1 --flows 3") as t:
            raw.bind(("m0", 0))
            t.shows("^m0 +7: ")

            def attack():
                for number in range(300):
                    raw.send(bytes(12) + os.urandom(2 + number % 90))
                    raw.send(bytes(12) + b"\x08\x00\x45" + os.urandom(number % 60 + 1))
                    raw.send(bytes(12) + b"\x86\xdd\x60" + os.urandom(number % 60 + 1))
                    raw.send(bytes(12) + b"\x88\xcc" + bytes(1400))
                return re.search(r"FLOW\s+m0 +\S+ +\d+%  0x88cc$", t.screen(), re.M)

            wait.until("the largest flow", attack, step=0.1)
            t.press("q")
            t.shows("^ended 0$")


def test_batch():
    """--batch prints the screen as text, as often as --count says, also without a terminal. The
    counters of tc agree with it."""
    with everything() as (m, _), stream(m):
        before = qdisc(m)
        out = m.left.ns.run(f"{FRESHLINK} top cell0 --batch --count 2 --delay 2s").stdout
        after = qdisc(m)
    tap.note(out)
    looks = out.strip().split("\n\nfreshlink top")
    tap.equal("looks", len(looks), 2)
    lost = [float(re.search(r"stale_timer (\S+)", look)[1]) for look in looks]
    tap.within("discarded", sum(2 * rate for rate in lost),
               after["stale_timer"] - before["stale_timer"] - 2,
               after["stale_timer"] - before["stale_timer"] + 2)


def test_no_flows():
    """With --flows 0 there is no packet socket, and no word about flows."""
    with queue() as ns, ns.inside(), tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen([FRESHLINK, "top", "--batch", "--flows", "0", "--delay", "1s"],
                                   stdout=out)
        wait.until("output", lambda: os.fstat(out.fileno()).st_size, step=STEP)
        with open("/proc/thread-self/net/packet") as file:
            tap.equal("packet sockets", len(file.readlines()), 1)
        process.terminate()
        tap.equal("end", process.wait(), 0)
        out.seek(0)
        tap.true("flows", "lpd" not in out.read() and "flow" not in out.read())


def test_privileges():
    """Without CAP_NET_RAW there are no flows, and without CAP_NET_ADMIN no timeouts. Both are
    said. With both, root becomes nobody and keeps CAP_NET_ADMIN only."""
    kmod.insmod("xlo_rto")
    with queue() as ns:
        for capability, message in (("net_raw", "flows: unknown without CAP_NET_RAW"),
                                    ("net_admin", "timeouts moved: unknown, without xlo_rto or "
                                     "CAP_NET_ADMIN")):
            done = ns.run(f"{WITHOUT.format(capability)} {FRESHLINK} top --batch --count 1 "
                                 "--delay 100ms")
            tap.equal(f"messages without {capability}", done.stderr, "")
            tap.true(f"without {capability}: {message}", f"\n{message}\n" in done.stdout)
        with ns.inside():
            process = subprocess.Popen([FRESHLINK, "top", "--batch", "--delay", "3600s"])
        try:
            def facts():
                with open(f"/proc/{process.pid}/status") as file:
                    found = dict(line.split(":\t", 1) for line in file.read().splitlines())
                return found["Uid"].split()[1], int(found["CapEff"], 16)

            wait.until("it is nobody", lambda: facts() == ("65534", 1 << 12))
        finally:
            process.terminate()
        tap.equal("end", process.wait(), 0)


def test_refused():
    """A device that is not there, and a terminal that is none, are refused."""
    with namespace() as ns:
        freshlink(ns, "top nodev --batch", 1, "nodev: no such network device")
        freshlink(ns, "top v0", 1, "expected a terminal, or --batch")
        with Terminal(ns, f"TERM=none {FRESHLINK} top") as t:
            t.shows("^freshlink top: expected a terminal, or --batch$")
            t.shows("^ended 1$")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
