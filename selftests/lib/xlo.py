# SPDX-License-Identifier: GPL-2.0-or-later
"""A netlink client of the module xlo. Requests and answers are dictionaries. The numbers, types and
nests of attributes come from Documentation/netlink/xlo.yaml.

    client = xlo.Client(ns)
    client.profile_add(profile_name="video", mark=1, mask=0xff, lifetime=300)
    client.profile_get()        # [{"profile_name": "video", ..., "packets": 0}]
    client.get()["stats"]["stamped_output"]"""
import functools
import os
import select
import struct

import yaml

from . import genl, kmod, netlink, tap, wait

SPECS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Documentation/netlink")
NETLINK_ADD_MEMBERSHIP = 1
# Before Linux 6.8, a socket must request the events of xlo_rto. In each namespace, at most
# LISTENERS sockets may request them.
ASKING = kmod.RELEASE < (6, 8)
LISTENERS = 8
NUMBERS = {"u8": "=B", "u16": "=H", "u32": "=I", "u64": "=Q", "s64": "=q"}


def _python(name):
    return name.replace("-", "_")


@functools.cache
def _raw(name):
    """The parsed specification. The file is read only once, because parsing takes a long time in an
    emulated VM."""
    path = os.path.join(SPECS, f"{name}.yaml")
    if not os.path.exists(path):
        tap.skip(f"Documentation/netlink/{name}.yaml is missing: there are only the tests")
    with open(path) as file:
        return yaml.safe_load(file)


class Spec:
    """The specification of a netlink family. `operations` contains the number of each operation, by
    name. `sets` contains the attributes of each set, by number."""

    def __init__(self, name="xlo"):
        self.raw = _raw(name)
        names = [op["name"] for op in self.raw["operations"]["list"]]
        self.operations = {_python(name): number for number, name in enumerate(names, 1)}
        self.sets = {s["name"]: dict(enumerate(s["attributes"], 1))
                     for s in self.raw["attribute-sets"]}

    def encode(self, values, kind="main"):
        """Encode a dictionary as attributes. A flag that is false is omitted."""
        out = b""
        for number, attribute in self.sets[kind].items():
            value = values.get(_python(attribute["name"]))
            if value is None or value is False:
                continue
            if attribute["type"] in NUMBERS:
                payload = struct.pack(NUMBERS[attribute["type"]], value)
            elif attribute["type"] == "flag":
                payload = b""
            elif attribute["type"] == "binary":
                payload = value
            else:
                payload = value.encode() + b"\0"
            out += netlink.attr(number, payload)
        return out

    def decode(self, data, kind="main"):
        """Decode attributes into a dictionary."""
        found = {}
        for number, payload in netlink.attrs(data):
            attribute = self.sets[kind][number]
            name, what = _python(attribute["name"]), attribute["type"]
            if what in NUMBERS:
                found[name] = struct.unpack(NUMBERS[what], payload)[0]
            elif what == "flag":
                found[name] = True
            elif what == "nest":
                found[name] = self.decode(payload, attribute["nested-attributes"])
            elif what == "string":
                found[name] = payload.rstrip(b"\0").decode()
            elif what == "binary":
                found[name] = payload
        return found


class Client(genl.Family):
    """A netlink socket in a namespace, for the family of the module xlo or of another module. The
    methods are the operations of the family. If `load` is true, the constructor loads the
    module. `spec` is the name of the specification, by default that of the family."""

    def __init__(self, ns, name="xlo", load=True, spec=None):
        if load:
            kmod.insmod(name)
        super().__init__(ns, name)
        self.spec = Spec(spec or name)

    def body(self, operation, values):
        """The body of a request, which is the generic netlink header and the attributes."""
        return genl.body(self.spec.operations[operation], self.spec.encode(values))

    def do(self, operation, **values):
        """Send a request, and wait for the kernel's acknowledgement. If the kernel refuses the
        request, raises netlink.Refused."""
        self.request(self.family, 0, self.body(operation, values))

    def profile_add(self, **values):
        self.do("profile_add", **values)

    def profile_del(self, name):
        self.do("profile_del", profile_name=name)

    def profile_get(self):
        return self._dump("profile_get")

    def cap_set(self, device, ms):
        self.do("cap_set", ifindex=self.ifindex(device), cap=ms)

    def cap_del(self, device):
        self.do("cap_del", ifindex=self.ifindex(device))

    def cap_get(self):
        return self._dump("cap_get")

    def set(self, **values):
        self.do("set", **values)

    def settings(self):
        """The attributes in the answer to "get", by number."""
        self._send(self.family, 0, self.body("get", {}))
        return dict(netlink.attrs(self._answer()[4:]))

    def get(self):
        self._send(self.family, 0, self.body("get", {}))
        return self.spec.decode(self._answer()[4:])

    def stats(self):
        return self.get()["stats"]

    def _dump(self, operation):
        return [self.spec.decode(data[4:])
                for data in self.dump(self.family, self.body(operation, {}))]


class Events(Client):
    """A client that receives the events of a multicast group. `listen` is the request for these
    events, if the family has such a request."""

    def __init__(self, ns, name="xlo", load=True, spec=None, group="events", listen="listen"):
        super().__init__(ns, name, load, spec)
        self.sock.setsockopt(netlink.SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, self.groups[group])
        if listen in self.spec.operations:
            self.do(listen)
        self.names = {number: name for name, number in self.spec.operations.items()}

    def next(self, seconds=10):
        """The next event as (operation, values), or None if no event arrives in time."""
        if not select.select([self.sock], [], [], wait.patient(seconds))[0]:
            return None
        data = self.sock.recv(1 << 16)
        length, kind = struct.unpack_from("=IH", data)
        tap.equal("family of an event", kind, self.family)
        return self.names[data[16]], self.spec.decode(data[20:length])


class Account:
    """The changes of a client's counters since the account was created. `nest` is the attribute
    with the counters."""

    def __init__(self, client, nest="stats"):
        self.client, self.nest = client, nest
        self.before = self._read()

    def _read(self):
        return self.client.get()[self.nest]

    def risen(self):
        """The counters that have risen, as {name: increase}."""
        now = self._read()
        return {name: now[name] - self.before[name] for name in now
                if now[name] != self.before[name]}

    def expect(self, **wanted):
        """Check that exactly the counters in `wanted` have risen, by the given values."""
        tap.equal("counters", self.risen(),
                  {name: value for name, value in wanted.items() if value})
        self.before = self._read()
