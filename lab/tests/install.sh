# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A part of lab/selftest: "make install" and "make uninstall", for a package and for real,
# and MACHINE=host. All of it happens in a guest, whose file system is its own;
# lab/tests/install-guest says what is checked.

test_install()
{
	# the lab kernel's modules want other flags than those of a Debian machine's kernel
	take_over install lab/run --seed 1 -- env "MAKEFLAGS=ARCH=um CC=gcc-12" \
		lab/tests/install-guest "$(lab/kernels/build 6.12 lab)"
}
