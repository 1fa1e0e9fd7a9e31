# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A part of lab/selftest. All checkouts share the objects that kmod/build keeps with a kernel, but
# each checkout gets modules of its own sources. A warning of sparse makes lab/lint fail.

# built TREE NAME...: builds a tree's modules, and checks that modules of these names exist. Prints
# the path of the first module.
built()
{
	local dir name

	dir=$("$1/kmod/build" 6.12 lab 2> "$TMPDIR/out") || return
	for name in "${@:2}"; do
		[ -e "$dir/$name.ko" ] || return
	done
	echo "$dir/$2.ko"
}

# with_word TREE: checks that the tree's module sch_lpd contains the string that the test has added
# to the other tree
with_word()
{
	grep -q "freshlink_test=other" "$(built "$1" sch_lpd)"
}

without_word()
{
	built "$1" sch_lpd tcp_iftpv > /dev/null && ! with_word "$1"
}

without_iftpv()
{
	built "$1" sch_lpd > /dev/null && ! built "$1" tcp_iftpv
}

# make_called TREE: builds the modules, and prints whether the build has called make. The build
# writes a log if it calls make.
make_called()
{
	rm -f "$1"/build/modules/*-lab.log
	built "$1" sch_lpd > /dev/null || return
	if ls "$1"/build/modules/*-lab.log > "$TMPDIR/out" 2>&1; then echo yes; else echo no; fi
}

calls_make()
{
	[ "$(make_called "$1")" = yes ]
}

skips_make()
{
	[ "$(make_called "$1")" = no ]
}

# edited_meanwhile TREE: edits a source file while make runs
edited_meanwhile()
{
	mkdir "$TMPDIR/wrapped"
	printf '#!/bin/sh\necho >> %q\nexec %q "$@"\n' "$1/sch_lpd/order.h" "$(command -v make)" > "$TMPDIR/wrapped/make"
	chmod +x "$TMPDIR/wrapped/make"
	PATH=$TMPDIR/wrapped:$PATH calls_make "$1"
}

# comes_back TREE: removes a module, and checks that the build restores it
comes_back()
{
	rm "$(built "$1" sch_lpd)" && built "$1" sch_lpd > /dev/null
}

test_modules()
{
	local other=$TMPDIR/other

	mkdir "$other"
	cp -r kmod include lab sch_lpd tcp_cong_iftpv "$other"
	cp sch_lpd/order.h "$TMPDIR"
	echo 'MODULE_INFO(freshlink_test, "other");' >> "$other/sch_lpd/qdisc.c"
	echo 'static void unused(void) { }' >> "$other/sch_lpd/order.h"
	result "modules: a warning in another tree fails, and names that tree's file" \
		refused 1 "^$other/sch_lpd/order.h:[0-9]+:[0-9]+: error: .unused. defined but not used" \
		"$other/kmod/build" 6.12 lab
	cp "$TMPDIR/order.h" "$other/sch_lpd"
	echo 'int freshlink_unseen;' >> "$other/sch_lpd/qdisc.c"
	result "modules: a warning of sparse fails lab/lint" \
		refused 1 "^$other/sch_lpd/qdisc.c:.*: warning: symbol 'freshlink_unseen' was not declared" "$other/lab/lint" sparse
	rm -r "$other/tcp_cong_iftpv"
	result "modules: another tree gets modules of its own sources" with_word "$other"
	result "modules: a tree without a module's folder gets no such module" without_iftpv "$other"
	result "modules: unchanged sources need no make" skips_make "$other"
	result "modules: a missing module is built again" comes_back "$other"
	echo >> "$other/sch_lpd/order.h"
	result "modules: after a change of a header the build calls make" edited_meanwhile "$other"
	result "modules: after a change while make ran, the next build calls make" calls_make "$other"
	result "modules: this tree gets modules of its own sources" without_word .
}
