#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A trace is loaded into the kernel completely or not at all. A refused request changes neither the
device nor the upload, and the error names the wrong attribute. cellink refuses requests of
unprivileged users. No memory leaks."""
# run.sh: all on lab-debug: *[!c]
# run.sh: all on vm: told_* uploads_* privilege unloaded_* changed_*
# run.sh: all on smp-debug: *_under_traffic uploads_* device_* unloaded_* deleted_*
# run.sh: smoke: told_* bad_*
# run.sh: soak on smp-debug, 7200 s: unloaded_* deleted_*
import errno
import time

from lib import bench, cell, child, genl, kmod, netlink, netns, soak, tap, uapi, wait

LINES = [0, 1, 1, 5]
TOLD = {"count": 4, "opportunity": 1504, "once": 0, "offset": 0, "length": 5 * cell.MS}
UPLOADS = uapi.CELLINK_UPLOADS_MAX
ROUNDS = soak.amount(5, 200)
CHANGES = soak.amount(1000 if wait.virtual_time() else 50, 2000)
OUT_OF_RANGE = "integer out of range"
NO_UPLOAD = (errno.ENOENT, "cellink: this socket has no upload: expected TRACE_START first", None)


def refusal(function, *arguments, **values):
    """The refusal of a request as (errno, text, name of the attribute), or None if the request is
    accepted."""
    names = {number: name for name, (number, _) in cell.TRACE_ATTRIBUTES.items()}
    try:
        function(*arguments, **values)
    except netlink.Refused as refused:
        return refused.code, refused.text, names.get(refused.attribute)
    return None


def test_told_as_it_was_loaded():
    """Each end follows its own trace. A second trace replaces the first trace. After the deletion
    of a trace cellink reports no trace."""
    with cell.Pair() as pair:
        tap.equal("traces at first", (pair.left.trace(), pair.right.trace()), (None, None))
        pair.left.follow(LINES)
        tap.equal("trace with defaults", pair.left.trace(), TOLD)
        tap.equal("trace of the other end", pair.right.trace(), None)
        pair.left.follow([7] * 20_000 + [0xffffffff], opportunity=65535, once=1,
                         offset=0xffffffff * cell.MS - 1)
        tap.equal("largest values", pair.left.trace(), {
            "count": 20_001, "opportunity": 65535, "once": 1,
            "offset": 0xffffffff * cell.MS - 1, "length": 0xffffffff * cell.MS})
        tap.equal("settings", pair.left.settings(), cell.DEFAULTS)
        traces = cell.Traces(pair.left.ns)
        traces.delete(pair.left)
        tap.equal("trace after the deletion", pair.left.trace(), None)


def test_chunks_of_any_size():
    """The result does not depend on how a trace is divided into requests."""
    lines = sorted(bench.seed().choices(range(1000), k=999)) + [1000]
    with cell.Pair() as pair:
        for chunk in (1, 7, 999, 1000, 16000):
            traces = cell.Traces(pair.left.ns)
            traces.CHUNK = chunk
            traces.upload(lines)
            traces.commit(pair.left)
            tap.equal(f"in requests of {chunk}",
                      (pair.left.trace()["count"], pair.left.trace()["length"]),
                      (1000, 1000 * cell.MS))


def test_bad_uploads():
    """cellink refuses a wrong part of an upload completely. The upload continues as if the wrong
    part had not been sent."""
    with cell.Pair() as pair:
        traces = cell.Traces(pair.left.ns)
        count = (errno.ERANGE, OUT_OF_RANGE, "count")
        order = (errno.EINVAL, "cellink: times must not decrease", "times")
        whole = (errno.EINVAL, "cellink: times must have 4 bytes each", "times")
        for what, got, want in (
                ("no upload begun", refusal(traces.do, "trace_add", times=[1]), NO_UPLOAD),
                ("no count", refusal(traces.do, "trace_start"),
                 (errno.EINVAL, "cellink: count is missing", None)),
                ("count 0", refusal(traces.do, "trace_start", count=0), count),
                ("count too large", refusal(traces.do, "trace_start", count=(1 << 24) + 1), count)):
            tap.equal(what, got, want)
        traces.do("trace_start", count=4)
        traces.do("trace_add", times=LINES[:2])
        raw = cell.TRACE_ATTRIBUTES["times"][0]
        for what, got, want in (
                ("no times", refusal(traces.do, "trace_add"),
                 (errno.EINVAL, "cellink: times are missing", None)),
                ("an empty part", refusal(traces.do, "trace_add", times=[]), whole),
                ("half of a time", refusal(traces.request, traces.family, 0, genl.body(
                    cell.COMMANDS["trace_add"], netlink.attr(raw, bytes(7)))), whole),
                ("less than in the last one", refusal(traces.do, "trace_add", times=[0, 5]), order),
                ("less than the one before", refusal(traces.do, "trace_add", times=[5, 4]), order),
                ("more times than count", refusal(traces.do, "trace_add", times=[1, 5, 6]),
                 (errno.E2BIG, "cellink: times must not be more than count", "times")),
                ("fewer times than count", refusal(traces.commit, pair.left),
                 (errno.EINVAL, "cellink: times are fewer than count", None))):
            tap.equal(what, got, want)
        traces.do("trace_add", times=LINES[2:])
        traces.commit(pair.left)
        tap.equal("trace after wrong parts", pair.left.trace(), TOLD)
        tap.equal("second commit", refusal(traces.commit, pair.left), NO_UPLOAD)


def test_bad_commits():
    """cellink refuses a wrong request to follow the uploaded trace. The device still follows its
    current trace, and the upload can still be used."""
    with cell.Pair() as pair:
        pair.left.follow(LINES)
        traces = cell.Traces(pair.left.ns)
        zero = (errno.EINVAL, "cellink: the last time must be more than 0, because the trace "
                "repeats there", None)
        traces.upload([0, 0])
        tap.equal("all times 0", refusal(traces.commit, pair.left), zero)
        traces.upload([3, 9])
        size = (errno.ERANGE, OUT_OF_RANGE, "opportunity")
        offset = (errno.ERANGE, "cellink: offset must be less than the trace's length", "offset")
        where = (errno.ENODEV, "cellink: ifindex must be that of a cellink device in this "
                 "namespace", "ifindex")
        for values, want in (({"opportunity": 0}, size), ({"opportunity": 65536}, size),
                             ({"once": 2}, (errno.ERANGE, OUT_OF_RANGE, "once")),
                             ({"offset": 9 * cell.MS}, offset), ({"offset": 1 << 63}, offset)):
            tap.equal(values, refusal(traces.commit, pair.left, **values), want)
        for index in (0, 1, 9999, 0xffffffff):
            for command in ("trace_commit", "trace_del"):
                tap.equal(f"{command} of {index}", refusal(traces.do, command, ifindex=index),
                          where)
        for command in ("trace_commit", "trace_del"):
            tap.equal(command, refusal(traces.do, command),
                      (errno.EINVAL, "cellink: ifindex is missing", None))
        tap.equal("old trace", pair.left.trace(), TOLD)
        traces.commit(pair.left, offset=9 * cell.MS - 1)
        tap.equal("new trace", pair.left.trace(),
                  TOLD | {"count": 2, "length": 9 * cell.MS, "offset": 9 * cell.MS - 1})
        traces.delete(pair.left)
        tap.equal("deletion without a trace", refusal(traces.delete, pair.left),
                  (errno.ENOENT, "cellink: the device follows no such trace", "ifindex"))


def test_attributes_of_other_commands():
    """cellink refuses an attribute that the command does not accept, and an attribute of a wrong
    size."""
    takes = {"trace_start": ["count"], "trace_add": ["times"],
             "trace_commit": ["ifindex", "opportunity", "once", "offset", "turns"],
             "trace_del": ["ifindex", "turns"]}
    with cell.Pair() as pair:
        traces = cell.Traces(pair.left.ns)
        traces.upload(LINES)
        for command, names in takes.items():
            for name, (number, encode) in cell.TRACE_ATTRIBUTES.items():
                value = encode([9] if name == "times" else 1)
                sizes = [len(value) - 1, len(value) + 1] if name in names else [len(value)]
                for size in sizes:
                    if name == "times" and name in names:
                        continue
                    body = genl.body(cell.COMMANDS[command],
                                     netlink.attr(number, bytes([1] * size)))
                    refused = refusal(traces.request, traces.family, 0, body)
                    tap.true(f"{command} with {name} of {size} bytes: {refused}",
                             refused and refused[0] in (errno.EINVAL, errno.ERANGE))
        traces.commit(pair.left)
        tap.equal("trace", pair.left.trace(), TOLD)


def test_rate_or_trace():
    """A device with a rate accepts no trace, and a device with a trace accepts no rate."""
    with cell.Pair(rate=1000) as pair:
        traces = cell.Traces(pair.left.ns)
        traces.upload(LINES)
        tap.equal("trace with a rate", refusal(traces.commit, pair.left),
                  (errno.EINVAL, "cellink: the device has a rate: expected none (unlimited) with "
                   "a trace", "ifindex"))
        tap.equal("trace after the refusal", pair.left.trace(), None)
        pair.left.change(rate=0)
        traces.commit(pair.left)
        for values in ({"rate": 1}, {"rate": 1000, "delay": 5, "loss": 7}):
            # rtnetlink's "rate" has the number of the trace attribute "count"
            tap.equal(values, refusal(pair.left.change, **values),
                      (errno.EINVAL, "cellink: rate must be 0 (unlimited) with a trace", "count"))
        tap.equal("settings", pair.left.settings(), cell.DEFAULTS)
        pair.left.change(delay=5)
        tap.equal("trace", pair.left.trace(), TOLD)


def test_sojourns_or_turns():
    """A device with good and bad times accepts no trace of turns. A device with a trace of turns
    accepts no good and bad times."""
    with cell.Pair(good=cell.S, bad=cell.S) as pair:
        traces = cell.Traces(pair.left.ns)
        traces.upload(LINES)
        tap.equal("turns with good and bad times", refusal(traces.commit, pair.left, turns=1),
                  (errno.EINVAL, "cellink: the device has good and bad: expected neither with "
                   "turns", "ifindex"))
        pair.left.change(good=0, bad=0)
        tap.equal("turns with an opportunity",
                  refusal(traces.commit, pair.left, turns=1, opportunity=5),
                  (errno.EINVAL, "cellink: opportunity must not be given with turns",
                   "opportunity"))
        tap.equal("invalid value of turns", refusal(traces.commit, pair.left, turns=2),
                  (errno.ERANGE, OUT_OF_RANGE, "turns"))
        traces.commit(pair.left, turns=1)
        refused = refusal(pair.left.change, good=cell.S, bad=cell.S)
        tap.equal("good and bad times with turns", refused[:2],
                  (errno.EINVAL, "cellink: good and bad must be 0 with a trace of turns"))
        tap.equal("settings", pair.left.settings(), cell.DEFAULTS)
        tap.equal("trace of opportunities", (pair.left.trace(), refusal(traces.delete, pair.left)),
                  (None, (errno.ENOENT, "cellink: the device follows no such trace", "ifindex")))
        tap.equal("dump", pair.left.trace(cell.TURNS),
                  {name: value for name, value in TOLD.items() if name != "opportunity"})


def test_not_by_rtnetlink():
    """RTM_GETLINK reports a trace, but RTM_NEWLINK cannot set a trace."""
    with cell.Pair() as pair:
        for attribute, text in (
                (netlink.attr(cell.TRACE), "cellink: a trace is loaded through the generic netlink "
                 "family"),
                (netlink.nest(cell.TRACE), "NLA_F_NESTED not expected")):
            tap.equal(text, refusal(pair.left.change, attribute)[:2], (errno.EINVAL, text))


def test_one_upload_a_socket():
    """A second upload on a socket replaces the first upload. Uploads on other sockets remain."""
    with cell.Pair() as pair:
        one, other = cell.Traces(pair.left.ns), cell.Traces(pair.left.ns)
        one.upload([1, 2, 3])
        other.upload(LINES)
        one.do("trace_start", count=2)
        one.do("trace_add", times=[0])
        tap.equal("fewer times than count", refusal(one.commit, pair.left)[1],
                  "cellink: times are fewer than count")
        other.commit(pair.left)
        tap.equal("trace of the other socket", pair.left.trace(), TOLD)
        one.do("trace_add", times=[8])
        one.commit(pair.left)
        tap.equal("trace of this socket", pair.left.trace()["length"], 8 * cell.MS)


def test_uploads_are_bounded():
    """The number of uploads in a namespace is limited, and each namespace has its own limit. An
    upload ends when its socket is closed."""
    with cell.Pair() as pair:
        sockets = [cell.Traces(pair.left.ns) for _ in range(UPLOADS)]
        for traces in sockets:
            traces.upload(LINES)
        another = cell.Traces(pair.left.ns)
        for _ in range(3):
            tap.equal("one upload too many", refusal(another.do, "trace_start", count=1),
                      (errno.EBUSY, "cellink: the namespace has 8 uploads already: expected one of "
                       "them to end first", None))
        sockets[3].do("trace_start", count=1 << 24)
        elsewhere = cell.Traces(pair.right.ns)
        elsewhere.upload(LINES)
        sockets.pop().sock.close()
        another.upload(LINES)
        another.commit(pair.left)
        tap.equal("trace of a new upload", pair.left.trace(), TOLD)
        another.upload([3])
        sockets[0].commit(pair.left)
        cell.Traces(pair.left.ns).upload([3])


def test_device_goes_meanwhile():
    """If the device is deleted before the trace is committed, cellink refuses the commit. The
    upload can be used for another device with the same name."""
    with cell.Pair() as pair:
        traces = cell.Traces(pair.left.ns)
        traces.do("trace_start", count=4)
        traces.do("trace_add", times=LINES[:2])
        index = pair.left.netlink.ifindex("cell0")
        pair.left.netlink.delete("cell0")
        traces.do("trace_add", times=LINES[2:])
        tap.equal("error after the deletion",
                  refusal(traces.do, "trace_commit", ifindex=index)[0], errno.ENODEV)
        pair.left.create(cell.peer("cell1", ns=pair.right.ns))
        traces.commit(pair.left)
        tap.equal("new trace", pair.left.trace(), TOLD)
        # deleting a device that follows a trace also works
        pair.right.netlink.delete("cell1")
        tap.equal("device after its peer's deletion", pair.left.netlink.link("cell0"), None)


def test_namespaces():
    """cellink refuses a request about a device in another namespace, even if the request has the
    device's ifindex there. A device that moves keeps its trace."""
    with cell.Pair() as pair, netns.Netns() as third:
        # the third namespace has no device with this number
        index = pair.left.netlink.ifindex("cell0")
        traces = cell.Traces(third)
        traces.upload(LINES)
        where = (errno.ENODEV, "cellink: ifindex must be that of a cellink device in this "
                 "namespace", "ifindex")
        tap.equal("loading", refusal(traces.do, "trace_commit", ifindex=index), where)
        pair.left.follow([9])
        tap.equal("unloading", refusal(traces.do, "trace_del", ifindex=index), where)
        tap.equal("lines of the trace", pair.left.trace()["count"], 1)
        pair.left.netlink.move("cell0", third, "cell7")
        moved = cell.End(third, "cell7")
        tap.equal("lines after the move", moved.trace()["count"], 1)
        traces.commit(moved)
        tap.equal("trace loaded in the other namespace", moved.trace(), TOLD)


def test_privilege():
    """Each request needs CAP_NET_ADMIN in the user namespace that owns the network namespace. Root
    of a user namespace may load traces in its own network namespace."""
    with cell.Pair() as pair:
        pair.left.follow(LINES)
        index = pair.left.netlink.ifindex("cell0")
        asked = {"trace_start": {"count": 1}, "trace_add": {"times": [1]},
                 "trace_commit": {"ifindex": index}, "trace_del": {"ifindex": index}}

        def as_nobody():
            netns.setns(pair.left.ns.fd)
            child.become_nobody()
            traces = cell.Traces(child.Here())
            return [refusal(traces.do, command, **values)[0]
                    for command, values in asked.items()]
        tap.equal("errors for an unprivileged user",
                  child.answer(as_nobody), str([errno.EPERM] * 4))
        tap.equal("trace is unchanged", pair.left.trace(), TOLD)

        def in_a_container():
            child.enter_user_namespace()
            end = cell.End(child.Here(), "cell0")
            end.create(cell.peer("cell1"))
            end.follow(LINES)
            return end.trace() == TOLD
        tap.equal("root of a user namespace", child.answer(in_a_container), "True")


def test_unloaded_with_uploads():
    """The module unloads at the first attempt, although devices follow traces and uploads are
    incomplete."""
    for _ in range(ROUNDS):
        with cell.Pair() as pair:
            pair.left.follow(LINES)
            traces = cell.Traces(pair.left.ns)
            traces.do("trace_start", count=1000)
            traces.do("trace_add", times=LINES)
            tap.equal("rmmod", kmod.rmmod("cellink"), 0)


def test_changed_under_traffic():
    """Traces are loaded, replaced and removed repeatedly while packets pass. Some uploads are
    abandoned, and the device sometimes goes down. Each lost packet is counted."""
    random = bench.seed()

    def change():
        lines = sorted(random.choices(range(random.choice((2, 50))), k=20))
        lines[-1] += 1
        values = random.choice(({"turns": 1}, {"opportunity": 1}, {"opportunity": 100}, {},
                                {"opportunity": 65535}))
        traces.upload(lines)
        if random.random() < 0.8:
            traces.commit(pair.left, once=random.randrange(2),
                          offset=random.choice((0, 1, cell.MS // 2)), **values)
        if random.random() < 0.3:
            refusal(traces.delete, pair.left, turns=random.randrange(2))
        if random.random() < 0.1:
            # this upload is never finished
            given_up = cell.Traces(pair.left.ns)
            given_up.upload(lines)
            given_up.sock.close()
        if random.random() < 0.1:
            pair.left.change(outage=random.choice((0, cell.MS)), outage_every=2 * cell.MS,
                             ring_packets=random.choice((1, 2, 100)), bad_loss=500_000)
        if random.random() < 0.05:
            pair.left.up(False)
            pair.left.up()

    with cell.Pair() as pair:
        traces = cell.Traces(pair.left.ns)
        with child.Beside(cell.sender(pair.left, random)):
            for _ in range(CHANGES):
                change()
                time.sleep(0.001)
            refusal(traces.delete, pair.left)
            pair.left.change(outage=0, bad_loss=0)
            pair.left.up()
            wait.until("packets", lambda: pair.left.counters()["packets_in"] > 100)
        wait.until("nothing is held", lambda: pair.left.counters()["held"] == 0, seconds=100)


def test_deleted_with_a_trace():
    """A device that has a trace and waiting packets can be deleted from either end."""
    for number in range(ROUNDS):
        with cell.Pair() as pair:
            pair.left.follow([10], opportunity=100)
            port = pair.port()
            for packet in range(10):
                port.send(cell.packet(packet, 1000))
            end = pair.right if number % 2 else pair.left
            end.netlink.delete(end.name)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
