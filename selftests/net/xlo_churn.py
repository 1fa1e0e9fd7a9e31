#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The test changes profiles, caps and settings, and unloads the module, while packets pass. Each
packet either stays unchanged or is stamped by one complete profile. The counters account for each
packet, and no reference to the module leaks."""
# run.sh: all on vm-6.12 smp-debug: everything
# run.sh: soak on smp-debug, 14400 s: everything
import contextlib
import errno
import math
import os
import socket
import struct
import time

from lib import bench, child, hosts, kmod, netlink, netns, packet as pkt, router, segments, \
    soak, stamped, tap, wait, xlo

PROFILES = 8                # marks 0 to 7; TCP has mark 8
TCP_MARK = 8
SENT, CAPS = 60_000, (40_000, 50_000)       # SENT: lifetime of packets that arrive with the option
PAUSE = 0.001
CHUNK = 1024
BY_PORT = "meta mark set udp dport map { " + \
    ", ".join(f"{5000 + k} : {k}" for k in range(PROFILES)) + " }"
# counters that must rise during the changes
MOVING = "stamped_forward", "stamped_output", "relative", "no_option", "capped"
# How often a soak repeats each test. These numbers result in about 500 loads of the module and 500
# namespaces.
SOAK = {"configuration_changes": 20, "module_comes_and_goes": 34, "namespaces_come_and_go": 20}


def rounds(count, seconds=soak.amount(1.5, math.inf)):
    """Count `count` rounds. In real time, stop earlier if `seconds` are over. A soak has no such
    limit."""
    end = time.monotonic() + seconds
    for number in range(count):
        if not wait.virtual_time() and time.monotonic() > end:
            tap.note(f"{number} rounds of {count}")
            return
        yield number


def profile(k, **more):
    """The k-th profile. The number k determines its lifetime, reordering degree and flags."""
    return {"profile_name": f"p{k}", "mark": k, "mask": 0xff, "lifetime": 1000 + k, "reorder": k,
            "stale": k % 3, "slow": bool(k & 1), "path": 3} | more


def as_profile(packet):
    """The packet with the option that its profile writes."""
    k = pkt.number(packet) % PROFILES
    return stamped.stamped(packet, 1000 + k, k % 3 << 2 | (k & 1) << 4, k)


def forwarded_packet(number):
    """The packet with this number. The number determines profile, family, size and option."""
    k, kind = number % PROFILES, number // PROFILES
    body = pkt.body(number, 8 + number * 7 % 1000)
    mine = kind % 3 == 2
    if kind % 2:
        return pkt.ipv6(pkt.xlo6(SENT) if mine else None, body, port=5000 + k)
    return pkt.ipv4(pkt.xlo4(SENT) if mine else b"", body, port=5000 + k)


class Traffic:
    """Within the block, three processes send traffic: packets that the router forwards, datagrams
    of the router, and a TCP connection of the router."""

    def __init__(self, r):
        self.r = r
        self.forwarded, self.datagrams, self.chunks, self.taken = 0, 0, 0, b""
        self.socks = [r.router.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(PROFILES)]
        for k, sock in enumerate(self.socks):
            sock.setsockopt(socket.SOL_SOCKET, hosts.SO_MARK, k)
        self.sink = r.mobile.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sink.bind((pkt.TARGET4, 6000))
        self._connect()
        # the receiver is the last process to end
        self.processes = [child.Beside(step) for step in
                          (self._receive, self._forward, self._send, self._stream)]
        self.block = contextlib.ExitStack()

    def _connect(self):
        listener = self.r.mobile.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.bind((pkt.TARGET4, 80))
        listener.listen()
        self.client = self.r.router.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.client.setsockopt(socket.SOL_SOCKET, hosts.SO_MARK, TCP_MARK)
        self.client.connect((pkt.TARGET4, 80))
        self.server, _ = listener.accept()
        self.server.settimeout(0.01)
        listener.close()

    def _forward(self):
        for _ in range(4):
            self.r.port.send(forwarded_packet(self.forwarded))
            self.forwarded += 1
        time.sleep(PAUSE)
        return 4

    def _send(self):
        for _ in range(2):
            number, self.datagrams = self.datagrams, self.datagrams + 1
            self.socks[number % PROFILES].sendto(pkt.body(number, 8 + number % 900),
                                                 (pkt.TARGET4, 6000))
        time.sleep(PAUSE)
        return 2

    def _stream(self):
        self.client.sendall(struct.pack("!I", self.chunks) * (CHUNK // 4))
        self.chunks += 1
        time.sleep(PAUSE)
        return CHUNK

    def _receive(self):
        """Check that the stream is complete: each chunk has its number."""
        try:
            self.taken += self.server.recv(1 << 16)
        except TimeoutError:
            return 0
        done = len(self.taken) // CHUNK
        for at in range(done):
            chunk = self.taken[at * CHUNK:][:CHUNK]
            if chunk != struct.pack("!I", self.chunks + at) * (CHUNK // 4):
                raise RuntimeError(f"chunk {self.chunks + at} of the stream is not as it was sent")
        self.chunks += done
        self.taken = self.taken[done * CHUNK:]
        return done * CHUNK

    def __enter__(self):
        for process in self.processes:
            self.block.enter_context(process)
        return self

    def __exit__(self, *why):
        return self.block.__exit__(*why)

    def settle(self):
        """Wait until all sent packets have arrived. Returns the forwarded packets, the router's own
        datagrams, and the router's TCP segments."""
        _, forwarded, sent, streamed = (process.done for process in self.processes)
        frames, found = [], {}

        def all_there():
            frames.extend(self.r.beyond.drain())
            found.update(sorted_out(frames))
            return len(found["forwarded"]) == forwarded and len(found["own"]) == sent
        wait.until(f"{forwarded} packets and {sent} datagrams", all_there)
        self.r.beyond.lossless()
        tap.note(f"{forwarded} forwarded, {sent} sent, {streamed} bytes in "
                 f"{len(found['tcp'])} segments")
        return found["forwarded"], found["own"], found["tcp"]


def sorted_out(frames):
    found = {"forwarded": [], "own": [], "tcp": []}
    for packet in (f.packet for f in frames):
        if segments.is_tcp(packet):
            found["tcp"].append(packet)
        elif pkt.number(packet) is not None:
            own = packet[0] >> 4 == 4 and packet[12:16] == socket.inet_aton(router.ROUTER4[1])
            found["own" if own else "forwarded"].append(packet)
    return found


def stripped(packet):
    """The router's datagram without the option and with identification 0."""
    size = (packet[0] & 15) * 4
    length, = struct.unpack_from("!H", packet, 2)
    return stamped.checksummed(bytes([0x45, packet[1]]) + struct.pack(
        "!HH", length - (size - 20), 0) + packet[6:20] + packet[size:])


def check_forwarded(packets):
    """Check that each packet is unchanged, stamped by its profile, or capped. Returns the number of
    stamped packets."""
    count = 0
    for packet in packets:
        sent = stamped.one_hop_less(forwarded_packet(pkt.number(packet)))
        if pkt.lifetime(sent) is None:
            allowed = [sent, as_profile(sent)]
            count += packet == allowed[1]
        else:
            allowed = [pkt.with_lifetime(sent, ms) for ms in (SENT, *CAPS)]
        tap.true(f"{packet.hex()} is one of {[p.hex() for p in allowed]}", packet in allowed)
    return count


def check_own(packets):
    """Check that each stamped datagram of the router has exactly the option of its profile, and
    that all header checksums are right. Returns the number of stamped datagrams."""
    count = 0
    for packet in packets:
        if pkt.lifetime(packet) is not None:
            count += 1
            same = packet[:4] + b"\0\0" + packet[6:]
            tap.equal("datagram", stamped.checksummed(same).hex(),
                      as_profile(stripped(packet)).hex())
        tap.true("header checksum", pkt.checksum_right(packet))
    return count


def check_tcp(packets):
    """Check that no pure ACK is stamped. Returns the number of stamped segments."""
    found = [segments.Segment(packet) for packet in packets]
    tap.true("pure ACKs carry no option", all(s.carries for s in found if s.lifetime is not None))
    tap.true("header checksums", all(pkt.checksum_right(packet) for packet in packets))
    return sum(s.lifetime is not None for s in found)


class Marked(router.Router):
    """A router where each packet has a mark."""

    def __init__(self):
        super().__init__(hosts=True)
        self.mark(BY_PORT)
        # the rule prevents ICMP errors for ports without a socket
        self.mobile.run("nft -f -", stdin="table inet quiet { chain pre { type filter hook "
                        "prerouting priority 0; udp dport 5000-5999 drop; }; }")


class Configuration:
    """The expected configuration of a namespace. Each step makes a random change."""

    def __init__(self, client, random):
        self.client, self.random = client, random
        self.profiles, self.cap = set(), None

    def step(self):
        self.random.choice((self._profile, self._profile, self._cap, self._settings,
                            self._refused))()

    def _profile(self):
        k = self.random.randrange(PROFILES + 1)
        if k in self.profiles:
            self.client.profile_del(f"p{k}")
            self.profiles.remove(k)
            return
        self.client.profile_add(**tcp_profile() if k == TCP_MARK else profile(k))
        self.profiles.add(k)

    def _cap(self):
        if self.cap:
            self.client.cap_del("r0")
        self.cap = self.random.choice((None, *CAPS))
        if self.cap:
            self.client.cap_set("r0", self.cap)

    def _settings(self):
        self.client.set(txtime=self.random.randrange(2), validate=self.random.randrange(2))

    def _refused(self):
        try:
            self.client.profile_add(**profile(0, profile_name="p99", stale=3))
        except netlink.Refused as refusal:
            tap.equal("error", refusal.code, errno.ERANGE)

    def check(self):
        tap.equal("profiles", {p["profile_name"] for p in self.client.profile_get()},
                  {f"p{k}" for k in self.profiles})
        tap.equal("cap", [c["cap"] for c in self.client.cap_get()], [self.cap] * bool(self.cap))


def tcp_profile():
    return {"profile_name": f"p{TCP_MARK}", "mark": TCP_MARK, "mask": 0xff, "rto": True}


def test_configuration_changes():
    """Profiles, caps and settings change while packets pass, and xlo refuses some of the requests.
    Each packet is either unchanged or stamped by one complete profile."""
    random = bench.seed()
    with Marked() as r:
        traffic = Traffic(r)
        with traffic:
            configuration = Configuration(r.xlo, random)
            for _ in rounds(150):
                configuration.step()
                wait.till(time.monotonic_ns() + 2_000_000)
            # a slow machine needs more rounds until each counter has risen
            wait.until(f"all of {MOVING}", lambda: configuration.step() or all(
                r.xlo.stats()[name] > 5 for name in MOVING), 60)
            configuration.check()
        forwarded, own, tcp = traffic.settle()
        now = r.xlo.stats()
        tap.equal("stamped_forward", now["stamped_forward"], check_forwarded(forwarded))
        tap.equal("stamped_output", now["stamped_output"], check_own(own) + check_tcp(tcp))
        for name in ("nomem", "bad_header", "malformed", "too_big", "no_room_header", "deadlines"):
            tap.equal(name, now[name], 0)
        unstamped = sum(pkt.lifetime(p) is None for p in forwarded + own)
        tap.true("some packets have no option", unstamped > 5)


def stamped_packets(client):
    """The numbers of stamped packets: forwarded packets, the router's datagrams and TCP
    segments, and packets whose lifetime xlo has reduced."""
    stats = client.stats()
    tcp, = (p["packets"] for p in client.profile_get() if p["mark"] == TCP_MARK)
    return stats["stamped_forward"], stats["stamped_output"] - tcp, tcp, stats["capped"]


def test_module_comes_and_goes():
    """xlo unloads at the first attempt while packets pass. Without xlo the packets pass unstamped.
    xlo stamps packets again after it is loaded and configured again."""
    with Marked() as r:
        traffic = Traffic(r)
        with traffic:
            for number in rounds(15):
                client = xlo.Client(r.router)
                for k in range(PROFILES):
                    client.profile_add(**profile(k))
                client.profile_add(**tcp_profile())
                client.set(validate=1, txtime=1)
                client.cap_set("r0", CAPS[number % 2])
                wait.until("packets of each kind are stamped",
                           lambda c=client: min(stamped_packets(c)) > 3)
                client.sock.close()
                tap.equal("rmmod", kmod.rmmod("xlo"), 0)
                tap.true("xlo is unloaded", not kmod.loaded("xlo"))
                wait.till(time.monotonic_ns() + 5_000_000)
        forwarded, own, tcp = traffic.settle()
        counts = check_forwarded(forwarded), check_own(own), check_tcp(tcp)
        tap.note(f"stamped: {counts}")
        tap.true("some packets of each kind are stamped", min(counts) > 3)
        tap.true("some packets are not stamped",
                 sum(pkt.lifetime(p) is None for p in forwarded + own) > 5)


def changing(client, txtime):
    """Return a function that adds and deletes one profile and sets txtime. Several processes run
    the function at the same time."""
    def change():
        done = 0
        for operation, values, refusal in (("profile_add", profile(0), errno.EEXIST),
                                           ("profile_del", {"profile_name": "p0"}, errno.ENOENT),
                                           ("set", {"txtime": txtime}, None)):
            try:
                client.do(operation, **values)
                done += 1
            except netlink.Refused as refused:
                if refused.code != refusal:
                    raise
        time.sleep(PAUSE)
        return done
    return change


def reading(client):
    """Return a function that reads the configuration while other processes change it."""
    def read():
        names = [p["profile_name"] for p in client.profile_get()]
        if names not in ([], ["p0"]):
            raise RuntimeError(f"profiles {names}")
        txtime = client.get()["txtime"]
        if txtime not in (0, 1):
            raise RuntimeError(f"txtime {txtime}")
        time.sleep(PAUSE)
        return 1
    return read


def test_requests_in_parallel():
    """Three processes change the same profile and setting. Each change causes one event, and the
    events have the order of the changes. Additions and deletions alternate, and the last events
    agree with the final configuration. A fourth process reads only valid configurations."""
    with netns.Netns() as ns, contextlib.ExitStack() as block:
        client, events, told = xlo.Client(ns), xlo.Events(ns), []
        processes = [block.enter_context(child.Beside(step)) for step in
                     [changing(xlo.Client(ns), number % 2) for number in range(3)] +
                     [reading(xlo.Client(ns))]]
        while len(told) < 1000 and (event := events.next()):
            told.append(event)
        block.close()
        while event := events.next(0):
            told.append(event)
        *changes, reads = (process.done for process in processes)
        tap.note(f"changes {changes}, reads {reads}")
        tap.equal("events", len(told), sum(changes))
        names = [name for name, _ in told if name != "set"]
        tap.equal("adds and deletes", names,
                  (["profile_add", "profile_del"] * len(names))[:len(names)])
        tap.equal("profiles", len(client.profile_get()), len(names) % 2)
        tap.equal("settings", client.get()["txtime"],
                  [values["txtime"] for name, values in told if name == "set"][-1])


class Short(netns.Netns):
    """A namespace that uses every feature and sends packets to itself. The namespace is removed
    while some packets wait in a qdisc and other packets are unread."""

    def __init__(self):
        super().__init__()
        self.link("lo", True)
        self.ip("link add d0 type dummy", "link set d0 up", "addr add 10.7.0.1/24 dev d0",
                "neigh add 10.7.0.2 lladdr 02:00:00:00:00:07 dev d0")
        self.run("tc qdisc add dev d0 root netem delay 1s")
        client = xlo.Client(self)
        for k in range(PROFILES):
            client.profile_add(**profile(k))
        client.set(validate=1, txtime=1)
        client.cap_set("lo", 7)
        client.cap_set("d0", 8)
        self.sock = self.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sock.bind(("0.0.0.0", 5000))
        for number in range(10):
            self.sock.setsockopt(socket.SOL_SOCKET, hosts.SO_MARK, number % PROFILES)
            for address in ("127.0.0.1", "10.7.0.2"):
                self.sock.sendto(pkt.body(number, 50), (address, 5000))
        tap.equal("stamped", client.stats()["stamped_output"], 20)
        wait.until("ten packets are capped", lambda: client.stats()["capped"] == 10)
        client.sock.close()

    def close(self):
        self.sock.close()
        super().close()


def test_namespaces_come_and_go():
    """Namespaces with registered hooks are removed while packets pass in another namespace. The
    counters of the other namespace count only its own packets."""
    kmod.modprobe("sch_netem")
    with Marked() as r:
        for k in range(PROFILES):
            r.xlo.profile_add(**profile(k))
        traffic = Traffic(r)
        with traffic:
            for _ in rounds(25):
                Short().close()
                wait.till(time.monotonic_ns() + 10_000_000)
        forwarded, own, _ = traffic.settle()
        now = r.xlo.stats()
        tap.equal("stamped_forward", now["stamped_forward"], check_forwarded(forwarded))
        tap.equal("stamped_output", now["stamped_output"], check_own(own))
        tap.equal("stamped datagrams", now["stamped_output"], len(own))
        tap.equal("packets capped in the other namespace", now["capped"], 0)


def test_nothing_is_left():
    """After all other tests no reference to the module is left."""
    with netns.Netns() as ns:
        xlo.Client(ns)
        if os.path.exists("/sys/module/xlo/refcnt"):
            with open("/sys/module/xlo/refcnt") as file:
                tap.equal("references", file.read().strip(), "0")
        tap.equal("rmmod", kmod.rmmod("xlo"), 0)


if __name__ == "__main__":
    tap.run([(name, lambda function=function, times=soak.amount(1, SOAK.get(name, 1)):
              [function() for _ in range(times)])
             for name, function in tap.collect(globals())])
