# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the names and numbers of the project's uapi headers. The tests use this module, so they
need no copies of the numbers.

    uapi.TCA_LPD_LIMIT                                      # 2
    uapi.words("tc_lpd_order", "TC_LPD_ORDER_")             # {"fifo": 0, "edf": 1}

However, packet.py and icmp.py have copies of some numbers of the wire format. The tests compare the
C code with these independent descriptions of the format."""
import functools
import os
import re

from . import tap

HEADERS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "uapi")
NUMBER = r"\(?(\w+?)U?L{0,2}(?: << (\d+)\)|(?=\s|$))"


class Header:
    """The enumerations of a header, with their numbers and descriptions, and the constants of the
    header."""

    def __init__(self, name):
        with open(os.path.join(HEADERS, name)) as file:
            text = file.read()
        self.enums = {name: self._enum(body) for name, body in
                      re.findall(r"^enum (\w+) \{\n(.*?)^\};", text, re.S | re.M)}
        self.described = {name: " ".join(re.sub(r"\n \*", " ", words).split())
                          for name, words in
                          re.findall(r"^ \* @([A-Z]\w+): (.*?)(?=^ \* @| \*/)", text,
                                     re.S | re.M)}
        self.numbers = {name: int(value, 0) << int(shift or 0) for name, value, shift in
                        re.findall(rf"^#define (\w+)\s+{NUMBER}", text, re.M)
                        if value[0].isdigit()}
        self.strings = dict(re.findall(r'^#define (\w+)\s+"(\w+)"', text, re.M))

    @staticmethod
    def _enum(body):
        names = [line.strip().rstrip(",") for line in body.splitlines() if line.strip()]
        tap.true("no enumerator has a value of its own", not [n for n in names if "=" in n])
        return {name: number for number, name in enumerate(names) if not name.startswith("__")}


@functools.cache
def _headers():
    return [Header(name) for name in sorted(os.listdir(HEADERS))]


@functools.cache
def numbers():
    """The numbers of all enumerators and constants in all headers."""
    found = {}
    for header in _headers():
        for names in (header.numbers, *header.enums.values()):
            found.update(names)
    return found


@functools.cache
def words(enum, prefix):
    """The members of an enumeration as {word: number}. A word is a member's name without the
    prefix, in lower case. Members for padding are omitted."""
    members = next(header.enums[enum] for header in _headers() if enum in header.enums)
    found = {name.removeprefix(prefix).lower(): number for name, number in members.items()}
    return {word: number for word, number in found.items() if word not in ("unspec", "pad")}


def __getattr__(name):
    if name.isupper() and name in numbers():
        return numbers()[name]
    raise AttributeError(f"no header has {name}")
