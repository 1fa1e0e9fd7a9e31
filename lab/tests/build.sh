# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A part of lab/selftest: a user's build. It goes on after a warning, which our own does not, and
# make install installs what has been built of the sources as they are, or says what to run.

# as_user COMMAND...: in a copy of the tree, on a machine whose kernel is the lab kernel
as_user()
{
	stubbed env -C "$TMPDIR/tree" "MAKEFLAGS=ARCH=um CC=gcc-12" "$@"
}

# with_warning FILE: there is something to warn of in it
with_warning()
{
	echo 'static int unused;' >> "$TMPDIR/tree/$1"
}

# not_installed GOALS: make install says that these are to be made first
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
	# sch_lpd and what it needs are enough
	rm -r "$TMPDIR/tree/kmod/cellink"
	# its kernel is not in /lib/modules, where only root could put it
	mkdir "$TMPDIR/modules"
	ln -s "$kernel" "$TMPDIR/modules/$release"
	sed -i "s,kernel=/lib/modules/,kernel=$TMPDIR/modules/," "$TMPDIR/tree/kmod/build"
	result "build: without tools nothing is installed" not_installed tools
	with_warning userspace/cli/set.c
	result "build: with STRICT=1 a warning fails the tools" \
		refused 2 'error: .unused. defined but not used' as_user make -s tools STRICT=1
	result "build: a user's tools build in spite of it" \
		refused 0 'warning: .unused. defined but not used' as_user make -s tools
	result "build: without modules nothing is installed" not_installed "modules MACHINE=host"
	with_warning sch_lpd/packet.c
	result "build: a user's modules build in spite of a warning" modules_warn
	result "build: both are installed" ends 0 as_user make -s install "DESTDIR=$TMPDIR/root"
	rm -r "$TMPDIR/root"
	echo >> "$TMPDIR/tree/sch_lpd/heap.h"
	result "build: modules of other sources are not" not_installed "modules MACHINE=host"
	echo >> "$TMPDIR/tree/userspace/cli/cli.h"
	result "build: nor are tools" not_installed tools
	rm -r "$TMPDIR/stubs"
}
