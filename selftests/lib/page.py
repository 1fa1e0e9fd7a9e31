# SPDX-License-Identifier: GPL-2.0-or-later
"""Follows a page of Documentation/ literally. A literal block has the text of a file, or commands
behind the prompts of hosts ("router# tc ...") and what these commands print. There, a line "..." stands
for lines that the page leaves out, and numbers may differ by a tenth."""
import collections
import os
import re
import subprocess

from . import library, tap

HANDLE = r"\b8[0-9a-f]{3}:"          # of a qdisc, from a counter of the kernel for all devices
NUMBER = re.compile(r"(?<![\w.:])\d+(?:\.\d+)?")
Command = collections.namedtuple("Command", "host line shown")


def text(name):
    with open(os.path.join(library.TREE, "Documentation", name), encoding="utf-8") as file:
        return file.read()


def blocks(of):
    """The literal blocks of a text, without their indentation."""
    return [re.sub("^    ", "", block, flags=re.MULTILINE).strip() + "\n"
            for block in re.findall(r"::\n\n((?:    .*\n|\n)+)", of)]


def sections(name):
    """The literal blocks below each title of a page: {title: blocks}."""
    _, *parts = re.split(r"^(.+)\n[=-]{4,}\n", text(name), flags=re.MULTILINE)
    return {title: blocks(part) for title, part in zip(parts[::2], parts[1::2])}


def commands(block):
    """The commands of a block. A line that ends with a backslash goes on in the next line."""
    found = []
    for line in block.replace("\\\n", "").splitlines():
        if prompt := re.match(r"(\w+)[#$] (.*)", line):
            found.append(Command(prompt[1], " ".join(prompt[2].split()), []))
        elif found:
            found[-1].shown.append(line)
        elif line:
            raise tap.Failed(f"expected a prompt: {line}")
    return found


def alike(shown, printed):
    """Whether two lines agree, apart from blanks and from a tenth of each number."""
    pairs = zip(*(map(float, NUMBER.findall(line)) for line in (shown, printed)))
    return NUMBER.sub("0", shown).split() == NUMBER.sub("0", printed).split() and \
        all(abs(got - want) <= 0.1 * want for want, got in pairs)


def agrees(shown, printed):
    """Whether the lines that a command printed are those that the page shows."""
    if not shown:
        return not printed
    if shown[0].strip() == "...":
        return any(agrees(shown[1:], printed[skipped:]) for skipped in range(len(printed) + 1))
    return bool(printed) and alike(shown[0], printed[0]) and agrees(shown[1:], printed[1:])


class Follower:
    """Runs the commands of a page on its hosts, which are network namespaces by name. The commands run
    in a folder, whose programs come first. `lasting` has the beginnings of commands that run until the
    end; the page shows their first lines. `chance` has patterns of what is by chance in the lines that
    commands print."""

    def __init__(self, hosts, folder, lasting=(), chance=()):
        self.hosts, self.folder, self.lasting, self.running = hosts, folder, tuple(lasting), []
        self.chance = re.compile("|".join((HANDLE, *chance)))
        self.env = os.environ | {"PATH": ":".join([folder, library.BUILD, os.environ["PATH"]])}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.running:
            process.kill()
            process.wait()
            process.stdout.close()

    def start(self, host, line):
        """Start a command that runs until the end."""
        with self.hosts[host].inside():
            process = subprocess.Popen(["bash", "-c", f"exec {line}"], stdout=subprocess.PIPE, text=True,
                                       stderr=subprocess.STDOUT, env=self.env, bufsize=1,
                                       cwd=self.folder)
        self.running.append(process)
        return process

    def type(self, host, line):
        """Run a command. Returns its status and all that it prints."""
        with self.hosts[host].inside():
            done = subprocess.run(["bash", "-c", line], stdout=subprocess.PIPE, text=True,
                                  stderr=subprocess.STDOUT, env=self.env, cwd=self.folder)
        return done.returncode, done.stdout

    def follow(self, block):
        """Run the commands of a block, one after the other."""
        self.run(commands(block))

    def run(self, typed):
        """Run commands, one after the other."""
        for host, line, shown in typed:
            tap.note(f"{host}: {line}")
            if line.startswith(self.lasting):
                process = self.start(host, line)
                printed = "".join(process.stdout.readline() for _ in shown)
            else:
                status, printed = self.type(host, line)
                tap.equal(f"status of {line}: {printed}", status, 0)
            self.compare(line, shown, printed)

    def compare(self, what, shown, printed):
        """Compare lines of the page with what was printed."""
        texts = [[line for line in self.chance.sub("", text).splitlines() if line.strip()]
                 for text in ("\n".join(shown), printed)]
        if not agrees(*texts):
            raise tap.Failed("\n".join((f"{what}: the page shows:", *shown, "but it prints:", printed)))
