# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the project's files syzkaller.txt, which describe the netlink requests of its modules. A
description has types, their ranges and the numbers from the headers. This module reads only the
part of the language that the project's files use.

    lpd = syzlang.read("sch_lpd")
    lpd.fields["lpd_policy"]["TCA_LPD_KEEP"]    # nlattr[TCA_LPD_KEEP, int32[0:TC_LPD_KEEP_MAX]]
    lpd.holds(lpd.attributes("lpd_policy")[10], b"\\0\\0\\1\\0")    # whether keep may be 65536"""
import collections
import functools
import operator
import os
import re
import struct
import types

from . import netlink, tap, uapi

TREE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
TOKEN = r'"[^"]*"|\w+|[\[\],:]'
SIZES = {"int8": "=B", "int16": "=H", "int32": "=I", "int64": "=Q"}

# The arguments of a Type are Types, or Ranges of two words.
Range = collections.namedtuple("Range", "low high")
Type = collections.namedtuple("Type", "name arguments")


def parse(text):
    """Return the Type that a text describes."""
    return _parse(collections.deque(re.findall(TOKEN, text)))


def _parse(tokens):
    name, arguments = tokens.popleft(), []
    if tokens and tokens[0] == "[":
        while tokens.popleft() != "]":
            argument = _parse(tokens)
            if tokens[0] == ":":
                tokens.popleft()
                argument = Range(argument.name, _parse(tokens).name)
            arguments.append(argument)
    return Type(name, arguments)


class Descriptions:
    """The content of a folder's syzkaller.txt. `fields` contains the fields of each structure and
    union, by name. `words` contains the values of each list of flags or strings."""

    def __init__(self, folder):
        path = os.path.join(TREE, folder, "syzkaller.txt")
        if not os.path.exists(path):
            tap.skip(f"{folder}/syzkaller.txt is missing: there are only the tests")
        with open(path) as file:
            text = re.sub(r"^#.*\n", "", file.read(), flags=re.M)
        self.fields = {name: {field: parse(what) for field, what in
                              re.findall(r"^\t(\w+)\s+(.*)$", body, re.M)}
                       for name, body in
                       re.findall(r"^(\w+) [{[]\n(.*?)^[]}]", text, re.S | re.M)}
        self.unions = set(re.findall(r"^(\w+) \[$", text, re.M))
        self.words = {name: re.findall(TOKEN, words)[::2] for name, words in
                      re.findall(r"^(\w+) = (.*)$", text, re.M)}
        self.numbers = {name: value for name, value in vars(netlink).items() if name.isupper()}
        for name in re.findall(r"^include <uapi/linux/(\w+\.h)>$", text, re.M):
            self._read_header(name)

    def _read_header(self, name):
        """Read the constants of a header if the header belongs to the project."""
        if os.path.exists(os.path.join(uapi.HEADERS, name)):
            header = uapi.Header(name)
            self.numbers |= header.numbers
            for enum in header.enums.values():
                self.numbers |= enum

    def number(self, word):
        """The number of a word, which is a name or a number."""
        return int(word, 0) if word[0].isdigit() else self.numbers[word]

    def limits(self, argument):
        """The smallest and the largest number of a Range. A single number is both the smallest and
        the largest."""
        low, high = argument if isinstance(argument, Range) else (argument.name, argument.name)
        return self.number(low), self.number(high)

    def named(self, prefix):
        """The numbers whose names begin with a prefix, as attributes of an object. The prefix is
        not part of the attributes' names."""
        return types.SimpleNamespace(**{name[len(prefix):]: number for name, number in
                                        self.numbers.items() if name.startswith(prefix)})

    @functools.cache
    def attributes(self, name):
        """The types of a union's attributes, by the attributes' numbers."""
        return {self.number(field.arguments[0].name): field.arguments[1]
                for field in self.fields[name].values() if field.name in ("nlattr", "nlnest")}

    def values(self, what):
        """The values of flags. If each listed value is a single bit, all combinations of the bits
        are valid values."""
        listed = [self.number(word) for word in self.words[what.arguments[0].name]]
        both = functools.reduce(operator.or_, listed)
        return range(both + 1) if 0 not in listed and sum(listed) == both else listed

    def range(self, what):
        """The smallest and the largest number of a type, or None if the type is not a number."""
        if what.name == "flags":
            return min(self.values(what)), max(self.values(what))
        if what.name not in SIZES:
            return None
        if what.arguments:
            return self.limits(what.arguments[0])
        return 0, 256 ** self.size(what) - 1

    def size(self, what):
        """The size of a type in bytes, or None if the size varies."""
        if what.name == "flags":
            return self.size(what.arguments[1])
        if what.name in SIZES:
            return struct.calcsize(SIZES[what.name])
        if what.name in self.unions or what.name not in self.fields:
            return {"void": 0, "ifindex": 4}.get(what.name)
        sizes = [self.size(field) for field in self.fields[what.name].values()]
        return None if None in sizes else sum(sizes)

    def holds(self, what, data):
        """Whether `data` is a valid value of the type."""
        if what.name == "array":
            return self._array_holds(what, data)
        if what.name == "string":
            return re.fullmatch(rb"[!-~]+\0", data) and len(data) <= self.longest(what)
        size = self.size(what)
        if size is not None and len(data) != size:
            return False
        if what.name in self.fields and size:
            return self._struct_holds(what, data)
        limits = self.range(what)
        return limits is None or limits[0] <= netlink.number(data) <= limits[1]

    def longest(self, what):
        """The size of the longest string in bytes, including the NUL byte at its end."""
        return self.number(what.arguments[1].name) if what.arguments[1:] else 32

    def _array_holds(self, what, data):
        size = self.size(what.arguments[0])
        if not size:
            return True
        parts = [data[at:at + size] for at in range(0, len(data), size)]
        low, high = self.limits(what.arguments[1]) if what.arguments[1:] else (0, len(parts))
        return low <= len(parts) <= high and \
            all(self.holds(what.arguments[0], part) for part in parts)

    def _struct_holds(self, what, data):
        for field in self.fields[what.name].values():
            size = self.size(field)
            if not self.holds(field, data[:size]):
                return False
            data = data[size:]
        return True


@functools.cache
def read(folder):
    """The Descriptions of a folder, which are read once: attributes() keeps each object for ever."""
    return Descriptions(folder)
