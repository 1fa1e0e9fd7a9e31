#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""libfreshlink's header, manual page, example and exported names agree. The header and the library
need no other part of the project."""
# run.sh: once: the library is the same on every kernel
import os
import re
import shutil

from cli import tools
from lib import tap

FOLDER = os.path.join(tools.USERSPACE, "libfreshlink")
SHARED = os.path.join(tools.BUILD, "libfreshlink.so.0")


def text(*path):
    with open(os.path.join(*path)) as file:
        return file.read()


def header():
    return text(FOLDER, "freshlink.h")


def manual():
    """The manual without its macros' quotes and escapes."""
    page = text(tools.USERSPACE, "man", "libfreshlink.3")
    return page.replace("\\-", "-").replace("\\e", "\\")


def prototypes(code):
    """The declared functions, with single spaces."""
    return sorted(" ".join(found.split()) for found in
                  re.findall(r"^(?:int|ssize_t) freshlink_\w+\([^)]*\);", code, re.M))


def test_manual_has_the_header_s_functions():
    """The manual's synopsis declares the same functions as the header, and the manual's list of
    names has the same functions."""
    page = manual()
    synopsis = page.split(".SH SYNOPSIS\n")[1].split(".SH ")[0]
    # man does not print the spaces between the words of a line of .BI
    plain = "\n".join(re.sub(r'" | "|"', "", line.removeprefix(".BI ")) if line.startswith(".BI")
                      else line for line in synopsis.splitlines())
    plain = re.sub(r" (,|\))", r"\1", plain)
    declared = prototypes(header())
    tap.equal("functions", len(declared), 7)
    tap.equal("synopsis", prototypes(plain), declared)
    names = page.split(".SH NAME\n")[1].split(" - ")[0].replace("\n", " ").split(", ")
    tap.equal("names", sorted(names[1:]), sorted(re.findall(r"freshlink_\w+(?=\()",
                                                            " ".join(declared))))


def test_manual_has_the_header_s_constants():
    """Every constant of the header is in the manual, and the manual names no other constant."""
    page = manual()
    ranges = {"FRESHLINK_RELATIVE_MAX": "65534", "FRESHLINK_ABSOLUTE_MAX": "43200000"}
    known = set(re.findall(r"\bFRESHLINK_\w+", header())) - {"FRESHLINK_H"}
    for name in known:
        tap.true(f"the manual has {name}", ranges.get(name, name) in page)
    tap.equal("others", set(re.findall(r"\bFRESHLINK_\w+", page)) - known, set())


def test_manual_shows_the_example():
    """The program in the manual is example.c, character by character."""
    shown = manual().split(".SH EXAMPLES\n.nf\n")[1].split(".fi\n")[0]
    tap.equal("example", shown, text(FOLDER, "example.c"))


def test_exports():
    """The shared library exports the header's functions and nothing else, and needs only libc."""
    if not shutil.which("nm"):
        tap.skip("nm is not installed")
    done = tools.run("nm", "-D", "--defined-only", SHARED)
    tap.equal("names", sorted(line.split()[2] for line in done.stdout.splitlines()),
              sorted(re.findall(r"freshlink_\w+(?=\()", " ".join(prototypes(header())))))
    dynamic = tools.run("readelf", "-d", SHARED).stdout
    tap.equal("soname", re.findall(r"soname: \[(.*)\]", dynamic), ["libfreshlink.so.0"])
    tap.equal("needs", re.findall(r"Shared library: \[(.*)\]", dynamic), ["libc.so.6"])


def test_header_stands_alone():
    """The header compiles without another header before it, in C11 without extensions and in
    C++."""
    if not shutil.which("clang"):
        tap.skip("clang is not installed")
    for language in ("c", "c++"):
        standard = "-std=c11" if language == "c" else "-std=c++11"
        done = tools.run("clang", "-x", language, standard, "-D_POSIX_C_SOURCE=200809L",
                         "-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                         "-include", os.path.join(FOLDER, "freshlink.h"), "/dev/null")
        tap.equal(language, (done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
