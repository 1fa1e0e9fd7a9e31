#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink reflect answers STAMP test packets as RFC 8762 specifies. An answer is never longer
than its test packet. freshlink reflect answers only sources that are allowed or have the key, and
each source only up to the limit. Two reflectors never answer each other."""
# run.sh: once: the reflector uses nothing that depends on the kernel
import contextlib
import ctypes
import errno
import os
import random
import signal
import socket
import struct
import subprocess
import tempfile
import time

from cli import pair, tools
from lib import bench, hosts, packet as pkt, sniff, stamp, tap, wait

KEY = bytes(range(100, 132))
WITNESS = "10.1.0.3"        # an address of the left host that only settle() uses
FAMILIES = (socket.AF_INET, socket.AF_INET6)
TTL = {socket.AF_INET: (socket.IPPROTO_IP, socket.IP_TTL),
       socket.AF_INET6: (socket.IPPROTO_IPV6, socket.IPV6_UNICAST_HOPS)}
TOS = {socket.AF_INET: (socket.IPPROTO_IP, socket.IP_TOS),
       socket.AF_INET6: (socket.IPPROTO_IPV6, socket.IPV6_TCLASS)}
BOTH = "--allow 10.1.0.0/24 --allow fd01::/64"
COUNTERS = ("answered", "not_unicast", "not_allowed", "low_port", "short", "forged", "limited",
            "unsent")


def address(family, host="right"):
    return hosts.address(host, family)


class Reflector(pair.Pair):
    """A reflector on the right, with the senders on the left."""

    def __init__(self, words=BOTH, key=None):
        super().__init__()
        self.left_address(WITNESS)
        self.key, self.folder = key, tempfile.TemporaryDirectory()
        self.process = self.reflect(self.right, words)
        self.sockets = []

    def __exit__(self, *_):
        for sock in self.sockets:
            sock.close()
        self.folder.cleanup()
        super().__exit__()

    def reflect(self, ns, words):
        """Start a reflector, and wait until it receives."""
        if self.key:
            path = os.path.join(self.folder.name, "key")
            with open(path, "w") as file:
                file.write(self.key.hex())
            os.chmod(path, 0o600)
            words += f" --key {path}"
        process = self.start(ns, f"reflect -j {words}")
        tap.equal("the reflector", process.stderr.readline(), "reflecting on port 862\n")
        return process

    def left_address(self, *addresses):
        """Add addresses to the left."""
        self.left.ip(*(f"address add {there}/{'64 nodad' if ':' in there else 24} dev v0"
                       for there in addresses))
        self.right.ip(*(f"neighbour replace {there} lladdr 02:00:00:00:00:01 dev v1"
                        for there in addresses))
        for there in addresses:
            if ":" in there:
                hosts.await_address(self.left, there)

    def sender(self, family=socket.AF_INET, source="", port=0):
        """A socket of a sender on the left. All answers must have arrived within a second."""
        sock = self.left.socket(family, socket.SOCK_DGRAM)
        self.sockets.append(sock)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.bind((source, port))
        sock.settimeout(wait.patient(1))
        return sock

    def test(self, **fields):
        return stamp.test(key=self.key, **fields)

    def asks(self, data, sock):
        """Send a packet, and return the answer to it."""
        sock.sendto(data, (address(sock.family), stamp.PORT))
        return sock.recv(65536)

    def settle(self):
        """Wait until the reflector has read all earlier packets: send an additional packet, and
        wait for the reflector's answer."""
        self.asks(self.test(), self.sender(source=WITNESS))

    def ended(self, **want):
        """End the reflector, and check its counters. Counters that are not named must be 0."""
        summary = pair.stop(self.process, signal.SIGTERM)
        tap.equal("counters", summary, {"received": sum(want.values())} |
                  dict.fromkeys(COUNTERS, 0) | {"socket_drops": 0} | want)


def waiting(sock):
    """The packets that have arrived at a socket."""
    packets = []
    sock.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        while True:
            packets.append(sock.recv(65536))
    return packets


def refused(reflector, data, sock, to=None):
    """The reflector does not answer a packet."""
    sock.sendto(data, (to or address(sock.family), stamp.PORT))
    reflector.settle()
    tap.equal(f"answers to {data.hex()}", waiting(sock), [])


def burst(reflector, sock, count):
    """The number of answers to many packets that are sent at the same time."""
    for _ in range(count):
        sock.sendto(reflector.test(), (address(sock.family), stamp.PORT))
    reflector.settle()
    return len(waiting(sock))


def forge(raw, data, source, port):
    """Send a packet over IPv4 with a forged source."""
    target = address(socket.AF_INET)
    raw.sendto(pkt.ipv4(payload=data, source=source, source_port=port, target=target,
                        port=stamp.PORT), (target, 0))


def clock_state():
    """Whether the kernel considers its clock synchronized, and the maximum error in ns."""
    timex = (ctypes.c_long * 64)()
    libc = ctypes.CDLL(None, use_errno=True)
    tap.true("adjtimex", libc.adjtimex(ctypes.byref(timex)) >= 0)
    # struct timex: modes, offset, freq, maxerror, esterror, status
    return not timex[5] & 0x40, timex[3] * 1000


def test_bytes():
    """Each byte of an answer is as RFC 8762 specifies, in both modes, over IPv4 and IPv6. The
    answer comes from the address and the port that the test packet was sent to."""
    for key in (None, KEY):
        with Reflector(key=key) as r:
            for family in FAMILIES:
                sock = r.sender(family)
                sock.setsockopt(*TTL[family], 99)
                before, (is_synchronized, error) = time.time_ns(), clock_state()
                sock.sendto(r.test(sequence=0xa1a2a3a4, timestamp=0xb1b2b3b4b5b6b7b8, error=0xc1c2),
                            (address(family), stamp.PORT))
                data, source = sock.recvfrom(65536)
                tap.equal("source", source[:2], (address(family), stamp.PORT))
                tap.equal("length", len(data), stamp.length(key))
                got = stamp.reflected(data, key)
                tap.equal("copied fields", got[:1] + got[4:], (
                    0xa1a2a3a4, 0xa1a2a3a4, 0xb1b2b3b4b5b6b7b8, 0xc1c2, 99))
                tap.within("received", stamp.unix_ns(got.received), before,
                           stamp.unix_ns(got.timestamp))
                tap.within("sent", stamp.unix_ns(got.timestamp), before, time.time_ns())
                tap.equal("synchronized, format of NTP", got.error & 0xc000,
                          is_synchronized * stamp.SYNCHRONIZED)
                # the kernel increases its estimate by 500 us each second
                tap.within("error", stamp.error_ns(got.error), error, (error + 10**6) * 65 / 64)
            r.ended(answered=2)


def test_times():
    """The field "receive timestamp" contains the time of arrival in the kernel, and the field
    "timestamp" contains the time of sending. Both are right even if the packet was queued before
    the reflector read it."""
    with Reflector() as r:
        sock = r.sender()
        with pair.paused(r.process):
            before = time.time_ns()
            sock.sendto(r.test(), (address(sock.family), stamp.PORT))
            arrived = time.time_ns()
            time.sleep(0.5)
            resumed = time.time_ns()
        got = stamp.reflected(sock.recv(65536))
        tap.within("received", stamp.unix_ns(got.received), before, arrived + 10**8)
        tap.within("sent", stamp.unix_ns(got.timestamp), resumed, time.time_ns())


def test_answers_in_order():
    """Each of many test packets gets one answer, with the number of the test packet."""
    with Reflector(f"{BOTH} --limit 1000") as r:
        for family in FAMILIES:
            sock = r.sender(family)
            for number in (0, 1, 2, 2, 7, 5, 2**32 - 1, 0):
                got = stamp.reflected(r.asks(r.test(sequence=number), sock))
                tap.equal("numbers", (got.sequence, got.test_sequence), (number, number))
        r.ended(answered=16)


def test_several_addresses():
    """The answer's source is the address that the test packet was sent to, if the host has
    several. One of these addresses is an IPv6 link-local address."""
    with Reflector(f"{BOTH} --allow fe80::/10") as r:
        r.right.ip("address add 10.1.0.9/24 dev v1", "address add fd01::9/64 dev v1 nodad",
                   "address add fe80::9/64 dev v1 nodad")
        r.left.ip("address add fe80::8/64 dev v0 nodad",
                  *(f"neighbour replace {there} lladdr 02:00:00:00:00:02 dev v0"
                    for there in ("10.1.0.9", "fd01::9", "fe80::9")))
        r.right.ip("neighbour replace fe80::8 lladdr 02:00:00:00:00:01 dev v1")
        for ns, there in ((r.right, "fd01::9"), (r.right, "fe80::9"), (r.left, "fe80::8")):
            hosts.await_address(ns, there)
        with r.left.inside():
            scope = socket.if_nametoindex("v0")
        for family, there in ((socket.AF_INET, ("10.1.0.9", stamp.PORT)),
                              (socket.AF_INET6, ("fd01::9", stamp.PORT)),
                              (socket.AF_INET6, ("fe80::9", stamp.PORT, 0, scope))):
            sock = r.sender(family)
            sock.sendto(r.test(), there)
            tap.equal("source", sock.recvfrom(65536)[1][0].partition("%")[0], there[0])
        r.ended(answered=3)


def test_ip_header():
    """An answer has the DSCP of the test packet, no ECN mark, and the TTL 255."""
    with Reflector(f"{BOTH} --limit 1000") as r:
        for family in FAMILIES:
            sniffer, sock = sniff.Sniffer(r.left, "v0"), r.sender(family)
            for tos in (0, 0xb8, 0xfc, 0xb9, 0xba, 0xbb, 3):
                sock.setsockopt(*TOS[family], tos)
                r.asks(r.test(), sock)
                header = sniffer.until("the answer", lambda seen: seen)[0].packet
                if family == socket.AF_INET:
                    got = header[1], header[8]
                else:
                    got = struct.unpack_from("!H", header)[0] >> 4 & 255, header[7]
                tap.equal("type of service and TTL", got, (tos & 0xfc, 255))


def test_further_bytes():
    """An answer has the length of its test packet. Bytes after the test packet are returned
    unchanged. This includes TLVs, whose flag U says that the reflector does not recognize them."""
    for key in (None, KEY):
        with Reflector(f"{BOTH} --limit 1000", key=key) as r:
            for family in FAMILIES:
                sock = r.sender(family)
                most = 65507 if family == socket.AF_INET else 65527
                for more in (stamp.tlv(1, bytes(8)), stamp.tlv(4, b"") + stamp.tlv(240, b"12345"),
                             b"x", bytes(range(256)), b"y" * 1400, b"z" * 10000,
                             b"w" * (most - stamp.length(key))):
                    data = r.test() + more
                    got = r.asks(data, sock)
                    tap.equal("length", len(got), len(data))
                    tap.true(f"{len(more)} bytes", got[stamp.length(key):] == more)
                    stamp.reflected(got, key)
            r.ended(answered=14)


def test_short():
    """A test packet that is too short gets no answer, because an answer would be longer than the
    test packet."""
    for key in (None, KEY):
        with Reflector(f"{BOTH} --limit 1000", key=key) as r:
            lengths = (0, 1, 14, 40, 41, 43) if not key else (0, 43, 44, 45, 96, 111)
            for family in FAMILIES:
                for size in lengths:
                    refused(r, r.test()[:size], r.sender(family))
            r.ended(short=12, answered=12)


def test_forged():
    """In the authenticated mode a packet without the right HMAC gets no answer. Packets with wrong
    HMACs do not use up the limit of their source."""
    with Reflector(f"{BOTH} --limit 40", key=KEY) as r:
        good = r.test()
        bad = [good[:at] + bytes([good[at] ^ 1]) + good[at + 1:] for at in (0, 15, 20, 95, 96, 111)]
        bad += [bytes(112), stamp.test(key=KEY[:-1]), stamp.test() + bytes(68), bad[0] + b"more"]
        for family in FAMILIES:
            for data in bad:
                refused(r, data, r.sender(family))
        sock = r.sender()
        for _ in range(50):
            sock.sendto(bad[0], (address(sock.family), stamp.PORT))
        r.asks(good, sock)
        r.ended(forged=70, answered=21)


def test_not_allowed():
    """A source outside the allowed prefixes gets no answer, even with a right HMAC. Without --allow
    every source with the key gets an answer."""
    for key in (None, KEY):
        with Reflector("--allow 10.1.0.1 --allow fd01::/127", key=key) as r:
            r.left_address("10.1.0.4", "fd01::4")
            for family, source in ((socket.AF_INET, "10.1.0.4"), (socket.AF_INET6, "fd01::4")):
                sock = r.sender(family, source)
                sock.sendto(r.test(), (address(family), stamp.PORT))
                r.asks(r.test(), r.sender(family, address(family, "left")))
            r.ended(not_allowed=2, answered=2)
    with Reflector("", key=KEY) as r:
        for family in FAMILIES:
            r.asks(r.test(), r.sender(family))
        r.ended(answered=2)


def test_families_are_apart():
    """An IPv6 prefix allows no IPv4 source, and an IPv4 prefix allows no IPv6 source."""
    for allow, good, bad in (("::/0", socket.AF_INET6, socket.AF_INET),
                             ("0.0.0.0/0", socket.AF_INET, socket.AF_INET6)):
        with Reflector(f"--allow {allow}") as r:
            r.sender(bad).sendto(r.test(), (address(bad), stamp.PORT))
            r.asks(r.test(), r.sender(good))
            r.ended(not_allowed=1, answered=1)


def test_low_ports():
    """A source port below 1024 gets no answer, because it may be the port of a reflector."""
    with Reflector() as r:
        for family in FAMILIES:
            for port in (1, 861, 862, 1023):
                refused(r, r.test(), r.sender(family, port=port))
            r.asks(r.test(), r.sender(family, port=1024))
        r.ended(low_port=8, answered=10)


def test_two_reflectors():
    """If a forged packet seems to come from another reflector, it remains the only packet on the
    wire, even if it has the right HMAC. The reflectors do not answer each other."""
    for key in (None, KEY):
        with Reflector(key=key) as r, r.left.socket(
                socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW) as raw:
            other = r.reflect(r.left, BOTH)
            sniffers = sniff.Sniffer(r.left, "v0"), sniff.Sniffer(r.right, "v1")
            forge(raw, r.test(), address(socket.AF_INET, "left"), stamp.PORT)
            r.asks(r.test(), r.sender())
            seen = [[frame.packet for frame in sniffer.drain()] for sniffer in sniffers]
            ports = [[struct.unpack_from("!HH", data, 20) for data in packets] for packets in seen]
            tap.equal("from the right", [there for _, there in ports[0] if there == stamp.PORT], [])
            tap.equal("from the left", [here for here, _ in ports[1] if here == stamp.PORT],
                      [stamp.PORT])
            r.ended(low_port=1, answered=1)
            tap.equal("of the other", pair.stop(other, signal.SIGTERM)["received"], 0)


def test_groups():
    """A packet to a broadcast or multicast address gets no answer. Otherwise one forged packet
    would make many reflectors answer."""
    with Reflector() as r:
        sock = r.sender()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        refused(r, r.test(), sock, "10.1.0.255")
        with r.left.inside():
            scope = socket.if_nametoindex("v0")
        sock = r.sender(socket.AF_INET6)
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, scope)
        refused(r, r.test(), sock, "ff02::1")
        r.ended(not_unicast=2, answered=2)


def test_limit():
    """A source gets as many answers in a second as the limit says, over IPv4 and IPv6. Other
    sources get answers at the same time. After a second the first source gets answers again."""
    for family, other in ((socket.AF_INET, "10.1.0.4"), (socket.AF_INET6, "fd02::4")):
        with Reflector(f"{BOTH} --allow fd02::/64 --limit 20") as r:
            r.right.ip("route add fd02::/64 dev v1")
            r.left_address(other)
            start = time.monotonic()
            flood = r.sender(family, address(family, "left"))
            served = burst(r, flood, 100)
            passed = time.monotonic() - start
            tap.within(f"answers in {passed} s", served, 20, 20 + 20 * passed)
            r.asks(r.test(), r.sender(family, other))
            time.sleep(1)
            tap.equal("answers after a second", burst(r, flood, 20), 20)
            r.ended(answered=served + 23, limited=100 - served)


def test_neighbours_in_a_prefix():
    """All addresses of an IPv6 /64 prefix count as one source."""
    addresses = [f"fd01::1:{number}" for number in range(10)]
    with Reflector(f"{BOTH} --limit 5") as r:
        r.left_address(*addresses)
        start = time.monotonic()
        senders = [r.sender(socket.AF_INET6, there) for there in addresses]
        for sock in senders:
            sock.sendto(r.test(), (address(sock.family), stamp.PORT))
        r.settle()
        answers = sum(len(waiting(sock)) for sock in senders)
        tap.within("answers", answers, 5, 5 + 5 * (time.monotonic() - start))


def test_no_route():
    """An answer that the kernel does not send is counted, and later test packets are answered."""
    with Reflector("--allow 10.0.0.0/8") as r, r.left.socket(
            socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW) as raw:
        forge(raw, r.test(), "10.9.9.9", 5000)
        r.settle()
        r.ended(unsent=1, answered=1)


def memory(process):
    """The memory that a process has in use, in KiB."""
    with open(f"/proc/{process.pid}/status") as file:
        fields = dict(line.split(":\t", 1) for line in file.read().splitlines())
    return {name: int(fields[name].split()[0]) for name in ("VmData", "VmRSS")}


def test_forged_sources():
    """A flood from forged sources does not increase the reflector's memory, and a real source gets
    answers at the same time."""
    draw = bench.seed()
    with Reflector("--allow 10.0.0.0/8 --limit 1000") as r, r.left.socket(
            socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW) as raw:
        r.right.ip("route add 10.0.0.0/8 via 10.1.0.1")

        def flood(count):
            for number in range(count):
                source = f"10.{draw.randrange(2, 256)}.{draw.randrange(256)}.{draw.randrange(256)}"
                forge(raw, r.test(), source, 5000)
                if number % 50 == 49:
                    r.settle()

        # the table of sources is full afterwards
        flood(6000)
        before = memory(r.process)
        flood(4000)
        tap.equal("memory", memory(r.process), before)
        r.ended(answered=10200)


def test_privileges():
    """The reflector has no privilege after its start. A reflector that is started by root becomes
    the user `nobody`, without supplementary groups. A reflector that is started by another user
    keeps this user, and drops the capability to bind a low port."""
    user = "--reuid=1234 --regid=1235 --clear-groups --inh-caps=+net_bind_service " \
        "--ambient-caps=+net_bind_service"
    for words, who in (("--groups=4,24", "65534"), (user, "1234")):
        with pair.Pair() as p:
            with p.right.inside():
                process = subprocess.Popen(
                    ["setpriv", *words.split(), tools.FRESHLINK, "reflect", "--allow", "10.1.0.1"],
                    stderr=subprocess.PIPE, text=True)
            p.running.append(process)
            tap.equal("the reflector", process.stderr.readline(), "reflecting on port 862\n")
            group = who.replace("1234", "1235")
            tap.equal(words, credentials(process), ({who}, {group}, [], {"0" * 16}, "1"))


def credentials(process):
    """The users, groups, supplementary groups, capabilities, and "no new privileges" of a
    process."""
    with open(f"/proc/{process.pid}/status") as file:
        fields = dict(line.split(":", 1) for line in file.read().splitlines())
    return (set(fields["Uid"].split()), set(fields["Gid"].split()), fields["Groups"].split(),
            {fields[name].strip() for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")},
            fields["NoNewPrivs"].strip())


def test_no_way_down():
    """A reflector that cannot give up its privileges does not start."""
    with pair.Pair() as p:
        done = p.right.run("timeout 60 setpriv --bounding-set=-setgid --inh-caps=-setgid "
                           f"{tools.FRESHLINK} reflect --allow ::1", check=False)
    tap.equal("refusal", (done.returncode, done.stdout, done.stderr),
              (1, "", "freshlink reflect: cannot give up privileges: Operation not permitted\n"))


def test_port():
    """If the port is in use, or if it is a low port and the privilege is missing, the command ends
    with a message."""
    with Reflector() as r:
        for prefix, reason in (("", errno.EADDRINUSE),
                               ("setpriv --reuid=1234 --clear-groups ", errno.EACCES)):
            done = r.right.run(f"timeout 60 {prefix}{tools.FRESHLINK} reflect --allow ::1",
                               check=False)
            tap.equal("refusal", (done.returncode, done.stdout, done.stderr),
                      (1, "", "freshlink reflect: cannot receive on port 862: "
                       f"{os.strerror(reason)}\n"))
        other = r.start(r.right, f"reflect {BOTH} --port 861")
        tap.equal("another port", other.stderr.readline(), "reflecting on port 861\n")
        sock = r.sender()
        sock.sendto(r.test(), (address(sock.family), 861))
        tap.equal("source", sock.recvfrom(65536)[1], (address(sock.family), 861))


def test_notify():
    """The reflector notifies its service manager when it is ready, through a socket with a path or
    with an abstract name. The reflector also starts if there is no service manager of this name."""
    with pair.Pair() as p, tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        for name in (os.path.join(folder, "notify"), f"@freshlink{random.random()}"):
            with p.right.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager, p.right.inside():
                manager.bind(name.replace("@", "\0"))
                if name[0] != "@":
                    os.chmod(name, 0o777)
                manager.settimeout(wait.patient(5))
                process = p.start(p.right, "reflect --allow ::1", env={"NOTIFY_SOCKET": name})
                tap.equal(name, manager.recv(100), b"READY=1")
                with open(f"/proc/{process.pid}/net/udp6") as file:
                    tap.true("the port is bound", f":{stamp.PORT:04X} " in file.read())
                process.terminate()
                process.wait()
        for name in ("/nowhere/notify", "", "@" + "x" * 200):
            process = p.start(p.right, "reflect --allow ::1", env={"NOTIFY_SOCKET": name})
            tap.equal("the reflector", process.stderr.readline(), "reflecting on port 862\n")
            process.terminate()
            tap.equal("status", process.wait(), 0)


def test_signals():
    """SIGINT, SIGTERM and SIGHUP end the reflector with its summary and status 0. The summary as
    text has the same counters."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        with Reflector() as r:
            r.asks(r.test(), r.sender())
            tap.equal("answered", pair.stop(r.process, number)["answered"], 1)
    with pair.Pair() as p:
        process = p.start(p.right, f"reflect {BOTH}")
        process.stderr.readline()
        process.terminate()
        tap.equal("text", process.communicate(timeout=60)[0], "received 0 " +
                  "".join(f"{name} 0 " for name in COUNTERS) + "socket_drops 0\n")


def test_ends_under_a_flood():
    """A signal ends the reflector even while packets wait to be read."""
    with Reflector() as r:
        sock = r.sender()
        with pair.paused(r.process):
            for _ in range(100):
                sock.sendto(r.test(), (address(sock.family), stamp.PORT))
            r.process.terminate()
        tap.within("received", pair.result(r.process)[0]["received"], 0, 2)


def test_key_file():
    """--key accepts 32 to 128 hexadecimal digits, an even number of them, and nothing else."""
    with pair.Pair() as p, tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "key")
        for digits in ("", "0" * 30, "0" * 31, "0" * 33, "0" * 129, "0" * 130, "0" * 400,
                       "0" * 32 + "g", "0" * 32 + "\n1", "x" + "0" * 32):
            with open(path, "w") as file:
                file.write(digits)
            done = p.right.run(f"timeout 60 {tools.FRESHLINK} reflect --key {path}", check=False)
            tap.equal(f"refusal of {digits}", (done.returncode, done.stderr), (
                1, f"freshlink reflect: --key {path}: expected a file with an even number of "
                "hexadecimal digits from 32 to 128\n"))
    for key in (bytes(range(16)), bytes(range(17)), bytes(range(64))):
        with Reflector("", key=key) as r:
            stamp.reflected(r.asks(r.test(), r.sender()), key)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
