#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each command of Documentation/bpftrace.rst runs as it is there, and prints the numbers that the
counters of the modules have."""
# run.sh: needs: BPF
# run.sh: all on vm-6.12: everything
import contextlib
import os
import re
import shutil
import signal
import subprocess

from cli import tools
from lib import (arq_device, bench, cell, icmp, iftpv, kmod, packet as pkt, rto, tap, trace, uapi,
                 wait)

PAGE = os.path.join(tools.TREE, "Documentation", "bpftrace.rst")
MODULES = {"lpd": "sch_lpd"}            # whose name differs from the one in tracepoints
EPOLL = ("232", "281")                  # epoll_wait(), epoll_pwait()


def commands(of):
    """The commands of the page with tracepoints of a module."""
    with open(PAGE, encoding="utf-8") as page:
        found = re.findall(r"^    (bpftrace -e .*)$", page.read(), re.MULTILINE)
    return [command for command in found if f"tracepoint:{of}:" in command]


def waits(process):
    """Whether bpftrace has attached all its programs, and waits for events."""
    with open(f"/proc/{process.pid}/syscall", encoding="ascii") as file:
        return file.read().split()[0] in EPOLL


def end(process):
    """End bpftrace by Ctrl-C, and return what it prints. bpftrace 0.17 overlooks a signal that
    comes between two waits for events, so a bpftrace that still waits gets another signal."""
    for _ in range(wait.patient(3)):
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=10)
        wait.until("bpftrace ends, or waits for events",
                   lambda: process.poll() is not None or waits(process))
    raise tap.Failed("bpftrace does not end")


@contextlib.contextmanager
def running(of, number):
    """Run the commands of a module. The list that this yields has their maps after the block."""
    if not shutil.which("bpftrace"):
        tap.skip("bpftrace is not installed")
    kmod.insmod(MODULES.get(of, of))
    lines = commands(of)
    tap.equal("number of commands", len(lines), number)
    found = []
    processes = [subprocess.Popen(f"exec {line}", shell=True, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE) for line in lines]
    try:
        for process in processes:
            wait.until("bpftrace waits for events",
                       lambda process=process: process.poll() is not None or waits(process), 120)
        yield found
    finally:
        for process, line in zip(processes, lines):
            out, err = end(process)
            tap.note(f"{line}\n{out}")
            tap.equal(f"errors of {line}", (process.returncode, err), (0, ""))
            found.append(maps(out))


def maps(output):
    """{map: number, or the sum of a histogram, or {name: number} of stats()} from the output."""
    found, name = {}, None
    for line in output.splitlines():
        if match := re.match(r"@(\S+): ?(.*)$", line):
            name, value = match.groups()
            found[name] = int(value) if value.isdigit() else \
                {word: int(number) for word, number in re.findall(r"(\w+) (\d+)", value)} or 0
        elif match := re.match(r"[\[(].*?[\])]\s+(\d+) \|", line):
            found[name] += int(match[1])
    return found


def by(name, counters, words):
    """The entries @name[number] that agree with counters. `words` are {counter: number}."""
    return {f"{name}[{number}]": counters[word] for word, number in words.items()
            if counters.get(word)}


def test_lpd():
    """The numbers of discarded and cut packets, and of the bytes cut off."""
    with bench.Bench() as b, running("lpd", 2) as found:
        b.lpd()
        b.plug()
        b.send(*(pkt.ipv4(pkt.xlo4(0), pkt.body(number, 100)) for number in range(3)))
        b.send(*(pkt.ipv4(pkt.xlo4(0, pkt.TRUNCATE), pkt.body(number, 100)) for number in range(2)))
        b.send(pkt.ipv4(pkt.xlo4(40), pkt.body(9, 60)))
        wait.until("a packet expires", lambda: b.counters()["stale_timer"] == 1)
        counters = b.counters()
    tap.equal("counters", [counters[name] for name in (
        "stale_enqueue", "stale_timer", "truncated")], [3, 1, 2])
    causes = {word: number for word, number in uapi.words("tca_lpd_stats", "TCA_LPD_STATS_").items()
              if word.startswith("stale_")}
    tap.equal("maps", found, [
        by("packets", counters, causes) | {"late_ms": 4},
        {"packets": 2, "bytes": counters["truncated_bytes"]}])


def test_cellink():
    """The numbers of packets that left, and that were lost."""
    count, size = 200, 200
    with running("cellink", 2) as found, cell.Pair(rate=1250000, loss=200_000, seed=1) as pair:
        pair.flood([cell.packet(number, size) for number in range(count)])
        pair.left.expect(held=0)
        index = pair.left.netlink.ifindex("cell0")
        counters = pair.left.counters()
    tap.true(f"some are lost: {counters['lost']}", 10 < counters["lost"] < 100)
    causes = {"lost": uapi.words("cellink_stats", "CELLINK_STATS_")["lost"]}
    tap.equal("maps", found, [
        {f"wait_ms[{index}]": counters["delivered"]},
        by("packets", counters, causes) | {"bytes": size * counters["lost"]}])


def test_arqlink():
    """The numbers of frames by attempts, of samples, and of packets that were given up."""
    with running("arqlink", 2) as found, \
            arq_device.Pair(channel={"loss": 500_000, "seed": 1}, attempts=2) as pair:
        arq_device.flood(pair.left, [arq_device.packet(number, 100) for number in range(50)])
        pair.left.expect(held=0)
        counters = pair.left.counters()
    repeats = counters["repeats_timer"] + counters["repeats_nack"]
    tap.true(f"some are repeated, and some given up: {counters}", repeats and counters["attempts"])
    sent, given_up = found
    tap.equal("frames by attempts", (sent["frames[1]"], sent.get("frames[2]")),
              (counters["data"], repeats))
    tap.true(f"round-trip times: {sent}", sent["rtt_us"]["count"] > 0 and
             0 < sent["rtt_us"]["average"] < 10**6)
    causes = {"attempts": uapi.words("arqlink_stats", "ARQLINK_STATS_")["attempts"]}
    tap.equal("given up", given_up, by("packets", counters, causes))


def test_xlo_rto():
    """The numbers of messages by verdict."""
    kmod.insmod("xlo_rto")
    with running("xlo_rto", 1) as found, rto.Flow() as flow:
        before = flow.client.stats()
        for code, part in ((icmp.DROP, 0.1), (icmp.DROP, 0.3), (icmp.DEFER, 0.44)):
            flow.say(code, part)
        wait.until("three verdicts", lambda: sum(risen(before, flow).values()) >= 3)
        after = risen(before, flow)
    tap.true(f"verdicts: {after}", len(after) >= 2)
    tap.equal("maps", found, [by("messages", after, verdicts())])


def verdicts():
    """The counters that are verdicts on messages that were believed."""
    words = uapi.words("xrto_stats", "XRTO_STATS_")
    return {word: words[word] for word in (
        "at_once", "shortened", "in_flight", "drop_again", "cancelled", "back", "extended",
        "defer_again", "defer_most", "defer_normal", "link_up")}


def risen(before, flow):
    now = flow.client.stats()
    return {word: now[word] - before[word] for word in verdicts() if now[word] != before[word]}


def test_iftpv():
    """The numbers of verdicts, and the windows after them, are those of the kernel's tracer."""
    kmod.insmod("tcp_iftpv")
    with running("tcp_iftpv", 1) as found, trace.Trace("tcp_iftpv/iftpv_loss") as traced, \
            iftpv.Flow(cwnd=20) as flow:
        flow.silence()
        lines = [dict(word.split("=") for word in line.split(": ", 2)[-1].split())
                 for line in traced.lines()]
    windows = [int(line["after"]) for line in lines]
    names = ("keep", "ease", "halve", "drain", "timeout")
    wanted = {f"losses[{names.index(name)}]": sum(line["verdict"] == name for line in lines)
              for name in {line["verdict"] for line in lines}}
    tap.true("a timeout", "losses[4]" in wanted)
    tap.equal("maps", found, [wanted | {"window": {
        "count": len(windows), "average": sum(windows) // len(windows), "total": sum(windows)}}])


def test_page_is_covered():
    """Each command of the page is one of a module above."""
    with open(PAGE, encoding="utf-8") as page:
        count = len(re.findall(r"^    bpftrace -e", page.read(), re.MULTILINE))
    tap.equal("commands", count, sum(len(commands(of)) for of in (
        "lpd", "cellink", "arqlink", "xlo_rto", "tcp_iftpv")))


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
