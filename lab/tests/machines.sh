# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A part of lab/selftest. The machines distinguish failure from success, and return the command's
# output. With the same seed, lab/uml repeats a run to the byte.
# shellcheck disable=SC2016 # lines for other shells

# provoke MACHINE... BUG: loads the module provoke.ko, which causes the bug
provoke()
{
	local bug=${*: -1}

	"${@:1:$#-1}" -- bash -c 'insmod "$FL_MODULES/provoke.ko" bug='"$bug"
}

# Tests for both runners
common()
{
	local talk='echo output; echo error >&2; mkdir "$FL_OUT/sub"; echo result > "$FL_OUT/sub/file"
		touch '"$TMPDIR"'/trace; exit 3'

	result "$1: the exit status is the command's" ends 3 "$@" --out "$TMPDIR/results" -- bash -c "$talk"
	result "$1: the command's output is printed" says '^output$'
	result "$1: the command's error output is printed" says '^error$'
	result "$1: files below FL_OUT are copied" grep -qx result "$TMPDIR/results/sub/file"
	rm -rf "$TMPDIR/results"
	result "$1: the host's files stay as they are" [ ! -e "$TMPDIR/trace" ]
	result "$1: a kernel warning fails the run" ends 125 provoke "$@" warn
	result "$1: the kernel warning is shown" says 'WARNING: .*provoke_warn'
	result "$1: a machine without verdict fails" ends 125 "$@" -- busybox poweroff -f
	result "$1: the time limit ends a run" ends 124 "$@" --limit 3 -- sleep 60
	result "$1: a wrong option is named" refused 1 "'5.4': expected one of 6.1 6.12 7.2" "$@" --kernel 5.4 -- true
	result "$1: an interrupt ends the machine" interrupted "$@"
	result "$1: a signal during preparation leaves nothing behind" ended_early "$@"
}

# interrupted MACHINE...: sends Ctrl-C when the guest's command runs, and checks that the runner
# prints only messages of its own. The command timeout passes the signal on.
interrupted()
{
	local status=0 runner

	timeout --preserve-status 200 "$@" -- sh -c 'echo runs; sleep 60' > "$TMPDIR/out" 2>&1 &
	runner=$!
	until grep -qxs runs "$TMPDIR/out"; do
		kill -0 "$runner" 2> /dev/null || return
		sleep 0.1
	done
	kill -INT "$runner"
	wait "$runner" || status=$?
	[ "$status" = 130 ] && ! grep -vE '^(freshlink: .*|runs)$' "$TMPDIR/out"
}

# ended_early MACHINE...: sends a signal as soon as the machine's directory exists
ended_early()
{
	local name

	mkdir -p "$TMPDIR/early"
	for name in mkdir mktemp; do
		printf '#!/bin/sh\n%s "$@" && case "$*" in *freshlink.*) kill -TERM $PPID ;; esac\n' \
			"$(command -v "$name")" > "$TMPDIR/early/$name"
		chmod +x "$TMPDIR/early/$name"
	done
	PATH=$TMPDIR/early:$PATH ends 143 "$@" -- true && nothing_left
}

# crashing TIMES COMMAND...: runs COMMAND with a QEMU that crashes so many times when it starts, and then
# works. The file "starts" gets the process ID of each one.
crashing()
{
	local times=$1 dir=$TMPDIR/crashing

	mkdir -p "$dir"
	: > "$dir/starts"
	cat > "$dir/qemu-system-x86_64" <<-EOF
	#!/bin/sh
	echo \$\$ >> $dir/starts
	[ \$(wc -l < $dir/starts) -gt $times ] || kill -SEGV \$\$
	exec $(command -v qemu-system-x86_64) "\$@"
	EOF
	chmod +x "$dir/qemu-system-x86_64"
	PATH=$dir:$PATH "${@:2}"
}

# crashes_late: lets QEMU crash when the guest's command runs, and checks that it is not started again
crashes_late()
{
	local status=0 runner

	crashing 0 lab/vm/machine -- sh -c 'echo runs; sleep 60' > "$TMPDIR/out" 2>&1 &
	runner=$!
	until grep -qxs runs "$TMPDIR/out"; do
		kill -0 "$runner" 2> /dev/null || return
		sleep 0.1
	done
	kill -SEGV "$(< "$TMPDIR/crashing/starts")"
	wait "$runner" || status=$?
	[ "$status" = 125 ] && [ "$(wc -l < "$TMPDIR/crashing/starts")" = 1 ]
}

# same SEED SEED: checks that two runs print the same bytes, including random numbers, times and the
# kernel log
same()
{
	local run seed

	for run in 1 2; do
		seed=${!run}
		lab/uml --seed "$seed" -- bash -c 'sleep 50; date +%s.%N; head -c 16 /dev/urandom | od -x; dmesg' \
			> "$TMPDIR/run$run" 2> "$TMPDIR/out" || return
	done
	cmp "$TMPDIR/run1" "$TMPDIR/run2" > "$TMPDIR/out" 2>&1
}

differs()
{
	! same "$@"
}

# bad_test LINES COMMAND...: runs COMMAND in a guest that has one additional test. LINES are the
# code of this test.
bad_test()
{
	lab/uml --seed 1 -- bash -c 'echo "$1" > selftests/net/lpd_deliberate.py; exec "${@:2}"' bash "$@"
}

# take_cpus: locks the first lock file of each CPU in a separate cache, as if a machine ran on each
# CPU. Sets one_more to a command that starts one more machine. The command sets OMP_NUM_THREADS=1,
# which makes nproc print 1. The script lab/uml must ignore this variable.
take_cpus()
{
	local cpu fd

	mkdir -p "$TMPDIR/cache/lock"
	ln -s "$(lab/kernels/build 6.12 lab)" "$TMPDIR/kernel"
	for ((cpu = 0; cpu < $(nproc); cpu++)); do
		exec {fd}> "$TMPDIR/cache/lock/cpu$cpu.0"
		flock "$fd"
		locks[cpu]=$fd
	done
	one_more=(env "FL_CACHE=$TMPDIR/cache" OMP_NUM_THREADS=1 lab/uml --built "$TMPDIR/kernel:$(kmod/build 6.12 lab)" --limit 60)
}

# start_one: starts a machine that creates processes all the time
start_one()
{
	"${one_more[@]}" -- bash -c 'while sleep 0.01; do sleep 1000 & done' > "$TMPDIR/out" 2>&1 &
	timeout 30 sh -c 'until [ "$(pgrep -fc "^$0/kernel/linux ")" -gt 20 ]; do sleep 0.1; done' "$TMPDIR"
}

# its_cpus: prints the CPUs on which the machine's processes may run, each different list once
its_cpus()
{
	# a process may end before taskset reads its CPUs
	pgrep -f "^$TMPDIR/kernel/linux " | xargs -n 1 taskset -pc 2> /dev/null | sed 's/.*: //' | sort -u || :
}

# moves_to CPU: frees the place on CPU, and checks that the machine moves to CPU
moves_to()
{
	local tries

	flock -u "${locks[$1]}"
	for ((tries = 0; tries < 100; tries++)); do
		[ "$(its_cpus)" != "$1" ] || return 0
		sleep 0.1
	done
	its_cpus > "$TMPDIR/out"
	return 1
}

# leaves_its_place: ends the machine by SIGKILL, and checks that its place on the CPU is free
leaves_its_place()
{
	local cpu

	kill -KILL "$pid"
	wait "$pid" 2> /dev/null || :
	for ((cpu = 0; cpu < $(nproc); cpu++)); do
		flock -w 10 "$TMPDIR/cache/lock/cpu$cpu.1" true || return
	done
	timeout 10 sh -c 'while pgrep -f "^$0/kernel/linux "; do sleep 0.1; done' "$TMPDIR" > "$TMPDIR/out"
}

cpus()
{
	local locks=() one_more=() cpu pid

	take_cpus
	result "lab/uml: an interrupt ends a machine that shares a CPU" interrupted "${one_more[@]}"
	start_one
	pid=$!
	result "lab/uml: after SIGKILL its place on the CPU is free" leaves_its_place
	start_one
	pid=$!
	cpu=$(its_cpus)
	result "lab/uml: a machine that shares a CPU stays on one CPU" grep -qE '^[0-9]+$' <<< "$cpu"
	result "lab/uml: the machine moves to a CPU that becomes free" moves_to $(((cpu + 1) % $(nproc)))
	kill "$pid"
	wait "$pid" || :
}

test_machines()
{
	local fails='print("not ok 1 - deliberate"); raise SystemExit(1)'

	common lab/uml
	common lab/vm/machine
	result "lab/vm/machine: boots once more if QEMU crashes" ends 3 crashing 1 lab/vm/machine -- sh -c 'exit 3'
	result "lab/vm/machine: the crash is reported" says '^freshlink: qemu-system-x86_64 crashed during the boot'
	result "lab/vm/machine: a second crash fails" ends 125 crashing 2 lab/vm/machine -- sh -c 'exit 3'
	result "lab/vm/machine: a crash under the command fails" crashes_late
	result "lab/uml: an oops fails the run" ends 125 lab/uml -- bash -c 'echo c > /proc/sysrq-trigger'
	result "lab/uml: the time limit ends a command that spins" ends 124 lab/uml --seed 4242 --limit 5 -- bash -c 'while :; do :; done'
	result "lab/uml: the same seed gives the same bytes" same 4242 4242
	result "lab/uml: another seed gives other bytes" differs 4242 4244
	cpus
	result "a failing test fails the run" \
		refused 1 '^0 passed, 1 failed, 0 skipped$' bad_test "$fails" selftests/run.sh -t lpd_deliberate lpd
	result "a crashing test fails the run" \
		refused 1 '^# lpd/lpd_deliberate: status 139$' bad_test 'import os; os.kill(os.getpid(), 11)' \
		selftests/run.sh -t lpd_deliberate lpd
	result "a killed test fails the run" \
		refused 1 '^# lpd/lpd_deliberate: was killed: out of memory' bad_test 'import os; os.kill(os.getpid(), 9)' \
		selftests/run.sh -t lpd_deliberate lpd
	result "a test that never ends fails the run" \
		refused 1 '^# lpd/lpd_deliberate: ran out of time$' bad_test 'import time; time.sleep(3600)' \
		selftests/run.sh -t lpd_deliberate lpd
	result "a failing test fails make run_tests" \
		refused 2 '^0 passed, 1 failed, 0 skipped$' bad_test "$fails" make -C selftests run_tests "SUITE=-t lpd_deliberate lpd"
}
