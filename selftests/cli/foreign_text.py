#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink and the plugins print nothing that a terminal would execute, for any words, files and
names. Each byte that is not printable ASCII is shown as \\xNN, and JSON stays valid."""
# run.sh: once: what a command prints does not depend on the kernel
import json
import os
import subprocess
import tempfile

from cli import tools
from cli.namespace import namespace
from lib import kmod, tap

# A colour, a bell, a carriage return, a C1 control sequence, an override of the text direction, a
# byte that is not UTF-8, and DEL
FOREIGN = b"e\x1b[31m\x07\r\xc2\x9b1m\xe2\x80\xae\xff\x7f"
SHOWN = r"e\x1b[31m\x07\x0d\xc2\x9b1m\xe2\x80\xae\xff\x7f"

# Command lines that are valid except for the operand @
OPERANDS = ("traffic source @", "traffic nrt @", "traffic web @", "send @", "emulate @", "trace show @",
            "trace cut @", "trace load @ --device lo", "trace unload @", "trace log @",
            "profile add @ --mark 1 --lifetime 1s", "profile del @", "cap set @ --lifetime 1s",
            "cap del @", "notify @ drop --packet /dev/null", "notify 192.0.2.1 @", "pace @ --reflector 192.0.2.1", "doctor @",
            "top @",
            "probe @", "probe @ --forget")
# Command lines that are valid except for the value @ of an option that accepts any text: files that
# cannot exist, and lists
TEXTS = ("traffic sink --log /nowhere/@", "traffic nrt 192.0.2.1 --log /nowhere/@",
         "traffic web 192.0.2.1 --log /nowhere/@",
         "traffic dccp-source 192.0.2.1 --log /nowhere/@", "traffic dccp-sink --log /nowhere/@",
         "send 192.0.2.1 --input /nowhere/@", "send 192.0.2.1 --input udp:@",
         "send 192.0.2.1 --log /nowhere/@", "recv --output @", "recv --output udp:@",
         "send 192.0.2.1 --tune /nowhere/@", "recv --tune /nowhere/@",
         "recv --log /nowhere/@", "send 192.0.2.1 --psk /nowhere/@",
         "send 192.0.2.1 --ca /nowhere/@",
         "send 192.0.2.1 --ca TRACE --cert /nowhere/@ --key TRACE",
         "send 192.0.2.1 --ca TRACE --cert TRACE --key /nowhere/@", "recv --psk /nowhere/@",
         "recv --cert TRACE --key /nowhere/@", "recv --cert /nowhere/@ --key TRACE",
         "recv --cert TRACE --key TRACE --ca /nowhere/@",
         "emulate lo --schedule /nowhere/@", "emulate lo --mode netem --far @",
         "emulate lo --mode netem --far x@NETNS", "emulate lo --child @",
         "emulate lo --child lpd @", "emulate lo --child lpd limit @", "emulate lo --arq @",
         "trace cut TRACE --output /nowhere/@", "trace make --kind constant --output /nowhere/@",
         "trace make --kind markov --states @", "trace make --kind markov --states 1mbit:@",
         "trace load TRACE --device @", "rto set --key /nowhere/@",
         "notify 192.0.2.1 drop --packet /nowhere/@", "pace lo --reflector @",
         "pace lo --reflector 192.0.2.1 --key /nowhere/@", "doctor lo --reflector @",
         "doctor lo --reflector 192.0.2.1 --key /nowhere/@", "reflect --allow @",
         "reflect --key /nowhere/@", "apply /nowhere/@ --device @",
         "export --prometheus --textfile /nowhere/@",
         "export --prometheus --listen @")
# values of these kinds may be any text
ANY_TEXT = {"FILE", "DEV", "DEV[@NETNS]", "PREFIX", "HOST", "HOST[,HOST]", "KIND [WORD VALUE]...",
            "WORDS", "RATE:TIME[,RATE:TIME]...", "INPUT", "OUTPUT", "WHERE"}
OTHERS = ("tc lpd", "ip cellink", "ip arqlink")


def run(*words, cwd=None):
    """Run a command whose words are bytes. Returns the exit status, standard output and standard
    error."""
    done = subprocess.run(words, capture_output=True, timeout=120, cwd=cwd)
    return done.returncode, done.stdout, done.stderr


def fails(line, *program):
    """A command line in which foreign text replaces each @ fails, and its message shows the
    text."""
    words = [word.encode().replace(b"@NETNS", b"@" + FOREIGN) if "@NETNS" in word
             else word.encode().replace(b"@", FOREIGN) for word in line.split()]
    status, _, message = run(*program or (tools.FRESHLINK,), *words)
    tap.true(f"{line} fails", status)
    shown(line, message)


def printable(what, output):
    tap.equal(f"bytes of {what} that are not printable ASCII",
              bytes(byte for byte in output if not 32 <= byte < 127 and byte != 10), b"")


def shown(what, message):
    printable(f"the message of {what}", message)
    tap.true(f"{what} shows the text: {message.decode()}", SHOWN in message.decode())


def test_commands():
    """The message about an unknown command escapes foreign text."""
    for line in ("@", "@ @", "traffic @", "trace @ help", "tra@"):
        fails(line)


def test_operands():
    """The message about a wrong operand of each command escapes foreign text."""
    for line in OPERANDS:
        fails(line)


def test_unknown_words():
    """The messages about a superfluous word and about an unknown option escape foreign text."""
    for line in ("trace show @ @", "set @", "status --@", "monitor --@=1", "emulate lo --@ 1"):
        fails(line)


def test_values():
    """The message about a wrong value, of each kind that options have, escapes foreign text."""
    kinds = {value: f"{command} {word}" for command, table in tools.tables().items()
             for word, value in table.items() if command not in OTHERS and value not in ANY_TEXT}
    for value, words in kinds.items():
        if value:
            fails(f"{words}=@")


def test_texts():
    """For each option that accepts any text, the message about its value escapes foreign text."""
    taken = {(command, word) for command, table in tools.tables().items()
             for word, value in table.items() if value in ANY_TEXT and command not in OTHERS}
    # trace log checks the device before it opens the output
    taken -= {("trace log", "--output")}
    tap.equal("options", {(command, word) for command, word in taken
                          if not any(line.startswith(f"{command} ") and f" {word} " in line
                                     for line in TEXTS)}, set())
    with tempfile.NamedTemporaryFile("w") as trace:
        trace.write("1\n")
        trace.flush()
        for line in TEXTS:
            fails(line.replace("TRACE", trace.name))


def test_files():
    """The message about a wrong line of a file escapes the file's name and the line."""
    with tempfile.TemporaryDirectory() as folder:
        for who, more, rest in (("emulate", "lo --schedule", b" 5s"), ("trace show", "", b"")):
            with open(os.path.join(folder.encode(), FOREIGN), "wb") as file:
                file.write(FOREIGN + rest)
            status, _, message = run(tools.FRESHLINK, *who.split(), *more.split(), FOREIGN,
                                     cwd=folder)
            tap.equal(f"status of {who}", status, 1)
            shown(who, message)
            want = f'freshlink {who}: {SHOWN}:1: "{SHOWN}{rest.decode()}": expected '
            tap.equal("message", message.decode()[:len(want)], want)


def test_plugins():
    """The plugins' messages about words of lpd, of arqlink, of cellink and of its peer escape
    foreign text."""
    for line in ("@", "limit @", "rate @", "adu @", "order @"):
        fails(f"qdisc add dev lo root lpd {line}", "tc")
    for line in ("@", "rate @", "sojourn @", "outages 1s+@", "peer type @"):
        fails(f"link add type cellink {line}", "ip")
    for line in ("@", "remote @", "mean_factor @", "bypass_mark @", "reliable_dscp @"):
        fails(f"link add type arqlink {line}", "ip")


def caps(ns, name):
    """Set a cap on a device of this name. Returns the output of status as text, and the caps in its
    JSON."""
    with ns.inside():
        tap.equal("ip link", run("ip", "link", "set", "v0", "name", name), (0, b"", b""))
        tap.equal("cap set", run(tools.FRESHLINK, "cap", "set", name, "--lifetime", "1s"),
                  (0, b"", b""))
        (_, text, _), (_, told, _) = (run(tools.FRESHLINK, "status", *j) for j in ([], ["-j"]))
        tap.equal("ip link", run("ip", "link", "set", name, "name", "v0"), (0, b"", b""))
    printable("status", text + told)
    return text.decode(), json.loads(told)["caps"]


def test_names_of_devices():
    """status escapes a device's name in text, and prints it as valid JSON. The kernel accepts every
    name without a blank, a colon or a slash."""
    with namespace() as ns:
        text, told = caps(ns, b'"\\\x1b\x7f\xc3\xa9\xf0\x9f\x93\xb6\xff')
        tap.true(f"text: {text}", r'caps "\\x1b\x7f\xc3\xa9\xf0\x9f\x93\xb6\xff 1s' in text)
        tap.equal("JSON", told, {'"\\\x1b\x7f\u00e9\U0001f4f6\ufffd': 10**9})


def test_log_of_a_trace():
    """The first line of a log of trace log escapes the device's name."""
    with namespace() as ns, ns.inside():
        kmod.insmod("cellink")
        tap.equal("ip link", run("ip", "link", "add", b"\x1b[31m", "type", "cellink"), (0, b"", b""))
        _, log, _ = run(tools.FRESHLINK, "trace", "log", b"\x1b[31m", "--duration", "1ms")
        tap.equal("first line", log.decode().split("\n")[0],
                  r"# freshlink trace log (\x1b[31m), as mahimahi mm-link")


def test_json_of_utf8():
    """JSON contains the first and the last character of each length of UTF-8 unchanged. A byte that
    belongs to no character, to an overlong encoding, or to a surrogate becomes U+FFFD. (The kernel
    considers 0xa0 a blank.)"""
    with namespace() as ns:
        for name in ("\x7f\u0080\u07ff\u0840\ud7ff", "\ue000\uffff\U00010000", "\U0010ffff"):
            tap.equal("good", list(caps(ns, name.encode())[1]), [name])
        for name, want in ((b"\xc1\xbf\xe0\x9f\xbf\xff", 6 * "\ufffd"),
                           (b"\xf0\x8f\xbf\xbf\xf4\x90\x80\x80", 8 * "\ufffd"),
                           (b"\xed\xb0\x80\xed\xbf\xbf\xf5\x80\x80\x80", 10 * "\ufffd"),
                           (b"\xc3a\xe2\x82a\x80\xf0\x9f", "\ufffda\ufffd\ufffda" + 3 * "\ufffd")):
            tap.equal(f"{name}", list(caps(ns, name)[1]), [want])


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
