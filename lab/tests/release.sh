# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A part of lab/selftest. In the user space of Debian's other release, the tools build and install,
# and the VM boots and passes some tests. If the other release is newer, some tests must also pass in
# the lab machine. The script lab/tests/release-there contains the checks.

test_release()
{
	local lab stock

	lab=$(lab/kernels/build 6.12 lab)
	stock=$(lab/vm/kernel 6.12)
	kmod/build 6.12 lab > "$TMPDIR/out"
	kmod/build 6.12 stock > "$TMPDIR/out"
	take_over release lab/release lab/tests/release-there "$(debian_release)" "$lab" "$stock"
}
