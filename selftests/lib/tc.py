# SPDX-License-Identifier: GPL-2.0-or-later
"""The tc command in a namespace."""
import json

from . import kmod, tap


def tc(ns, words, check=True):
    """Run `tc WORDS`."""
    return ns.run("tc " + words, check)


def refused(ns, words):
    """Run `tc WORDS`, which has to fail; its message comes back."""
    done = tc(ns, words, check=False)
    tap.true(f"tc {words} is refused", done.returncode != 0)
    tap.true(f"tc {words} says why", done.stderr.strip())
    return done.stderr.strip()


def show(ns, device):
    """What `tc -s -j qdisc show` prints, parsed."""
    return json.loads(tc(ns, f"-s -j qdisc show dev {device}").stdout)


def need(*kinds):
    """Load the qdiscs a test is about: ours, and the kernel's own."""
    for kind in kinds:
        if kind == "lpd":
            kmod.insmod("sch_lpd")
        else:
            kmod.modprobe(f"sch_{kind}")
