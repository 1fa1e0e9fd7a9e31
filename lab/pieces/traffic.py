# SPDX-License-Identifier: GPL-2.0-or-later
"""Processes of the command freshlink in the namespaces of a path."""
import json
import subprocess


def freshlink(node, words):
    """Start a process in a namespace."""
    with node.inside():
        return subprocess.Popen(f"freshlink {words} -j".split(), text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def await_ready(sink, word):
    """Wait until a process says that it is ready, in a line that begins with a word."""
    line = sink.stderr.readline()
    if not line.startswith(word):
        raise RuntimeError(f"{' '.join(sink.args)}: {line}{sink.stderr.read()}")
    return sink


def start(node, words):
    """Start a process of `freshlink traffic` in a namespace."""
    return freshlink(node, f"traffic {words}")


def listen(node, words):
    """Start a sink, and wait until it is ready."""
    return await_ready(start(node, words), "receiving")


def end(process):
    """Wait for the end of a process, and return its summary."""
    output, errors = process.communicate()
    if process.returncode:
        raise RuntimeError(f"{' '.join(process.args)}: status {process.returncode}: {errors}")
    return json.loads(output)
