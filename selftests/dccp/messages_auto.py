#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink send --lifetimes auto gives packets a lifetime only where the path enforces it, and follows
a path that changes."""
# run.sh: once: what the sender makes of a path does not depend on the kernel
import json
import os
import time

from dccp import messages, probe_path, way
from lib import child, netlink, setup, tap, xlo

# counts packets of messages with an option, and then drops packets with options if `{0}` is "drop"
COUNTER = """table ip seen {{
    counter stamped {{ }}
    chain forward {{
        type filter hook forward priority 0
        meta length > 900 @nh,4,4 > 5 counter name stamped
        @nh,4,4 > 5 {0}
    }}
}}
"""
SEND = "--lifetimes auto --size 1kb --interval 10ms --lifetime 300ms"


class Auto(probe_path.Path):
    """The way of probe_path, with a counter in the router."""

    def __init__(self, **there):
        super().__init__(**there)
        self.count("accept")

    def count(self, what):
        self.firewall(COUNTER.format(what))

    def stamped(self):
        """The packets of messages that the router has seen with an option."""
        done = self.router.run("nft -j list counter ip seen stamped")
        return [one["counter"]["packets"] for one in json.loads(done.stdout)["nftables"]
                if "counter" in one][0]

    def begin(self, words, nobody=False):
        self.sink_command = self.recv()
        return self.send(f"{SEND} {words}", nobody=nobody,
                         env=os.environ | {"XDG_RUNTIME_DIR": self.runtime.name})

    def end(self, sender):
        """Both summaries."""
        sent, got = way.result(sender), way.result(self.sink_command)
        tap.note({name: sent[name] for name in ("submitted", "path", "lifetimes")} |
                 {"on_time": got["on_time"], "stamped": self.stamped()})
        return sent, got


def test_tolerates():
    """Where nothing enforces lifetimes, no message has one, and all are on time."""
    with Auto() as path:
        sent, got = path.end(path.begin("--count 300"))
        tap.equal("path and lifetimes", (sent["path"], sent["lifetimes"]), ("tolerates", "off"))
        tap.equal("on time and stamped", (got["on_time"], path.stamped()), (300, 0))


def test_discards():
    """Where a router enforces lifetimes, messages have none until that is known, and then all. The
    next stream knows it from the start."""
    with Auto() as path:
        path.lpd(stale=probe_path.DISCARD)
        sent, got = path.end(path.begin("--count 300"))
        tap.equal("path and lifetimes", (sent["path"], sent["lifetimes"]), ("discards", "on"))
        tap.within("stamped", path.stamped(), 50, 299)
        tap.equal("on time", got["on_time"], 300)
        path.count("accept")
        path.end(path.begin("--count 100"))
        tap.within("stamped from the start", path.stamped(), 100, 110)


def test_changes():
    """If a path begins to drop the option while messages have it, they have none after some seconds,
    and arrive again. The verdict is kept for others."""
    with Auto() as path:
        path.lpd(stale=probe_path.DISCARD)
        sender = path.begin("--count 2000")
        time.sleep(4)
        tap.true("stamped before", path.stamped() > 100)
        path.count("drop")
        sent, got = path.end(sender)
        tap.equal("path and lifetimes", (sent["path"], sent["lifetimes"]), ("drops", "off"))
        # of 20 s, 4 s before, and after what takes to notice it and to ask
        tap.within("on time", got["on_time"], 1000, 1900)
        tap.equal("stamped afterwards, and dropped", path.stamped() > 0, True)
        tap.equal("verdict that is kept", path.probe("--via dccp")["verdict"], "drops")


def test_address():
    """If this host has another address, the path is asked again."""
    with Auto() as path:
        sender = path.begin("--count 600")
        time.sleep(2)
        route = netlink.Netlink(path.source)
        setup.add_address(route, "s0", "10.1.0.9", 24)
        setup.set_neighbour(netlink.Netlink(path.router), "r0", "10.1.0.9", way.MAC[0])
        path.source.run(f"ip route replace default via {way.NEAR[0]} dev s0 src 10.1.0.9")
        path.end(sender)
        listed = [json.loads(line) for line in path.command("--list").stdout.splitlines()]
        tap.equal("local addresses", sorted(one["local"] for one in listed),
                  ["10.1.0.1", "10.1.0.9"])


def keep(path, line):
    """Let nobody have a file with a verdict."""
    folder = f"{path.runtime.name}/freshlink"
    os.makedirs(folder, 0o700, exist_ok=True)
    with open(f"{folder}/probes", "w") as file:
        file.write(f"freshlink probe 1\n{line}\n")
    os.chmod(f"{folder}/probes", 0o600)
    for name in folder, f"{folder}/probes":
        os.chown(name, child.NOBODY, child.NOBODY)


def test_unprivileged():
    """A program that cannot ask says so once, and its messages have no lifetime. With a verdict that is
    kept, they have one."""
    with Auto() as path:
        xlo.Client(path.source).set(txtime=1)
        os.chmod(path.runtime.name, 0o777)
        for kept, least, most in (("", 0, 0), ("discards", 100, 110)):
            if kept:
                now = int(time.clock_gettime(time.CLOCK_BOOTTIME))
                keep(path, f"{way.SINK[0]} {way.SOURCE[0]} udp {kept} {now + 1000}")
            path.count("accept")
            sender = path.begin(f"--via txtime --count {100 if kept else 700}", nobody=True)
            _, errors = sender.communicate()
            way.result(path.sink_command)
            tap.equal("complaints", errors.count("CAP_NET_RAW"), 0 if kept else 1)
            tap.within("stamped", path.stamped(), least, most)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
