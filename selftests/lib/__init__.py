# SPDX-License-Identifier: GPL-2.0-or-later
"""The modules that the network tests share. Each file is named after one noun and needs only
Python's standard library."""
