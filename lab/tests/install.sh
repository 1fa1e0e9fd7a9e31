# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A part of lab/selftest: "make install" and "make uninstall", for a package, for real
# under Debian's own kernel, and MACHINE=host. All of it happens in guests, whose file
# systems are theirs; lab/tests/install-guest says what is checked.

# in_uml WHAT: the lab kernel's modules want other flags than the running one's of a
# Debian machine
in_uml()
{
	take_over "$1" lab/run --seed 1 -- env "MAKEFLAGS=ARCH=um CC=gcc-12" \
		lab/tests/install-guest "$1" "$(lab/kernels/build 6.12 lab)"
}

test_install()
{
	in_uml staged
	in_uml host
	take_over installed lab/vm/run -- lab/tests/install-guest installed "$(lab/vm/kernel 6.12)"
}
