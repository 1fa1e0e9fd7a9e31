# SPDX-License-Identifier: GPL-2.0-or-later
"""What the network tests share: one noun a file, standard library only."""
