# SPDX-License-Identifier: GPL-2.0-or-later
"""Cells that fail in each possible way, with good cells between them."""
import os
import subprocess
import sys
import time

TITLE = "Cells that fail"
HEADLINE = "a failed cell does not stop the others"
SECONDS = 1
CELLS = [{"does": word} for word in
         ("begins", "raises", "goes_on", "oopses", "goes_on_again", "hangs", "dies", "leaves",
          "ends")]
QUICK = CELLS[:1]


def _oops():
    subprocess.run(["insmod", os.path.join(os.environ["FL_MODULES"], "provoke.ko"), "bug=warn"],
                   check=True)


def _hang():
    while True:
        pass


def _die():
    os.kill(os.getpid(), 9)


def _raise():
    print("a cell may print to its output")
    raise ValueError("deliberate")


def _leave():
    """Start a process that would disturb the next cell."""
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1e6)"])


ACTIONS = {"raises": _raise, "oopses": _oops, "hangs": _hang, "dies": _die, "leaves": _leave}


def run(cell, seed, directory):
    with open(os.path.join(directory, "notes"), "w") as file:
        file.write("kept if the cell fails\n")
    time.sleep(SECONDS)
    ACTIONS.get(cell["does"], lambda: None)()
    return [{"processes": len([entry for entry in os.listdir("/proc") if _is_ours(entry)])}]


def _is_ours(entry):
    """Return whether a process is a child that a cell has left behind."""
    try:
        with open(f"/proc/{entry}/cmdline") as file:
            return "1e6" in file.read()
    except OSError:
        return False
