# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A part of lab/selftest. If a checker of the two debug builds finds a bug, the run fails. A run
# without a bug passes.

# shellcheck source=lab/tests/machines.sh
. "lab/tests/machines.sh"

# The bugs that the module provoke.ko can cause, and the kernel's report of each bug
declare -A bugs=(
	[use-after-free]="BUG: KASAN: .*use-after-free"
	[deadlock]="possible circular locking"
	[sleep]="sleeping function called"
	[shift]="UBSAN: shift-out-of-bounds"
	[leak]="unreferenced object"
)

# checkers NAME BUG... -- MACHINE...: checks that each BUG fails a run in the machine
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

	checkers "debug" use-after-free deadlock sleep shift leak -- lab/uml --debug --time-travel --limit 60
	# Only the debug build of User-Mode Linux has UBSAN and kmemleak. Both debug builds print
	# the same reports.
	checkers "SMP debug" use-after-free deadlock -- lab/vm/machine --debug --limit 120
	result "SMP debug: the machine has two CPUs" says '^2$'
}
