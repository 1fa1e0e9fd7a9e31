# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the program of selftests/hostile, which makes hostile packets."""
import os
import subprocess

from . import tap

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "hostile")
PROGRAM = os.path.join(FOLDER, "../../build/selftests/hostile/packets")


def need():
    """Build the program. If the sources of the program are missing, skip the test."""
    if not os.path.isdir(FOLDER):
        tap.skip("selftests/hostile is missing: there are only the tests")
    if not os.path.exists(PROGRAM):
        subprocess.run(["make", "-s", "-C", FOLDER], check=True)


def corpus(family):
    return os.path.join(FOLDER, "corpus", f"ipv{family}")


def frames(family, seed, count):
    """Return hostile packets. Each packet is a list of pieces for tun.Pieces."""
    done = subprocess.run([PROGRAM, "--way=print", f"--family={family}", f"--seed={seed}",
                           f"--count={count}", f"--corpus={corpus(family)}"],
                          capture_output=True, text=True, check=True)
    return [[bytes.fromhex(piece) for piece in line.split()] for line in done.stdout.splitlines()]
