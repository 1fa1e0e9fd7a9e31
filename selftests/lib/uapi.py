# SPDX-License-Identifier: GPL-2.0-or-later
"""What our headers for user space say, as Python has it."""
import os
import re

from . import tap

HEADERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../include/uapi/linux")
NUMBER = r"\(?(\w+?)U?L{0,2}(?: << (\d+)\))?"


class Header:
    """The enumerations of a header with their numbers and descriptions, its limits."""

    def __init__(self, name):
        path = os.path.join(HEADERS, name)
        if not os.path.exists(path):
            tap.skip(f"<linux/{name}> is not beside the tests")
        with open(path) as file:
            text = file.read()
        self.enums = {name: self._enum(body) for name, body in
                      re.findall(r"^enum (\w+) \{\n(.*?)^\};", text, re.S | re.M)}
        self.described = {name: " ".join(re.sub(r"\n \*", " ", words).split())
                          for name, words in
                          re.findall(r"^ \* @([A-Z]\w+): (.*?)(?=^ \* @| \*/)", text,
                                     re.S | re.M)}
        self.numbers = {name: int(value, 0) << int(shift or 0) for name, value, shift in
                        re.findall(rf"^#define (\w+)\s+{NUMBER}(?=\s|$)", text, re.M)
                        if value[0].isdigit()}
        self.strings = dict(re.findall(r'^#define (\w+)\s+"(\w+)"', text, re.M))

    @staticmethod
    def _enum(body):
        names = [line.strip().rstrip(",") for line in body.splitlines() if line.strip()]
        tap.true("no enumerator has a value of its own", not [n for n in names if "=" in n])
        return {name: number for number, name in enumerate(names) if not name.startswith("__")}
