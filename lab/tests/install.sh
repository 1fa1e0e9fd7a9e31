# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A part of lab/selftest: "make install" and "make uninstall", for a package and for real,
# and MACHINE=host. All of it happens in a guest, whose file system is its own;
# lab/tests/install-guest says what is checked.

test_install()
{
	# without simulated time: make compares the times of files
	# the lab kernel's modules want other flags than those of a Debian machine's kernel; and those of
	# kmod/build for our own machines, so that the objects that are there need not be made anew
	take_over install lab/run --limit 600 -- env "MAKEFLAGS=ARCH=um CC=gcc-12 W=1 KCFLAGS=-Werror" \
		lab/tests/install-guest "$(lab/kernels/build 6.12 lab)"
}
