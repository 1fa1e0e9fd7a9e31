# SPDX-License-Identifier: GPL-2.0-or-later
"""Lets the programs `vectors` and `stream_vectors` read and write packets and frames with the
library."""
import os
import subprocess

from lib import tap

TREE = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
PROGRAMS = os.path.join(TREE, "build", "selftests", "dccp")


def asked(action, lines, program="vectors"):
    """A program's answers to lines."""
    lines = list(lines)
    done = subprocess.run([os.path.join(PROGRAMS, program), action], input="".join(f"{line}\n" for line in lines),
                          capture_output=True, text=True, check=False)
    tap.equal("what the program reports", (done.returncode, done.stderr), (0, ""))
    answers = done.stdout.splitlines()
    tap.equal("answers", len(answers), len(lines))
    return answers


def text_of(one):
    """An option as the program writes it."""
    value = "" if one.value is None else f":{one.value.hex()}"
    return f"{'?' * one.error}{'!' * one.mandatory}{one.type}{value}"


def description(packet):
    """A packet as the program writes it."""
    return " ".join(str(int(value)) for value in (
        packet.kind, packet.source, packet.dest, packet.ccval, packet.coverage, packet.extended,
        packet.seq, packet.ack, packet.service)) + \
        f" {packet.reset.hex()} {','.join(map(text_of, packet.options)) or '-'}" \
        f" {packet.data.hex() or '-'}"


def written(packet, addresses):
    """The bytes of a packet that the library writes."""
    answer, = asked("write", [" ".join((*addresses, description(packet)))])
    return bytes.fromhex(answer)
