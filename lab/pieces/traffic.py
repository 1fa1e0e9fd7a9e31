# SPDX-License-Identifier: GPL-2.0-or-later
"""Processes of the command `freshlink traffic` in the namespaces of a path."""
import json
import subprocess


def start(node, words):
    """Start a process in a namespace."""
    with node.inside():
        return subprocess.Popen(f"freshlink traffic {words} -j".split(), text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def listen(node, words):
    """Start a sink, and wait until it is ready."""
    sink = start(node, words)
    if "receiving" not in sink.stderr.readline():
        raise RuntimeError(f"{words}: {sink.stderr.read()}")
    return sink


def end(process):
    """Wait for the end of a process, and return its summary."""
    output, errors = process.communicate()
    if process.returncode:
        raise RuntimeError(f"{' '.join(process.args)}: status {process.returncode}: {errors}")
    return json.loads(output)
