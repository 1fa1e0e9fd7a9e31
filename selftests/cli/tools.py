# SPDX-License-Identifier: GPL-2.0-or-later
"""The programs under test, in the folder where the build puts them."""
import functools
import os
import re
import subprocess
import tempfile

from lib import tap

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(TREE, "build", "tools")
FRESHLINK = os.path.join(BUILD, "freshlink")
USERSPACE = os.path.join(TREE, "userspace")
# what a command adds to the name of a capability that root has given up
LACKS = ", which this root lacks (docker run --cap-add gives it to a container)"

os.environ["TC_LIB_DIR"] = os.path.join(BUILD, "tc")
os.environ["IP_LIB_DIR"] = os.path.join(BUILD, "ip")


def version():
    """The version that the header has, which the modules and the tools use."""
    with open(os.path.join(TREE, "kmod/include/net/fl_version.h"), encoding="utf-8") as file:
        return re.search(r'#define FL_VERSION "(\d+\.\d+\.\d+)"', file.read())[1]


def run(*command):
    """Run a command. Returns its exit status and output."""
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def freshlink(words, *more):
    """Run freshlink with the words of one line, followed by further words, which are not split."""
    return run(FRESHLINK, *words.split(), *more)


def tc(words):
    """Run tc with the plugin."""
    return run("tc", *words.split())


def ip(words):
    """Run ip with the plugin."""
    return run("ip", *words.split())


def help_fails_in_a_batch(kind, wrong):
    """Check that in a batch the help for a kind of link counts as a failed command, and that the batch
    ends there unless -force is given. The second command has the options `wrong`, and fails too."""
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(f"link add x0 type {kind} help\nlink add x0 type {kind} {wrong}\n")
        file.flush()
        for option, failed in (("", [1]), ("-force ", [1, 2])):
            done = ip(f"{option}-batch {file.name}")
            tap.equal(f"exit status {option}", done.returncode, 1)
            tap.equal(f"commands that failed {option}",
                      [line for line in done.stderr.splitlines() if "Command failed" in line],
                      [f"Command failed {file.name}:{number}" for number in failed])


@functools.cache
def tables():
    """The option tables, {command: {word: value}}, from `freshlink --complete`."""
    result = {}
    for line in freshlink("--complete").stdout.splitlines():
        command, word, value = line.split("\t")
        words = result.setdefault(command, {})
        if word:
            words[word] = value
    return result
