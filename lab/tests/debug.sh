# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A part of lab/selftest: every checker of the two debug builds ends a run in which
# it finds something, and a run in which it finds nothing passes.

# shellcheck source=lab/tests/machines.sh
. "lab/tests/machines.sh"

# What the module can do, and what the kernel says to it
declare -A bugs=(
	[use-after-free]="BUG: KASAN: .*use-after-free"
	[deadlock]="possible circular locking"
	[sleep]="sleeping function called"
	[shift]="UBSAN: shift-out-of-bounds"
	[leak]="unreferenced object"
)

# checkers NAME BUG... -- MACHINE...
checkers()
{
	local name=$1 wanted=()

	shift
	while [ "$1" != -- ]; do
		wanted+=("$1")
		shift
	done
	shift
	for bug in "${wanted[@]}"; do
		result "$name: $bug fails the run" refused 125 "${bugs[$bug]}" provoke "$@" "$bug"
	done
	result "$name: a clean run passes" ends 0 "$@" -- nproc
}

test_debug()
{
	local bug

	checkers "debug" use-after-free deadlock sleep shift leak -- lab/run --debug --time-travel --limit 60
	# UBSAN and kmemleak are in the other build alone; the rest is found by the same words
	checkers "SMP debug" use-after-free deadlock -- lab/vm/run --debug --limit 120
	result "SMP debug: on two CPUs" says '^2$'
}
