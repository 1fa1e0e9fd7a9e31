# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A part of lab/selftest: under the user space of Debian's other release the tools build and install,
# and the VM and, under a newer release, the lab machine boot and pass tests.
# lab/tests/release-there says what is checked.

test_release()
{
	local lab stock

	lab=$(lab/kernels/build 6.12 lab)
	stock=$(lab/vm/kernel 6.12)
	kmod/build 6.12 lab > "$TMPDIR/out"
	kmod/build 6.12 stock > "$TMPDIR/out"
	take_over release lab/release lab/tests/release-there "$(debian_release)" "$lab" "$stock"
}
