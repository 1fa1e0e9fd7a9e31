#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Documentation/guide-router.rst, followed literally: a router with a simulated modem does what the
page says, and the commands print what it shows."""
# run.sh: needs: simulated time
# run.sh: once: the page does not depend on the kernel
import os
import re
import shutil
import socket
import tempfile

from cli import tools
from lib import kmod, netns, page, sniff, tap, wait

PAGE = "guide-router.rst"
CONFIG = "/etc/freshlink/router.conf"
MODEM = ("link add wwan0 address 02:00:00:00:00:01 type cellink rate 2mbit delay 20ms buffer 1mb "
         "peer name cell1 address 02:00:00:00:00:02 netns {0} delay 20ms ring_packets 1000")
# of a system with systemd, what the page needs: one unit, and its log
SYSTEMCTL = """#!/bin/sh
stop() { [ ! -e pid ] || kill "$(cat pid)"; rm -f pid; }
cd "${0%/*}"
case "$*" in
"restart --no-block freshlink-pace@wwan0.service")
    stop
    . /run/freshlink/pace-wwan0
    freshlink pace wwan0 $OPTIONS > log 2>&1 &
    echo $! > pid ;;
"is-active -q freshlink-pace@wwan0.service") [ -e pid ] ;;
"stop freshlink-pace@wwan0") stop ;;
*) echo "systemctl: $*" >&2; exit 1 ;;
esac
"""
JOURNALCTL = """#!/bin/sh
[ "$*" = "-u freshlink-pace@wwan0 -o cat" ] && cat "${0%/*}/log"
"""
# ports and times of day; what pace estimates at this moment, and what depends on it: how long packets
# may wait, and so how many wait
CHANCE = (r":\d{5}(?= >)", r"\d\d:\d\d:\d\d", r"/0.\d+ ms", r"[\d.]+k [.\d#]{10}(?= )",
          r"\d+ms(?= +\d)", r"stale_dequeue [\d.]+", r"gate_(delay|window) \d+", r"remaining.*",
          r"queued \d+", r"backlog \d+b \d+p", r"(?<=backlog_bytes).*", r"(?<=valid \d{4} )stale \d+")
STEP = 0.5              # s between two looks, which start a process each
LASTING = ("freshlink reflect", "freshlink traffic")


class Guide(page.Follower):
    """The router, which is the system's first namespace because the unit runs there, a camera and a
    server."""

    def __init__(self, folder):
        for module in ("cellink", "sch_lpd"):
            kmod.insmod(module)
        self.router, self.camera, self.server = netns.First(), netns.Netns(), netns.Netns()
        super().__init__({"router": self.router, "camera": self.camera, "server": self.server},
                         folder, LASTING, CHANCE)
        self.parts = page.sections(PAGE)
        for name, program in (("systemctl", SYSTEMCTL), ("journalctl", JOURNALCTL)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(program)
            os.chmod(file.name, 0o755)
        netns.veth(self.router, "eth0", self.camera, "eth0")
        self.router.ip("address add 192.0.2.1/24 dev eth0", "link set lo up")
        self.router.sysctl("net.ipv4.ip_forward", 1)
        self.camera.ip("address add 192.0.2.9/24 dev eth0", "route add default via 192.0.2.1")
        self.modem()

    def modem(self):
        """A modem appears, and with it the way to the server."""
        self.router.ip(MODEM.format(self.server.path))
        self.router.sysctl("net.ipv6.conf.wwan0.disable_ipv6", 1)
        self.router.ip("address add 203.0.113.9/24 dev wwan0",
                       "link set wwan0 up", "route add default via 203.0.113.1 dev wwan0",
                       "neighbour replace 203.0.113.1 lladdr 02:00:00:00:00:02 dev wwan0")
        self.server.ip("address add 198.51.100.7/24 dev cell1", "address add 203.0.113.1/24 dev cell1",
                       "link set cell1 up", "route add 192.0.2.0/24 via 203.0.113.9",
                       "neighbour replace 203.0.113.9 lladdr 02:00:00:00:00:01 dev cell1")

    def __exit__(self, *_):
        self.type("router", "systemctl stop freshlink-pace@wwan0; ip link delete wwan0; ip link delete eth0;"
                  "ip route del default; rm -rf /etc/freshlink /run/freshlink/pace-wwan0")
        self.router.sysctl("net.ipv4.ip_forward", 0)
        super().__exit__()
        for ns in self.hosts.values():
            ns.close()

    def say(self, title, number=0):
        """Follow a block of a section."""
        self.follow(self.parts[title][number])

    def typed_elsewhere(self, line):
        """Check that a line which only a machine with systemd can carry out is one of packages.rst,
        which lab/selftest installed carries out."""
        tap.true(f"packages.rst: {line}", f"\n    {line}\n" in page.text("packages.rst"))

    def install(self):
        apt, *lines = self.parts["Install"][0].splitlines()
        for line in (apt, *lines):
            self.typed_elsewhere(line)
        shutil.rmtree(os.path.dirname(CONFIG), ignore_errors=True)
        os.makedirs(os.path.dirname(CONFIG))
        for line in lines:
            tap.equal(line, self.type("router", line), (0, ""))
        self.say("Install", 1)
        self.say("Install", 2)

    def keep_out(self):
        part = "Keep packets out of the modem"
        with open(CONFIG, "w", encoding="utf-8") as file:
            file.write(self.parts[part][0])
        self.say(part, 1)
        wait.until("a gate", lambda: "window open" not in self.type(
            "router", "freshlink pace wwan0 --show")[1], step=STEP)
        self.say(part, 2)

    def logs(self, event, times):
        """Wait until the unit has logged an event so many times."""
        def count():
            with open(os.path.join(self.folder, "log"), encoding="utf-8") as file:
                return file.read().count(event)
        wait.until(f"{event}, {times} times", lambda: count() == times, 40)

    def works(self):
        """The stream of the page. No packet has its option behind the router, and all are fresh."""
        part = "See that it works"
        sniffer = sniff.Sniffer(self.server, "cell1")
        self.say(part, 0)
        sink, source = self.running[-2:]
        wait.until("packets", lambda: self.counter("packets_out") > 2800, step=STEP)
        for number in (1, 2, 3):
            self.say(part, number)
        tap.within("packets that wait", self.counter("queued"), 45, 80)
        seen = [frame.packet for frame in sniffer.until("1000 packets", lambda frames: len(frames) > 1000)]
        video = [packet for packet in seen if packet[0] >> 4 == 4 and packet[9] == socket.IPPROTO_UDP]
        tap.true("packets of the video", len(video) > 900)
        tap.equal("headers with options", [packet for packet in video if packet[0] != 0x45], [])
        source.wait()
        self.compare("the sink", self.parts[part][4].splitlines(), sink.stdout.read())

    def counter(self, name):
        """A counter of lpd."""
        return int(re.search(rf" {name} (\d+)", self.type("router", "tc -s qdisc show dev wwan0")[1])[1])

    def goes_and_returns(self):
        part = "When the modem goes away"
        self.router.ip("link delete wwan0")
        self.logs("event gone", 1)
        self.say(part, 0)
        self.modem()
        # what the unit that udev starts does
        tap.equal("freshlink-apply@wwan0", self.type("router", "freshlink apply --device wwan0")[0], 0)
        self.logs("event running", 2)
        self.say(part, 1)

    def undo(self):
        self.say("Undo it", 0)
        self.typed_elsewhere(self.parts["Undo it"][1].strip())
        tap.equal("qdisc", "lpd" in self.type("router", "tc qdisc show dev wwan0")[1], False)


def test_findings():
    """The page has the words of doctor's findings."""
    with open(os.path.join(tools.USERSPACE, "doctor", "queue.c"), encoding="utf-8") as file:
        source = file.read()
    found = re.findall(r"^``(?:backlog|overtaking): (?:... )?(.*)``$", page.text(PAGE), re.MULTILINE)
    tap.equal("words that doctor does not have", [words for words in found if words not in source], [])
    tap.equal("findings", len(found), 5)


def test_page():
    """The page from its beginning to its end."""
    if not wait.virtual_time():
        tap.skip("the test changes the first namespace and /etc/freshlink, so only in a lab machine")
    # a router that has just been installed
    for module in ("xlo_rto", "xlo"):
        wait.until(f"{module} is not loaded", lambda module=module: not kmod.loaded(module) or
                   not kmod.rmmod(module))
    with tempfile.TemporaryDirectory() as folder, Guide(folder) as guide:
        os.chmod(folder, 0o755)
        guide.install()
        # modprobe would find the file of the module, and so would doctor
        kmod.insmod("xlo")
        guide.say("Where do packets wait?")
        guide.keep_out()
        guide.say("Which packets have a lifetime?")
        guide.works()
        guide.goes_and_returns()
        guide.undo()


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
