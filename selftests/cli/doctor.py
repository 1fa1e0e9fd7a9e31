#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink doctor says where packets wait, and which commands help. It sends at most as many bytes
as its first line says."""
# run.sh: needs: simulated time
# run.sh: once: what doctor measures does not depend on the kernel
import contextlib
import json
import tempfile
import time

from cli import tools
from lib import cell, hosts, modem, netns, tap, wait

MS = modem.MS
BELOW = {"ring_packets": 2, "ring_bytes": 0, "buffer": 10**6}   # a modem takes packets at once
ABOVE = {"ring_packets": 2, "ring_bytes": 0}                    # the device pushes back


def examine(ns, dev="cell0", words=f"--reflector {modem.RIGHT}"):
    """Run freshlink doctor. Returns the plan, the measured numbers and the findings by name."""
    done = ns.run(f"{tools.FRESHLINK} doctor {dev} -j {words}", check=False)
    tap.equal(f"exit status ({done.stderr.strip()})", done.returncode, 0)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    measured = next((line for line in lines if "base" in line), None)
    found = {line["finding"]: line for line in lines if "finding" in line}
    for one in found.values():
        tap.note(f"{one['finding']}: {one['state']}")
    return lines[0], measured, found


def backlog(m):
    """The bytes that wait in lpd."""
    with m.left.ns.inside():
        return json.loads(tools.tc("-s -j qdisc show dev cell0").stdout)[0]["backlog"]


def advice(finding):
    return [finding[key] for key in sorted(finding) if key.startswith("advice")]


def test_below():
    """Packets wait in the modem: doctor advises freshlink pace. The numbers are those of the
    link."""
    with modem.Modem(**BELOW) as m:
        _, measured, found = examine(m.left.ns)
    tap.equal("backlog", found["backlog"]["state"], "below")
    tap.equal("overtaking", found["overtaking"]["state"], "no")
    tap.equal("advice", advice(found["backlog"]),
              [f"freshlink pace cell0 --reflector {modem.RIGHT}"])
    tap.within("delay without load", measured["base"], 0.040, 0.045)
    tap.within("rate", measured["rate"], 0.9 * 250000, 1.1 * 250000)


def test_in_lpd():
    """The device pushes back: packets wait in lpd, and nothing is to be done."""
    with modem.Modem(**ABOVE) as m:
        _, measured, found = examine(m.left.ns)
    tap.equal("backlog", found["backlog"]["state"], "lpd")
    tap.equal("advice", advice(found["backlog"]), [])
    tap.equal("overtaking", found["overtaking"]["state"], "unknown")
    tap.true("a backlog", measured["backlog"] > 12000)


def test_nothing_waits():
    """The link is faster than the load, so no queue builds up. The only advice is to load the
    link."""
    with modem.Modem(**{**BELOW, "rate": 10**8}) as m:
        _, measured, found = examine(m.left.ns)
    tap.equal("backlog", found["backlog"]["state"], "none")
    tap.within("bytes of the load", measured["load_bytes"], 64 * 1500, 64 * 1518)
    tap.within("delay of the load", measured["load_late"], 0, 0.010)


def test_adverse_links():
    """Packets wait in the modem. doctor finds this also if the modem sends in bursts, if packets
    are lost in both directions, or if the downlink is full. If only the downlink has a queue,
    doctor finds no queue, although the answers are late."""
    slow = {"delay": 20 * MS, "rate": 250000, "ring_packets": 300}
    for place, link in (("below", {**BELOW, "grant": 40 * MS}),
                        ("below", {**BELOW, "loss": 100000, "seed": 1,
                                   "back": {"delay": 20 * MS, "ring_packets": 1000,
                                            "loss": 100000, "seed": 2}}),
                        ("below", {**BELOW, "back": slow}),
                        ("none", {"rate": 10**8, "back": slow})):
        with modem.Modem(**link) as m:
            if link.get("back") is slow:
                m.start(f"traffic source {modem.LEFT} --rate 3mbit --size 1000", m.right.ns)
                # the send buffer of the source has space for 95 packets
                wait.until("the downlink is full", lambda: m.right.counters()["held"] > 60)
            _, measured, found = examine(m.left.ns)
        tap.note(f"{link}: {measured}")
        tap.equal(f"backlog of {link}", found["backlog"]["state"], place)
        tap.equal("overtaking", found["overtaking"]["state"],
                  "no" if place == "below" else "unknown")
        tap.equal("options", found["options"]["state"], "pass")


@contextlib.contextmanager
def fair_box(queue):
    """A router in front of another box, whose queue is the bottleneck.

        router v0 ----- box cell0 ==== 2 Mbit/s ===> reflector"""
    with modem.Modem(**ABOVE) as m, contextlib.closing(netns.Netns()) as router:
        netns.veth(router, "v0", m.left.ns, "v1")
        router.ip("address add 10.2.0.1/24 dev v0", "route add default via 10.2.0.2")
        m.left.ns.ip("address add 10.2.0.2/24 dev v1")
        m.left.ns.sysctl("net.ipv4.ip_forward", 1)
        m.right.ns.ip("route add 10.2.0.0/24 via 10.1.0.1")
        with m.left.ns.inside():
            done = tools.tc(f"qdisc replace dev cell0 root {queue}")
        tap.equal("queue of the box", done.stderr, "")
        with router.inside():
            tap.equal("lpd", tools.tc("qdisc replace dev v0 root lpd").stderr, "")
        yield router


def test_fair_queueing():
    """With fair queueing below, probes overtake the load. doctor says that freshlink pace is of no
    use, and advises a token bucket below the measured rate. Behind a FIFO it advises pace."""
    with fair_box("fq_codel target 1s interval 2s") as router:
        _, measured, found = examine(router, "v0")
    tap.equal("backlog", found["backlog"]["state"], "below")
    tap.equal("overtaking", found["overtaking"]["state"], "yes")
    tap.true(f"advice {advice(found['backlog'])}", "tbf rate" in advice(found["backlog"])[0])
    tap.within("delay of the probe", measured["probe_late"], 0, measured["load_late"] / 3)
    with fair_box("bfifo limit 1mb") as router:
        _, measured, found = examine(router, "v0")
    tap.equal("overtaking behind a FIFO", found["overtaking"]["state"], "no")
    tap.equal("advice behind a FIFO", advice(found["backlog"]),
              [f"freshlink pace v0 --reflector {modem.RIGHT}"])


def test_options_dropped():
    """The path drops packets with options: doctor says so, and advises strip. With strip on, and on
    a path that passes options, there is no advice."""
    with modem.Modem(**ABOVE) as m:
        passed = examine(m.left.ns)[2]["options"]
        m.right.ns.run("nft -f -", stdin="table ip f { chain in { type filter hook prerouting "
                       "priority 0; ip hdrlength > 5 drop; }; }")
        dropped = examine(m.left.ns)[2]["options"]
        with m.left.ns.inside():
            done = tools.tc(dropped["advice1"].removeprefix("tc "))
        tap.equal("the advice as a command", (done.returncode, done.stderr), (0, ""))
        stripped = examine(m.left.ns)[2]["options"]
    tap.equal("states", [passed["state"], dropped["state"], stripped["state"]],
              ["pass", "dropped", "stripped"])
    tap.equal("advice", dropped["advice1"], "tc qdisc change dev cell0 root lpd strip")
    tap.equal("other advice", advice(passed) + advice(stripped), [])
    tap.true(passed["text"], "10 of 10 were answered, and 20 of 20 without" in passed["text"])
    tap.true(dropped["text"], "0 of 10 packets" in dropped["text"])


def test_bytes():
    """doctor sends no more bytes than its first line says. Without a reflector it sends nothing."""
    for link in (BELOW, ABOVE, {**BELOW, "rate": 10**8}):
        with modem.Modem(**link) as m:
            sniffer = m.sniffer()
            told = examine(m.left.ns, words="")[0]["bytes_at_most"]
            tap.equal("bytes without a reflector", (told, sniffer.drain()), (0, []))
            told = examine(m.left.ns)[0]["bytes_at_most"]
            sent = sum(len(frame.packet) + cell.HEADER for frame in sniffer.drain())
            sniffer.lossless()
        tap.within("bytes that were told", told, 80 * 1500, 80 * 1600)
        tap.within("bytes that were sent", sent, 20000, told)


def test_other_qdiscs():
    """Packets wait in a qdisc that is not lpd: doctor advises lpd in its place. The printed command
    does this."""
    for before, after in (
            (["root fq_codel"], "lpd root"),
            (["root handle 1: tbf rate 1mbit burst 5kb limit 1mb"], "lpd parent 1:1"),
            (["root handle 1: tbf rate 1mbit burst 5kb limit 1mb",
              "parent 1:1 handle 2: pfifo limit 1000"], "lpd parent 1:1")):
        with modem.Modem(**ABOVE) as m, m.left.ns.inside():
            tools.tc("qdisc delete dev cell0 root")
            for words in before:
                tap.equal(words, tools.tc(f"qdisc add dev cell0 {words}").stderr, "")
            _, _, found = examine(m.left.ns)
            tap.equal(f"backlog in {before[-1]}", found["backlog"]["state"], "qdisc")
            tap.equal("lpd", found["lpd"]["state"], "absent")
            tap.equal("shaper", found["shaper"]["state"], "there" if "tbf" in before[0] else "none")
            line = advice(found["backlog"])[0]
            tap.equal(line, tools.tc(line.removeprefix("tc ")).stderr, "")
            kind, place = after.split(" ", 1)
            shown = tools.tc("qdisc show dev cell0").stdout
            tap.true(f"{after}: {shown}", any(
                line.startswith(f"qdisc {kind} ") and f" {place} " in line
                for line in shown.splitlines()))
            _, _, found = examine(m.left.ns)
            tap.equal("backlog afterwards", found["backlog"]["state"], "lpd")
            tap.equal("place of lpd", found["lpd"]["state"], "root" if place == "root" else "below")


def test_bucket_too_fast():
    """A token bucket that is faster than the link leaves packets in the modem. doctor says so, and
    advises a rate with which they wait in lpd."""
    with modem.Modem(**BELOW) as m, m.left.ns.inside():
        tools.tc("qdisc delete dev cell0 root")
        for words in ("root handle 1: tbf rate 20mbit burst 5kb limit 1mb", "parent 1:1 lpd"):
            tap.equal(words, tools.tc(f"qdisc add dev cell0 {words}").stderr, "")
        _, _, found = examine(m.left.ns)
        tap.equal("before", (found["backlog"]["state"], found["shaper"]["state"]),
                  ("below", "fast"))
        done = tools.tc(advice(found["shaper"])[0].partition("#")[0].removeprefix("tc "))
        tap.equal("the advice as a command", (done.returncode, done.stderr), (0, ""))
        _, _, found = examine(m.left.ns)
        tap.equal("after", (found["backlog"]["state"], found["shaper"]["state"]), ("lpd", "there"))


def test_traffic_is_the_load():
    """If packets of other programs wait in a qdisc, doctor sends no load, and needs no reflector to
    say where they wait."""
    with modem.Modem(**ABOVE) as m:
        source = m.start(f"traffic source {modem.RIGHT} --rate 4mbit --size 1000 --duration 30s "
                         "--lifetime 5s")
        wait.until("packets wait", lambda: backlog(m) > 10000)
        for words in ("", f"--reflector {modem.RIGHT}"):
            sniffer = m.sniffer()
            _, _, found = examine(m.left.ns, words=words)
            tap.equal(f"backlog {words}", found["backlog"]["state"], "lpd")
            tap.equal("packets of full size", sum(len(f.packet) > 1400 for f in sniffer.drain()), 0)
        tap.equal("lifetimes", found["lifetimes"]["state"], "some")
        source.kill()


def test_beside_pace():
    """While freshlink pace holds packets in lpd, doctor says so. doctor's packets are no probes of
    lpd, because lpd tells probes apart by numbers that both programs use."""
    with modem.Modem(**BELOW) as m:
        pace = m.pace()
        m.stream("3200kbit", 4)
        _, _, found = examine(m.left.ns)
        tap.equal("backlog", found["backlog"]["state"], "lpd")
        tap.true(found["backlog"]["text"], "freshlink pace runs" in found["backlog"]["text"])
        time.sleep(4)           # an idle link has a probe every 5 s
        with m.left.ns.inside():
            shown = json.loads(tools.tc("-s -j qdisc show dev cell0").stdout)[0]
        seconds = [e for e in m.stop(pace) if e["event"] == "second"]
        tap.within("probes in lpd", shown["probes"] - seconds[-1]["probes"], -1, 1)


def test_no_answer():
    """Without an answer doctor says what it does not know. Without CAP_NET_ADMIN it sends nothing,
    and says why."""
    with modem.Modem(reflect=False, **BELOW) as m:
        _, measured, found = examine(m.left.ns)
        tap.equal("numbers", measured, None)
        tap.true(found["backlog"]["text"], "answered no probe" in found["backlog"]["text"])
        done = m.left.ns.run("setpriv --bounding-set -all --inh-caps -all --reuid 65534 "
                             f"--regid 65534 --clear-groups {tools.FRESHLINK} doctor cell0 -j "
                             f"--reflector {modem.RIGHT}")
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        tap.equal("bytes", lines[0]["bytes_at_most"], 0)
        for line in lines[1:]:
            if line["finding"] in ("backlog", "options", "flowtable"):
                tap.true(line["text"], "CAP_NET_ADMIN" in line["text"])


def test_unprivileged():
    """While doctor sends probes, it is the user nobody without capabilities."""
    with modem.Modem(reflect=False, **BELOW) as m:
        doctor = m.start(f"doctor cell0 --reflector {modem.RIGHT} -j")
        doctor.stdout.readline()
        status = {}

        def dropped():
            with open(f"/proc/{doctor.pid}/status") as file:
                status.update(line.rstrip("\n").split(":\t", 1) for line in file)
            return status["NoNewPrivs"] == "1"
        wait.until("no new privileges", dropped)
        tap.equal("users", status["Uid"].split(), ["65534"] * 4)
        tap.equal("capabilities", int(status["CapPrm"], 16), 0)
        tap.equal("status", doctor.wait(wait.patient(40)), 0)


def test_mtu():
    """Packets of full size do not arrive: doctor says so."""
    with modem.Modem(**ABOVE) as m:
        m.right.ns.run("nft -f -", stdin="table ip f { chain in { type filter hook prerouting "
                       "priority 0; meta length > 1400 drop; }; }")
        device = examine(m.left.ns)[2]["device"]
        m.left.ns.ip(*(line.removeprefix("ip ") for line in advice(device)))
        after = examine(m.left.ns)[2]
    tap.equal("states", [device["state"], after["backlog"]["state"]], ["mtu", "lpd"])


def use_ipv6(m):
    """Give both ends of the link an address of IPv6."""
    for end, own, other, mac in ((m.left, "fd01::1", "fd01::2", "02:00:00:00:00:02"),
                                 (m.right, "fd01::2", "fd01::1", "02:00:00:00:00:01")):
        end.ns.sysctl(f"net.ipv6.conf.{end.name}.disable_ipv6", 0)
        end.ns.ip(f"address add {own}/64 dev {end.name} nodad",
                  f"neighbour replace {other} lladdr {mac} dev {end.name}")
        hosts.await_address(end.ns, own)


def test_own_reflector():
    """freshlink reflect answers all packets of doctor with its default limit, also with a key, and
    over IPv6."""
    with tempfile.NamedTemporaryFile("w") as key:
        key.write("c0ffee00" * 8)
        key.flush()
        for words, asks in (("--allow 10.1.0.0/24", modem.RIGHT),
                            ("--allow fd01::/64", "fd01::2"),
                            (f"--key {key.name}", f"{modem.RIGHT} --key {key.name}")):
            with modem.Modem(reflect=False, **{**BELOW, "rate": 10**8}) as m:
                use_ipv6(m)
                reflect = m.start(f"reflect {words} -j", m.right.ns)
                found = examine(m.left.ns, words=f"--reflector {asks}")[2]
                reflect.terminate()
                counters = json.loads(reflect.communicate()[0].splitlines()[-1])
            tap.equal("options", found["options"]["state"], "pass")
            tap.equal("counters", (counters["answered"], counters["limited"]), (118, 0))


def test_refused():
    """Each wrong set-up is refused with what was expected."""
    with modem.Modem() as m:
        for words, message in (
                ("nodev", "nodev: no such network device"),
                ("cell0 --reflector 10.1.0.2,10.1.0.3",
                 "--reflector 10.1.0.2,10.1.0.3: expected one host"),
                ("cell0 --reflector ,",
                 "--reflector ,: expected one to 8 hosts, separated by commas")):
            done = m.left.ns.run(f"{tools.FRESHLINK} doctor {words}", check=False)
            tap.equal(f"status of {words}", done.returncode, 1)
            tap.equal(f"message of {words}", done.stderr, f"freshlink doctor: {message}\n")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
