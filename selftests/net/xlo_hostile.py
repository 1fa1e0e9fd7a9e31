#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""xlo and lpd follow these rules for any packets that arrive. On arrival exactly one counter counts
each packet. No packet leaves with a longer lifetime than it had on arrival. A malformed option
never becomes a valid option. The lengths in each packet that leaves are right. If a checksum is
right on arrival, it is right when the packet leaves. lpd may cut a packet to its headers, but the
other bytes after the options stay unchanged. Good packets still pass. The test does not judge the
messages that lpd sends to sources.

    in0 (tap) --> IP forwarding, or a redirect by tc --+
    raw socket ----------------------------------------+--> [tbf] lpd --> out0 (tap)

The packets from in0 have any layout of an skb in memory. Some configurations have the tbf.
selftests/hostile makes the packets from a corpus and judges the result. `make soak` sends a million
packets of each family. Set FL_SEED to the seed of a run to repeat the run."""
# run.sh: all on lab-6.1 lab-6.12: nothing (very many packets)
# run.sh: soak on lab-debug, 36000 s: everything
import os
import random
import re
import subprocess

from lib import bench, hosts, hostile, icmp, netlink, netns, packet as pkt, router, soak, tap, tc, \
    tree, tun, wait, xlo

# packets of each family
SHORT = {"lab": 30_000, "smp-debug": 3000}.get(os.environ.get("FL_MACHINE"), 15_000)
COUNT = soak.amount(SHORT, 1_000_000)
BATCH = 251
CHUNK = BATCH * max(8, COUNT // 50_000)     # packets for each configuration
MARK, PROFILE, CAP = 7, 300, 25     # ms
MS = bench.MS
ROOT, CHILD = (tree.ROOT, 0x80010000), (0x10001, 0x80010000)
GATEWAY4, GATEWAY6 = "198.51.100.9", "2001:db8:2::9"
INGRESS = ("relative", "absolute", "no_lifetime", "no_option", "malformed")
STAMPING = ("stamped_output", "stamped_forward", "present", "no_room_mtu", "no_room_header",
            "too_big", "pieces", "authenticated", "not_tcp", "bad_header")


class Machine:
    """A host that routes everything from in0 to out0, with lpd on out0."""

    def __init__(self, family, way):
        tc.need("lpd", "tbf")
        self.family, self.way = family, way
        self.ns = netns.Netns()
        self.wires = [tun.Pieces(self.ns, "in0"), tun.Tap(self.ns, "out0")]
        self._route()
        self.netlink = netlink.Netlink(self.ns)
        self.xlo = xlo.Client(self.ns)
        self.xlo.set(validate=1)

    def _route(self):
        hosts.quiet(self.ns)
        hosts.offload(self.ns, "in0", gro=False)
        self.ns.ip("link set in0 address 02:00:00:00:00:0a mtu 9000",
                   "link set out0 txqueuelen 20000")
        for name in ("all", "default", "in0", "out0"):
            router.enable_ipv6(self.ns, name)
            self.ns.sysctl(f"net.ipv6.conf.{name}.forwarding", 1)
            self.ns.sysctl(f"net.ipv4.conf.{name}.rp_filter", 0)
        self.ns.sysctl("net.ipv4.ip_forward", 1)
        r4, r6 = router.ROUTER4, router.ROUTER6
        self.ns.ip(f"addr add {r4[0]}/24 dev in0", f"addr add {r4[1]}/24 dev out0",
                   f"addr add {r6[0]}/64 dev in0 nodad", f"addr add {r6[1]}/64 dev out0 nodad",
                   *(f"neigh add {address} lladdr {router.LEFT_MAC} dev in0"
                     for address in (pkt.SOURCE4, pkt.SOURCE6)),
                   *(f"neigh add {address} lladdr {router.RIGHT_MAC} dev out0"
                     for address in (pkt.TARGET4, pkt.TARGET6, GATEWAY4, GATEWAY6)),
                   f"route add default via {GATEWAY4}", f"route add default via {GATEWAY6}")
        for address in r6:
            hosts.await_address(self.ns, address)
        self.ns.run("nft -f -", stdin=f"""table inet count {{
            chain pre {{ type filter hook prerouting priority -160; counter; meta mark set {MARK}; }}
            chain forward {{ type filter hook forward priority 300; counter; }}
            chain output {{ type filter hook output priority 300; counter;
                icmp type {icmp.TYPE4} drop; icmpv6 type {icmp.TYPE6} drop; }}; }}""")
        if self.way == "qdisc":
            self.ns.run("tc qdisc add dev in0 ingress")
            self.ns.run("tc filter add dev in0 parent ffff: matchall "
                        "action mirred egress redirect dev out0")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for wire in self.wires:
            os.close(wire.wire)
        self.ns.close()

    def configure(self, number, some):
        """Set another configuration, and return the arguments that describe it to the judge. The
        first configuration has every feature of xlo and the shaper. Each feature is absent in some
        of the later configurations. The judge's good packet has no lifetime, so its lifetime comes
        from the cap or from lpd's own `lifetime`."""
        capped, shaped = number % 4 < 2, number % 3 == 0
        options = {"stale": some.randrange(4), "order": some.randrange(2),
                   "overflow": some.randrange(4), "adu": some.randrange(2),
                   "strip": some.randrange(2), "keep": some.choice((0, 12, 100)),
                   "delay": some.choice((0, 10) if capped else (0, 10, 50)) * MS,
                   "lifetime": some.choice((0, 20)) * MS,
                   "limit": some.choice((20, 1000)), "memory": some.choice((1 << 16, 1 << 25)),
                   "rate": some.choice((0, 12_500_000)), "notify": some.randrange(2)}
        # the judge's good packet has the DSCP 0
        options["match"] = [dict(dscp=some.randint(1, 63), lifetime=some.choice((0, 5, 20)) * MS,
                                 stale=some.randint(1, 3)) for _ in range(some.choice((0, 0, 32)))]
        options["exempt"] = int(options["delay"] > options["lifetime"]) or some.randrange(2)
        stamped = number % 2 == 0 and self.way != "qdisc"
        self.ns.run("tc qdisc del dev out0 root", check=False)
        if shaped:
            self.ns.run("tc qdisc add dev out0 root handle 1: tbf rate 20mbit burst 12kb "
                        "limit 10mb")
        parent, handle = CHILD if shaped else ROOT
        self.netlink.qdisc("out0", netlink.NLM_F_CREATE, "lpd", *bench.lpd_options(**options),
                           parent=parent, handle=handle)
        for profile in self.xlo.profile_get():
            self.xlo.profile_del(profile["profile_name"])
        for cap in self.xlo.cap_get():
            self.xlo.do("cap_del", ifindex=cap["ifindex"])
        if stamped:
            self.xlo.profile_add(profile_name="all", mark=MARK, mask=0xff, lifetime=PROFILE,
                                 path=3, stale=some.randrange(3), clock=some.randrange(2))
        if capped:
            self.xlo.cap_set("in0", CAP)
        tap.note(f"{options}{' tbf' * shaped}{' profile' * stamped}{' cap' * capped}")
        return [f"--profile={PROFILE}"] * stamped + \
            [f"--cap={CAP}"] * capped + ["--strip"] * options["strip"] + \
            ["--cut"] * (options["stale"] in (bench.HONOR, bench.TRUNCATE))

    def fuzz(self, seed, count, rules):
        """Send packets. Returns the judge's counters."""
        fds = [wire.wire for wire in self.wires]
        with self.ns.inside():
            done = subprocess.run(
                [hostile.PROGRAM, f"--in={fds[0]}", f"--out={fds[1]}", f"--family={self.family}",
                 f"--way={self.way}", f"--seed={seed}", f"--count={count}", f"--mark={MARK}",
                 f"--corpus={hostile.corpus(self.family)}", *rules],
                pass_fds=fds, capture_output=True, text=True)
        if done.returncode:
            tap.note(done.stdout + done.stderr)
            raise tap.Failed(f"seed {seed}, {' '.join(rules)}: status {done.returncode}")
        words = done.stdout.split()
        return dict(zip(words[::2], map(int, words[1::2])))

    def counted(self):
        """The number of packets at each of nft's hooks."""
        text = self.ns.run("nft list table inet count").stdout
        return dict(re.findall(r"chain (\w+) \{.*?packets (\d+)", text, re.S))

    def account(self, before, stats):
        """Check that exactly one counter of xlo counts each packet. Returns how much each counter
        has risen."""
        now, hooks = self.xlo.stats(), self.counted()
        risen = {name: now[name] - stats[name] for name in now}
        passed = {name: int(hooks[name]) - int(before[name]) for name in hooks}
        tap.equal("packets that xlo counted on arrival",
                  sum(risen[name] for name in INGRESS), passed["pre"])
        tap.within("packets counted as stamped or by the reason why not",
                   sum(risen[name] for name in STAMPING), 0,
                   passed["forward"] + passed["output"])
        tap.equal("packets without memory", risen["nomem"], 0)
        return risen

    def settle(self):
        """Wait until lpd is empty. Check that lpd's counters add up and that the totals of lpd's
        parent are right."""
        wait.until("an empty queue", lambda: tree.checked(self.netlink, "out0").root.qlen == 0)
        lpd = tree.checked(self.netlink, "out0").lpd()
        tap.equal("(qlen, backlog)", (lpd.qlen, lpd.backlog), (0, 0))
        return lpd.counters


def add(total, more):
    for name, value in more.items():
        if isinstance(value, int):
            total[name] = total.get(name, 0) + value


def run(family, way, count):
    some = bench.seed()
    some = random.Random(f"{some.random()} {family} {way}")
    judged, queued, stamping = {}, {}, {}
    with Machine(family, way) as m:
        for number in range(-(-count // CHUNK)):
            rules, seed = m.configure(number, some), some.randrange(2**32)
            before, stats = m.counted(), m.xlo.stats()
            add(judged, m.fuzz(seed, CHUNK, rules))
            add(stamping, m.account(before, stats))
            add(queued, m.settle())
    tap.note("judge: " + ", ".join(f"{k} {v}" for k, v in judged.items()))
    tap.note("lpd: " + ", ".join(f"{k} {v}" for k, v in queued.items() if v))
    tap.note("xlo: " + ", ".join(f"{k} {v}" for k, v in stamping.items() if v))
    tap.true("enough packets leave", judged["came"] > judged["sent"] / 20)
    if way == "qdisc":
        tap.within("packets in lpd", queued["packets_in"], judged["sent"] - judged["refused"], 1e9)


def test(family, way):
    hostile.need()
    run(family, way, -(-COUNT // 3))


if __name__ == "__main__":
    tap.run([(f"ipv{family}:{way}", lambda family=family, way=way: test(family, way))
             for family in (4, 6) for way in ("forward", "output", "qdisc")])
