#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink export prints the numbers that tc and freshlink status print, under names that the
dashboard's queries use. Its file changes as a whole. Its server answers only GET /metrics, and
stays available whatever its clients do."""
# run.sh: once: what a command prints does not depend on the kernel
import contextlib
import errno
import json
import os
import random
import re
import signal
import socket
import stat
import subprocess
import tempfile
import threading
import time

from cli import tools
from cli.namespace import freshlink, namespace, to_itself
from lib import kmod, modem, netns, tap, wait

EXPORT = "export --prometheus"
PORT = 9099
CLIENTS = 32            # of the server
PATIENCE = 5            # seconds of a client
FRESH = 0.2             # seconds for which a text is given again
FILES = 6               # of a server without clients
NET_ADMIN = 1 << 12
WITHOUT = "setpriv --bounding-set=-net_admin --inh-caps=-net_admin"
DASHBOARD = os.path.join(tools.USERSPACE, "grafana", "freshlink.json")
SAMPLE = re.compile(r'(?P<name>[a-z_0-9]+)(\{(?P<labels>.*)\})? (?P<value>\S+)')
LABEL = re.compile(r'([a-z]+)="((?:[^"\\]|\\.)*)"')


def parse(text):
    """The samples of a text: {name: [(labels, value)]}. The samples of a metric follow each other,
    and no two are alike."""
    samples, seen, current = {}, set(), None
    for line in text.splitlines():
        if line.startswith("# HELP "):
            current = line.split()[2]
            tap.true(f"{current} comes once", current not in seen)
            seen.add(current)
        elif not line.startswith("# TYPE "):
            found = SAMPLE.fullmatch(line)
            labels = dict(LABEL.findall(found["labels"] or ""))
            tap.true(f"{line} is a sample of {current}",
                     re.fullmatch(f"{current}(_bucket|_count)?", found["name"]))
            known = samples.setdefault(found["name"], [])
            tap.true(f"{line} comes once", labels not in [old for old, _ in known])
            known.append((labels, float(found["value"])))
    return samples


def value(samples, name, **labels):
    """The value of the sample with these labels."""
    found = [value for have, value in samples[f"freshlink_{name}"]
             if labels.items() <= have.items()]
    tap.equal(f"samples of {name} with {labels}", len(found), 1)
    return found[0]


def read(ns):
    return parse(ns.run(f"{tools.FRESHLINK} {EXPORT}").stdout)


def tc(ns, words):
    with ns.inside():
        done = tools.tc(words)
    tap.equal(f"tc {words}", done.stderr, "")
    return done.stdout


@contextlib.contextmanager
def everything():
    """A router on which every kind of object has counted something."""
    for module in ("xlo", "xlo_rto", "arqlink"):
        kmod.insmod(module)
    with modem.Modem(ring_packets=2, ring_bytes=0) as m:
        ns = m.left.ns
        freshlink(ns, "profile add video --mark 1 --lifetime 300ms")
        freshlink(ns, "set --validate on")
        to_itself(ns, 1, 1, 0)
        ns.ip("link add d0 type dummy", "link set d0 up")
        with ns.inside():
            done = tools.ip("link add link d0 name arq0 up type arqlink")
        tap.equal("arqlink", done.stderr, "")
        tc(ns, "qdisc replace dev cell0 root handle 8: lpd limit 100")
        tc(ns, "qdisc replace dev arq0 root handle 9: lpd share 0 rate link delay link")
        pace = m.pace()
        m.stream("4mbit", 2)
        yield m, pace
        m.stop(pace)


def test_numbers():
    """Counters, gauges and the histogram are those of tc and freshlink status, in base units."""
    with everything() as (m, pace):
        ns = m.left.ns
        pace.send_signal(signal.SIGSTOP)
        samples = read(ns)
        qdisc = json.loads(tc(ns, "-s -j qdisc show dev cell0"))[0]
        status = json.loads(freshlink(ns, "status -j"))
        stages = {key: qdisc[key] for key in ("packets_in", "stale_timer", "gate_closed_ns")}
        pace.send_signal(signal.SIGCONT)
    at = {"device": "cell0", "handle": "8:", "parent": "root"}
    tap.true(f"something happened: {stages}", all(stages.values()))
    for key, name, more in (
            ("packets_in", "lpd_offered_packets_total", {}),
            ("packets_out", "lpd_sent_packets_total", {}),
            ("bytes", "lpd_sent_bytes_total", {}),
            ("stale_timer", "lpd_discarded_packets_total", {"cause": "stale_timer"}),
            ("overflow_limit", "lpd_discarded_packets_total", {"cause": "overflow_limit"}),
            ("no_lifetime", "lpd_no_lifetime_packets_total", {}),
            ("gate", "lpd_gate_present", {}),
            ("gate_rate", "lpd_gate_rate_bytes_per_second", {})):
        tap.equal(name, value(samples, name, **at, **more), qdisc[key])
    tap.equal("time held", value(samples, "lpd_gate_closed_seconds_total", **at),
              qdisc["gate_closed_ns"] / 1e9)
    tap.equal("histogram", value(samples, "lpd_remaining_lifetime_seconds_count", **at),
              sum(qdisc["remaining"]))
    tap.equal("histogram below 256 ms",
              value(samples, "lpd_remaining_lifetime_seconds_bucket", le="0.256", **at),
              sum(qdisc["remaining"][:9]))
    tap.equal("stamped", value(samples, "xlo_stamped_packets_total", path="stamped_output"),
              status["stamped_output"])
    tap.equal("profile", value(samples, "profile_stamped_packets_total", profile="video"), 2)
    tap.true("the class counts", value(samples, "lpd_class_sent_packets_total", device="cell0",
                                       handle="8:1", parent="8:") >= 0)
    tap.equal("no class", [labels for labels, _ in samples["freshlink_lpd_class_sent_bytes_total"]
                           if labels["device"] == "arq0"], [])
    tap.equal("arqlink", value(samples, "arq_connected", device="arq0"), 0)
    tap.equal("messages", value(samples, "rto_received_messages_total"), 0)


def test_dashboard():
    """Every query of the dashboard names metrics and labels that the export has."""
    with everything() as (m, _):
        samples = read(m.left.ns)
    labels = {name: {key for have, _ in of for key in have} for name, of in samples.items()}
    with open(DASHBOARD) as file:
        board = json.load(file)
    queries = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    queries += [item["query"]["query"] for item in board["templating"]["list"]
                if item["type"] == "query"]
    tap.true("queries were found", len(queries) > 20)
    for query in queries:
        names = re.findall(r"freshlink_\w+", query)
        known = set().union(*(labels.get(name, set()) for name in names)) | {"instance"}
        tap.equal(f"metrics of {query}", [name for name in names if name not in labels], [])
        used = re.findall(r'(\w+)=~?"', query)
        used += [word for group in re.findall(r"by \(([^)]*)\)", query)
                 for word in group.split(", ")]
        tap.true(f"labels of {query}: {used}", names and set(used) <= known)


def test_without_modules():
    """Without a module of ours, and without a privilege, there are fewer metrics and no error."""
    with netns.Netns() as ns:
        done = ns.run("setpriv --bounding-set=-all --inh-caps=-all --clear-groups --reuid=65534 "
                      f"{tools.FRESHLINK} {EXPORT}")
    tap.equal("message", done.stderr, "")
    tap.true("version", "freshlink_build_info" in parse(done.stdout))


def test_textfile():
    """The file is replaced as a whole. A reader sees only whole texts, and no other file stays. A
    file that cannot be written, and one that is not a regular file, stay as they are."""
    with namespace() as ns, tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        path = os.path.join(folder, "freshlink.prom")
        freshlink(ns, f"{EXPORT} --textfile {path}")
        with open(path) as file:
            first = file.read()
        tap.true("the last metric", "freshlink_profile" in first or "freshlink_xlo" in first)
        tap.equal("mode", stat.S_IMODE(os.stat(path).st_mode), 0o644)
        with open(path) as old:
            freshlink(ns, f"{EXPORT} --textfile {path}")
            tap.equal("a reader of the old file", old.read(), first)
        tap.equal("files", os.listdir(folder), ["freshlink.prom"])
        for wrong, message in (("/dev/null", "expected a regular file, or a name that no file has"),
                               (folder, "expected a regular file, or a name that no file has"),
                               ("/nowhere/x", "expected a file that can be written: "
                                "No such file or directory")):
            freshlink(ns, f"{EXPORT} --textfile {wrong}", 1, f"--textfile {wrong}: {message}")
        tap.true("/dev/null is a device", stat.S_ISCHR(os.stat("/dev/null").st_mode))


def test_full():
    """If there is no space, the old file stays, and the message says so."""
    with namespace() as ns, tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x")
        tap.equal("mount", tools.run("mount", "-t", "tmpfs", "-o", "size=4k", "none",
                                     folder).returncode, 0)
        try:
            with open(path, "w") as file:
                file.write("old")
            freshlink(ns, f"{EXPORT} --textfile {path}", 1, f"--textfile {path}: expected a file "
                      "that can be written: No space left on device")
            with open(path) as file:
                tap.equal("file", file.read(), "old")
            tap.equal("files", os.listdir(folder), ["x"])
        finally:
            tools.run("umount", folder)


@contextlib.contextmanager
def process(ns, words, prefix=""):
    with ns.inside():
        started = subprocess.Popen([*prefix.split(), tools.FRESHLINK, *words.split()],
                                   stderr=subprocess.PIPE)
    try:
        yield started
        started.send_signal(signal.SIGTERM)
        _, err = started.communicate(timeout=wait.patient(20))
        tap.equal("end", (started.returncode, err), (0, b""))
    finally:
        started.kill()
        started.wait()


def test_again():
    """With --every, the file is replaced until a signal."""
    with namespace() as ns, tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.prom")
        with process(ns, f"{EXPORT} --textfile {path} --every 1s"):
            for number in range(3):
                wait.until("the file", lambda: os.path.exists(path))
                tap.true(f"file {number}", len(parse(open(path).read())) > 1)
                os.unlink(path)


def connect(ns, where=("127.0.0.1", PORT)):
    sock = ns.socket(socket.AF_UNIX if isinstance(where, str) else socket.AF_INET,
                     socket.SOCK_STREAM)
    sock.settimeout(wait.patient(20))
    sock.connect(where)
    return sock


def listens(ns, where):
    with contextlib.suppress(ConnectionRefusedError, FileNotFoundError):
        connect(ns, where).close()
        return True
    return False


@contextlib.contextmanager
def server(ns, words=str(PORT), where=("127.0.0.1", PORT), prefix=""):
    with process(ns, f"{EXPORT} --listen {words}", prefix) as started:
        wait.until("the server listens", lambda: listens(ns, where))
        yield started


def whole(sock):
    """Everything that arrives, until the server closes the connection."""
    data = b""
    with contextlib.suppress(ConnectionResetError):
        while more := sock.recv(65536):
            data += more
    return data


def ask(ns, request=b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", where=("127.0.0.1", PORT)):
    """The status, the head and the content of an answer."""
    with connect(ns, where) as sock:
        sock.sendall(request)
        head, _, content = whole(sock).partition(b"\r\n\r\n")
    length = re.search(rb"\r\nContent-Length: (\d+)\r\n", head)
    tap.equal("length", int(length[1]), len(content))
    return int(head.split()[1]), head, content.decode()


def test_http():
    """The server answers on 127.0.0.1 and nowhere else, only GET /metrics, as the user nobody with
    one capability and one thread. A server on an address that was named answers there."""
    with namespace() as ns:
        ns.link("lo", True)
        ns.ip("address add 192.0.2.1/32 dev lo")
        with server(ns) as started:
            status, head, content = ask(ns)
            tap.equal("status", status, 200)
            tap.true("type", b"\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
                     in head)
            tap.true("metrics", "freshlink_xlo_arrived_packets_total" in parse(content))
            tap.equal("statuses", [ask(ns, line + b" HTTP/1.1\r\n\r\n")[0] for line in
                                   (b"POST /metrics", b"GET /", b"HEAD /metrics", b"GET")],
                      [405, 404, 405, 400])
            tap.true("another address is refused", not listens(ns, ("192.0.2.1", PORT)))
            with open(f"/proc/{started.pid}/status") as file:
                facts = dict(line.split(":\t", 1) for line in file.read().splitlines())
            tap.equal("privileges", (facts["Uid"].split()[1], int(facts["CapEff"], 16),
                                     facts["Threads"]), ("65534", NET_ADMIN, "1"))
        with server(ns, str(PORT), prefix=WITHOUT):
            tap.equal("status without the capability", ask(ns)[0], 200)
        with server(ns, f"192.0.2.1:{PORT}", ("192.0.2.1", PORT)):
            tap.true("127.0.0.1 is refused", not listens(ns, ("127.0.0.1", PORT)))
            tap.equal("status", ask(ns, where=("192.0.2.1", PORT))[0], 200)


def test_unix():
    """A Unix socket whose server has died is replaced. One whose server lives is not, and neither
    is a file."""
    with namespace() as ns, tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "socket")
        for _ in range(2):
            with server(ns, path, path):
                tap.equal("status", ask(ns, where=path)[0], 200)
                freshlink(ns, f"{EXPORT} --listen {path}", 1,
                          f"--listen {path}: cannot listen: Address already in use")
                tap.equal("status afterwards", ask(ns, where=path)[0], 200)
            tap.true("the name stays", os.path.exists(path))
        file = os.path.join(folder, "file")
        open(file, "w").close()
        freshlink(ns, f"{EXPORT} --listen {file}", 1,
                  f"--listen {file}: cannot listen: Address already in use")
        tap.true("the file stays", os.path.isfile(file))


def files_of(started):
    return len(os.listdir(f"/proc/{started.pid}/fd"))


def test_many():
    """While many clients are silent, or read nothing, a further client is answered at once. The
    server keeps a bounded number of them, and none after its time."""
    with namespace() as ns, contextlib.ExitStack() as stack:
        ns.link("lo", True)
        with server(ns) as started:
            wait.until("no client is left", lambda: files_of(started) == FILES)
            for number in range(8 * CLIENTS):
                sock = stack.enter_context(connect(ns))
                if number % 2:
                    sock.sendall(b"GET /metrics HTTP/1.1\r\n\r\n" if number % 4 == 1 else b"GET /")
            start = time.monotonic()
            tap.equal("status", ask(ns)[0], 200)
            tap.within("time of the answer", time.monotonic() - start, 0, wait.patient(0.5))
            tap.within("files", files_of(started), FILES, FILES + CLIENTS)
            wait.until("all have left", lambda: files_of(started) == FILES, PATIENCE + 1)


def test_slow():
    """A client that sends a byte now and then is sent away after its time."""
    with namespace() as ns:
        ns.link("lo", True)
        with server(ns), connect(ns) as sock:
            start = time.monotonic()
            with contextlib.suppress(ConnectionError):
                for _ in range(100):
                    sock.sendall(b"G")
                    time.sleep(0.1)
            tap.within("time", time.monotonic() - start, PATIENCE - 0.1, wait.patient(PATIENCE + 1))
            tap.equal("status", ask(ns)[0], 200)


def test_hostile():
    """Requests of any bytes and lengths never end the server, and get an answer with an error or
    none."""
    chance = random.Random(1)
    with namespace() as ns:
        ns.link("lo", True)
        with server(ns) as started:
            tap.equal("status of a long request", ask(ns, b"G" * 4096)[0], 431)
            for _ in range(60):
                data = chance.choice((b"", b"GET ", b"GET /metrics HTTP/1.1\r\n")) + \
                    chance.randbytes(chance.choice((0, 1, 100, 20000))) + b"\r\n\r\n"
                with connect(ns) as sock, contextlib.suppress(ConnectionError):
                    sock.sendall(data)
                    # the server may have closed the connection: ENOTCONN
                    with contextlib.suppress(OSError):
                        sock.shutdown(socket.SHUT_WR)
                    whole(sock)
            tap.equal("the server lives", started.poll(), None)
            tap.equal("status", ask(ns)[0], 200)


def test_rush():
    """Requests that arrive at once are all answered, and the kernel is asked once."""
    answers = []
    with namespace() as ns:
        ns.link("lo", True)
        with server(ns):
            threads = [threading.Thread(target=lambda: answers.append(ask(ns)[0]))
                       for _ in range(CLIENTS // 2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            time.sleep(FRESH)
            first = ask(ns)
            freshlink(ns, "profile add late --mark 1 --lifetime 1s")
            tap.equal("text at once", ask(ns), first)
            time.sleep(FRESH)
            tap.true("text later", "profile=\"late\"" in ask(ns)[2])
    tap.equal("answers", answers, [200] * (CLIENTS // 2))


def test_taken():
    """A port that is taken, and an address of another host, are refused with the reason."""
    with namespace() as ns:
        ns.link("lo", True)
        for words, reason in (("192.0.2.77:9099", errno.EADDRNOTAVAIL),
                              ("/nowhere/socket", errno.ENOENT)):
            freshlink(ns, f"{EXPORT} --listen {words}", 1,
                      f"--listen {words}: cannot listen: {os.strerror(reason)}")
        with server(ns):
            freshlink(ns, f"{EXPORT} --listen {PORT}", 1,
                      f"--listen {PORT}: cannot listen: Address already in use")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
