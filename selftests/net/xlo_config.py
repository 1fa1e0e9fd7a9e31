#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A client reads the same configuration that it has set. Listeners receive an event about each
change. A configuration applies only to its own network namespace, and only the administrator of the
namespace may change it."""
# run.sh: smoke: profile_round_trip every_change_is_told
import contextlib
import errno
import re
import socket
import struct

from lib import child, kmod, netlink, netns, packet as pkt, router, segments, syn, tap, xlo

PROFILE = {"profile_name": "video", "mark": 0x12, "mask": 0xff, "lifetime": 300}
DEFAULTS = {"reorder": 0, "stale": 1, "clock": 0, "path": 1, "packets": 0}
OTHER = {"profile_name": "other", "mark": 0x34, "mask": 0xff, "lifetime": 5}
INTERRUPTED = 0x10       # NLM_F_DUMP_INTR


def added(**more):
    """The profile that a later read request is expected to return."""
    whole = DEFAULTS | PROFILE | more
    if whole.get("rto") or whole.get("repeats"):
        whole.pop("reorder")
        whole.pop("lifetime")
    return {name: value for name, value in whole.items() if value is not False}


def test_profile_round_trip():
    """A request reads a profile exactly as it was set. Attributes that were not set have their
    default values."""
    with netns.Netns() as ns:
        client = xlo.Client(ns)
        for more in ({}, {"lifetime": 0}, {"lifetime": 43_200_000, "clock": 1},
                     {"lifetime": 65_535}, {"mark": 2**32 - 1, "mask": 2**32 - 1}, {"mark": 0},
                     {"reorder": 255}, {"stale": 0}, {"stale": 2}, {"slow": True},
                     {"corrupt_ok": True}, {"clock": 1}, {"path": 2}, {"path": 3},
                     {"profile_name": "!" + "x" * 29 + "~"}, {"rto": True, "lifetime": None},
                     {"repeats": True, "lifetime": None},
                     {"rto": True, "lifetime": None, "clock": 1, "stale": 2, "slow": True},
                     {"lifetime": 1, "reorder": 3, "stale": 2, "slow": True, "corrupt_ok": True,
                      "clock": 1, "path": 3, "mark": 1 << 31, "mask": 3 << 30}):
            client.profile_add(**PROFILE | more)
            tap.equal("profiles", client.profile_get(), [added(**more)])
            client.profile_del(added(**more)["profile_name"])
            tap.equal("profiles after the deletion", client.profile_get(), [])


def test_profiles_keep_their_order():
    """Profiles are listed in the order of their creation, even after a profile was deleted."""
    with netns.Netns() as ns:
        client = xlo.Client(ns)
        for number in range(5):
            client.profile_add(profile_name=f"p{number}", mark=number, mask=7, lifetime=1)
        client.profile_del("p1")
        client.profile_add(profile_name="p5", mark=5, mask=7, lifetime=1)
        tap.equal("names", [p["profile_name"] for p in client.profile_get()],
                  ["p0", "p2", "p3", "p4", "p5"])


def test_cap_round_trip():
    """A cap can be set, changed and deleted. Each interface has its own cap."""
    with netns.Netns() as ns:
        client = xlo.Client(ns)
        ns.ip("link add d0 type dummy", "link add d1 type dummy")
        index = {name: client.ifindex(name) for name in ("d0", "d1")}
        for name, ms, want in (("d0", 1, {"d0": 1}),
                               ("d1", 43_200_000, {"d0": 1, "d1": 43_200_000}),
                               ("d0", 77, {"d0": 77, "d1": 43_200_000})):
            client.cap_set(name, ms)
            tap.equal("caps", caps(client), {index[n]: v for n, v in want.items()})
        client.cap_del("d0")
        tap.equal("caps", caps(client), {index["d1"]: 43_200_000})


def caps(client):
    return {cap["ifindex"]: cap["cap"] for cap in client.cap_get()}


def settings(client):
    answer = client.get()
    return answer["txtime"], answer["validate"]


def test_settings_round_trip():
    """A request changes only the settings that it names."""
    with netns.Netns() as ns:
        client = xlo.Client(ns)
        tap.equal("defaults", settings(client), (0, 0))
        for values, want in (({"txtime": 1}, (1, 0)), ({"validate": 1}, (1, 1)),
                             ({}, (1, 1)), ({"txtime": 0}, (0, 1)),
                             ({"txtime": 1, "validate": 0}, (1, 0))):
            client.set(**values)
            tap.equal(f"settings after {values}", settings(client), want)


def test_no_counter_without_traffic():
    """Without traffic every counter is 0. The counters have the order of the specification."""
    with netns.Netns() as ns:
        client = xlo.Client(ns)
        names = [a["name"].replace("-", "_") for a in client.spec.sets["stats"].values()
                 if a["type"] == "u64"]
        tap.equal("counters", list(client.stats().items()), [(name, 0) for name in names])


def test_every_change_is_told():
    """Each change causes exactly one event, and the events have the order of the changes. An event
    contains the attributes of the request and the default values of missing attributes."""
    with netns.Netns() as ns:
        client, events = xlo.Client(ns), xlo.Events(ns)
        ns.ip("link add d0 type dummy")
        index = client.ifindex("d0")
        profile = {name: value for name, value in added(slow=True).items() if name != "packets"}
        rto = {"profile_name": "tcp", "mark": 1, "mask": 0xff, "rto": True, "stale": 1,
               "clock": 0, "path": 1}
        client.profile_add(**PROFILE, slow=True)
        client.profile_add(profile_name="tcp", mark=1, mask=0xff, rto=True)
        client.cap_set("d0", 700)
        client.cap_set("d0", 800)
        client.set(validate=1)
        client.set(txtime=1)
        client.cap_del("d0")
        client.profile_del("video")
        client.profile_del("tcp")
        want = [("profile_add", profile), ("profile_add", rto),
                ("cap_set", {"ifindex": index, "cap": 700}),
                ("cap_set", {"ifindex": index, "cap": 800}),
                ("set", {"txtime": 0, "validate": 1}), ("set", {"txtime": 1, "validate": 1}),
                ("cap_del", {"ifindex": index, "cap": 800}),
                ("profile_del", profile), ("profile_del", rto)]
        tap.equal("events", [events.next() for _ in want], want)
        tap.equal("further event", events.next(0), None)


# Permissions

CHANGES = {"profile_add": OTHER, "profile_del": {"profile_name": "video"},
           "cap_set": {"cap": 5}, "cap_del": {}, "set": {"txtime": 1}}


def attempts(client):
    """Try one change of each kind. Returns the error of each change, or "done" for a success."""
    found = {}
    for operation, values in CHANGES.items():
        if operation.startswith("cap"):
            values = values | {"ifindex": client.ifindex("lo")}
        try:
            client.do(operation, **values)
            found[operation] = "done"
        except netlink.Refused as refusal:
            found[operation] = errno.errorcode[refusal.code]
    return found


def configured(ns):
    """Prepare a namespace so that a change of each kind is possible. Returns a client of the
    namespace."""
    client = xlo.Client(ns)
    client.profile_add(**PROFILE)
    client.cap_set("lo", 9)
    return client


def test_nobody_may_look_but_not_change():
    """Without CAP_NET_ADMIN, a user can read the whole configuration but cannot change it."""
    with netns.Netns() as ns:
        root = configured(ns)
        before = root.profile_get(), root.cap_get(), root.get()

        def as_nobody():
            netns.setns(ns.fd)
            child.become_nobody()
            client = xlo.Client(child.Here())
            seen = client.profile_get(), client.cap_get(), client.get()
            return attempts(client), seen == before
        tap.equal("results of changes, and whether reading shows the configuration",
                  child.answer(as_nobody),
                  str((dict.fromkeys(CHANGES, "EPERM"), True)))
        tap.equal("configuration", (root.profile_get(), root.cap_get(), root.get()), before)


def test_root_of_a_user_namespace_may():
    """In a user namespace, root may configure the network namespaces that belong to the user
    namespace. Root may not configure other network namespaces."""
    with netns.Netns() as ns:
        root = configured(ns)
        before = root.profile_get(), root.cap_get(), root.get()

        def in_a_user_namespace():
            child.enter_user_namespace()
            return attempts(configured(child.Here()))

        def in_somebody_elses():
            netns.setns(ns.fd)
            child.enter_user_namespace(0)
            return attempts(xlo.Client(child.Here()))
        tap.equal("changes in its own namespace", child.answer(in_a_user_namespace),
                  str(dict.fromkeys(CHANGES, "done")))
        tap.equal("changes in another namespace", child.answer(in_somebody_elses),
                  str(dict.fromkeys(CHANGES, "EPERM")))
        tap.equal("configuration", (root.profile_get(), root.cap_get(), root.get()), before)


# Dumps, namespaces, interfaces, hooks

def parts(client, operation, between=lambda: None):
    """Request a dump on a socket that did not ask for large messages. Returns the flags and the
    objects of each message. The function calls between() after the first message."""
    asked = netlink.Netlink(client.ns, netlink.NETLINK_GENERIC)
    body = client.body(operation, {})
    asked.sock.send(struct.pack("=IHHII", 16 + len(body), client.family, netlink.NLM_F_REQUEST |
                                netlink.NLM_F_DUMP, 1, 0) + body)
    found = []
    while True:
        data = asked.sock.recv(4096)
        found.append(([], []))
        while data:
            length, kind, flags = struct.unpack_from("=IHH", data)
            found[-1][0].append(flags)
            if kind == netlink.NLMSG_DONE:
                return found
            found[-1][1].append(client.spec.decode(data[20:length]))
            data = data[(length + 3) & ~3:]
        if len(found) == 1:
            between()


def interrupted(found):
    return any(flags & INTERRUPTED for part, _ in found for flags in part)


def test_dump_of_several_messages():
    """A dump of 64 profiles needs several messages and contains each profile once. If the
    configuration changes during a dump, the dump is marked as interrupted."""
    with netns.Netns() as ns:
        client, other = xlo.Client(ns), xlo.Client(ns)
        names = [f"{number:02d}" + "x" * 29 for number in range(64)]
        for number, name in enumerate(names):
            client.profile_add(profile_name=name, mark=number, mask=0xff, lifetime=number,
                               slow=True, corrupt_ok=True)
        found = parts(client, "profile_get")
        tap.true("several messages", len(found) > 2)
        profiles = [profile for _, objects in found for profile in objects]
        tap.equal("names", [p["profile_name"] for p in profiles], names)
        tap.equal("lifetimes", [p["lifetime"] for p in profiles], list(range(64)))
        tap.true("a dump without a change is not interrupted", not interrupted(found))
        found = parts(client, "profile_get", lambda: other.profile_del(names[63]))
        tap.true("a change interrupts the dump", interrupted(found))
        tap.equal("names in a new dump",
                  [p["profile_name"] for p in other.profile_get()], names[:63])


def test_namespaces_are_independent():
    """The configuration of one namespace has no effect in another namespace. The other namespace
    cannot read the configuration and receives no events about it. Two namespaces can use the same
    profile name and mark."""
    with netns.Netns() as one, netns.Netns() as two:
        first, second = xlo.Client(one), xlo.Client(two)
        heard = xlo.Events(two)
        account = xlo.Account(first)
        for ns in (one, two):
            ns.link("lo", True)
        configured(one)
        first.set(txtime=1, validate=1)
        tap.equal("configuration of the other",
                  (second.profile_get(), second.cap_get(), settings(second)),
                  ([], [], (0, 0)))
        second.profile_add(**PROFILE | {"lifetime": 7})
        tap.equal("lifetime in the event", heard.next()[1]["lifetime"], 7)
        with one.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.bind(("127.0.0.1", 5000))
            sock.sendto(b"x", sock.getsockname())
            tap.equal("arrived", sock.recv(10), b"x")
        account.expect(no_option=1)
        tap.equal("values of the other's counters", set(second.stats().values()), {0})
        second.profile_del("video")
        tap.equal("lifetimes in the first", [p["lifetime"] for p in first.profile_get()], [300])


def test_a_namespace_begins_with_nothing():
    """A new namespace has no configuration, even if removed namespaces had one."""
    for _ in range(3):
        with netns.Netns() as ns:
            client = xlo.Client(ns)
            tap.equal("configuration", (client.profile_get(), client.cap_get(), settings(client),
                                        set(client.stats().values())), ([], [], (0, 0), {0}))
            configured(ns)


def test_a_cap_goes_with_its_interface():
    """A cap is deleted when its interface is deleted or moves to another namespace. The deletion
    causes an event. The cap does not return when the interface returns."""
    with netns.Netns() as ns, netns.Netns() as other:
        client, events = xlo.Client(ns), xlo.Events(ns)
        ns.ip("link add d0 type dummy", "link add d1 type dummy", "link add d2 type dummy")
        index = {}
        for number, name in enumerate(("d0", "d1", "d2")):
            index[name] = client.ifindex(name)
            client.cap_set(name, 100 + number)
            events.next()
        ns.ip("link del d0")
        tap.equal("event", events.next(), ("cap_del", {"ifindex": index["d0"], "cap": 100}))
        tap.equal("caps", caps(client), {index["d1"]: 101, index["d2"]: 102})
        netlink.Netlink(ns).move("d1", other, "d1")
        tap.equal("event", events.next(), ("cap_del", {"ifindex": index["d1"], "cap": 101}))
        tap.equal("caps", caps(client), {index["d2"]: 102})
        tap.equal("caps in the other namespace", xlo.Client(other).cap_get(), [])
        netlink.Netlink(other).move("d1", ns, "d1")
        tap.equal("caps after the interface has come back", caps(client), {index["d2"]: 102})
        ns.link("d2", True)
        ns.link("d2", False)
        ns.ip("link set d2 name d9")
        tap.equal("caps after the interface was down and renamed", caps(client), {index["d2"]: 102})


def syn_beyond(r):
    """Send a SYN with MSS 1460. Returns the MSS of the SYN behind the router."""
    r.port.send(syn.ipv4(syn.SYN, syn.mss(1460)))
    frames = r.beyond.until("the SYN", lambda seen: any(segments.is_tcp(f.packet) for f in seen))
    return segments.Segment(next(f.packet for f in frames if segments.is_tcp(f.packet))).mss()


def listed_hooks(r):
    """The module's hooks that nft lists, or None if the kernel cannot list hooks. A kernel that can
    list hooks also lists the hook of the rule that sets marks."""
    done = r.router.run("nft list hooks", check=False)
    if done.returncode or "prerouting" not in done.stdout:
        return None
    return set(re.findall(r"xlo_hook_(\w+)", done.stdout))


def in_force(r):
    """The hooks that see packets, except the output hook. The output hook counts only packets of
    profiles, so a packet without a profile cannot show whether the output hook is registered."""
    before = r.xlo.stats()["no_option"]
    found = {"forward"} if syn_beyond(r) != 1460 else set()
    if r.xlo.stats()["no_option"] > before:
        found.add("ingress")
    return found


def test_hooks_are_there_while_needed():
    """A hook is registered exactly while the configuration needs it."""
    with router.Router() as r:
        r.mark()
        steps = [("nothing", lambda: None, set()),
                 ("output profile", lambda: r.xlo.profile_add(**PROFILE), {"output"}),
                 ("forward profile", lambda: r.xlo.profile_add(**OTHER, path=2),
                  {"output", "forward"}),
                 ("validate", lambda: r.xlo.set(validate=1), {"output", "forward", "ingress"}),
                 ("no output profile", lambda: r.xlo.profile_del("video"),
                  {"forward", "ingress"}),
                 ("cap and validate", lambda: r.xlo.cap_set("r0", 5), {"forward", "ingress"}),
                 ("cap alone", lambda: r.xlo.set(validate=0), {"forward", "ingress"}),
                 ("no cap", lambda: r.xlo.cap_del("r0"), {"forward"}),
                 ("txtime", lambda: r.xlo.set(txtime=1), {"output", "forward"}),
                 ("no forward profile", lambda: r.xlo.profile_del("other"), {"output"}),
                 ("no txtime", lambda: r.xlo.set(txtime=0), set()),
                 ("profile for output and forward", lambda: r.xlo.profile_add(**OTHER, path=3),
                  {"output", "forward"}),
                 ("nothing again", lambda: r.xlo.profile_del("other"), set())]
        listed = listed_hooks(r) is not None
        if not listed:
            tap.note("the kernel does not list hooks, so only their effect is checked")
        for what, change, want in steps:
            change()
            tap.equal(f"hooks in force: {what}", in_force(r), want - {"output"})
            if listed:
                tap.equal(f"hooks listed: {what}", listed_hooks(r), want)


def test_unconfigured_leaves_packets_alone():
    """Without a configuration, xlo changes no packet and counts no packet."""
    with router.Router() as r:
        packets = [pkt.ipv4(payload=pkt.body(0, 50)), pkt.ipv6(None, pkt.body(1, 50)),
                   pkt.ipv4(pkt.xlo4(5000), pkt.body(2, 50)),
                   pkt.ipv6(pkt.xlo6(5000), pkt.body(3, 50))]
        r.mark(router.ALL)
        found = r.carry(packets)
        tap.equal("packet numbers and lifetimes", [(pkt.number(p), pkt.lifetime(p)) for p in found],
                  [(0, None), (1, None), (2, 5000), (3, 5000)])
        r.account.expect()


def test_module_needs_nothing_else():
    """The netlink family exists exactly while the module is loaded, and a configuration does not
    prevent unloading."""
    with netns.Netns() as ns:
        configured(ns)
        with contextlib.suppress(FileNotFoundError):
            with open("/sys/module/xlo/refcnt") as file:
                tap.equal("references", file.read().strip(), "0")
        tap.equal("rmmod", kmod.rmmod("xlo"), 0)
        tap.true("xlo is unloaded", not kmod.loaded("xlo"))
        client = xlo.Client(ns)
        tap.equal("configuration", (client.profile_get(), client.cap_get()), ([], []))


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
