#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Help, man pages, completion, kernel headers and the parser agree: each of them lists every option
with the same range and default, and every counter, and nothing else."""
# run.sh: once: what a command prints does not depend on the kernel
import glob
import os
import re
import shutil
import subprocess
import tempfile

from cli import tools
from lib import arq, cell, tap, uapi

# the kinds of devices that have a plugin for ip
LINKS = ("cellink", "arqlink")
OPERANDS = {"profile add": "x", "profile del": "x", "profile show": "", "cap set": "nodev",
            "cap del": "nodev", "set": "", "status": "", "monitor": "", "top": "", "export": "", "rto set": "",
            "rto show": "", "notify": "192.0.2.1 drop", "apply": "", "save": "", "send": "192.0.2.1", "recv": "",
            "traffic source": "192.0.2.1", "traffic sink": "", "traffic nrt": "192.0.2.1", "traffic tcp-sink": "",
            "traffic web": "192.0.2.1", "traffic web-server": "",
            "traffic dccp-source": "192.0.2.1", "traffic dccp-sink": "", "emulate": "nodev",
            "trace show": "x", "trace cut": "x", "trace make": "", "trace load": "x",
            "trace unload": "nodev", "trace log": "nodev", "pace": "nodev", "doctor": "nodev",
            "reflect": "", "probe": "192.0.2.1"}


def kind_of(command):
    """The kind of a plugin's command: `cellink` of `ip cellink`."""
    return command.split()[1]


def help_of(command):
    """The options in a command's help: {synopsis: description}."""
    status = 1      # of tc and ip after any plugin's help
    if command == "tc lpd":
        done = tools.tc("qdisc add lpd help")
    elif command.startswith("ip "):
        done = tools.ip(f"link add nodev type {kind_of(command)} help")
    else:
        done, status = tools.freshlink(command + " help"), 0
    tap.equal(f"exit status of {command} help", done.returncode, status)
    tap.equal(f"standard error of {command} help", done.stderr, "")
    lines = {}
    listed = done.stdout.partition("\n\n")[2]
    for line in listed.replace("\n" + " " * 31, " " * 31).splitlines():
        if line.startswith("  "):
            synopsis, text = line.strip().split("  ", 1)
            lines[synopsis] = text.strip()
    return lines


def options_of(command):
    """The options in a command's table: {word: value}. A switch and its opposite are one option."""
    table = tools.tables()[command]
    return {f"[no]{word}" if f"no{word}" in table else word: value
            for word, value in table.items() if word.removeprefix("no") not in table or
            not word.startswith("no")}


def synopses(command):
    """The synopsis of every option in a command's table."""
    return sorted(f"{word} {value}".strip() for word, value in options_of(command).items())


def plain(line):
    """A line of a man page without its macros."""
    line = re.sub(r"^\.(BI|BR|B|RB|I|IR) ", "", line)
    return " ".join(line.replace('"', "").replace("\\-", "-").split())


def paragraphs(page, section):
    """The tagged paragraphs of a section of a man page: {tag: text}."""
    with open(os.path.join(tools.USERSPACE, "man", page)) as file:
        text = file.read()
    part = "\n" + text.split(f".SH {section}\n")[1].split("\n.SH ")[0] + "\n"
    part = re.sub(r"\n\.RS\n.*?\n\.RE\n", "\n", part, flags=re.S)
    found = {}
    for block in part.split("\n.TP\n")[1:]:
        lines = re.split(r"\n\.P\n", block)[0].splitlines()
        found[plain(lines[0])] = " ".join(plain(line) for line in lines[1:])
    return found


def groups():
    """The manual page that help names for each command: {command: page}."""
    found = {}
    for block in tools.freshlink("help").stdout.split("\n\n")[1:-1]:
        title, *lines = block.splitlines()
        page = re.fullmatch(r"\S.*, see (freshlink-\w+)\(8\):", title)[1]
        found.update({re.split("  +", line.strip(), maxsplit=1)[0]: page for line in lines})
    return found


def man_of(command):
    if command == "tc lpd":
        return paragraphs("tc-lpd.8", "PARAMETERS")
    if command.startswith("ip "):
        return paragraphs(f"ip-{kind_of(command)}.8", "PARAMETERS")
    return paragraphs(f"{groups()[command]}.8", command.upper())


def test_every_command_is_covered():
    """The tests of this file cover every command, also those without options."""
    tap.equal("commands", list(tools.tables()),
              [*OPERANDS, "tc lpd", *(f"ip {kind}" for kind in LINKS)])


def test_help_lists_the_table():
    """Help has exactly the options of the table."""
    for command in tools.tables():
        tap.equal(command, sorted(help_of(command)), synopses(command))


def test_man_pages_list_the_table():
    """The man pages have exactly the options of the table."""
    for command in tools.tables():
        tap.equal(command, sorted(man_of(command)), synopses(command))


def test_man_pages_agree_with_help_on_numbers():
    """Each range and each default in help is also in the man page."""
    checked = 0
    for command in tools.tables():
        manual = man_of(command)
        for synopsis, text in help_of(command).items():
            facts = re.findall(r"\S+ to \d\S*(?:, or \w+)?", text) + \
                re.findall(r"\(default \S+\)", text)
            for fact in facts:
                checked += 1
                tap.true(f"{command} {synopsis}: man page has \"{fact}\"",
                         fact.strip("()") in manual[synopsis])
    tap.true("ranges and defaults were found", checked > 40)


def rows_of(page, *titles):
    """The rows of the table in a page whose columns have these titles."""
    with open(os.path.join(tools.TREE, "Documentation", page)) as file:
        rule, rows = re.search(rf"^{' +'.join(titles)}\n(=+[ =]+)\n(.*?)\n\1$", file.read(),
                               re.M | re.S).groups()
    columns = [slice(*found.span()) for found in re.finditer("=+", rule)]
    return [[row[column].replace("`", "").strip() for column in columns]
            for row in rows.splitlines()]


def refused(kind, typed):
    """The messages about lines that a plugin refuses. The plugin reads the words one after the
    other. The last word is unknown, so no request is sent to the kernel."""
    command, tool = ("qdisc add dev nodev root lpd", tools.tc) if kind == "tc lpd" else \
        (f"link add nodev type {kind_of(kind)}", tools.ip)
    with tempfile.NamedTemporaryFile("w") as file:
        file.writelines(f"{command} {words} nosuchword\n" for words in typed)
        file.flush()
        done = tool(f"-force -batch {file.name}")
    said = [line for line in done.stderr.splitlines() if not line.startswith("Command failed")]
    tap.equal(f"lines read of {typed}", len(said), len(typed))
    return [line for line in said if 'unknown word "nosuchword"' not in line]


def check_choices(synopsis, text, word, default, values):
    """Check the row of an option whose value is one of several words. Returns the words to type for
    each value."""
    choices = [default, *values.split(", ")]
    listed = synopsis.split()[-1].split("|") if "|" in synopsis else [word, f"no{word}"]
    tap.equal(word, sorted(choices), sorted(listed))
    tap.true(f"{word} {default}: {text}", f"(default {default})" in text)
    return [f"{word} {choice}" if "|" in synopsis else choice for choice in choices]


def check_range(text, word, default, values):
    """Check the row of any other option. Returns the words to type for the default, for both ends of
    the range and for each word that replaces a value."""
    values, *others = values.split(", or ")
    tap.true(f"{word} {default}: {text}", re.search(
        rf"\(default {default}\)|by default {default}|or {default}$", text))
    tap.true(f"{word} {values}: {text}", values in text)
    for other in others:
        tap.true(f"{word} {other}: {text}", re.search(rf"\bor {other}\b", text))
    ends = re.fullmatch(r"(\S+) to (\S+)", values)
    typed = [*(ends.groups() if ends else ()), *others,
             *([default] if " " not in default else ())]
    return [f"{word} {one}" for one in typed]


def test_pages_list_the_table():
    """The tables of options in Documentation/ have exactly the options of the plugins, with their
    defaults and ranges. The plugins accept each option as the page writes it."""
    for kind, page in (("tc lpd", "sch_lpd.rst"), ("ip cellink", "cellink.rst"),
                       ("ip arqlink", "arqlink.rst")):
        tap.note(page)
        words = {synopsis.removeprefix("[no]").split()[0]: (synopsis, text)
                 for synopsis, text in help_of(kind).items()}
        rows = rows_of(page, "option", "default", "other values")
        tap.equal("options", sorted(word for word, _, _ in rows), sorted(words))
        typed = []
        for word, default, values in rows:
            synopsis, text = words[word]
            # a placeholder is in capital letters
            if "|" in synopsis and synopsis.islower() or synopsis.startswith("[no]"):
                typed += check_choices(synopsis, text, word, default, values)
            else:
                typed += check_range(text, word, default, values)
        tap.equal("refused", refused(kind, typed), [])


def test_examples_are_taken():
    """The plugins accept the command lines for lpd and for devices that the pages show."""
    least = {"lpd": 9, "cellink": 9, "arqlink": 6}
    found = {kind: [] for kind in least}
    for path in [os.path.join(tools.TREE, "README.md")] + sorted(
            glob.glob(os.path.join(tools.TREE, "Documentation", "*.rst")) +
            glob.glob(os.path.join(tools.USERSPACE, "man", "*.[358]"))):
        with open(path) as file:
            text = re.sub(r"\\e?\n\s*", "", file.read()).replace("\\-", "-")
        for kind, words in re.findall(
                r"\b(?:tc qdisc|ip (?:-n \w+ )?link) (?:add|change|replace|set) .*"
                r"\b(lpd|(?<=type )cellink|(?<=type )arqlink)\b([^`\n]*)", text):
            # there is no such namespace here
            found[kind].append(re.sub(r" netns \S+", "", words))
    for kind, typed in found.items():
        tap.true(f"examples of {kind}: {typed}", len(typed) >= least[kind])
        tap.equal("refused", refused("tc lpd" if kind == "lpd" else f"ip {kind}", typed), [])


def test_parser_knows_the_table():
    """The parser knows every word of the table: it reports that the value is missing, or that a
    switch is given twice."""
    for command, operand in OPERANDS.items():
        for word, value in tools.tables()[command].items():
            words = word if value else f"{word} {word}"
            done = tools.freshlink(f"{command} {operand} {words}")
            wanted = "has no value: expected " if value else "is given twice: expected "
            tap.equal(f"exit status of {word}", done.returncode, 2)
            tap.true(f"{done.stderr!r} has {wanted!r}",
                     done.stderr.startswith(f"freshlink {command}: {word} {wanted}"))
    for word, value in tools.tables()["tc lpd"].items():
        done = tools.tc(f"qdisc add dev lo root lpd {word if value else f'{word} {word}'}")
        wanted = "has no value: expected " if value else "is given twice: expected "
        tap.true(done.stderr, done.stderr.startswith(f"lpd: {word} {wanted}"))
    for kind in LINKS:
        for word in tools.tables()[f"ip {kind}"]:
            done = tools.ip(f"link add nodev type {kind} {word}")
            tap.true(done.stderr,
                     done.stderr.startswith(f"{kind}: {word} has no value: expected "))


def complete(*words):
    """The completions of the last word."""
    script = os.path.join(tools.USERSPACE, "completion", "freshlink")
    done = subprocess.run(
        ["bash", "-c", f'. {script}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
         '_freshlink; printf "%s\\n" "${COMPREPLY[@]}"', "bash", tools.FRESHLINK, *words],
        capture_output=True, text=True, check=True)
    return sorted(set(done.stdout.split()))


def test_completion_offers_the_table():
    """Completion offers the commands, their options, and the words that an option accepts."""
    every = tools.tables()
    tap.equal("first words", complete(""), sorted({name.split()[0] for name in OPERANDS}))
    tap.equal("second words", complete("traffic", ""),
              ["dccp-sink", "dccp-source", "nrt", "sink", "source", "tcp-sink", "web", "web-server"])
    tap.equal("second words", complete("profile", ""), ["add", "del", "show"])
    for command in OPERANDS:
        verb = {"notify": ["drop", "defer", "discarded", "link-up"],
                "monitor": ["tcp", "udp", "icmp", "icmpv6", "dccp", "sctp", "udplite"]
                }.get(command, [])
        tap.equal(command, complete(*command.split(), ""), sorted([*every[command], *verb]))
        for word, value in every[command].items():
            if "|" in value:
                tap.equal(word, complete(*command.split(), word, ""),
                          sorted(choice for choice in value.split("|") if choice.islower() or choice.isdigit()))
    tap.equal("words instead of a time", complete("profile", "add", "x", "--lifetime", ""),
              ["repeats", "rto"])
    tap.equal("options of lpd", complete("emulate", "lo", "--child", "lpd", "limit", "5", ""),
              sorted(every["tc lpd"]))
    tap.equal("words instead of a rate", complete("emulate", "lo", "--child", "lpd", "rate", ""),
              ["link"])
    tap.equal("values of order", complete("emulate", "lo", "--child", "lpd", "order", ""),
              ["edf", "fifo"])
    tap.equal("a switch of lpd", complete("emulate", "lo", "--child", "lpd", "adu", "nos"),
              ["nostrip"])
    tap.equal("a number", complete("emulate", "lo", "--rate", ""), [])
    tap.equal("a prefix", complete("emulate", "lo", "--sp"), ["--spike"])


def test_options_are_the_kernels():
    """lpd's options are exactly the attributes of the kernel header, and their choices are its
    enumerators."""
    table = options_of("tc lpd")
    tap.equal("options", sorted(word.removeprefix("[no]") for word in table),
              sorted(uapi.words("tca_lpd", "TCA_LPD_")))
    for word in ("stale", "order", "overflow"):
        tap.equal(word, table[word].split("|"),
                  list(uapi.words(f"tc_lpd_{word}", f"TC_LPD_{word.upper()}_")))


def test_options_are_the_kernels_of_cellink():
    """cellink's options are exactly the attributes of its header."""
    tap.equal("options", sorted(tools.tables()["ip cellink"]), sorted(cell.ATTRIBUTES))


def test_options_are_the_kernels_of_arqlink():
    """arqlink's options are the attributes of its header except the masks, which belong to the
    marks. The choices of an option are the header's."""
    table = tools.tables()["ip arqlink"]
    tap.equal("options", list(table), [name for name in arq.ATTRIBUTES if "_mask" not in name])
    for word in ("timer", "gains", "variance", "clock", "reject", "flush"):
        tap.equal(word, table[word].split("|"),
                  list(uapi.words(f"arqlink_{word}", f"ARQLINK_{word.upper()}_")))


def test_tests_know_the_kernels_numbers():
    """The C compiler reads the same numbers in the headers as the tests do."""
    headers = "".join(f"#include <linux/{name}>\n" for name in os.listdir(uapi.HEADERS))
    lines = "".join(f'\tprintf("{name} %llu\\n", (unsigned long long){name});\n'
                    for name in uapi.numbers())
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/numbers.c", "w") as file:
            file.write(f"{headers}#include <stdio.h>\nint main(void)\n{{\n{lines}}}\n")
        done = tools.run("cc", "-I", os.path.join(tools.TREE, "include/uapi"),
                         "-o", f"{folder}/numbers", f"{folder}/numbers.c")
        tap.equal("cc", (done.returncode, done.stderr), (0, ""))
        printed = tools.run(f"{folder}/numbers").stdout
    tap.true("there are numbers", len(uapi.numbers()) > 200)
    tap.equal("numbers", {name: int(number) for name, number in
                          map(str.split, printed.splitlines())}, uapi.numbers())


def mentioned(*paths):
    """The counters of lpd that the C files mention, in lower case."""
    found = set()
    for path in paths:
        with open(path) as file:
            found.update(re.findall(r"\bTCA_LPD_STATS_(\w+)", file.read()))
    return {name.lower() for name in found}


def test_counters_of_lpd_are_everywhere():
    """Each counter of lpd in the header occurs in three other places: the module counts it, tc's
    plugin prints it, and the man page explains it. If a counter is missing in one of these places,
    the test names the counter. (The tests read the counters from the header.)"""
    shown = [os.path.join(tools.USERSPACE, path) for path in ("lib/lpd.c", "tc/q_lpd.c")]
    places = {
        "sch_lpd/": mentioned(*glob.glob(os.path.join(tools.TREE, "sch_lpd", "*.[ch]"))),
        "userspace/lib/lpd.c": mentioned(*shown),
        "userspace/man/tc-lpd.8": paragraphs("tc-lpd.8", "STATISTICS"),
    }
    counters = uapi.words("tca_lpd_stats", "TCA_LPD_STATS_")
    tap.equal("forgotten", {place: sorted(set(counters) - set(known))
                            for place, known in places.items() if set(counters) - set(known)}, {})


def test_profiles_are_the_kernels():
    """Each attribute of a profile in the kernel header belongs to a word of the command line, and
    the words for its values are the header's."""
    add = tools.tables()["profile add"]
    attributes = list(uapi.words("xlo_attr", "XLO_A_"))
    attributes = attributes[attributes.index("profile_name") + 1:attributes.index("packets")] + \
        attributes[attributes.index("cause") + 1:]
    belongs = {"mask": "mark", "rto": "lifetime", "repeats": "lifetime"}
    tap.equal("options", list(add), list(dict.fromkeys(
        "--" + belongs.get(name, name).replace("_", "-") for name in attributes)))
    for word in ("stale", "clock"):
        tap.equal(word, add[f"--{word}"].split("|"),
                  [name for name in uapi.words(f"xlo_{word}", f"XLO_{word.upper()}_")
                   if name != "reserved"])


def test_counters_are_the_kernels():
    """The man pages explain every counter of the kernel headers and no other."""
    for page, section, header, enum, prefix in (
            ("tc-lpd.8", "STATISTICS", "pkt_sched_lpd.h", "tca_lpd_stats", "TCA_LPD_STATS_"),
            ("ip-cellink.8", "STATISTICS", "cellink.h", "cellink_stats", "CELLINK_STATS_"),
            ("ip-arqlink.8", "STATISTICS", "arqlink.h", "arqlink_stats", "ARQLINK_STATS_"),
            ("freshlink-status.8", "COUNTERS", "xlo_genl.h", "xlo_stats", "XLO_STATS_"),
            ("freshlink-rto.8", "COUNTERS OF RTO", "xlo_rto_genl.h", "xrto_stats",
             "XRTO_STATS_"),
            ("freshlink-rto.8", "COUNTERS OF NOTICES", "xlo_rto_genl.h", "xrto_notices",
             "XRTO_NOTICES_")):
        tap.equal(f"{page}, {header}", sorted(paragraphs(page, section)),
                  sorted(uapi.words(enum, prefix)))
    rows = rows_of("arqlink.rst", "counter", "what the counter counts")
    # the lines after the first of a long row have no counter
    tap.equal("arqlink.rst", sorted(counter for counter, _ in rows if counter),
              sorted(uapi.words("arqlink_stats", "ARQLINK_STATS_")))


def test_version_is_the_headers():
    """freshlink --version prints the version in the header, which the modules also use. The last
    version of the Debian packages and of the list of changes is the same."""
    version = tools.version()
    done = tools.freshlink("--version")
    tap.equal("--version", (done.returncode, done.stdout, done.stderr),
              (0, f"freshlink {version}\n", ""))
    with open(os.path.join(tools.TREE, "packaging/debian/changelog")) as file:
        tap.equal("changelog", file.readline().split(")")[0], f"freshlink ({version}")
    with open(os.path.join(tools.TREE, "Documentation/changes.rst")) as file:
        tap.equal("changes.rst", re.search(r"^(\d+\.\d+\.\d+)\n=+$", file.read(), re.M)[1], version)


def test_version_names_modules_that_differ():
    """freshlink --version names each loaded module of another version, and no other. A folder in the
    place of the kernel's list of modules has an old module, one of this version, and one with an
    escape sequence in its version."""
    version = tools.freshlink("--version").stdout.split()[1]
    with tempfile.TemporaryDirectory() as folder:
        for module, loaded in ("sch_lpd", "0.0.1"), ("xlo", version), ("xlo_rto", "1\x1b[2J"):
            os.mkdir(f"{folder}/{module}")
            with open(f"{folder}/{module}/version", "w") as file:
                print(loaded, file=file)
        done = tools.run("unshare", "-m", "sh", "-c",
                         'mount --bind "$1" /sys/module && exec "$2" --version', "sh", folder,
                         tools.FRESHLINK)
    stays = "is loaded: it stays until a reboot or \"modprobe -r\"\n"
    tap.equal("--version", (done.returncode, done.stdout, done.stderr),
              (0, f"freshlink {version}\nsch_lpd 0.0.1 {stays}xlo_rto 1\\x1b[2J {stays}", ""))


def test_dkms_builds_every_module():
    """The list in dkms.conf has every module that the tree builds without the tests, and its
    folder."""
    built = set()
    for path in glob.glob(os.path.join(tools.TREE, "kmod/*/Kbuild")) + glob.glob(
            os.path.join(tools.TREE, "*/Kbuild")):
        folder = os.path.relpath(os.path.dirname(path), tools.TREE)
        with open(path) as file:
            built |= {(name, folder) for line in re.findall(r"^obj-m \+= (.*)", file.read(), re.M)
                      for name in re.findall(r"(\w+)\.o", line)}
    with open(os.path.join(tools.TREE, "packaging/debian/freshlink-dkms.dkms")) as file:
        text = file.read()
    listed = [re.findall(rf'^BUILT_MODULE_{word}\[(\d+)\]="(.*)"$', text, re.M)
              for word in ("NAME", "LOCATION")]
    tap.equal("indices", [[int(index) for index, _ in rows] for rows in listed],
              [list(range(len(built)))] * 2)
    tap.equal("modules", {(name, folder) for (_, name), (_, folder) in zip(*listed)}, built)


def test_man_pages_are_well_formed():
    """man reports no error in any page, and the pages of algorithms have a section ALGORITHM."""
    if not shutil.which("man"):
        tap.skip("man is not installed")
    for path in glob.glob(os.path.join(tools.USERSPACE, "man", "*.[358]")):
        page = os.path.basename(path)
        done = tools.run("man", "--warnings", "-E", "UTF-8", "-l", path)
        tap.equal(page, (done.returncode, done.stderr), (0, ""))
        tap.true(f"{page} is shown", "SYNOPSIS" in done.stdout)
        tap.true(f"{page}: ALGORITHM", not page.startswith(("tc-", "ip-")) or
                 "\nALGORITHM\n" in done.stdout)


def test_overview_has_the_groups():
    """Help and freshlink(8) list every command in the same group, and a command's own help names
    the page of its group."""
    with open(os.path.join(tools.USERSPACE, "man", "freshlink.8")) as file:
        commands = file.read().split(".SH COMMANDS\n")[1].split("\n.SH ")[0]
    found = {}
    for entry in commands.split("\n.P\n")[0].split(".TP\n")[1:]:
        lines = entry.splitlines()
        page = plain(lines[0]).split(" (")[0].split("(")[0]
        found.update({name.strip(): page for name in plain(lines[-1]).split(",")})
    tap.equal("commands", list(groups()), list(OPERANDS))
    tap.equal("pages", found, groups())
    for command, page in groups().items():
        tap.true(f"help of {command} names {page}",
                 tools.freshlink(f"{command} help").stdout.endswith(f"\nSee {page}(8).\n"))


def test_exit_statuses_are_documented():
    """The three exit statuses are in the man page and in help."""
    tap.equal("man page", sorted(paragraphs("freshlink.8", "EXIT STATUS")), ["0", "1", "2"])
    tap.true("help", "Exit status: 0 done, 1 failed, 2 wrong command line."
             in tools.freshlink("help").stdout)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
