#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink trace reads and cuts traces in mahimahi's format: numbers that can be counted by
hand, and no line that is not right."""
import bisect
import itertools
import json
import math
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cli import tools
from lib import tap

MS, LAST = 10**6, 2**32 - 1
LIMIT = 2**24
SHARES = {"min": 0, "p5": 5, "p25": 25, "p50": 50, "p75": 75, "p95": 95, "max": 100}


def text(lines):
    return "".join(f"{line}\n" for line in lines)


def trace(words, given="", status=0):
    """freshlink trace with this on its standard input; what it prints."""
    done = subprocess.run([tools.FRESHLINK, "trace", *words.split()], input=given, text=True,
                          capture_output=True, timeout=120)
    tap.equal(f"status and errors of {words}", (done.returncode, done.stderr), (status, ""))
    return done.stdout


def show(lines, words=""):
    return json.loads(trace(f"show /dev/stdin -j {words}", text(lines)))


def cut(lines, words):
    return [int(line) for line in trace(f"cut /dev/stdin {words}", text(lines)).split()]


def gaps(lines):
    return [later - sooner for sooner, later in itertools.pairwise(lines)]


def refused(words, message, given=b""):
    """freshlink trace refuses this with a message, and prints nothing else."""
    done = subprocess.run([tools.FRESHLINK, "trace", *words.split()], input=given,
                          capture_output=True, timeout=120)
    tap.equal(f"{words} with {given[:40]}", (done.returncode, done.stdout, done.stderr.decode()),
              (1, b"", f"freshlink trace {words.split()[0]}: {message}\n"))


def expect(numbers, **wanted):
    """These are among the numbers."""
    tap.equal("numbers", {key: numbers[key] for key in wanted}, wanted)


def test_counted_by_hand():
    """Opportunities, rates, windows, gaps and outages of nine lines, as JSON and as text. An
    opportunity at the end of a window is in it, one at 0 in the first; a window that is not
    whole is left out."""
    lines = [0, 1, 1, 10, 10, 11, 50, 50, 120]
    expect(show(lines, "--size 1000 --window 40ms --gap 39ms"), opportunities=9,
           duration=120 * MS, size=1000, rate=75000, window=40 * MS, windows=3, rate_min=25000,
           rate_p5=25000, rate_p25=25000, rate_p50=50000, rate_p75=150000, rate_p95=150000,
           rate_max=150000, longest_gap=70 * MS, longest_gap_at=50 * MS, gap=39 * MS, outages=1,
           outage_time=70 * MS, outage_share=0.583333)
    expect(show(lines, "--window 50ms --gap 38ms"), size=1500, rate=112500, windows=2, rate_min=0,
           rate_p50=0, rate_p75=240000, rate_max=240000, outages=2, outage_time=109 * MS,
           outage_share=0.908333)
    tap.equal("text", trace("show /dev/stdin --window 10ms", text(lines)),
              "opportunities 9 duration 120ms size 1500b rate 900kbit\n"
              "window 10ms windows 12 rate_min 0 rate_p5 0 rate_p25 0 rate_p50 0 rate_p75 1200kbit "
              "rate_p95 6mbit rate_max 6mbit\n"
              "longest_gap 70ms longest_gap_at 50ms gap 100ms outages 0 outage_time 0 "
              "outage_share 0.000000\n")
    short = show(lines)
    tap.equal("no window fits", (short["windows"], "rate_p50" in short), (0, False))


def test_counted_another_way():
    """Random traces have the numbers that are counted window by window here."""
    draw = random.Random(1)
    for _ in range(40):
        times = range(draw.choice((50, 1000, 5000)) + 1)
        lines = sorted(draw.choices(times, k=draw.randint(2, 99)))
        lines[-1] += 1
        window, limit = draw.randint(1, lines[-1]), draw.randint(0, 30)
        ends = range(window, lines[-1] + 1, window)
        counts = sorted(bisect.bisect_right(lines, end) -
                        (bisect.bisect_right(lines, end - window) if end > window else 0)
                        for end in ends)
        quiet = gaps([0] + lines)
        long = [gap for gap in quiet if gap > limit]
        ranks = {name: max(1, math.ceil(share * len(counts) / 100))
                 for name, share in SHARES.items()}
        expect(show(lines, f"--size 8 --window {window}ms --gap {limit}ms"),
               opportunities=len(lines), windows=len(counts), longest_gap=max(quiet) * MS,
               longest_gap_at=([0] + lines)[quiet.index(max(quiet))] * MS, outages=len(long),
               outage_time=sum(long) * MS,
               **{f"rate_{name}": (counts[rank - 1] * 8000 * 2 + window) // (2 * window)
                  for name, rank in ranks.items()})


def test_wrong_lines():
    """Each is refused with its number, what it is, shown harmlessly, and what was expected."""
    form = f"expected a time in whole ms, from 0 to {LAST}"
    where = "/dev/stdin"
    for given, line, found in (
            (b"\n", 1, ""), (b"1\n\n2\n", 2, ""), (b"1\n2\n\n", 3, ""), (b"-1\n", 1, "-1"),
            (b"+1\n", 1, "+1"), (b" 1\n", 1, " 1"), (b"1 \n", 1, "1 "), (b"5\n7\nx\n", 3, "x"),
            (b"1.5\n", 1, "1.5"), (b"0x10\n", 1, "0x10"), (b"1e3\n", 1, "1e3"),
            (b"1\n2\r\n", 2, r"2\x0d"), (b"# 1\n", 1, "# 1"), (b"1\n2\0\n", 2, r"2\x00"),
            (b"1\n\x1b[2J", 2, r"\x1b[2J"), (b"\xff\n", 1, r"\xff"),
            (b"1\n4294967296\n", 2, "4294967296"),
            (b"18446744073709551617\n", 1, "18446744073709551617"),
            (b"1\n" + 10**6 * b"1", 2, 24 * "1" + "..."), (25 * b"0", 1, 24 * "0" + "...")):
        for command in ("show", "cut"):
            refused(f"{command} {where}", f"{where}:{line}: \"{found}\": {form}", given)
    refused(f"show {where}", f"{where}:4: \"8\": expected no less than the 9 of the line before",
            b"7\n9\n9\n8\n")
    refused(f"show {where}", f"{where}: expected at least one line, a time in whole ms")
    refused(f"show {where}", f"{where}:2: \"0\": expected the last line to be more, since the "
            "trace repeats there", b"0\n0\n")


def test_right_lines():
    """Good are the greatest time, one line, zeros in front, and no newline at the end."""
    for given, end in ((f"{LAST}", LAST), ("1\n", 1), ("0\n007\n10", 10)):
        shown = json.loads(trace("show /dev/stdin -j", given))
        expect(shown, opportunities=len(given.split()), duration=end * MS)
    expect(show([LAST], "--window 1ms"), windows=LAST, rate_p95=0, rate_max=1500000,
           outage_share=1)


def test_cellinks_limit():
    """A trace of more opportunities than cellink takes is shown, with a warning."""
    done = tools.run("sh", "-c", f"yes 1 | head -{LIMIT + 1} | "
                     f"{tools.FRESHLINK} trace show /dev/stdin -j")
    tap.equal("status and warning", (done.returncode, done.stderr), (
        0, "freshlink trace show: /dev/stdin: warning: 16777217 opportunities: cellink takes no "
        "more than 16777216\n"))
    expect(json.loads(done.stdout), opportunities=LIMIT + 1)


def test_pieces():
    """A piece begins at its 0 and has what comes after its start, up to its end; those that
    meet are the whole. One that has no opportunity, or is not in the trace, is refused."""
    lines = [0, 0, 3, 5, 5, 9, 10]
    tap.equal("all", cut(lines, ""), lines)
    for words, piece in (("--length 5ms", [0, 0, 3, 5, 5]), ("--start 5ms", [4, 5]),
                         ("--start 3ms --length 6ms", [2, 2, 6]), ("--start 9ms", [1]),
                         ("--start 4ms --length 1ms", [1, 1]), ("--length 4ms", [0, 0, 3])):
        tap.equal(words, cut(lines, words), piece)
    for words, message in (
            ("--start 10ms", "--start 10ms: expected less than the trace's 10ms"),
            ("--start 4ms --length 7ms", "--length 7ms: expected no more than the 6ms that the "
             "trace has from there"),
            ("--start 6ms --length 2ms", "/dev/stdin: no opportunity after 6ms up to 8ms is kept: "
             "expected at least one"),
            ("--length 2ms", "/dev/stdin: no opportunity after 0ms up to 2ms is kept: expected at "
             "least one"),
            ("--start 9ms --keep 99%", "/dev/stdin: no opportunity after 9ms up to 10ms is kept: "
             "expected at least one")):
        refused(f"cut /dev/stdin {words}", message, text(lines).encode())


def test_thinning():
    """Of any number of opportunities the share asked for is kept, less than one short of it,
    evenly: at no place is there more than one too many or too few."""
    lines = list(range(1, 1001))
    for share in ("50%", "33.3333%", "1%", "99.9%", "100%"):
        kept, ratio = cut(lines, f"--keep {share}"), float(share[:-1]) / 100
        tap.equal(f"kept at {share}", [bisect.bisect_right(kept, line) for line in lines],
                  [math.floor(line * ratio + 1e-9) for line in lines])


def test_files():
    """--output writes a file, also over the one that is read; what is refused leaves it."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace")
        tap.equal("printed", trace(f"cut /dev/stdin --output {path}", text(range(1, 11))), "")
        tap.equal("printed", trace(f"cut {path} --start 8ms --output {path}"), "")
        refused(f"cut {path} --start 2ms --output {path}",
                "--start 2ms: expected less than the trace's 2ms")
        with open(path) as file:
            tap.equal("file", file.read(), "1\n2\n")
        for name, message in (("/nowhere/x", "expected a file that can be written: No such file "
                               "or directory"), ("/dev/full", "could not be written whole")):
            refused(f"cut {path} --output {name}", f"--output {name}: {message}")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
