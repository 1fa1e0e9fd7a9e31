# SPDX-License-Identifier: GPL-2.0-or-later
"""The interfaces that accept attributes: lpd, its gate, cellink devices, the traces of cellink
devices, arqlink devices, xlo and xlo_rto. Each interface is tested in its own namespace. Each subject makes and
sends requests, reports the configuration as {object: {attribute number: payload}}, and knows the
effect of a request."""
import errno
import struct

from lib import arq, cell, garble, gate, kmod, netlink, netns, notice, rules, syzlang, tap, xlo
from lib.netlink import NLM_F_CREATE, NLM_F_EXCL, NLM_F_REPLACE
from tdc import device

FLAGS = {"create": NLM_F_CREATE | NLM_F_EXCL, "change": 0, "replace": NLM_F_CREATE | NLM_F_REPLACE}


PAD = 1                         # number of the padding attribute in each family


def encode(attributes):
    """The encoded attributes of {number: payload}."""
    return b"".join(netlink.attr(kind, payload) for kind, payload in attributes.items())


def without(attributes, *kinds):
    return {kind: payload for kind, payload in attributes.items() if kind not in kinds}


def decode(data):
    """The attributes as {number: payload}. If a number occurs twice, the last attribute with this
    number counts."""
    return without(dict(netlink.attrs(data)), PAD)


class Subject:
    """`folder` is the folder of the module's syzkaller.txt. `prefix` is the prefix of the names of
    the module's attributes. `union` is the name of the union of these attributes in
    syzkaller.txt."""

    def __init__(self, random):
        self.random, self.about = random, syzlang.read(self.folder)
        self.a = self.about.named(self.prefix)
        padding = {f"{self.prefix}PAD": lambda: b""}
        self.maker = garble.Maker(self.about, random, padding | self.special())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ns.close()
        # The maker refers to this object. When no reference is left, the sockets close, which frees
        # the namespace.
        self.maker = None

    def special(self):
        """Functions that make certain values, for garble.Maker."""
        return {}

    def bearable(self, data):
        """Whether the machine has the resources for a request with these attributes."""
        return True

    def read(self, command, told):
        """The attributes of an accepted request that have an effect."""
        return {} if command == "delete" else told

    def holds(self, name, kind, payload):
        """Whether this attribute of an object (or of a request, if the object is None) may have
        this payload."""
        return self.about.holds(self.about.attributes(self.union)[kind], payload)

    def send_back(self, state):
        """Send requests that set this configuration, which is already in force."""
        for name, attributes in state.items():
            for request in self.back(name, attributes):
                self.send(*request)

    def explains(self, error, data):
        """Whether a refusal of these attributes with this error must give a reason."""
        return True

    def finish(self):
        """Checks after all requests."""


class Lpd(Subject):
    """The queueing discipline, at the root of lo."""

    folder, module, prefix, union = "sch_lpd", "sch_lpd", "TCA_LPD_", "lpd_policy"
    MANY = 1 << 14                  # the largest limit that is tried, in packets

    def __init__(self, random):
        super().__init__(random)
        self.device = device.Device()
        self.ns = self.device.ns
        self.send("create", b"")
        self.defaults = self.state()["lpd"]

    def request(self):
        command = self.random.choice(["create", "delete", *["change", "replace"] * 6])
        return command, self.maker.few(self.union)

    def special(self):
        choice, most = self.random.choice, self.about.number("TC_LPD_LIMIT_MAX")
        return {"TCA_LPD_LIMIT": lambda: netlink.u32(choice(
            [0, 1, 2, self.random.randrange(self.MANY), self.MANY, most + 1, 2**32 - 1])),
            # with more bits, a random mark would rarely be within a random mask
            "TCA_LPD_RULE_MARK": lambda: netlink.u32(choice([0, 1, 1 << 31])),
            "TCA_LPD_RULE_MASK": lambda: netlink.u32(choice([2**32 - 1, 1, 1 << 31, 0]))}

    def bearable(self, data):
        """The tables of an old and a new qdisc for a million packets need more separate pieces of
        memory than User-Mode Linux may have. tdc/netlink tests this limit once."""
        limit = netlink.number(decode(data).get(self.a.LIMIT, b"")[:4])
        return limit <= self.MANY or limit > self.about.number("TC_LPD_LIMIT_MAX")

    def send(self, command, data):
        if command == "delete":
            self.device.netlink.remove_root("lo")
        else:
            self.device.netlink.qdisc("lo", FLAGS[command], "lpd", data)

    def state(self):
        return {"lpd": self._complete(decode(q.raw_options)) for q in self.device.tree().qdiscs
                if q.kind == "lpd"}

    def after(self, before, now, command, told):
        if command == "delete":
            return {}
        return {"lpd": before.get("lpd", self.defaults) | self._complete(told)}

    def _complete(self, attributes):
        """The attributes. Default values are added to the rules, and the attributes of each rule
        are sorted."""
        if self.a.MATCH not in attributes:
            return attributes
        told = rules.read(attributes[self.a.MATCH])
        return attributes | {self.a.MATCH: b"".join(
            rules.rule(**dict(sorted(one.items()))) for one in told)}

    def back(self, name, attributes):
        nest = netlink.nest(self.a.MATCH, attributes[self.a.MATCH])
        yield "change", encode(without(attributes, self.a.MATCH)) + nest


class Directions:
    """The configurations of all cellink devices in a namespace. A trace is a separate object."""

    def __init__(self, ns, about):
        self.netlink, self.about = netlink.Netlink(ns), about
        self.a, self.trace = about.named("CELLINK_"), about.named("CELLINK_A_")
        # these times may be 0, although 0 is not in their range
        self.or_nothing = (self.a.GOOD, self.a.BAD, self.a.OUTAGE_EVERY)

    def state(self):
        found = {}
        for data in self.netlink.dump(netlink.RTM_GETLINK, bytes(16)):
            link = dict(netlink.attrs(data[16:]))
            info = dict(netlink.attrs(link.get(netlink.IFLA_LINKINFO, b"")))
            if info.get(netlink.IFLA_INFO_KIND) == b"cellink\0":
                name = link[netlink.IFLA_IFNAME]
                config = decode(info[netlink.IFLA_INFO_DATA])
                found[name] = without(config, self.a.TRACE, self.a.TURNS)
                # the position in a trace depends on the time
                found |= {(name, kind): without(decode(config[kind]), self.trace.POSITION)
                          for kind in (self.a.TRACE, self.a.TURNS) if kind in config}
        return found

    def holds(self, name, kind, payload):
        if isinstance(name, tuple):
            return self.about.holds(self.about.attributes("cellink_trace_policy")[kind], payload)
        return kind in self.or_nothing and payload == bytes(8) or \
            self.about.holds(self.about.attributes("cellink_direction")[kind], payload)


class Cell(Subject):
    """A device cell0 and its peer."""

    folder, module, prefix, union = "kmod/cellink", "cellink", "CELLINK_", "cellink_policy"
    NAME = b"cell0\0"

    def __init__(self, random):
        super().__init__(random)
        cell.kmod.insmod("cellink")
        self.ns = netns.Netns()
        self.directions = Directions(self.ns, self.about)
        self.state, self.holds = self.directions.state, self.directions.holds
        self.send("create", b"")
        self.defaults, self.there = self.state()[self.NAME], True

    def special(self):
        choice = self.random.choice
        return {"ifindex": lambda: netlink.u32(1),
                "ifinfomsg": lambda: struct.pack("=BxHiII", 0, 0, choice([0, 0, 77, -1]), 0, 0),
                "devname": lambda: choice([b"cell1", b"cell1", b"cell0", b"p%d"]) + b"\0",
                "CELLINK_OUTAGES": self._outages}

    def _outages(self):
        """A random schedule of outages, in ascending order."""
        times = sorted(self.random.choices(range(cell.S), k=2 * self.random.randint(0, 33)))
        return b"".join(struct.pack("=QQ", start, max(1, end - start))
                        for start, end in zip(times[::2], times[1::2]))

    def request(self):
        command = self.random.choice(["delete", *["change"] * 8]) if self.there else "create"
        peer = self.random.random() < (0.1 if self.there else 0.8)
        return command, self.maker.few(self.union if peer else "cellink_direction")

    def send(self, command, data, name=NAME):
        body = bytes(16) + netlink.attr(netlink.IFLA_IFNAME, name)
        if command == "delete":
            self.directions.netlink.request(netlink.RTM_DELLINK, 0, body)
        else:
            self.directions.netlink.request(netlink.RTM_NEWLINK, FLAGS[command],
                                            body + cell.link_info(data))

    def explains(self, error, data):
        """The core gives no reason if something about the peer as a device is wrong, or if
        IFLA_INFO_DATA is too short for an attribute."""
        return len(data) not in (1, 2, 3) and (self.there or self.a.PEER not in decode(data))

    def read(self, command, told):
        """The core ignores attributes that it does not know."""
        return {kind: payload for kind, payload in super().read(command, told).items()
                if kind in self.about.attributes("cellink_direction")}

    def _with(self, config, told):
        """The configuration of a direction after a request."""
        return config | {kind: payload for kind, payload in told.items() if kind in self.defaults}

    def after(self, before, now, command, told):
        self.there = command != "delete"
        if command == "delete":
            return {}
        if command == "change":
            return before | {self.NAME: self._with(before[self.NAME], told)}
        # the peer may be in another namespace; the kernel chooses names and seeds that are missing
        wanted = {self.NAME: told} | {name: self._of_the_peer(told) for name in now
                                      if name != self.NAME}
        return {name: self._with(self.defaults | {self.a.SEED: now[name][self.a.SEED]}, said)
                for name, said in wanted.items()}

    def _of_the_peer(self, told):
        """The attributes for the peer's direction in a request that creates both devices."""
        link = dict(netlink.attrs(told.get(self.a.PEER, b"")[16:]))
        # the kernel searches for this attribute instead of parsing all, so the first attribute of
        # this kind counts
        infos = netlink.attrs(link.get(netlink.IFLA_LINKINFO, b""))
        data = [payload for kind, payload in infos if kind == netlink.IFLA_INFO_DATA]
        return decode(data[0]) if data else {}

    def back(self, name, attributes):
        yield "change", encode(attributes), name


class Arq(Subject):
    """A device arq0, which is up or down, above a veth that allows every size of frames."""

    folder, module, prefix, union = "kmod/arqlink", "arqlink", "ARQLINK_", "arqlink_policy"

    def __init__(self, random):
        super().__init__(random)
        kmod.insmod("arqlink")
        kmod.insmod("xlo_rto")      # for ARQLINK_NOTIFY
        self.ns = netns.Netns()
        netns.veth(self.ns, "v0", self.ns, "v1", mtu=self.a.FRAME_MAX + arq.OVERHEAD)
        self.end = arq.End(self.ns, "arq0")
        self.send("create", b"")
        self.defaults = self.state()["arq0"]

    def special(self):
        choice = self.random.choice
        marks = {f"ARQLINK_{name}_MARK": lambda: netlink.u32(choice([0, 0, 1, 1 << 31]))
                 for name in ("BYPASS", "RELIABLE")}
        masks = {f"ARQLINK_{name}_MASK": lambda: netlink.u32(choice([2**32 - 1, 1, 1 << 31, 0]))
                 for name in ("BYPASS", "RELIABLE")}
        return marks | masks | {"ARQLINK_REMOTE": lambda: choice(
            [bytes(6), b"\2" + self.random.randbytes(5), self.random.randbytes(6)])}

    def request(self):
        there = self.end.netlink.link("arq0")
        return self.random.choice(["delete", *["change"] * 8]) if there else "create", \
            self.maker.few(self.union)

    def send(self, command, data):
        if command == "delete":
            self.end.netlink.delete("arq0")
        elif command == "change":
            self.end.change(data)
        else:
            self.end.above("v0", data)
            self.end.up(self.random.random() < 0.5)

    def state(self):
        there = self.end.netlink.link("arq0")
        return {"arq0": without(self.end.attributes(), PAD)} if there else {}

    def explains(self, error, data):
        """The core gives no reason if IFLA_INFO_DATA is too short for an attribute."""
        return len(data) not in (1, 2, 3)

    def read(self, command, told):
        """The core ignores attributes that it does not know."""
        return {kind: payload for kind, payload in super().read(command, told).items()
                if kind in self.defaults}

    def after(self, before, now, command, told):
        if command == "delete":
            return {}
        return {"arq0": before.get("arq0", self.defaults) | self.read(command, told)}

    def back(self, name, attributes):
        yield "change", encode(attributes)


class Family(Subject):
    """A family of generic netlink. In this class, a command is represented by its number."""

    def __init__(self, random):
        super().__init__(random)
        self.ns = netns.Netns()
        self.client = self.connect()
        self.numbers = self.client.spec.operations
        self.wanted = dict(enumerate(map(self._names, self.client.spec.raw["operations"]["list"]),
                                     1))

    def connect(self):
        return xlo.Client(self.ns, self.module)

    def _names(self, operation):
        """The names that syzkaller.txt gives to the attributes of this operation's request."""
        names = operation.get("do", {}).get("request", {}).get("attributes", [])
        return [self.prefix + name.upper().replace("-", "_") for name in names]

    def request(self):
        """A random request: the number of a command, and attributes. Most of these commands accept
        attributes."""
        random = self.random
        command = random.choice([number for number, names in self.wanted.items() if names])
        if random.random() < 0.1:
            command = random.choice([0, *self.wanted, len(self.wanted) + 1, 255])
        parts = self.maker.most(self.union, self.wanted.get(command, ()))
        if random.random() < 0.1:
            parts += self.maker.few(self.union)
        return command, parts

    def read(self, command, told):
        """A command that accepts no attributes ignores the attributes of the request."""
        return told if self.wanted.get(command) else {}

    def send(self, command, data):
        self.client.request(self.client.family, 0, struct.pack("=BBH", command, 1, 0) + data)

    def explains(self, error, data):
        """The core gives no reason if a command does not exist."""
        return error != errno.EOPNOTSUPP

    def answers(self, operation):
        """The answers to a dump of the family."""
        return [decode(data[4:]) for data in
                self.client.dump(self.client.family, self.client.body(operation, {}))]


class Gate(Family):
    """The gate of an lpd at the root of lo."""

    folder, module, prefix, union = "sch_lpd", "sch_lpd", "LPD_A_", "lpd_gate_policy"

    def __init__(self, random):
        self.probes = 0
        super().__init__(random)
        self.ns.link("lo", True)
        netlink.Netlink(self.ns).qdisc("lo", NLM_F_CREATE, "lpd")
        self.prober = gate.prober(self.ns, "lo", ethernet=True)

    def connect(self):
        kmod.insmod(self.module)
        return gate.Client(self.ns)

    def special(self):
        return {"ifindex": lambda: netlink.u32(self.random.choice([1] * 8 + [0, 99])),
                "LPD_A_PROBE": lambda: netlink.u32(
                    max(0, self.probes - self.random.randrange(1, 4)))}

    def request(self):
        """A request, after two probes. lpd knows the probes if there is a gate."""
        for _ in range(2):
            self.prober.send(gate.packet(self.probes, 100))
        self.probes += 2
        return super().request()

    def state(self):
        """The window and the delay of the gate. lpd uses a new rate only if it differs enough from
        the old rate and if enough time has passed."""
        return {"gate": {kind: found[kind] for kind in (self.a.WINDOW, self.a.DELAY)}
                for found in self.answers("gate_get")}

    def after(self, before, now, command, told):
        if command == self.numbers["gate_del"]:
            return {}
        if command != self.numbers["gate_set"]:
            return before
        old = before.get("gate", {self.a.DELAY: netlink.u64(0)})
        return {"gate": {kind: told.get(kind, old.get(kind))
                         for kind in (self.a.WINDOW, self.a.DELAY)}}

    def back(self, name, attributes):
        yield self.numbers["gate_set"], encode({self.a.IFINDEX: netlink.u32(1)} | attributes)


class Xlo(Family):
    """Profiles, caps and settings of xlo."""

    folder, module, prefix, union = "kmod/xlo", "xlo", "XLO_A_", "xlo_policy"

    def __init__(self, random):
        super().__init__(random)
        kmod.insmod("cellink")
        cell.End(self.ns, "cell0").create()
        # the default values of the header
        self.defaults = {self.a.REORDER: netlink.u8(0), self.a.STALE: netlink.u8(1),
                         self.a.CLOCK: netlink.u8(0), self.a.PATH: netlink.u8(1)}

    def special(self):
        choice = self.random.choice
        return {"ifindex": lambda: netlink.u32(choice([1, 2, 3, 1, 2, 3, 0, 99])),
                # with fewer bits, two profiles would always overlap
                "XLO_A_MASK": lambda: netlink.u32(choice([3, 3, 3, 3, 1, 0, 2**32 - 1]))}

    def state(self):
        found = {("set",): without(self.client.settings(), PAD, self.a.STATS)}
        for profile in self.answers("profile_get"):
            found["profile_add", profile[self.a.PROFILE_NAME]] = without(profile, self.a.PACKETS)
        for cap in self.answers("cap_get"):
            found["cap_set", cap[self.a.IFINDEX]] = cap
        return found

    def after(self, before, now, command, told):
        said = self._name(told)
        name, cap = ("profile_add", said), ("cap_set", told.get(self.a.IFINDEX))
        gone = {self.numbers["profile_del"]: name, self.numbers["cap_del"]: cap}.get(command)
        made = {self.numbers["profile_add"]: {name: self._profile(said, told)},
                self.numbers["cap_set"]: {cap: told},
                self.numbers["set"]: {("set",): before["set",] | told}}.get(command, {})
        return without(before, gone) | made

    def read(self, command, told):
        """Bytes after the end of a string are ignored."""
        if self.a.PROFILE_NAME in told:
            told = told | {self.a.PROFILE_NAME: self._name(told)}
        return super().read(command, told)

    def _name(self, told):
        return told.get(self.a.PROFILE_NAME, b"").split(b"\0")[0] + b"\0"

    def _profile(self, name, told):
        """A profile with its defaults. The profile has no reordering degree if TCP's own degree is
        used."""
        wanted = self.defaults | told | {self.a.PROFILE_NAME: name}
        return without(wanted, *[self.a.REORDER] * bool({self.a.RTO, self.a.REPEATS} & told.keys()))

    def holds(self, name, kind, payload):
        return kind in (self.a.MARK, self.a.MASK) or super().holds(name, kind, payload)

    def back(self, name, attributes):
        if name[0] == "profile_add":
            yield self.numbers["profile_del"], netlink.attr(self.a.PROFILE_NAME, name[1])
        yield self.numbers[name[0]], encode(attributes)


class Rto(Family):
    """The settings of xlo_rto, and requests to send messages."""

    folder, module, prefix, union = "kmod/xlo_rto", "xlo_rto", "XRTO_A_", "xrto_policy"

    def special(self):
        return {"xrto_packet": self._packet}

    def _packet(self):
        packet = self.random.choice([notice.ipv4(notice.segment()), notice.ipv6(notice.segment()),
                                     self.random.randbytes(self.random.randint(1, 1501))])
        return packet[:self.random.choice([1, 20, 40, 60, 2000])]

    def state(self):
        return {"set": without(self.client.settings(), self.a.STATS, self.a.NOTICES)}

    def after(self, before, now, command, told):
        if command != self.numbers["set"]:
            return before
        keyed = {self.a.KEYED: netlink.u8(bool(told[self.a.KEY]))} if self.a.KEY in told else {}
        return {"set": before["set"] | without(told, self.a.KEY) | keyed}

    def holds(self, name, kind, payload):
        return super().holds(name, kind, payload) and \
            (kind != self.a.KEY or len(payload) in (0, 16))

    def back(self, name, attributes):
        yield self.numbers["set"], encode(without(attributes, self.a.KEYED))


class Traces(Family):
    """The traces that cell0 and its peer follow, and the upload of a trace through the socket."""

    folder, module, prefix, union = "kmod/cellink", "cellink", "CELLINK_A_", "cellink_trace_policy"
    MANY = 1 << 20                  # the largest upload that is tried, in times

    def __init__(self, random):
        self.times, self.count = [], None
        super().__init__(random)
        self.directions = Directions(self.ns, self.about)
        self.state = self.directions.state
        self.end = cell.End(self.ns, "cell0")
        self.end.create(cell.peer("cell1"))
        self.names = {self.end.netlink.ifindex(name): f"{name}\0".encode()
                      for name in ("cell0", "cell1")}

    def special(self):
        random = self.random
        return {"ifindex": lambda: netlink.u32(random.choice([*self.names] * 4 + [0, 1])),
                "CELLINK_A_COUNT": lambda: netlink.u32(random.choice(
                    [random.randint(1, 9)] * 20 + [0, self.MANY, (1 << 24) + 1, 2**32 - 1])),
                "CELLINK_A_TIMES": self._more,
                "CELLINK_A_OFFSET": lambda: netlink.u64(random.randrange(20 * cell.MS))}

    def bearable(self, data):
        """User-Mode Linux maps each page of an upload separately. Uploads of 16384 pages, one after
        the other, need more mappings than the host allows (vm.max_map_count). cli/trace_load tests
        the largest upload once."""
        count = netlink.number(decode(data).get(self.a.COUNT, b"")[:4])
        return count <= self.MANY or count > self.about.number("CELLINK_TRACE_MAX")

    def _more(self):
        """The next part of an upload. In most cases it contains exactly the missing times, in
        ascending order."""
        count = max(1, min((self.count or 0) - len(self.times), 100))
        first = self.times[-1] if self.times else 0
        times = [first + self.random.randrange(9) for _ in range(count)]
        return struct.pack(f"={count}I", *sorted(times) if self.random.random() < 0.8 else times)

    def after(self, before, now, command, told):
        if command == self.numbers["trace_start"]:
            self.times, self.count = [], netlink.number(told[self.a.COUNT])
        elif command == self.numbers["trace_add"]:
            self.times += struct.unpack(f"={len(told[self.a.TIMES]) // 4}I", told[self.a.TIMES])
        else:
            kind = self.directions.a.TURNS if netlink.number(told.get(self.a.TURNS, b"")) else \
                self.directions.a.TRACE
            which = (self.names[netlink.number(told[self.a.IFINDEX])], kind)
            made = {}
            if command == self.numbers["trace_commit"]:
                made = {which: self._followed(kind, told)}
            return without(before, which) | made
        return before

    def _followed(self, kind, told):
        """The trace that the kernel reports after its upload has ended."""
        trace = {self.a.COUNT: netlink.u32(self.count), self.a.ONCE: netlink.u8(0),
                 self.a.OFFSET: netlink.u64(0),
                 self.a.LENGTH: netlink.u64(self.times[-1] * cell.MS)}
        if kind == self.directions.a.TRACE:
            trace[self.a.OPPORTUNITY] = netlink.u32(1504)
        self.times, self.count = [], None
        return trace | without(told, self.a.IFINDEX, self.a.TURNS)

    def holds(self, name, kind, payload):
        """syzkaller.txt describes the list of times as a short array, so that the test makes only a
        few times. This method accepts a list of any length, as long as there is at least one time
        and each time has 4 bytes."""
        if kind == self.a.TIMES:
            return payload and len(payload) % 4 == 0
        return self.directions.holds(name or (), kind, payload)

    def back(self, name, attributes):
        """Nothing, because a trace needs an upload of several requests."""
        return ()

    def finish(self):
        """Check that the upload still needs exactly the times that no accepted request has
        added."""
        left = (self.count or 0) - len(self.times)
        last = netlink.u32(max([1, *self.times]))
        if self.count is None:
            self._refused(errno.ENOENT, last)
        elif left < 1000:
            self._refused(errno.E2BIG, last * (left + 1))
            if left:
                self.send(self.numbers["trace_add"], netlink.attr(self.a.TIMES, last * left))

    def _refused(self, error, times):
        try:
            self.send(self.numbers["trace_add"], netlink.attr(self.a.TIMES, times))
        except netlink.Refused as refused:
            tap.equal("error", refused.code, error)
            return
        raise tap.Failed(f"{len(times) // 4} more times are accepted")


SUBJECTS = {"lpd": Lpd, "lpd_gate": Gate, "cellink": Cell, "cellink_traces": Traces,
            "arqlink": Arq, "xlo": Xlo, "xlo_rto": Rto}
