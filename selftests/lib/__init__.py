# SPDX-License-Identifier: GPL-2.0-or-later
"""The modules that the tests share. Each file is named after one noun. All files need only Python's
standard library, except xlo.py (PyYAML) and dissect.py (scapy)."""
