# SPDX-License-Identifier: GPL-2.0-or-later
"""A video across a link that loses packets, straight over UDP and through freshlink send and recv."""
import pieces       # lets "lib", the tests' library, be found
