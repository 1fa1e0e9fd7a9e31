# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A part of lab/selftest: tests of "make install" and "make uninstall", with and without DESTDIR,
# and of MACHINE=host. All tests run in a guest with its own file system. The script
# lab/tests/install-guest contains the checks.

test_install()
{
	# The lab machine runs without simulated time, because make compares the times of files. The
	# flags are the same as in kmod/build, so that make does not compile the existing objects
	# again.
	take_over install lab/uml --kernel 7.2 --limit 600 -- env "MAKEFLAGS=ARCH=um CC=gcc-12 W=1 KCFLAGS=-Werror" \
		lab/tests/install-guest "$(lab/kernels/build 7.2 lab)"
}
