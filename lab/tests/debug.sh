# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A part of lab/selftest: every checker of the two debug builds ends a run in which
# it finds something, and a run in which it finds nothing passes.

# shellcheck source=lab/tests/machines.sh
. "lab/tests/machines.sh"

# What the module can do, and what the kernel says to it
bugs=("use-after-free BUG: KASAN: .*use-after-free"
	"deadlock possible circular locking"
	"sleep sleeping function called"
	"shift UBSAN: shift-out-of-bounds"
	"warn WARNING: ")

# checkers NAME MACHINE...
checkers()
{
	local name=$1 bug

	shift
	for bug in "${bugs[@]}"; do
		result "$name: ${bug%% *} fails the run" refused 125 "${bug#* }" provoke "$@" "${bug%% *}"
	done
	result "$name: a clean run passes" ends 0 "$@" -- nproc
}

test_debug()
{
	checkers "debug" lab/run --debug --time-travel --limit 60
	# kmemleak is in this build alone
	result "debug: leak fails the run" \
		refused 125 "unreferenced object" provoke lab/run --debug --time-travel --limit 60 leak
	checkers "SMP debug" lab/vm/run --debug --limit 120
	result "SMP debug: on two CPUs" says '^2$'
}
