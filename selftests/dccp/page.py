#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Documentation/dccp.rst has the library's counters, fates, limits and own numbers, and the manual
pages its functions."""
# run.sh: once: needs no kernel module
import os
import re

from dccp.program import TREE
from lib import tap


def text(*path):
    with open(os.path.join(TREE, *path)) as file:
        return file.read()


def header(name):
    return text("userspace", "dccp", name)


def rows(section):
    """The first column of the table of a section of the page."""
    page = text("Documentation", "dccp.rst")
    part = re.search(rf"^{section}\n[=-]+\n(.*?)(?=^[^\n]+\n[=-]{{3,}}$\n\n|\Z)", page,
                     re.M | re.S).group(1)
    return re.findall(r"^``(\w+)``  ", part, re.M)


def test_counters():
    """The page lists all counters in the order of fdccp_counter()."""
    tap.equal("counters", rows("Counters"), re.findall(r"\bX\((\w+), ", header("endpoint.h")))


def test_adapter_counters():
    """The page lists all counters of the adapter in the order of fdccp_io_counter()."""
    tap.equal("counters", rows("Sockets"), re.findall(r"\bX\((\w+), ", header("io/io.h")))


def test_fates():
    """The page lists all fates."""
    names = re.findall(r"^\tFDCCP_FATE_(\w+),", header("freshlink-dccp.h"), re.M)
    tap.equal("fates", rows("Fates"), names)


def test_limits():
    """The page lists the limits of an endpoint."""
    found = re.search(r"struct fdccp_limits \{(.*?)\}", header("freshlink-dccp.h"), re.S).group(1)
    tap.equal("limits", rows("Limits"), re.findall(r"(\w+);", found))


def test_numbers():
    """The page has a section for each option and feature of Freshlink, with its number."""
    numbers = {name: int(value) for name, value in
               re.findall(r"FDCCP_OPT_(\w+) = (12\d),", header("wire.h"))}
    titles = re.findall(r"^((?:Feature|Option) 12.*)\n-+$", text("Documentation", "dccp.rst"), re.M)
    told = {name.upper().replace(" ", "_"): int(value) for title in titles
            for value, name in re.findall(r"(\d+), ([A-Za-z ]+)(?:, and|$)", title)}
    features = {name: int(value) for name, value in
                re.findall(r"FDCCP_FEAT_(\w+) = (12\d),", header("wire.h"))}
    tap.equal("numbers", told, numbers | features)


def prototypes(source):
    """The functions that C code declares, with all blanks between words alike."""
    return {re.search(r"(\w+)\(", one).group(1): re.sub(r"\s+", " ", one)
            for one in re.findall(r"^(?!typedef)\w[\w \n*]*?\bf(?:dccp|stream)_\w+\([^;{]*?\);",
                                  source, re.M)}


def test_functions():
    """The manual pages have the functions of the headers, with all parameters."""
    for name in "dccp", "stream":
        page = text("userspace", "man", f"libfreshlink-{name}.3")
        synopsis = page.split(".SH SYNOPSIS")[1].split(".SH")[0]
        declared = prototypes(text("userspace", name, f"freshlink-{name}.h"))
        tap.true("functions", len(declared) > 20)
        tap.equal("synopsis", prototypes("\n".join(re.findall(r'^\.B "(.*)"$', synopsis, re.M))),
                  declared)
        named = page.split(".SH NAME")[1].split(".SH")[0]
        tap.equal("names", set(re.findall(r"\bf(?:dccp|stream)_\w+", named)), set(declared))


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
