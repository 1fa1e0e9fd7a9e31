# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's tracepoints."""
import os

from . import tap

TRACING = "/sys/kernel/tracing"


class Trace:
    """An instance of the kernel's tracer (tracefs), in which one event is enabled."""

    def __init__(self, event, condition="1"):
        self.folder = f"{TRACING}/instances/test-{os.getpid()}"
        self.event = f"{self.folder}/events/{event}"
        self.condition = condition

    def __enter__(self):
        try:
            os.mkdir(self.folder)
        except OSError as error:
            tap.skip(f"no tracefs: {error}")
        if self.condition != "1":
            self._write("filter", self.condition)
        self._write("enable", "1")
        return self

    def _write(self, name, value):
        with open(f"{self.event}/{name}", "w") as file:
            file.write(value)

    def also(self, event, condition="1"):
        """Enable another event."""
        if condition != "1":
            with open(f"{self.folder}/events/{event}/filter", "w") as file:
                file.write(condition)
        with open(f"{self.folder}/events/{event}/enable", "w") as file:
            file.write("1")

    def clock(self, name, size):
        """Use another clock for the time stamps. `size` is the size of the event buffer in kB."""
        for file, value in (("trace_clock", name), ("buffer_size_kb", str(size))):
            with open(f"{self.folder}/{file}", "w") as setting:
                setting.write(value)

    def lines(self):
        with open(f"{self.folder}/trace") as file:
            return [line.strip() for line in file if not line.startswith("#")]

    def __exit__(self, *_):
        self._write("enable", "0")
        os.rmdir(self.folder)
