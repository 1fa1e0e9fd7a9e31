# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A part of lab/selftest. A compiler warning does not stop a user's build, but it stops the build of
# the checks. The command "make install" installs modules and tools only if they were built from the
# current sources. If not, the command prints what to run first.

# as_user COMMAND...: runs COMMAND in a copy of the tree, as if the lab kernel were the running
# kernel
as_user()
{
	stubbed env -C "$TMPDIR/tree" "MAKEFLAGS=ARCH=um CC=gcc-12" "$@"
}

# with_warning FILE: adds code that the compiler warns about
with_warning()
{
	echo 'static int unused;' >> "$TMPDIR/tree/$1"
}

# not_installed GOALS: checks that "make install" refuses, and that its message says which GOALS to
# make first
not_installed()
{
	refused 2 "are not built, or of other sources: run \"make $1\" first\$" \
		as_user make -s install "DESTDIR=$TMPDIR/root" && [ ! -e "$TMPDIR/root" ]
}

modules_warn()
{
	ends 0 as_user make -s modules MACHINE=host &&
		ends 0 grep 'packet.c:.*warning: .unused. defined' "$TMPDIR/tree/build/modules/$release.log"
}

test_build()
{
	local kernel release

	kernel=$(lab/kernels/build 6.12 lab)
	release=$(basename "$kernel"/lib/modules/*)
	stub uname "[ \"\$1\" != -r ] || { echo $release; exit; }; exec $(command -v uname) \"\$@\""
	mkdir "$TMPDIR/tree"
	cp -r Makefile kmod include lab sch_lpd userspace "$TMPDIR/tree"
	# the test needs only sch_lpd and the modules on which it depends
	rm -r "$TMPDIR/tree/kmod/cellink"
	# The test's kernel is not in /lib/modules, because only root can write there.
	mkdir "$TMPDIR/modules"
	ln -s "$kernel" "$TMPDIR/modules/$release"
	sed -i "s,kernel=/lib/modules/,kernel=$TMPDIR/modules/," "$TMPDIR/tree/kmod/build"
	result "build: make install without tools installs nothing" not_installed tools
	with_warning userspace/cli/set.c
	result "build: with STRICT=1 a warning fails the tools" \
		refused 2 'error: .unused. defined but not used' as_user make -s tools STRICT=1
	result "build: without STRICT the tools build in spite of the warning" \
		refused 0 'warning: .unused. defined but not used' as_user make -s tools
	result "build: make install without modules installs nothing" not_installed "modules MACHINE=host"
	with_warning sch_lpd/packet.c
	result "build: a user's modules build in spite of a warning" modules_warn
	result "build: make install installs tools and modules" \
		ends 0 as_user make -s install "DESTDIR=$TMPDIR/root"
	rm -r "$TMPDIR/root"
	echo >> "$TMPDIR/tree/sch_lpd/order.h"
	result "build: modules of older sources are not installed" not_installed "modules MACHINE=host"
	echo >> "$TMPDIR/tree/userspace/cli/cli.h"
	result "build: tools of older sources are not installed" not_installed tools
	result "build: they are built anew" ends 0 as_user make -s tools
	mv "$TMPDIR/tree" "$TMPDIR/moved"
	ln -s moved "$TMPDIR/tree"
	echo >> "$TMPDIR/tree/userspace/stream/control.h"
	result "build: nor are those of a tree that was moved" not_installed tools
	rm -r "$TMPDIR/stubs"
}
