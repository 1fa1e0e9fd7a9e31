# SPDX-License-Identifier: GPL-2.0-or-later
"""What libfreshlink-dccp costs: instructions for a packet and for a message of a stream, and memory of an
idle connection."""
import collections
import os
import re
import subprocess

TREE = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
PROGRAM = os.path.join(TREE, "build", "selftests", "dccp", "cost")
STREAM_PROGRAM = os.path.join(TREE, "build", "selftests", "dccp", "stream_cost")
PACKETS = 3000
STREAM_OPERATIONS = ("submit", "acknowledge", "expire", "terms", "late")
# of each operation, in the program
STREAM_COUNT = 1000
ENDS = ("send", "receive")
# functions of the program itself
OWN = ("mark", "settle", "run_timers", "arrive", "send_one", "send_many", "run", "count_packets",
       "main")


def build():
    subprocess.run(["make", "-s", "-C", os.path.join(TREE, "selftests/dccp"), PROGRAM,
                    STREAM_PROGRAM], check=True)


def by_function(path):
    """The instructions of each function, without those that it calls, of a file of callgrind."""
    names, cost, function, inclusive = {}, collections.Counter(), None, False
    with open(path) as file:
        for line in file:
            if found := re.match(r"(c?fn)=\((\d+)\)(?: (.*))?$", line):
                names.setdefault(found[2], found[3])
                if found[1] == "fn":
                    function = names[found[2]]
            elif line.startswith("calls="):
                inclusive = True
            elif re.match(r"[+*\d-]", line):
                if not inclusive:
                    cost[function] += int(line.split()[1])
                inclusive = False
    return cost


def is_copy(function):
    return "memcpy" in function or "memmove" in function


def instructions(ccid, end):
    """Instructions at an end for a data packet with its share of feedback, by function, and those
    that copy bytes."""
    out = f"{PROGRAM}.{ccid}.{end}"
    subprocess.run(["valgrind", "-q", "--tool=callgrind", "--collect-atstart=no",
                    f"--callgrind-out-file={out}", PROGRAM, str(ccid), end, str(PACKETS)],
                   check=True, stdout=subprocess.DEVNULL)
    cost = {name: count / PACKETS for name, count in by_function(out).items()
            if name.split(".")[0] not in OWN}
    copies = sum(count for name, count in cost.items() if is_copy(name))
    return {name: count for name, count in cost.items() if not is_copy(name)}, copies


def idle_bytes(ccid, connections):
    """Memory that an idle connection takes at one end."""
    done = subprocess.run([PROGRAM, str(ccid), "idle", str(connections)], check=True,
                          capture_output=True, text=True)
    return int(done.stdout.split()[1])


def stream_instructions(outstanding):
    """Instructions for each of STREAM_OPERATIONS, while so many messages are outstanding."""
    out = f"{STREAM_PROGRAM}.{outstanding}"
    subprocess.run(["valgrind", "-q", "--tool=callgrind", "--instr-atstart=no",
                    "--collect-atstart=no", f"--callgrind-out-file={out}", STREAM_PROGRAM,
                    str(outstanding)], check=True)
    return {name: sum(by_function(f"{out}.{part}").values()) / STREAM_COUNT
            for part, name in enumerate(STREAM_OPERATIONS, 1)}
