# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the kernel's counters of a namespace (/proc/net/snmp, netstat and snmp6)."""
import re

from . import tap

# counters of wrong headers and checksums, without counters of unknown addresses and ports
WRONG = re.compile(r"InHdrErrors|InCsumErrors|InTruncatedPkts|InErrors|InErrs|ReasmFails|"
                   r"InMsgs.*Errors|ParmProb")


def read(ns):
    """All counters, by names such as "Ip.InHdrErrors" and "Ip6InHdrErrors"."""
    found = {}
    with ns.inside():
        for name in ("snmp", "netstat"):
            with open(f"/proc/thread-self/net/{name}") as file:
                lines = [line.split() for line in file]
            for names, values in zip(lines[::2], lines[1::2]):
                found.update((names[0].replace(":", ".") + n, int(v))
                             for n, v in zip(names[1:], values[1:]))
        with open("/proc/thread-self/net/snmp6") as file:
            found.update((name, int(value)) for name, value in map(str.split, file))
    return found


class Errors:
    """Check that within the block no counter of wrong packets rises in the given namespaces."""

    def __init__(self, *namespaces):
        self.namespaces = namespaces

    def __enter__(self):
        self.before = [self._wrong(ns) for ns in self.namespaces]
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            for ns, before in zip(self.namespaces, self.before):
                risen = {n: v - before[n] for n, v in self._wrong(ns).items() if v != before[n]}
                tap.equal("errors that the stack counted", risen, {})

    @staticmethod
    def _wrong(ns):
        return {name: value for name, value in read(ns).items() if WRONG.search(name)}
