#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink probe finds out what a path does with lifetimes, before routers of all kinds."""
# run.sh: once: what the probes say of a router does not depend on the kernel of the hosts
import json
import os
import socket
import subprocess
import tempfile
import time

from dccp import messages, way
from lib import bench, cell, child, kmod, linux_dccp, netlink, tap, tc, uapi

DELAY = 5 * cell.MS
KEEP = 64                       # bytes of DCCP's header that lpd keeps in UDP
CARRIERS = "udp", "ip"
HONOR, DISCARD, TRUNCATE, FORWARD = (
    uapi.TC_LPD_STALE_HONOR, uapi.TC_LPD_STALE_DISCARD, uapi.TC_LPD_STALE_TRUNCATE,
    uapi.TC_LPD_STALE_FORWARD)
# drops packets with any IP option, and IPv6 packets with a hop-by-hop header
FIREWALL = """table inet firewall {
    chain forward {
        type filter hook forward priority 0
        meta nfproto ipv4 @nh,4,4 > 5 drop
        meta nfproto ipv6 @nh,48,8 0 drop
    }
}
"""
SILENCE = """table inet firewall {
    chain forward {
        type filter hook forward priority 0
        drop
    }
}
"""


class Path(messages.Line):
    """The way, with a runtime directory for verdicts."""

    def __init__(self, back=None, **there):
        kmod.insmod("xlo")
        super().__init__({"delay": DELAY} | (back or {}), **({"delay": DELAY} | there))
        self.runtime = tempfile.TemporaryDirectory()
        # where a test before has loaded the kernel's own DCCP
        for ns in self.source, self.sink:
            ns.run("nft -f -", stdin=linux_dccp.SILENT)

    def __exit__(self, *what):
        super().__exit__(*what)
        self.runtime.cleanup()

    def command(self, words, nobody=False):
        """Run freshlink probe in the source."""
        user = {"user": child.NOBODY, "group": child.NOBODY, "extra_groups": []} if nobody else {}
        with self.source.inside():
            return subprocess.run([way.FRESHLINK, "probe", "-j", *words.split()],
                                  capture_output=True, text=True, check=False,
                                  env=os.environ | {"XDG_RUNTIME_DIR": self.runtime.name}, **user)

    def probe(self, words="", family=socket.AF_INET, status=0):
        """Probe the sink. Returns the report."""
        done = self.command(f"{address(family)} {words}")
        tap.equal(f"exit status ({done.stderr.strip()} {done.stdout.strip()})", done.returncode,
                  status)
        report = json.loads(done.stdout)
        tap.note(report)
        return report

    def forget(self):
        return json.loads(self.command("--forget").stdout)["forgotten"]

    def verdict(self, wanted, words="", family=socket.AF_INET, status=0):
        """Probe the sink anew."""
        self.forget()
        report = self.probe(words, family, status)
        tap.equal(f"verdict {words}", report["verdict"], wanted)
        tap.within("probes", report["probes"], 1, 64)
        return report

    def listen_at(self, carrier="udp"):
        """Start a receiver, and wait until it listens."""
        return self.recv(f"--carrier {carrier} --kernel-silent")

    def firewall(self, rules):
        """Replace the router's firewall."""
        self.router.run("nft flush ruleset")
        self.router.run("nft -f -", stdin=rules)


def address(family):
    return way.SINK[family == socket.AF_INET6]


def expect(path, wanted, carriers=CARRIERS):
    """Probe by both families and the carriers."""
    for carrier in carriers:
        sink = path.listen_at(carrier)
        for family in way.FAMILIES:
            report = path.verdict(wanted, f"--via dccp --kernel-silent --carrier {carrier}", family)
            tap.equal("via", report["via"], carrier)
            tap.equal("address and local", (report["address"], report["local"]),
                      (address(family), way.SOURCE[family == socket.AF_INET6]))
        sink.terminate()
        tap.equal("streams that the receiver saw", way.result(sink)["streams"], 0)


def test_verdicts():
    """Routers that tolerate, discard, cut, strip, and drop get their verdicts by DCCP in UDP and in
    IP, over IPv4 and IPv6. A receiver that runs there counts no stream."""
    with Path() as path:
        expect(path, "tolerates")
        path.lpd(stale=FORWARD)
        expect(path, "tolerates")
        path.lpd(stale=DISCARD)
        expect(path, "discards")
        path.lpd(stale=HONOR, keep=KEEP)
        expect(path, "cuts")
        path.lpd(stale=TRUNCATE, keep=KEEP)
        expect(path, "cuts")
        path.lpd(stale=FORWARD, strip=1)
        expect(path, "strips")
        # a router that enforces lifetimes before it strips the option
        path.lpd(stale=HONOR, keep=KEEP, strip=1)
        expect(path, "cuts")
        # without DCCP's header nothing arrives that could be answered
        path.lpd(stale=HONOR, keep=0)
        expect(path, "discards", ["udp"])
        path.queue("pfifo", netlink.u32(1000))
        path.firewall(FIREWALL)
        expect(path, "drops")


def test_encrypted():
    """A receiver of encrypted streams answers probes as well, and counts no stream."""
    with Path() as path:
        key = path.path("key", f"alice:{'0123456789abcdef' * 4}\n")
        os.chmod(key, 0o600)
        sink = path.recv(f"--psk {key}")
        path.lpd(keep=KEEP)
        path.verdict("cuts", "--via dccp")
        sink.terminate()
        tap.equal("streams that the receiver saw", way.result(sink)["streams"], 0)


def test_silence():
    """Of a host that nothing comes back from, there is no answer, by Syncs or echo requests, and
    this is not kept."""
    with Path() as path:
        path.firewall(SILENCE)
        for words in "--via dccp", "--via icmp", "":
            report = path.verdict("no-answer", words, status=1)
            tap.equal("answered", report["answered"], 0)
        tap.equal("verdicts that are kept", path.command("--list").stdout, "")


def test_icmp():
    """Where no peer speaks DCCP, echo requests find out what they can: lpd cannot cut them, and
    whether the option arrives is not known."""
    with Path() as path:
        for options, wanted in (({"stale": FORWARD}, "tolerates"),
                                ({"stale": HONOR}, "discards"),
                                ({"stale": DISCARD}, "discards"),
                                ({"stale": FORWARD, "strip": 1}, "tolerates")):
            path.lpd(**options)
            for family in way.FAMILIES:
                report = path.verdict(wanted, family=family)
                tap.equal("via", report["via"], "icmp")
        path.firewall(FIREWALL)
        for family in way.FAMILIES:
            path.verdict("drops", family=family)
        done = path.command(f"{address(socket.AF_INET)} --via dccp")
        tap.equal("status", done.returncode, 1)
        tap.true(f"the reason: {done.stderr}", "no DCCP peer on port 5002" in done.stderr)


def test_loss():
    """Losses of 20 % in each direction change no verdict."""
    with Path(back={"loss": 200_000, "seed": 2}, loss=200_000, seed=1) as path:
        path.listen_at()
        path.verdict("tolerates", "--via dccp")
        path.lpd(stale=HONOR, keep=KEEP)
        path.verdict("cuts", "--via dccp")
        path.lpd(stale=DISCARD)
        path.verdict("discards", "--via dccp")
        path.firewall(FIREWALL)
        path.verdict("drops", "--via dccp")


def test_here():
    """Stale packets that a queue of this host discards are told apart: after one round it is known
    that lifetimes are enforced, and where."""
    with Path() as path:
        path.listen_at()
        tc.need("lpd")
        netlink.Netlink(path.source).qdisc("s0", netlink.NLM_F_CREATE | netlink.NLM_F_REPLACE,
                                           "lpd", *bench.lpd_options(stale=DISCARD))
        for words in "--via dccp", "--via icmp":
            for family in way.FAMILIES:
                report = path.verdict("discards", words, family)
                tap.equal("probes, answered, here",
                          (report["probes"], report["answered"], report["here"]), (8, 4, 4))


def test_kept():
    """A path that changes its mind keeps its verdict for an hour, or until it is forgotten. It
    is for an address and a carrier, and is listed."""
    with Path() as path:
        path.listen_at()
        path.lpd(stale=DISCARD)
        tap.true("probes", path.probe()["probes"] > 0)
        path.queue("pfifo", netlink.u32(1000))
        kept = path.probe()
        tap.equal("verdict", kept["verdict"], "discards")
        tap.within("kept", kept["kept"], 3000, 3600)
        tap.equal("another carrier", path.probe("--via icmp")["verdict"], "tolerates")
        listed = [json.loads(line) for line in path.command("--list").stdout.splitlines()]
        tap.equal("list", [(e["address"], e["via"], e["verdict"]) for e in listed],
                  [(address(socket.AF_INET), "udp", "discards"),
                   (address(socket.AF_INET), "icmp", "tolerates")])
        done = path.command(f"{address(socket.AF_INET)} --forget")
        tap.equal("forgotten", json.loads(done.stdout), {"forgotten": 2})
        tap.equal("anew", path.probe()["verdict"], "tolerates")


def end_soon(path):
    """Let the only verdict that is kept end in one to two seconds. Returns how long it would have
    lasted, s."""
    name = f"{path.runtime.name}/freshlink/probes"
    now = int(time.clock_gettime(time.CLOCK_BOOTTIME))
    with open(name) as file:
        head, line = file.read().splitlines()
    *words, end = line.split()
    with open(name, "w") as file:
        file.write(f"{head}\n{' '.join(words)} {now + 2}\n")
    return int(end) - now


def test_expiry():
    """A verdict lasts an hour, and that the option is dropped 10 minutes. After its end a path is
    probed anew."""
    with Path() as path:
        path.listen_at()
        path.firewall(FIREWALL)
        tap.equal("verdict", path.probe()["verdict"], "drops")
        path.router.run("nft flush ruleset")
        tap.within("time that it lasts", end_soon(path), 590, 600)
        tap.true("it is kept", path.probe()["kept"] <= 2)
        time.sleep(2)
        tap.equal("after its end", path.probe()["verdict"], "tolerates")
        path.lpd(stale=DISCARD)
        tap.within("time that it lasts", end_soon(path), 3590, 3600)
        tap.equal("until its end", path.probe()["verdict"], "tolerates")
        time.sleep(2)
        tap.equal("after its end", path.probe()["verdict"], "discards")


def test_refused():
    """A group, this host, an unknown service and a program without privilege are refused with the
    reason. A damaged file of verdicts, and another user's, is ignored with the reason."""
    with Path() as path:
        for host, reason in (("224.0.0.1", "a group"), ("ff02::1%s0", "a group"),
                             ("10.1.0.255", "a group"), ("10.1.0.1", "this host"),
                             ("fd01::1", "this host"), ("127.0.0.9", "this host")):
            done = path.command(host)
            tap.equal(f"status of {host}", (done.returncode, done.stdout), (1, ""))
            tap.true(f"reason of {host}: {done.stderr}", reason in done.stderr)
        done = path.command(f"{address(socket.AF_INET)} --via dccp", nobody=True)
        tap.equal("status without privilege", done.returncode, 1)
        tap.true(f"reason: {done.stderr}", "CAP_NET_RAW" in done.stderr)
        path.listen_at()
        done = path.command(f"{address(socket.AF_INET)} --via dccp --service SC:none")
        tap.true(f"reason: {done.stderr}", "bad service code" in done.stderr)
        tap.equal("verdict", path.probe()["verdict"], "tolerates")
        file = f"{path.runtime.name}/freshlink/probes"
        with open(file, "a") as text:
            text.write("damage\n")
        done = path.command("--list")
        tap.equal("list of a damaged file", done.stdout, "")
        tap.true(f"reason: {done.stderr}", "line 3 is damaged" in done.stderr)
        tap.equal("probed anew", path.probe()["probes"], 8)
        os.chown(file, child.NOBODY, child.NOBODY)
        done = path.command(address(socket.AF_INET))
        tap.equal("probed without the file", json.loads(done.stdout)["verdict"], "tolerates")
        tap.true(f"reason: {done.stderr}", "it is of user 65534: expected 0" in done.stderr)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
