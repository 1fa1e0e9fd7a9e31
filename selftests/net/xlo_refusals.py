#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The netlink family "xlo" refuses wrong requests. The answer contains an error, a message and a
reference to the wrong attribute. A refused request changes nothing and causes no event."""
# run.sh: smoke: bad_profiles bad_caps bad_settings
import errno
import struct

from lib import bench, netlink, netns, tap, xlo

SIZES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "flag": 0}
HOOKS_MAX = 1024    # netfilter's limit for each hook of a namespace
OUT_OF_RANGE = "integer out of range"   # the kernel's message when a policy refuses a value
PROFILE = {"profile_name": "video", "mark": 0x12, "mask": 0xff, "lifetime": 300}
OTHER = {"profile_name": "other", "mark": 0x34, "mask": 0xff, "lifetime": 5}


def caps(client):
    return {cap["ifindex"]: cap["cap"] for cap in client.cap_get()}


def said(words):
    """The expected message of a refusal. A message of the module begins with the module's name."""
    return words if words in (None, OUT_OF_RANGE) else f"xlo: {words}"


class Refusals:
    """A namespace where every kind of object is configured. xlo must refuse each tested request and
    change nothing."""

    def __init__(self, ns, **profile):
        self.ns, self.client, self.events = ns, xlo.Client(ns), xlo.Events(ns)
        ns.ip("link add d0 type dummy", "link add d1 type dummy")
        self.client.profile_add(**PROFILE | profile)
        self.client.cap_set("d0", 500)
        self.client.set(validate=1)
        for _ in range(3):
            self.events.next()
        self.before = self.state()

    def state(self):
        return self.client.profile_get(), self.client.cap_get(), self.client.get()

    def attribute(self, name):
        numbers = {a["name"].replace("-", "_"): n for n, a in self.client.spec.sets["main"].items()}
        return numbers.get(name)

    def raw(self, operation, *attributes):
        """Send a request with these encoded attributes."""
        body = struct.pack("=BBH", self.client.spec.operations[operation], 1, 0)
        self.client.request(self.client.family, 0, body + b"".join(attributes))

    def refused(self, what, request, code, attribute=None, text=None):
        """Check that the request is refused with this error. `attribute` is the name or number of
        the attribute that the refusal must name, or None. `text` is the expected message."""
        try:
            request()
        except netlink.Refused as refusal:
            if isinstance(attribute, str):
                attribute = self.attribute(attribute)
            tap.equal(f"{what}: error", errno.errorcode[refusal.code], errno.errorcode[code])
            tap.equal(f"{what}: attribute", refusal.attribute, attribute)
            if text is not None:
                tap.equal(f"{what}: message", refusal.text, text)
            tap.true(f"{what}: there is a message", refusal.text)
        else:
            raise tap.Failed(f"{what}: the request was accepted")
        tap.equal(f"{what}: configuration", self.state(), self.before)

    def silent(self):
        """Check that no refusal caused an event. The next event must be about the change that this
        method makes."""
        self.client.set(txtime=1)
        tap.equal("event", self.events.next(), ("set", {"txtime": 1, "validate": 1}))


BAD_PROFILES = [
    # changes of OTHER, errno, attribute, message
    ({"profile_name": None}, errno.EINVAL, None, "name is missing"),
    ({"mark": None}, errno.EINVAL, None, "mark is missing"),
    ({"mask": None}, errno.EINVAL, None, "mask is missing"),
    ({"lifetime": None}, errno.EINVAL, None, "lifetime is missing"),
    ({"mark": 0, "mask": 0}, errno.ERANGE, "mask", OUT_OF_RANGE),
    ({"mark": 0x134}, errno.EINVAL, "mark", "mark must have no bit outside the mask"),
    ({"lifetime": 43_200_001}, errno.ERANGE, "lifetime", OUT_OF_RANGE),
    ({"lifetime": 2**32 - 1}, errno.ERANGE, "lifetime", OUT_OF_RANGE),
    *((given | more, errno.EINVAL, attribute, words) for given in ({"rto": True}, {"repeats": True})
      for more, attribute, words in (
          ({}, "lifetime", "lifetime must be one of a time, rto and repeats"),
          ({"lifetime": None, "reorder": 0}, "reorder",
           "reorder is TCP's own with lifetime rto or repeats"),
          ({"lifetime": None, "path": 2}, "path",
           "path must be output with lifetime rto or repeats"),
          ({"lifetime": None, "path": 3}, "path",
           "path must be output with lifetime rto or repeats"))),
    ({"rto": True, "repeats": True, "lifetime": None}, errno.EINVAL, "rto",
     "lifetime must be one of a time, rto and repeats"),
    ({"stale": 3}, errno.ERANGE, "stale", OUT_OF_RANGE),
    ({"stale": 255}, errno.ERANGE, "stale", OUT_OF_RANGE),
    ({"clock": 2}, errno.ERANGE, "clock", OUT_OF_RANGE),
    ({"path": 0}, errno.ERANGE, "path", OUT_OF_RANGE),
    ({"path": 4}, errno.ERANGE, "path", OUT_OF_RANGE),
    ({"profile_name": ""}, errno.EINVAL, "profile_name",
     "name must be 1 to 31 visible ASCII characters"),
    ({"profile_name": "a b"}, errno.EINVAL, "profile_name",
     "name must be 1 to 31 visible ASCII characters"),
    ({"profile_name": "tab\t"}, errno.EINVAL, "profile_name",
     "name must be 1 to 31 visible ASCII characters"),
    ({"profile_name": "bell\a"}, errno.EINVAL, "profile_name",
     "name must be 1 to 31 visible ASCII characters"),
    ({"profile_name": "d\u00e9j\u00e0"}, errno.EINVAL, "profile_name",
     "name must be 1 to 31 visible ASCII characters"),
    ({"profile_name": "\u00c4"}, errno.EINVAL, "profile_name",
     "name must be 1 to 31 visible ASCII characters"),
    ({"profile_name": "\x7f"}, errno.EINVAL, "profile_name",
     "name must be 1 to 31 visible ASCII characters"),
    ({"profile_name": "x" * 32}, errno.EINVAL, "profile_name", None),
    ({"profile_name": "x" * 5000}, errno.EINVAL, "profile_name", None),
    ({"profile_name": "video"}, errno.EEXIST, "profile_name", "a profile has this name already"),
]


def test_bad_profiles():
    """xlo refuses a profile if an attribute is missing, out of range, or in conflict with another
    attribute."""
    with netns.Netns() as ns:
        r = Refusals(ns)
        for difference, code, attribute, words in BAD_PROFILES:
            r.refused(difference, lambda d=difference: r.client.profile_add(**OTHER | d), code,
                      attribute, said(words))
        r.refused("unknown", lambda: r.client.profile_del("nobody"), errno.ENOENT, "profile_name",
                  "xlo: no profile has this name")
        r.refused("no name", lambda: r.client.do("profile_del"), errno.EINVAL, None,
                  "xlo: name is missing")
        r.refused("bad name", lambda: r.client.profile_del("vid eo"), errno.EINVAL,
                  "profile_name", "xlo: name must be 1 to 31 visible ASCII characters")
        r.silent()


def test_overlapping_profiles():
    """No packet may belong to two profiles on one path. xlo refuses a profile if one mark could
    match it and another profile on the same path. xlo accepts other marks, and any marks on another
    path."""
    with netns.Netns() as ns:
        r = Refusals(ns)
        for mark, mask in ((0x12, 0xff), (0x12, 0xfff), (0x112, 0xfff), (0x2, 0xf), (0x10, 0x10),
                           (0x100, 0x100), (0, 0x100), (0, 0x80)):
            for path in (1, 3):
                r.refused(f"{mark:#x}/{mask:#x} path {path}",
                          lambda: r.client.profile_add(**OTHER | {"mark": mark, "mask": mask,
                                                                  "path": path}),
                          errno.EEXIST, "mark",
                          "xlo: mark and mask match packets of another profile")
            r.client.profile_add(**OTHER | {"mark": mark, "mask": mask, "path": 2})
            r.client.profile_del("other")
        for mark, mask in ((0x13, 0xff), (0x1, 0x1), (0x80, 0x80), (0xf11, 0xfff), (0, 0x2)):
            r.client.profile_add(**OTHER | {"mark": mark, "mask": mask, "path": 3})
            r.client.profile_del("other")


def test_overlap_by_brute_force():
    """The test adds profiles with random marks and masks of four bits. xlo accepts a profile if and
    only if it shares no mark with an existing profile on the same path."""
    random = bench.seed()
    with netns.Netns() as ns:
        client, there, outcomes = xlo.Client(ns), {}, {True: 0, False: 0}
        for number in range(300):
            mask = random.randrange(1, 16)
            mark, path, name = random.randrange(16) & mask, random.randrange(1, 4), f"p{number}"
            mine = {(value, way) for value in range(16) if value & mask == mark
                    for way in (1, 2) if way & path}
            try:
                client.profile_add(profile_name=name, mark=mark, mask=mask, lifetime=1, path=path)
                taken = True
            except netlink.Refused as refusal:
                tap.equal("error", refusal.code, errno.EEXIST)
                taken = False
            tap.equal(f"{mark:#x}/{mask:#x} path {path} beside {there}", taken,
                      not any(mine & others for others in there.values()))
            outcomes[taken] += 1
            if taken:
                there[name] = mine
            # keep one to five profiles, because a profile that is never deleted might exclude all
            # others
            if len(there) > random.randrange(1, 6):
                gone = random.choice(list(there))
                client.profile_del(gone)
                del there[gone]
        tap.true("some profiles are accepted and some refused", min(outcomes.values()) > 20)


def test_64_profiles_and_no_more():
    """xlo refuses the 65th profile. After a profile is deleted, xlo accepts another profile."""
    with netns.Netns() as ns:
        r = Refusals(ns)
        for number in range(63):
            r.client.profile_add(profile_name=f"p{number}", mark=number, mask=0xff, lifetime=number,
                                 path=2)
        r.before = r.state()
        for path in (1, 2, 3):
            last = OTHER | {"mark": 0xfe, "path": path}
            r.refused("the 65th", lambda p=last: r.client.profile_add(**p), errno.ENOSPC,
                      "profile_name", "xlo: there are 64 profiles already")
        r.client.profile_del("p40")
        r.client.profile_add(**last)
        tap.equal("profiles", len(r.client.profile_get()), 64)


def test_bad_caps():
    """xlo refuses a cap if it is out of range or incomplete, or if its interface does not exist.
    xlo refuses to delete a cap that does not exist."""
    with netns.Netns() as ns:
        r = Refusals(ns)
        d1 = r.client.ifindex("d1")
        for what, values, code, attribute, words in (
                ("cap 0", {"ifindex": d1, "cap": 0}, errno.ERANGE, "cap", OUT_OF_RANGE),
                ("too large", {"ifindex": d1, "cap": 43_200_001}, errno.ERANGE, "cap", OUT_OF_RANGE),
                ("no cap", {"ifindex": d1}, errno.EINVAL, None, "cap is missing"),
                ("no interface", {"cap": 5}, errno.EINVAL, None, "ifindex is missing"),
                ("unknown interface", {"ifindex": 4711, "cap": 5}, errno.ENODEV, "ifindex",
                 "no interface has this index"),
                ("interface 0", {"ifindex": 0, "cap": 5}, errno.ENODEV, "ifindex",
                 "no interface has this index"),
                ("interface -1", {"ifindex": 2**32 - 1, "cap": 5}, errno.ENODEV, "ifindex",
                 "no interface has this index")):
            r.refused(what, lambda v=values: r.client.do("cap_set", **v), code, attribute,
                      said(words))
        for what, values, code, attribute, words in (
                ("interface without a cap", {"ifindex": d1}, errno.ENOENT, "ifindex",
                 "this interface has no cap"),
                ("unknown interface", {"ifindex": 4711}, errno.ENOENT, "ifindex",
                 "this interface has no cap"),
                ("no interface", {}, errno.EINVAL, None, "ifindex is missing")):
            r.refused(f"delete: {what}", lambda v=values: r.client.do("cap_del", **v), code,
                      attribute, f"xlo: {words}")
        r.silent()


def test_64_caps_and_no_more():
    """xlo refuses the 65th cap, but an existing cap can be changed."""
    with netns.Netns() as ns:
        r = Refusals(ns)
        ns.ip(*(f"link add c{number} type dummy" for number in range(64)))
        for number in range(63):
            r.client.cap_set(f"c{number}", 1 + number)
        r.before = r.state()
        tap.equal("caps", len(r.before[1]), 64)
        r.refused("the 65th", lambda: r.client.cap_set("c63", 9), errno.ENOSPC, "ifindex",
                  "xlo: there are 64 caps already")
        r.client.cap_set("c7", 4711)
        r.client.cap_del("c0")
        r.client.cap_set("c63", 9)
        found = caps(r.client)
        tap.equal("caps", [found.get(r.client.ifindex(name)) for name in ("c0", "c7", "c63")],
                  [None, 4711, 9])


def test_bad_settings():
    """A request with a bad setting changes nothing, even if another setting in the request is
    good."""
    with netns.Netns() as ns:
        r = Refusals(ns)
        for values, attribute in (({"txtime": 2}, "txtime"), ({"validate": 2}, "validate"),
                                  ({"txtime": 255, "validate": 0}, "txtime"),
                                  ({"txtime": 1, "validate": 255}, "validate"),
                                  ({"txtime": 2, "validate": 2}, "txtime")):
            r.refused(values, lambda v=values: r.client.set(**v), errno.ERANGE, attribute,
                      OUT_OF_RANGE)
        r.silent()


def full_table(*hooks):
    """An nft table with as many chains on each IPv6 hook as netfilter accepts. xlo registers its
    IPv4 hooks first, so it must unregister them when the IPv6 hooks fail."""
    return "table ip6 full { " + " ".join(
        f"chain {hook}{number} {{ type filter hook {hook} priority 0; }};"
        for hook in hooks for number in range(HOOKS_MAX)) + " }"


def test_no_more_hooks():
    """xlo refuses a request completely if the request needs a hook and netfilter accepts no further
    hook. When netfilter accepts hooks again, xlo accepts the request."""
    with netns.Netns() as ns:
        r = Refusals(ns, path=2)
        r.client.set(validate=0)
        r.client.cap_del("d0")
        r.events = xlo.Events(ns)
        r.before = r.state()
        ns.run("nft -f -", stdin=full_table("prerouting", "output"))
        changes = (("profile", lambda: r.client.profile_add(**OTHER | {"path": 3})),
                   ("cap", lambda: r.client.cap_set("d0", 5)),
                   ("settings", lambda: r.client.set(txtime=1, validate=1)))
        for what, change in changes:
            r.refused(what, change, errno.E2BIG, None, "xlo: a netfilter hook cannot be registered")
        ns.run("nft delete table ip6 full")
        for _, change in changes:
            change()
        tap.equal("events", [r.events.next()[0] for _ in changes],
                  ["profile_add", "cap_set", "set"])


GOOD = {"profile_add": OTHER, "profile_del": {"profile_name": "video"},
        "cap_set": {"ifindex": 0, "cap": 5}, "cap_del": {"ifindex": 0}, "set": {"txtime": 1}}


def good(r, operation):
    """A request that would be accepted, as {attribute number: payload}."""
    values = GOOD[operation] | ({"ifindex": r.client.ifindex("d0")}
                                if "ifindex" in GOOD[operation] else {})
    return dict(netlink.attrs(r.client.spec.encode(values)))


def requests(spec):
    """The name and the attribute names of each request that changes something."""
    for operation in spec.raw["operations"]["list"]:
        if "do" in operation and "request" in operation["do"]:
            yield operation["name"].replace("-", "_"), operation["do"]["request"]["attributes"]


def test_attributes_of_other_requests():
    """xlo refuses a request with an unknown attribute, or with an attribute that the specification
    does not list for this request."""
    with netns.Netns() as ns:
        r = Refusals(ns)
        for operation, names in requests(r.client.spec):
            wanted = good(r, operation)
            strangers = {number: SIZES.get(a["type"], 4)
                         for number, a in r.client.spec.sets["main"].items()
                         if a["name"] not in names}
            strangers |= {0: 4, len(r.client.spec.sets["main"]) + 1: 4, 77: 0, 0x3fff: 4}
            for number, size in strangers.items():
                r.refused(f"{operation} with attribute {number}", lambda: r.raw(
                    operation, *(netlink.attr(n, p) for n, p in wanted.items()),
                    netlink.attr(number, bytes(size))), errno.EINVAL, number)
        r.silent()


def test_wrong_lengths():
    """xlo refuses an attribute if its length differs from the length of its type in the
    specification."""
    with netns.Netns() as ns:
        r = Refusals(ns)
        for operation, names in requests(r.client.spec):
            for number, attribute in r.client.spec.sets["main"].items():
                if attribute["name"] not in names or attribute["type"] not in SIZES:
                    continue
                size = SIZES[attribute["type"]]
                others = {n: p for n, p in good(r, operation).items() if n != number}
                for wrong in {0, 1, 2, 3, 4, 5, 8, 64} - {size}:
                    code = errno.ERANGE if attribute["type"] == "flag" else errno.EINVAL
                    r.refused(f"{operation}: {attribute['name']} of {wrong} bytes", lambda: r.raw(
                        operation, *(netlink.attr(n, p) for n, p in others.items()),
                        netlink.attr(number, bytes(wrong))), code, number)
        r.silent()


def test_malformed_requests():
    """xlo refuses malformed requests and unknown commands. A request is malformed if it has a name
    without a final zero byte, an unexpected nested attribute, bytes after the last attribute, or an
    attribute longer than the message."""
    with netns.Netns() as ns:
        r = Refusals(ns)
        name, mark = r.attribute("profile_name"), r.attribute("mark")
        rest = r.client.spec.encode(OTHER | {"profile_name": None})
        for text in (b"", b"other", b"x" * 31, b"x" * 32):
            r.refused(f"name {text} without its end", lambda: r.raw(
                "profile_add", netlink.attr(name, text), rest), errno.EINVAL, name)
        nested = r.client.spec.encode(OTHER | {"mark": None})
        r.refused("nested mark", lambda: r.raw(
            "profile_add", nested, netlink.attr(mark | netlink.NLA_F_NESTED, netlink.u32(0x34))),
            errno.EINVAL, mark)
        whole = r.client.spec.encode(OTHER)
        r.refused("bytes after the attributes",
                  lambda: r.raw("profile_add", whole, b"xyz"), errno.EINVAL)
        r.refused("attribute longer than the message", lambda: r.raw(
            "profile_add", whole, struct.pack("=HH", 400, 1)), errno.EINVAL)
        operations = r.client.spec.operations
        for number in (0, operations["packet"], operations["packet"] + 1, 255,
                       operations["profile_get"], operations["cap_get"]):
            not_there(r, number)
        r.silent()


def test_questions_take_nothing():
    """xlo refuses a read request that has attributes. xlo refuses any request whose reserved field
    is not 0."""
    with netns.Netns() as ns:
        r = Refusals(ns)
        operations = r.client.spec.operations
        for name, flags in (("get", 0), ("profile_get", netlink.NLM_F_DUMP),
                            ("cap_get", netlink.NLM_F_DUMP)):
            for number in (1, r.attribute("mark"), 77):
                body = struct.pack("=BBH", operations[name], 1, 0) + \
                    netlink.attr(number, netlink.u32(1))
                r.refused(f"{name} with attribute {number}",
                          lambda b=body, f=flags: r.client.request(r.client.family, f, b),
                          errno.EINVAL, number)
        whole = r.client.spec.encode(OTHER)
        body = struct.pack("=BBH", operations["profile_add"], 1, 1) + whole
        r.refused("reserved field", lambda: r.client.request(r.client.family, 0, body),
                  errno.EINVAL)
        r.silent()


def not_there(r, number):
    """Check that the command is refused as an unknown request."""
    try:
        r.client.request(r.client.family, 0, struct.pack("=BBH", number, 1, 0))
    except netlink.Refused as refusal:
        tap.equal(f"command {number}", refusal.code, errno.EOPNOTSUPP)
    else:
        raise tap.Failed(f"command {number}: was accepted")
    tap.equal(f"command {number}: configuration", r.state(), r.before)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
