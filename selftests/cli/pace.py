#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink pace keeps packets in lpd, where they can expire, instead of in a modem with a large
buffer. It also does so if answers are lost or forged, or if the reflector reports wrong times. If
no reflector answers, or if freshlink pace does not run, the gate is open, as without pace."""
# run.sh: needs: simulated time
# run.sh: once: what pace does with the gate does not depend on the kernel
import contextlib
import csv
import os
import signal
import socket
import struct
import subprocess
import tempfile
import time

from cli import tools
from lib import modem, netns, packet as pkt, port, tap, wait

MS, S = modem.MS, modem.S
OPEN = "open"


def valid(summary):
    """The share of the link's capacity (2 Mbit/s) that carried valid packets of a stream of 3.2
    Mbit/s."""
    return summary["valid"] / summary["sent"] * 3.2 / 2


def test_overload():
    """If packets are sent at 1.6 times the rate of the link, the number of packets that arrive
    within their lifetime is nearly the number that the link can carry. Without pace the packets
    wait in the modem, and arrive stale."""
    with modem.Modem() as m:
        without = m.stream("3200kbit", 6)
    with modem.Modem() as m:
        pace = m.pace()
        paced = m.stream("3200kbit", 6)
        lines = [e for e in m.stop(pace) if e["event"] == "second"]
    tap.within("share without pace", valid(without), 0, 0.3)
    tap.within("share with pace", valid(paced), 0.85, 1)
    tap.within("answers", lines[-1]["answers"], 6 * 45, 20 * 50)
    tap.equal("packets that are no answers", lines[-1]["others"], 0)
    tap.within("rate", lines[4]["rate"], 0.9 * 250000, 1.1 * 250000)
    tap.within("least delay", lines[4]["base"], 0.040, 0.050)


def test_outage():
    """After an outage of 5 s the first packet arrives within 0.3 s, and was sent less than 0.3 s
    before. The gate stays closed during the outage."""
    with modem.Modem(outages=[(4 * S, 5 * S)]) as m, tempfile.NamedTemporaryFile() as log:
        made = time.time_ns()
        pace = m.pace()
        m.stream("1mbit", 12, log=log.name)
        m.event(pace, "outage")
        m.event(pace, "running")
        with open(log.name) as file:
            rows = list(csv.DictReader(file))
    end = made + 9 * S
    late = [int(r["received_ns"]) - end for r in rows
            if int(r["received_ns"]) > end and int(r["received_ns"]) - int(r["sent_ns"]) < 300 * MS]
    tap.within("first fresh packet in ns after the outage", late[0], 0, 300 * MS)


def test_killed():
    """If freshlink pace is killed, the kernel opens the gate after 3 s."""
    with modem.Modem() as m:
        pace = m.pace()
        tap.true("a gate", m.show()["window"])
        pace.send_signal(signal.SIGKILL)
        pace.wait()
        time.sleep(2.5)
        tap.true("still a gate", m.show()["window"])
        time.sleep(1)
        tap.true(f"no gate ({m.show()})", isinstance(m.show(), str))


def test_ends():
    """When freshlink pace ends, it opens the gate, and another freshlink pace may start. A second
    freshlink pace at the same time is refused."""
    with modem.Modem() as m:
        pace = m.pace()
        second = m.left.ns.run(f"{tools.FRESHLINK} pace cell0 --reflector {modem.RIGHT}",
                               check=False)
        tap.equal("status of the second", second.returncode, 1)
        tap.equal("message of the second", second.stderr,
                  "freshlink pace: cell0: another freshlink pace paces this device\n")
        m.stop(pace)
        tap.true("no gate", isinstance(m.show(), str))
        m.stop(m.pace())


def test_unprivileged():
    """freshlink pace runs as the user `nobody`, with only CAP_NET_ADMIN."""
    with modem.Modem() as m:
        pace = m.pace()
        with open(f"/proc/{pace.pid}/status") as file:
            status = dict(line.rstrip("\n").split(":\t", 1) for line in file)
        tap.equal("users", status["Uid"].split(), ["65534"] * 4)
        tap.equal("groups", status["Gid"].split(), ["65534"] * 4)
        tap.equal("capabilities", int(status["CapEff"], 16), 1 << 12)
        tap.equal("permitted capabilities", int(status["CapPrm"], 16), 1 << 12)
        tap.equal("no new privileges", status["NoNewPrivs"], "1")


def test_service():
    """An ordinary user who has only CAP_NET_ADMIN may pace a link, as the unit of systemd does."""
    with modem.Modem() as m:
        with m.left.ns.inside():
            pace = subprocess.Popen(
                ["setpriv", "--reuid", "65533", "--regid", "65533", "--clear-groups", "--no-new-privs",
                 "--bounding-set", "-all,+net_admin", "--inh-caps", "-all,+net_admin",
                 "--ambient-caps", "-all,+net_admin", tools.FRESHLINK, "pace", "cell0", "-j",
                 "--reflector", modem.RIGHT], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        m.running.append(pace)
        m.event(pace, "running")
        with open(f"/proc/{pace.pid}/status") as file:
            status = dict(line.rstrip("\n").split(":\t", 1) for line in file)
        tap.equal("users", status["Uid"].split(), ["65533"] * 4)
        tap.equal("capabilities", int(status["CapPrm"], 16), 1 << 12)
        tap.true("a gate", m.show()["window"])


def test_silent_reflector():
    """If no answer arrives, the gate is open, and freshlink pace sends 4 probes a second."""
    with modem.Modem(reflect=False) as m:
        pace = m.start(f"pace cell0 --reflector {modem.RIGHT} -j")
        time.sleep(5)
        tap.equal("window", m.show()["window"], OPEN)
        last = [e for e in m.stop(pace) if e["event"] == "second"][-1]
    tap.equal("state", last["state"], "waiting")
    tap.within("probes", last["probes"], 16, 22)


def test_own_reflector():
    """freshlink reflect answers freshlink pace, with and without a key. With another key there is
    no answer."""
    with tempfile.NamedTemporaryFile("w") as key, tempfile.NamedTemporaryFile("w") as other:
        for file, digits in ((key, "c0ffee00"), (other, "deadbeef")):
            file.write(digits * 8)
            file.flush()
        for words, asks in (("--allow 10.1.0.0/24", ""),
                            (f"--key {key.name}", f"--key {key.name}")):
            with modem.Modem(reflect=False) as m:
                m.start(f"reflect {words}", m.right.ns)
                pace = m.pace(asks)
                share = valid(m.stream("3200kbit", 5))
                lines = [e for e in m.stop(pace) if e["event"] == "second"]
            tap.within(f"share ({words})", share, 0.85, 1)
            tap.within(f"answers ({words})", lines[-1]["answers"], 5 * 45, 20 * 50)
        with modem.Modem(reflect=False) as m:
            m.start(f"reflect --key {key.name}", m.right.ns)
            pace = m.start(f"pace cell0 --reflector {modem.RIGHT} -j --key {other.name}")
            time.sleep(5)
            tap.equal("answers", m.stop(pace)[-1]["answers"], 0)


def test_second_reflector():
    """If one reflector dies, freshlink pace uses the other reflector."""
    with modem.Modem() as m:
        m.right.ns.ip("address add 10.1.0.3/24 dev cell1")
        m.left.ns.ip("neighbour replace 10.1.0.3 lladdr 02:00:00:00:00:02 dev cell0")
        other = modem.Reflector(m.right.ns, "10.1.0.3")
        pace = m.pace(reflector=f"10.1.0.9,{modem.RIGHT},10.1.0.3")
        m.reflector.spoil = lambda answer: []
        with contextlib.closing(other):
            stream = m.start(f"traffic source {modem.RIGHT} --rate 500kbit --duration 4s")
            m.event(pace, "outage")
            tap.equal("reflector", m.event(pace, "running")["reflector"], "10.1.0.3")
            stream.wait()


def spoiled(spoil, **there):
    """The share of an overloaded link with a reflector that sends something else, and the last line
    of the log."""
    with modem.Modem(**there) as m:
        m.reflector.spoil = spoil
        pace = m.pace()
        paced = m.stream("3200kbit", 5)
        return valid(paced), [e for e in m.stop(pace) if e["event"] == "second"][-1]


def test_repeated_answers():
    """An answer counts once."""
    share, last = spoiled(lambda answer: [answer] * 3)
    tap.within("share", share, 0.85, 1)
    tap.equal("packets that are no answers", last["others"], 2 * last["answers"])


def test_forged_answers():
    """An answer with a wrong number or nonce, from a wrong address, or too short does not count.
    Every fifth probe gets only such answers."""
    with modem.Modem() as m:
        m.right.ns.ip("address add 10.1.0.3/24 dev cell1")
        wrong = m.right.ns.socket(socket.AF_INET, socket.SOCK_DGRAM)
        wrong.bind(("10.1.0.3", modem.STAMP_PORT))
        other = m.right.ns.socket(socket.AF_INET, socket.SOCK_DGRAM)
        other.bind((modem.RIGHT, 863))

        def spoil(answer):
            flip = bytearray(answer)
            flip[35] ^= 1                       # the nonce
            number = bytearray(answer)
            number[27] ^= 1
            return [bytes(flip), bytes(number), answer[:43], b"", (answer, wrong), (answer, other),
                    *[answer] * (answer[27] % 5 > 0)]
        m.reflector.spoil = spoil
        pace = m.pace()
        share = valid(m.stream("3200kbit", 5))
        last = [e for e in m.stop(pace) if e["event"] == "second"][-1]
        wrong.close()
        other.close()
    tap.within("share", share, 0.85, 1)
    probes = last["probes"]
    right = sum(number % 256 % 5 > 0 for number in range(probes))
    # the last probe may be on its way
    tap.within("answers", last["answers"], right - 1, right)
    tap.within("packets that are no answers", last["others"], 6 * (probes - 1), 6 * probes)


def test_lying_reflector():
    """Whatever times a reflector reports, the link is used, and packets arrive in time."""
    count = [0]

    def random_times(answer):
        return [answer[:4] + os.urandom(8) + answer[12:16] + os.urandom(8) + answer[24:]]

    def backwards(answer):
        count[0] += 1
        then = modem.ntp(time.time_ns() - count[0] * 20 * S)
        return [answer[:4] + then + answer[12:16] + then + answer[24:]]

    def zero(answer):
        return [answer[:4] + bytes(8) + answer[12:16] + bytes(8) + answer[24:]]
    for spoil in (random_times, backwards, zero):
        share, last = spoiled(spoil)
        tap.within(f"share ({spoil.__name__})", share, 0.8, 1)
        tap.within(f"rate ({spoil.__name__})", last["rate"], 0.7 * 250000, 1.5 * 250000)


def test_losses():
    """If half of the answers are lost, most of the link's capacity still carries valid packets."""
    with modem.Modem(back={"delay": 20 * MS, "ring_packets": 1000, "loss": 500000}) as m:
        pace = m.pace()
        share = valid(m.stream("3200kbit", 12))
        m.stop(pace)
    tap.within("share", share, 0.7, 1)


def test_clock_steps():
    """Steps of the wall clock have no effect."""
    with modem.Modem() as m:
        pace = m.pace()
        source = m.start(f"traffic source {modem.RIGHT} --rate 3200kbit --duration 5s --size 1000")
        before = time.clock_gettime(time.CLOCK_REALTIME)
        for step in (3600, -7200):
            time.sleep(1)
            now = time.clock_gettime(time.CLOCK_REALTIME)
            time.clock_settime(time.CLOCK_REALTIME, now + step)
        source.wait()
        time.clock_settime(time.CLOCK_REALTIME, before + 5)
        events = m.stop(pace)
        lines = [e for e in events if e["event"] == "second"]
        tap.equal("states", {e["state"] for e in lines}, {"running"})
        for line in lines[2:5]:
            tap.within("queue", line["queue"], 0, 0.3)
            tap.within("rate", line["rate"], 0.8 * 250000, 1.3 * 250000)


def test_device_returns():
    """A device that is renamed keeps its gate. A device that disappears and reappears, or that has
    no lpd for some time, gets a new gate."""
    with modem.Modem() as m:
        pace = m.pace()
        with m.left.ns.inside():
            tools.tc("qdisc delete dev cell0 root")
        m.event(pace, "gone")
        m.queue()
        m.event(pace, "back")
        m.event(pace, "running")
        m.left.ns.ip("link set cell0 down", "link set cell0 name wwan7", "link set wwan7 up")
        m.left.ns.ip("neighbour replace 10.1.0.2 lladdr 02:00:00:00:00:02 dev wwan7")
        time.sleep(4)           # the kernel opens a gate without requests after 3 s
        gate = m.left.ns.run(f"{tools.FRESHLINK} pace wwan7 --show -j")
        tap.true("a gate", "window" in gate.stdout)
        m.left.ns.ip("link delete wwan7")
        m.event(pace, "gone")
        m.make({"delay": 20 * MS, "ring_packets": 1000}, **modem.LINK)
        m.address()
        m.queue()
        m.event(pace, "back")
        m.event(pace, "running")


def test_echo():
    """With --echo, freshlink pace also works with a host that runs no reflector."""
    with modem.Modem(reflect=False) as m:
        m.left.ns.sysctl("net.ipv4.ping_group_range", "0 2147483647")
        pace = m.pace("--echo")
        share = valid(m.stream("3200kbit", 6))
        last = [e for e in m.stop(pace) if e["event"] == "second"][-1]
    tap.within("share", share, 0.8, 1)
    tap.within("probes", last["probes"], 30, 10 * 12)


def test_notify():
    """The service manager is notified when the gate is ready."""
    with modem.Modem() as m, m.left.ns.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind("\0manager")
        manager.settimeout(wait.patient(10))
        with m.left.ns.inside():
            pace = subprocess.Popen([tools.FRESHLINK, "pace", "cell0", "--reflector", modem.RIGHT],
                                    env={**os.environ, "NOTIFY_SOCKET": "@manager"},
                                    stdout=subprocess.DEVNULL)
        m.running.append(pace)
        tap.equal("message", manager.recv(100), b"READY=1")
        tap.equal("window", m.show()["window"], OPEN)


def test_refused():
    """Each wrong set-up is refused, and the message says what was expected."""
    with modem.Modem() as m:
        for words, message in (
                ("nodev --reflector 10.1.0.2", "nodev: no such network device"),
                ("cell0 --reflector 10.1.0.2,", "--reflector 10.1.0.2,: expected one to 8 hosts, "
                 "separated by commas"),
                ("cell0 --reflector 10.1.0.2,fd00::1", "--reflector 10.1.0.2,fd00::1: expected "
                 "addresses of the same family, IPv4 or IPv6"),
                ("lo --reflector 10.1.0.2", "lo: lpd: only a root lpd has a gate: "
                 "tc qdisc replace dev DEV root lpd"),
                ("cell0 --show", "cell0: lpd: this lpd has no gate")):
            done = m.left.ns.run(f"{tools.FRESHLINK} pace {words}", check=False)
            tap.equal(f"status of {words}", done.returncode, 1)
            tap.equal(f"message of {words}", done.stderr, f"freshlink pace: {message}\n")


def test_replayed_answers():
    """If a third host sends old answers again, and answers to the next probe with guessed random
    bits, both from the reflector's address, freshlink pace counts none of them as an answer, and
    computes the same rates as without these packets."""
    def log(attack):
        seen = []

        def replay(answer):
            seen.append(answer)
            old = [seen[-ago] for ago in (25, 100, 150) if ago <= len(seen)]
            following = struct.unpack_from("!I", answer, 24)[0] + 1
            guess = answer[:24] + struct.pack("!I", following) + os.urandom(8) + answer[36:]
            return [*old, guess, answer]
        with modem.Modem() as m:
            if attack:
                m.reflector.spoil = replay
            pace = m.pace()
            m.start(f"traffic source {modem.RIGHT} --rate 3200kbit --duration 9s --size 1000")
            time.sleep(8)
            return [e for e in m.stop(pace) if e["event"] == "second"]
    real, forged = log(False), log(True)
    tap.within("packets that are no answers", forged[-1]["others"], 2 * forged[-1]["answers"],
               4 * forged[-1]["answers"])
    # the window depends on the times of the probes, which differ in each run
    for name in ("rate", "answers"):
        for one, other in zip(real, forged):
            tap.within(name, other[name], 0.99 * one[name] - 1, 1.01 * one[name] + 1)


class Forger:
    """A third host, which reaches freshlink pace through the router at the far end of the link. The
    host sends packets with the source address and the source port of the reflector."""

    def __init__(self, m):
        self.reflector = m.reflector
        self.ns = netns.Netns()
        netns.veth(self.ns, "out", m.right.ns, "in")
        # the router must forward packets with its own source address
        for name in ("ip_forward", "conf.in.accept_local"):
            m.right.ns.sysctl(f"net.ipv4.{name}", 1)
        self.port = port.Port(self.ns, "out", ethernet=True)

    def forge(self):
        """Send answers to each of 15 probes that are on their way or come next. The numbers are
        right and the nonces are guesses. The reported times are the present, an hour ago, 0 and
        the largest possible time. Returns the number of packets."""
        now = time.time_ns()
        stamps = (modem.ntp(now), modem.ntp(now - 3600 * S), bytes(8), bytes([255] * 8))
        first = self.reflector.asked
        answers = [struct.pack("!I8s4x8sI8s8x", number, stamp, stamp, number, os.urandom(8))
                   for number in range(first, first + 15) for stamp in stamps]
        for answer in answers:
            self.port.send(pkt.ipv4(
                payload=answer, source=modem.RIGHT, source_port=modem.STAMP_PORT,
                target=modem.LEFT, port=self.reflector.asker[1]))
        return len(answers)

    def close(self):
        self.port.sock.close()
        self.ns.close()


def test_third_host_forges_answers():
    """If a third host sends thousands of forged answers, freshlink pace counts none of them as an
    answer. The answers of the reflector, the estimates and the window are the same as without the
    third host."""
    def log(attack):
        with modem.Modem() as m, contextlib.closing(Forger(m)) as forger:
            wait.till((time.monotonic_ns() // S + 1) * S)
            pace, sent = m.pace(), 0
            m.start(f"traffic source {modem.RIGHT} --rate 3200kbit --duration 7s --size 1000")
            for _ in range(50):
                sent += forger.forge() if attack else 0
                time.sleep(0.1)
            time.sleep(2)
            return sent, [e for e in m.stop(pace) if e["event"] == "second"]
    (_, real), (sent, forged) = log(False), log(True)
    tap.equal("packets that are no answers", (real[-1]["others"], forged[-1]["others"]), (0, sent))
    for name in ("state", "base", "probes"):
        tap.equal(name, [e[name] for e in forged], [e[name] for e in real])
    # Each packet wakes freshlink pace, which reads the clock. Each reading takes 256 ns of
    # simulated time, so a probe may leave before a packet after which it leaves in the other run.
    for one, other in zip(real, forged):
        tap.within("rate", other["rate"], 0.999 * one["rate"], 1.001 * one["rate"])
        tap.within("answers", other["answers"], one["answers"] - 2, one["answers"] + 2)
        tap.within("window", other["window"], 0.9 * one["window"], 1.1 * one["window"])


def test_stopped():
    """If freshlink pace does not run for 10 s, for example because the router is suspended, the
    kernel opens the gate. Afterwards the gate closes again within 5 s, although answers to old
    probes come first."""
    with modem.Modem() as m:
        pace = m.pace()
        m.start(f"traffic source {modem.RIGHT} --rate 3200kbit --duration 19s --size 1000")
        time.sleep(3)
        pace.send_signal(signal.SIGSTOP)
        time.sleep(10)
        tap.true(f"no gate ({m.show()})", isinstance(m.show(), str))
        pace.send_signal(signal.SIGCONT)
        time.sleep(5)
        lines = [e for e in m.stop(pace) if e["event"] == "second"]
    tap.equal("state", lines[-1]["state"], "running")
    tap.within("window", lines[-1]["window"], 0.8 * lines[2]["window"], 1.3 * lines[2]["window"])
    tap.within("queue in the modem", lines[-1]["queue"], 0, 0.3)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
