# SPDX-License-Identifier: GPL-2.0-or-later
"""The Python modules that the tests share. The name of each file is a noun. The files need only
Python's standard library, except xlo.py (PyYAML) and dissect.py (scapy)."""
