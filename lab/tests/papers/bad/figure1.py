# SPDX-License-Identifier: GPL-2.0-or-later
"""Refuses what it was given while it loads."""
raise ValueError("recorded.down:7: 'x': expected a time in ms")
