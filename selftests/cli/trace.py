#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink trace reads, cuts and generates traces in mahimahi's format. Small results are counted
by hand. Distributions pass statistical tests at 1 %, with fixed seeds. Wrong lines are refused."""
# run.sh: once: what a command prints does not depend on the kernel
import bisect
import hashlib
import itertools
import json
import math
import os
import random
import re
import signal
import subprocess
import tempfile

from cli import tools
from lib import tap

MS, LAST = 10**6, 2**32 - 1
LIMIT = 2**24
KOLMOGOROV = 1.628      # D sqrt(n) is greater in 1 % of all samples
CHI_SQUARE = {1: 6.635, 3: 11.345}      # by degrees of freedom, at 1 %
SHARES = {"min": 0, "p5": 5, "p25": 25, "p50": 50, "p75": 75, "p95": 95, "max": 100}


def text(lines):
    return "".join(f"{line}\n" for line in lines)


def trace(words, given="", status=0):
    """The output of freshlink trace with this standard input."""
    done = subprocess.run([tools.FRESHLINK, "trace", *words.split()], input=given, text=True,
                          capture_output=True, timeout=120)
    tap.equal(f"status and errors of {words}", (done.returncode, done.stderr), (status, ""))
    return done.stdout


def show(lines, words=""):
    return json.loads(trace(f"show /dev/stdin -j {words}", text(lines)))


def cut(lines, words):
    return [int(line) for line in trace(f"cut /dev/stdin {words}", text(lines)).split()]


def make(words):
    return [int(line) for line in trace(f"make --kind {words}").split()]


def gaps(lines):
    return [later - sooner for sooner, later in itertools.pairwise(lines)]


def refused(words, message, given=b""):
    """freshlink trace refuses these words with a message, and prints nothing else."""
    done = subprocess.run([tools.FRESHLINK, "trace", *words.split()], input=given,
                          capture_output=True, timeout=120)
    tap.equal(f"{words} with {given[:40]}", (done.returncode, done.stdout, done.stderr.decode()),
              (1, b"", f"freshlink trace {words.split()[0]}: {message}\n"))


def expect(numbers, **wanted):
    """Check that `numbers` contains the numbers in `wanted`."""
    tap.equal("numbers", {key: numbers[key] for key in wanted}, wanted)


def test_counted_by_hand():
    """show prints the opportunities, rates, windows, gaps and outages of nine lines, as JSON and as
    text. An opportunity at the end of a window belongs to this window. An opportunity at 0 belongs
    to the first window. An incomplete window is omitted."""
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
    """For random traces, show prints the numbers that this test counts window by window."""
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
    """Each wrong line is refused. The message contains the line's number, the line's text with
    unprintable bytes escaped, and the expected form."""
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
    refused(f"show {where}", f"{where}:2: \"0\": expected a last line above 0, because the "
            "trace repeats there", b"0\n0\n")


def test_right_lines():
    """The greatest time, a single line, leading zeros and a missing last newline are accepted."""
    for given, end in ((f"{LAST}", LAST), ("1\n", 1), ("0\n007\n10", 10)):
        shown = json.loads(trace("show /dev/stdin -j", given))
        expect(shown, opportunities=len(given.split()), duration=end * MS)
    expect(show([LAST], "--window 1ms"), windows=LAST, rate_p95=0, rate_max=1500000,
           outage_share=1)


def test_no_more_are_made():
    """make refuses to generate more than 2^24 opportunities."""
    refused("make --kind constant --rate 10gbit --duration 21s", f"more than {LIMIT} "
            "opportunities: expected a shorter --duration or lower rates")


def test_pieces():
    """cut makes a piece of the opportunities from a start to an end. The times of a piece begin at
    0, and adjacent pieces together make the whole trace. A piece without an opportunity, or outside
    of the trace, is refused."""
    lines = [0, 0, 3, 5, 5, 9, 10]
    tap.equal("all", cut(lines, ""), lines)
    for words, piece in (("--length 5ms", [0, 0, 3, 5, 5]), ("--start 5ms", [4, 5]),
                         ("--start 3ms --length 6ms", [2, 2, 6]), ("--start 9ms", [1]),
                         ("--start 4ms --length 1ms", [1, 1]), ("--length 4ms", [0, 0, 3])):
        tap.equal(words, cut(lines, words), piece)
    for words, message in (
            ("--start 10ms", "--start 10ms: expected less than the trace's 10ms"),
            ("--start 4ms --length 7ms", "--length 7ms: expected at most 6ms, the rest of the "
             "trace"),
            ("--start 6ms --length 2ms", "/dev/stdin: no opportunity after 6ms up to 8ms is kept: "
             "expected at least one"),
            ("--length 2ms", "/dev/stdin: no opportunity after 0ms up to 2ms is kept: expected at "
             "least one"),
            ("--start 9ms --keep 99%", "/dev/stdin: no opportunity after 9ms up to 10ms is kept: "
             "expected at least one")):
        refused(f"cut /dev/stdin {words}", message, text(lines).encode())


def test_thinning():
    """cut --keep keeps the requested share evenly. Up to each line of the trace, the number of kept
    opportunities is this share of the opportunities so far, rounded down."""
    lines = list(range(1, 1001))
    for share in ("50%", "33.3333%", "1%", "99.9%", "100%"):
        kept, ratio = cut(lines, f"--keep {share}"), float(share[:-1]) / 100
        tap.equal(f"kept at {share}", [bisect.bisect_right(kept, line) for line in lines],
                  [math.floor(line * ratio + 1e-9) for line in lines])


def test_constant():
    """The k-th opportunity is at the end of the millisecond in which the link completes the k-th
    packet, also at rates that do not divide a second evenly. The trace has as many opportunities as
    fit into its duration."""
    for rate, size, ms in ((12_000_000, 1500, 1000), (30_000, 500, 100_000), (8, 1, 5000),
                           (56_000_000, 1500, 777), (1_234_568, 1371, 60_000),
                           (10_000_000_000, 65535, 50), (160_000_000, 1, 2),
                           # each opportunity is due femtoseconds after the end of a millisecond
                           (524_279_992, 65535, 20)):
        count = rate * ms // (8000 * size)
        tap.equal(f"{rate} bit/s in {size} bytes", make(f"constant --rate {rate}bit --size {size} "
                                                        f"--duration {ms}ms"),
                  [-(-k * size * 8000 // rate) for k in range(1, count + 1)])


def kolmogorov_smirnov(what, samples, distribution):
    """The samples are consistent with this cumulative distribution."""
    samples, count = sorted(samples), len(samples)
    chances = [distribution(sample) for sample in samples]
    distance = max(max((i + 1) / count - chance, chance - i / count)
                   for i, chance in enumerate(chances))
    tap.within(f"{what}: D sqrt({count})", distance * math.sqrt(count), 0, KOLMOGOROV)


def chi_square(what, counts):
    """The counts are consistent with equal probabilities."""
    mean = sum(counts) / len(counts)
    tap.within(f"{what}: chi square of {counts}",
               sum((count - mean)**2 for count in counts) / mean, 0, CHI_SQUARE[len(counts) - 1])


def exponential(mean):
    return lambda x: 1 - math.exp(-x / mean)


def test_poisson():
    """4000 gaps with a mean of one second have an exponential distribution. After a short gap, a
    short gap and a long gap are equally likely."""
    found = gaps([0] + make("poisson --rate 12kbit --duration 4000s --seed 7"))
    tap.within("gaps", len(found), 3800, 4200)
    kolmogorov_smirnov("gaps, ms", found, exponential(1000))
    short = [gap < 1000 * math.log(2) for gap in found]
    pairs = list(zip(short[::2], short[1::2]))
    chi_square("pairs", [pairs.count(pair) for pair in itertools.product((True, False), repeat=2)])


def test_poisson_in_a_millisecond():
    """With a mean of two opportunities a millisecond, the numbers of milliseconds with none, one,
    two, ... opportunities follow Poisson's law."""
    shown = make("poisson --rate 24mbit --duration 10s --seed 3")
    counts = [0] * 10001
    for line in shown:
        counts[line] += 1
    numbers = [counts[1:].count(n) for n in range(5)]
    wanted = [10000 * math.exp(-2) * 2**n / math.factorial(n) for n in range(5)]
    numbers.append(10000 - sum(numbers))
    wanted.append(10000 - sum(wanted))
    tap.within(f"chi square of {numbers}", sum((got - want)**2 / want for got, want in
                                               zip(numbers, wanted)), 0, 15.086)


def test_markov_sojourns():
    """Bursts with a mean of 2 s and silences with a mean of 1 s have exponential distributions. In
    this trace, opportunities in a burst are 10 ms apart, and a longer gap is a silence."""
    found = gaps([0] + make("markov --states 1200kbit:2s,0:1s --duration 3000s --seed 5"))
    silent = [i for i, gap in enumerate(found) if gap > 10]
    silences = [found[i] - 10 for i in silent]
    bursts = [10 * (later - sooner) for sooner, later in itertools.pairwise(silent)]
    tap.within("silences", len(silences), 850, 1150)
    kolmogorov_smirnov("silences, ms", silences, exponential(1000))
    kolmogorov_smirnov("bursts, ms", bursts, exponential(2000))


def test_markov_steps():
    """After each of three states, the two other states follow equally often. Two gaps at a state's
    rate identify the state."""
    found = gaps([0] + make("markov --states 1200kbit:8s,600kbit:8s,300kbit:8s --duration 4800s"))
    known = [gap for gap, same in itertools.pairwise(found) if gap == same and gap in (10, 20, 40)]
    states = [gap for gap, _ in itertools.groupby(known)]
    tap.equal("first state", states[0], 10)
    steps = list(itertools.pairwise(states))
    tap.within("steps", len(steps), 500, 700)
    for state in (10, 20, 40):
        chi_square(f"after {state} ms", [steps.count((state, other)) for other in (10, 20, 40)
                                         if other != state])


def test_handover():
    """Two cells alternate, each for exactly its time and with its rate. Between the cells is an
    outage, whose length has a uniform distribution between two limits."""
    lines = [0] + make("handover --states 1200kbit:1s,600kbit:2s --outage 200ms,800ms "
                       "--duration 2000s --seed 9")
    outages = []
    for visit in range(len(lines) // 100):
        gap = 10 if visit % 2 == 0 else 20
        found = gaps(lines[visit * 100:visit * 100 + 101])
        outages.append(found[0] - gap)
        tap.equal(f"gaps of visit {visit}", found[1:], [gap] * 99)
    tap.equal("outage before the first cell", outages.pop(0), 0)
    tap.within("outages", len(outages), 960, 1040)
    tap.within("shortest, ms", min(outages), 199, 210)
    tap.within("longest, ms", max(outages), 790, 801)
    kolmogorov_smirnov("outages, ms", outages, lambda x: min(1, max(0, (x - 200) / 600)))


def test_seeds():
    """A seed makes the same bytes on every machine, and another seed makes other bytes."""
    for words, digest in (
            ("poisson --rate 50mbit", "597f10e45b55332d"),
            ("markov --states 20mbit:500ms,1mbit:2s,0:300ms", "c62304f9a16b4321"),
            ("handover --states 20mbit:3s,5mbit:2s --outage 0,500ms", "bfc84f1739ec884f")):
        made = trace(f"make --kind {words} --seed 42 --duration 30s")
        tap.equal(words, hashlib.sha256(made.encode()).hexdigest()[:16], digest)
        tap.true("another seed", trace(f"make --kind {words} --seed 43 --duration 30s") != made)


def test_round_trips():
    """show and cut find exactly the numbers with which make generated a trace: two halves together
    are the whole trace, and half of the opportunities are the trace of half the rate."""
    whole = make("constant --rate 12mbit --duration 10s")
    even = {f"rate_{name}": 1500000 for name in SHARES}
    expect(show(whole), opportunities=10000, duration=10000 * MS, rate=1500000, windows=10,
           longest_gap=MS, outages=0, **even)
    late = cut(whole, "--start 4s")
    expect(show(late), opportunities=6000, duration=6000 * MS, rate=1500000, windows=6, **even)
    tap.equal("two pieces", cut(whole, "--length 4s") + [4000 + line for line in late], whole)
    half = cut(whole, "--keep 50%")
    expect(show(half), opportunities=5000, duration=10000 * MS, rate=750000, longest_gap=2 * MS)
    tap.equal("half of it", half, make("constant --rate 6mbit --duration 10s"))
    stalls = make("handover --states 12mbit:3s --outage 2s,2s --duration 13s")
    expect(show(stalls), opportunities=9000, duration=13000 * MS, windows=13, rate_min=0,
           rate_p25=0, rate_p50=1500000, longest_gap=2001 * MS, longest_gap_at=3000 * MS,
           outages=2, outage_time=4002 * MS)
    expect(show(cut(stalls, "--start 4s --length 3s")), opportunities=2000,
           duration=3000 * MS, outages=1, longest_gap=1001 * MS, longest_gap_at=0)


def test_files():
    """--output writes a file, which may be the input file. If a trace is refused, the file stays
    unchanged."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace")
        tap.equal("printed", trace(f"make --kind constant --duration 10ms --output {path}"), "")
        tap.equal("printed", trace(f"cut {path} --start 8ms --output {path}"), "")
        refused(f"cut {path} --start 2ms --output {path}",
                "--start 2ms: expected less than the trace's 2ms")
        with open(path) as file:
            tap.equal("file", file.read(), "1\n2\n")
        for name, message in (("/nowhere/x", "expected a file that can be written: No such file "
                               "or directory"), ("/dev/full", "could not be written whole")):
            refused(f"cut {path} --output {name}", f"--output {name}: {message}")


def test_reader_goes_away():
    """If a reader closes the pipe after the first line, SIGPIPE ends the writer. If SIGPIPE is
    ignored, the writer prints a message."""
    for ignored, status, message in (
            (False, -signal.SIGPIPE, ""),
            (True, 1, "freshlink: standard output could not be written whole\n")):
        def ignore(ignored=ignored):
            signal.signal(signal.SIGPIPE, signal.SIG_IGN if ignored else signal.SIG_DFL)
        with subprocess.Popen([tools.FRESHLINK, "trace", "make", "--kind", "constant"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              preexec_fn=ignore, restore_signals=False) as process:
            tap.equal("first line", process.stdout.readline(), "1\n")
            process.stdout.close()
            tap.equal("errors", process.stderr.read(), message)
        tap.equal("status", process.returncode, status)


def test_example_of_the_man_page():
    """The man page's example prints the output that the page shows."""
    with open(os.path.join(tools.USERSPACE, "man", "freshlink-trace.8")) as file:
        page = file.read().replace("\\-", "-")
    made = re.search(r"^\$ freshlink (trace make .* drive\.trace)$", page, re.M)[1]
    shown = re.search(r"^\$ freshlink (trace show drive\.trace)\n(.*?)^\.fi$", page, re.M | re.S)
    with tempfile.TemporaryDirectory() as folder:
        for words, output in ((made, ""), shown.groups()):
            done = subprocess.run([tools.FRESHLINK, *words.split()], cwd=folder, text=True,
                                  capture_output=True, timeout=120)
            tap.equal(words, (done.returncode, done.stdout, done.stderr), (0, output, ""))


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
