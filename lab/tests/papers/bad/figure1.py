# SPDX-License-Identifier: GPL-2.0-or-later
"""Refuses its input while it loads."""
raise ValueError("recorded.down:7: 'x': expected a time in ms")
