#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""report.py DIRECTORY: prints the bench's tables, and writes bench.csv and the plot, from the results
that the machines left in DIRECTORY. "report.py DIRECTORY count" only prints the tables of instructions.
"report.py DIRECTORY smoke" judges the short form instead."""
import csv
import os
import sys

import cases
import result
import table

BASE = "fq_codel"           # times are ratios to this queue's time
BASE_RATE = "64 bytes, fq_codel"
PROFILED = (("lpd", 1), ("lpd, options", 1), ("lpd, edf", 1000), ("lpd, truncating", 1000),
            ("arriving, validated", 1), ("sent, stamped", 1), ("veth", 1), ("cellink", 1),
            ("cellink, rate and delay", 1))
THROUGHPUT = (("veth", "TCP through three nodes on two CPUs"),
              ("unlimited", "TCP through a pair of devices on two CPUs"),
              ("limited", "TCP through a pair of devices with a rate on two CPUs"))


def _print_table(title, lines):
    print(f"\n{title}\n")
    print("\n".join(lines))


def _write_csv(path, counted, timed):
    """Write every number from the lab machine."""
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(("case", "queued", "instructions", "least", "most", "ticks"))
        for (case, depth), found in counted.of.items():
            out.writerow((case, depth, found.mean, found.least, found.most,
                          timed.of.get((case, depth))))


def _print_instructions(counted):
    _print_table("Instructions per packet, enqueue and dequeue "
                 f"(Linux {counted.kernel}, User-Mode Linux)", table.instructions(counted))
    _print_table("Instructions per packet in netfilter's hooks", table.hooks(counted))
    _print_table("Instructions per packet across links", table.links(counted))
    _print_table("Instructions per packet to the other end", table.paths(counted))
    _print_table("Instructions of a request to lpd's gate with an estimate of the rate",
                 table.instructions(counted, cases.REQUESTS))
    _print_table("Aims", table.aims(counted.aims()))
    _print_table("Where the instructions go", [
        line for case, depth in PROFILED for line in table.functions(counted, case, depth) + [""]])


def _print_newer(directory):
    """The tables of the other kernel."""
    counted = result.Instructions(directory, "newer_count")
    timed = result.Times(directory, "newer_time")
    _print_table(f"Instructions per packet, enqueue and dequeue (Linux {counted.kernel})",
                 table.instructions(counted, cases.NEWER))
    _print_table(f"Time per packet as a ratio to {BASE}'s (Linux {timed.kernel})",
                 table.times(timed, BASE, cases.NEWER))


def _print_times(directory, timed):
    memory = result.Memory(directory)
    _print_table(f"Time per packet as a ratio to {BASE}'s at the same depth (medians)",
                 table.times(timed, BASE))
    _print_table(f"Packets of 64 bytes in a time on one processor, as a ratio to {BASE}'s (medians)",
                 table.rates(timed, BASE_RATE))
    _print_table("Bytes of memory for each packet that the queue can hold, without the packets",
                 table.memory(memory))
    _print_table("Aims in time", table.aims(
        result.judge(cases.TIME_AIMS, lambda case, depth: timed.ratio(case, depth, BASE)),
        "ratio", ".2f"))
    _print_table("Aims in memory", table.aims(memory.aims(), "bytes"))


def write(directory):
    """Print the tables, write the files."""
    import picture          # loads slowly, and the short form does not need it
    counted, timed = result.Instructions(directory), result.Times(directory)
    _print_instructions(counted)
    _print_times(directory, timed)
    _print_newer(directory)
    for name, title in THROUGHPUT:
        measured = result.Throughput(directory, name)
        _print_table(f"{title} (Linux {measured.kernel}, emulated; medians of {measured.rounds})",
                     table.throughput(measured))
    _write_csv(os.path.join(directory, "bench.csv"), counted, timed)
    path = os.path.join(directory, "bench.png")
    picture.draw(counted, path)
    print(f"\nPlot: {path}\nNumbers: {os.path.join(directory, 'bench.csv')}")


def smoke(directory):
    """Judge the short form: lpd as a FIFO with and without options, with an open gate, with an open gate
    and an empty class, and cutting packets; xlo in its hooks; and a cellink without rate, delay and
    errors."""
    passed = failed = 0
    for aim, found, most in result.Instructions(directory, "smoke").aims():
        good = found <= most
        passed, failed = passed + good, failed + (not good)
        print(f"{'ok' if good else 'not ok'} {aim}: {found:.0f} instructions, at most {most:.0f}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(failed or not passed)


def main():
    if len(sys.argv) == 3 and sys.argv[2] == "smoke":
        smoke(sys.argv[1])
    elif len(sys.argv) == 3 and sys.argv[2] == "count":
        _print_instructions(result.Instructions(sys.argv[1]))
    elif len(sys.argv) == 2:
        write(sys.argv[1])
    else:
        sys.exit("report.py: expected the directory with the results of lab/bench/measure")


if __name__ == "__main__":
    main()
