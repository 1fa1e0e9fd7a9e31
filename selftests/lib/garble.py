# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes netlink requests with random attributes. The values are at and around the limits in the
descriptions (syzlang.py). The function garble() then makes lengths, types, flags, nests and numbers
of attributes wrong."""
import struct
import sys

from . import netlink

NLA_F_NET_BYTEORDER = 0x4000
LONG = 4000                     # bytes; several attributes of this size fit into a message
DEEP = 60                       # levels of nesting: more than any kernel parses


class Attribute:
    """One attribute, which may be wrong. `kind` is the type with flags. `parts` is the content,
    which consists of bytes and attributes. `claim` is the length in the attribute's header, or None
    for the true length."""

    def __init__(self, kind, *parts):
        self.kind, self.parts, self.claim = kind, list(parts), None

    def encode(self):
        payload = encode(self.parts)
        length = 4 + len(payload) if self.claim is None else self.claim
        return struct.pack("=HH", length & 0xffff, self.kind & 0xffff) + payload + \
            bytes(-len(payload) % 4)


def encode(parts):
    """The encoded bytes of all parts."""
    return b"".join(part if isinstance(part, bytes) else part.encode() for part in parts)


class Maker:
    """Makes attributes from the descriptions of a module. `special` is {name: function} for types
    and attributes whose description is not precise enough. Each function returns the bytes of the
    type or attribute."""

    def __init__(self, descriptions, random, special=None):
        self.about, self.random = descriptions, random
        self.special = special or {}

    def most(self, union, wanted):
        """Make most of the wanted attributes of a union, in random order."""
        fields = self.about.fields[union]
        names = [name for name in wanted
                 if self.random.random() < (0.2 if self._is_flag(fields[name]) else 0.9)]
        self.random.shuffle(names)
        return [part for name in names for part in self.make(fields[name])]

    def few(self, union):
        """Make some of the attributes of a union."""
        fields = list(self.about.fields[union].values())
        return [part for field in self.random.choices(fields, k=self.random.randint(0, 5))
                for part in self.make(field)]

    @staticmethod
    def _is_flag(field):
        return field.name == "nlattr" and field.arguments[1].name == "void"

    def make(self, what):
        """Make the parts that a type describes, with random values."""
        makers = {"nlattr": self._attribute, "nlnest": self._attribute, "array": self._array,
                  "string": self._string, "void": lambda what: []}
        if what.name in self.special:
            return [self.special[what.name]()]
        if what.name in makers:
            return makers[what.name](what)
        if self.about.range(what):
            return [self._number(what)]
        if what.name in self.about.unions:
            return self.make(self.random.choice(list(self.about.fields[what.name].values())))
        return [part for field in self.about.fields[what.name].values()
                for part in self.make(field)]

    def _attribute(self, what):
        name = what.arguments[0].name
        kind = self.about.number(name) | (netlink.NLA_F_NESTED if what.name == "nlnest" else 0)
        if name in self.special:
            return [Attribute(kind, self.special[name]())]
        return [Attribute(kind, *self.make(what.arguments[1]))]

    def _array(self, what):
        if what.arguments[1:]:
            low, high = self.about.limits(what.arguments[1])
            count = self.random.choice([low, high, self.random.randint(low, high)])
        else:
            count = self.random.randint(0, 6)
        return [part for _ in range(count) for part in self.make(what.arguments[0])]

    def _string(self, what):
        words = what.arguments[0].name
        words = [word.strip('"') for word in self.about.words.get(words, [words])]
        longest = self.about.longest(what) - 1
        if self.random.random() < 0.1:
            words = ["x" * longest, "x" * (longest + 1), "", "a b", "\x80", "\x1b[2J"]
        return [self.random.choice(words).encode() + b"\0"]

    def _number(self, what):
        """Make a number, which is usually within its limits and sometimes just outside."""
        low, high = self.about.range(what)
        size, random = self.about.size(what), self.random
        value = random.choice([low, high, low + 1, high - 1, random.randint(low, high),
                               low + random.randint(0, high - low) % 1000])
        if random.random() < 0.1:
            value = random.choice([0, low - 1, high + 1, -1, 1 << (8 * size - 1)])
        return (value % 256 ** size).to_bytes(size, sys.byteorder)


def _everywhere(parts):
    """Yields the position (parts, index) of each attribute, also of attributes in nests."""
    for index, part in enumerate(parts):
        if isinstance(part, Attribute):
            yield parts, index
            yield from _everywhere(part.parts)


def _cut(random, parts, index):
    payload = encode(parts[index].parts)
    parts[index].parts = [payload[:random.randrange(len(payload) + 1)]]


def _lengthen(random, parts, index):
    more = random.choice([1, 2, 3, 4, 8, random.randrange(LONG)])
    parts[index].parts.append(random.randbytes(more))


def _lie(random, parts, index):
    """Let the header state a wrong length."""
    true = 4 + len(encode(parts[index].parts))
    parts[index].claim = random.choice([0, 1, 3, 4, true - 1, true + 1, true + 4, 0x7fff, 0xffff])


def _rename(random, parts, index):
    kind = random.choice([0, random.randrange(32), random.randrange(256), netlink.NLA_TYPE_MASK])
    parts[index].kind = parts[index].kind & ~netlink.NLA_TYPE_MASK | kind


def _flag(random, parts, index):
    parts[index].kind ^= random.choice([netlink.NLA_F_NESTED, NLA_F_NET_BYTEORDER])


def _scribble(random, parts, index):
    parts[index].parts = [random.randbytes(len(encode(parts[index].parts)))]


def _repeat(random, parts, index):
    """Repeat the attribute once, or very often."""
    parts.insert(index, parts[index].encode() * random.choice([1, 1, 2, 200]))


def _contradict(random, parts, index):
    """Add the attribute again, with another value."""
    one = parts[index]
    parts.insert(random.randrange(len(parts) + 1),
                 Attribute(one.kind, random.randbytes(len(encode(one.parts)))))


def _wrap(random, parts, index):
    """Put the attribute into one or more nests of its own type."""
    for _ in range(random.choice([1, 2, DEEP])):
        parts[index] = Attribute(parts[index].kind | netlink.NLA_F_NESTED, parts[index])


def _unknown(random, parts, index):
    parts.insert(index, Attribute(random.choice([30, 100, 0x3fff]), random.randbytes(4)))


def _leave_out(random, parts, index):
    del parts[index]


WAYS = (_cut, _lengthen, _lie, _rename, _flag, _scribble, _repeat, _contradict, _wrap, _unknown,
        _leave_out)


def garble(random, parts):
    """Return the bytes of a request's attributes. Half of the requests are right, and half of them
    have some errors."""
    if random.random() < 0.5:
        return encode(parts)
    for _ in range(random.choice([1, 1, 1, 2, 4])):
        places = list(_everywhere(parts))
        if places:
            random.choice(WAYS)(random, *random.choice(places))
    data = encode(parts)[:0x8000]
    if random.random() < 0.1:
        data = random.choice([data[:random.randrange(len(data) + 1)],
                              data + random.randbytes(random.randrange(1, 9))])
    return data
