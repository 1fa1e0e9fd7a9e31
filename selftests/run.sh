#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs the tests. Each test is a program that runs in its own network namespace, with a time limit.
# This script prints TAP, and then a line "N passed, N failed, N skipped". The exit status is 1 if a
# result has failed, and 4 if nothing was tested.
#
# Each result line in a program's TAP is one result. A program that prints no TAP is a single
# result. If a program dies, runs out of time or prints another number of results than it planned,
# the script adds one failure. With FL_EXPECT_ALL=1, nothing may be missing on this machine, so the
# script counts a skipped result as failed.

here=$(dirname "$(readlink -f "$0")")
suites=(codec kunit lpd xlo cell arq tcp tdc cli dccp)
# The suites codec, cli and dccp test programs that only the project's tree builds. An installed
# copy of the tests omits these suites.
[ -e "$here/../kmod/Kbuild" ] || suites=(kunit lpd xlo cell arq tcp tdc)
passed=0 failed=0 skipped=0 number=0
# the file for the output of the running program
log=''

usage()
{
	cat <<-EOF
	Usage: run.sh [-l] [-p I/N] [-t TEST] SUITE...
	  -l        list the tests, and patterns of their results, instead of running them
	  -p I/N    run only the I-th of N parts, which take about the same time
	  -t TEST   run only this test of the list; may be repeated. "TEST RESULT..." runs
	            only these of its results, which may be patterns
	SUITE: ${suites[*]}, all, smoke (a few results of
	       each) or soak (the long forms: hours)
	EOF
}

die()
{
	echo "run.sh: $*" >&2
	exit 2
}

# skip REASON: ends the run with status 4, by which kselftest knows that nothing was tested
skip()
{
	echo "run.sh: $*" >&2
	exit 4
}

# The file of each test says where the test runs, in lines "# run.sh: note". The notes are:
#
# "needs: thing": the test runs only on machines that have the thing (see available()).
# "once: reason": of the lab kernels, only 7.2 runs the test in `all`.
# "all on machine...: results": these machines run only these results in `all`.
# "smoke: results": all machines run these results in `smoke`.
# "smoke on machine...: results": only these machines run these results in `smoke`.
# "soak on machine..., n s: results": these machines run these results in `soak`, with a time limit of
# n seconds.
#
# A machine in a note is a kind of machine, such as lab-debug, or a kind and a kernel, such as vm-6.12.
# The results in a note are patterns for names of results, "everything" or "nothing". A reason may
# follow in parentheses.
#
# Without a note, `all` runs all results on the lab kernels and the host. On the lab kernel 6.12, `all`
# leaves out tests of which lab-debug runs everything, because lab-debug is the same kernel with
# checkers. On vm, arm64, s390x and smp-debug, which are slow, `all` runs only results that have a note.
# These results may differ on such a machine. If the user names a suite, each machine runs the whole
# suite.
NOTE='^(needs|once|all|smoke|soak)( on ([a-z0-9. -]+))?(, ([0-9]+) s)?: ([^(]*[^( ])( \(.*\))?$'
machine=${FL_MACHINE:-host}
# the time limit of a test in seconds, if no note sets another limit
LIMIT=800
# tests in all folders import "lib" and each other from this folder
export PYTHONPATH=$here

# read_notes: sets notes[FILE] to the notes of each test, one note per line
declare -A notes=()
read_notes()
{
	local file line

	while IFS= read -r -d '' file && IFS= read -r line; do
		notes[$file]+=${line#'# run.sh: '}$'\n'
	done < <(grep -sHZ '^# run\.sh: ' "$here"/{codec,dccp}/run "$here"/{net,tcp,tdc,cli,dccp}/*.py)
}

# available THING: succeeds if this machine has a thing that a test needs
available()
{
	case $1 in
	# Debian's kernels have no KUnit
	KUnit) [[ $machine != @(vm|arm64|s390x|host) ]] ;;
	# our kernels have no BPF, no memory cgroups and no flowtables
	BPF | 'memory cgroups' | flowtables) [[ $machine = @(vm|host) ]] ;;
	# of our kernels, only Debian's 6.1 and 6.12 have DCCP
	'kernel DCCP') modprobe -nq dccp_ipv4 ;;
	'fault injection') [[ $machine = *-debug ]] ;;
	'simulated time') [[ $machine = lab* ]] ;;
	'real time') [[ $machine != lab* ]] ;;
	# lab/uml --append ipv6.disable=1
	'no IPv6') [ ! -e /proc/sys/net/ipv6 ] ;;
	*) die "needs: $1: expected a thing that available() knows" ;;
	esac
}

# is_among MACHINE...: succeeds if this machine is one of these
is_among()
{
	[[ " $* " == *" $machine "* || " $* " == *" $machine-${FL_KERNEL:-} "* ]]
}

# choose SET FILE: finds out which results of a test a set, such as smoke, runs on this machine.
# Sets "results" to patterns of these results, or to nothing for all results. Sets "limit" to the
# time limit in seconds. Fails if the set does not run the test.
choose()
{
	local note noted=() key machines seconds what

	results='' limit=$LIMIT
	[ "$1" != all ] || ! is_among lab-6.12 || [[ ${notes[$2]:-} =~ 'all on '[^:]*lab-debug ]] || return
	[ -z "${notes[$2]:-}" ] || mapfile -t noted <<< "${notes[$2]%$'\n'}"
	for note in "${noted[@]}"; do
		[[ $note =~ $NOTE ]] || die "$2: '# run.sh: $note': expected a note as described in run.sh"
		key=${BASH_REMATCH[1]} machines=${BASH_REMATCH[3]} seconds=${BASH_REMATCH[5]} what=${BASH_REMATCH[6]}
		case $key in
		needs) available "$what" || return ;;
		once) [ "$1" != all ] || ! is_among lab-6.1 lab-6.12 lab-debug || return ;;
		"$1") ! is_among "${machines:-$machine}" || results+=" $what" limit=${seconds:-$limit} ;;
		esac
	done
	case ${results:-$1 on $machine} in
	' nothing' | smoke\ on* | soak\ on* | 'all on vm' | 'all on arm64' | 'all on s390x' | 'all on smp-debug') return 1 ;;
	' everything' | *\ on\ *) results='' ;;
	esac
}

# files_of SUITE: sets "files" to the tests of the suite
files_of()
{
	local file

	files=()
	case $1 in
	codec | dccp) files=("$here/$1/run") ;;&
	kunit) files=("$here/net/kunit.py") ;;
	lpd | xlo | cell | arq) files=("$here/net/$1"_*.py) ;;
	tcp) files=("$here"/tcp/*.py) ;;
	# files that are not executable contain code that the tests share
	tdc | cli | dccp)
		for file in "$here/$1"/*.py; do
			[ ! -x "$file" ] || files+=("$file")
		done
		;;
	esac
}

# add_tests SET: adds the tests that the set runs on this machine to the array "tests". Each entry
# is "SUITE/NAME SECONDS FILE PATTERN...".
add_tests()
{
	local of=("$1") suite files file name results limit

	[[ $1 != @(all|smoke|soak) ]] || of=("${suites[@]}")
	for suite in "${of[@]}"; do
		files_of "$suite"
		for file in "${files[@]}"; do
			name=${file##*/}
			[ "$name" != run ] || name=$suite
			choose "$1" "$file" && tests+=("$suite/${name%.py} $limit $file$results")
		done
	done
}

# count KIND [TIMES]: adds TIMES or 1 to the counter passed, failed or skipped
count()
{
	local kind=$1

	[ "$kind" != skipped ] || [ "${FL_EXPECT_ALL:-}" != 1 ] || kind=failed
	printf -v "$kind" %d $((${!kind} + ${2:-1}))
}

# tally STATUS GOOD BAD SKIPS PLAN: adds a program's results to the counters. Sets "problem" to the
# error of the program itself, or to nothing.
tally()
{
	local status=$1 good=$2 bad=$3 skips=$4 results=$(($2 + $3 + $4)) plan=$5

	problem=''
	count passed "$good"
	count failed "$bad"
	count skipped "$skips"
	if [ "$status" = 124 ]; then
		count failed
		problem="ran out of time"
	elif [ "$status" = 137 ]; then
		count failed
		problem="was killed: out of memory, or out of time"
	elif [ "$results" = 0 ]; then
		case $status in
		0) count passed ;;
		4) count skipped; [ "${FL_EXPECT_ALL:-}" != 1 ] || problem="skipped although FL_EXPECT_ALL=1" ;;
		*) count failed; problem="status $status" ;;
		esac
	elif [ -n "$plan" ] && [ "$plan" != "$results" ]; then
		count failed
		problem="$results of $plan planned results, status $status"
	elif [ "$bad" = 0 ] && [ "$status" != 0 ] && [ "$status" != 4 ]; then
		count failed
		problem="status $status, but no result has failed"
	fi
}

# show_log: prints the log. Sets "good", "bad" and "skips" to the numbers of passed, failed and
# skipped results, and "plan" to the number of planned results. The function starts no process,
# because an emulated machine needs a long time to start a process.
show_log()
{
	local line

	good=0 bad=0 skips=0 plan=''
	while IFS= read -r line || [ -n "$line" ]; do
		printf '    %s\n' "$line"
		case $line in
		'not ok '*) bad=$((bad + 1)) ;;
		'ok '*'# SKIP'*) skips=$((skips + 1)) ;;
		'ok '*) good=$((good + 1)) ;;
		1..[0-9]*) [ -n "$plan" ] || { plan=${line#1..}; plan=${plan%%[!0-9]*}; } ;;
		esac
	done < "$log"
}

# ended SECONDS COMMAND...: runs the command in its own network namespace, with its output in the
# log. Sets "status" to the command's exit status.
ended()
{
	local limit=$1 IFS=$'\t'

	shift
	: > "$log"
	if [[ $1 = *.py ]]; then
		echo "$limit	$log	$*" >&"${starter[1]}"
		read -r status <&"${starter[0]}" || status="none: the starter has died"
	else
		status=0
		timeout -k 5 "$limit" unshare -n -- "$@" > "$log" 2>&1 < /dev/null || status=$?
	fi
}

# run_one NAME SECONDS COMMAND...: runs a test, and prints its log and its result
run_one()
{
	local name=$1 limit=$2 status before=$failed start problem good bad skips plan

	shift 2
	number=$((number + 1))
	start=${EPOCHREALTIME//[!0-9]/}
	ended "$limit" "$@"
	show_log
	tally "$status" "$good" "$bad" "$skips" "$plan"
	[ -z "$problem" ] || echo "# $name: $problem"
	[ "$failed" = "$before" ] || printf 'not '
	echo "ok $number - $name # $(((${EPOCHREALTIME//[!0-9]/} - start) / 1000)) ms"
}

# parse ARGUMENT...: parses the options, and sets "list", "part", "parts", "wanted" and "tests"
parse()
{
	list='' part=1 parts=1 wanted=() tests=()
	while getopts lp:t:h option; do
		case $option in
		l) list=1 ;;
		p) parse_part "$OPTARG" ;;
		t) wanted+=("$OPTARG") ;;
		h) usage; exit 0 ;;
		*) usage >&2; exit 2 ;;
		esac
	done
	shift $((OPTIND - 1))
	[ $# -gt 0 ] || set -- all
	read_notes
	for suite in "$@"; do
		[[ " ${suites[*]} all smoke soak " == *" $suite "* ]] ||
			die "suite '$suite': expected ${suites[*]}, all, smoke or soak"
		[ "$suite" != soak ] || export FL_SOAK=1
		add_tests "$suite"
	done
}

# parse_part I/N
parse_part()
{
	if ! [[ $1 =~ ^([1-9])/([1-9])$ ]] || [ "${BASH_REMATCH[1]}" -gt "${BASH_REMATCH[2]}" ]; then
		die "-p '$1': expected a part and the number of parts, such as 1/2"
	fi
	part=${BASH_REMATCH[1]} parts=${BASH_REMATCH[2]}
}

# Selects every n-th test, so that each part has tests of every suite
select_part()
{
	local i kept=()

	for ((i = part - 1; i < ${#tests[@]}; i += parts)); do
		kept+=("${tests[i]}")
	done
	tests=("${kept[@]}")
}

# Selects the tests that the option -t names, with the results that the option names
select_tests()
{
	local words patterns name limit file all kept=()

	[ ${#wanted[@]} -gt 0 ] || return 0
	for words in "${wanted[@]}"; do
		read -r words patterns <<< "$words"
		while read -r name limit file all; do
			[[ $name == "$words" || $name == */"$words" ]] || continue
			kept+=("$name $limit $file ${patterns:-$all}")
			continue 2
		done < <(printf '%s\n' "${tests[@]}")
		die "test '$words': no such test; run.sh -l lists them"
	done
	tests=("${kept[@]}")
}

# show_list: prints each test, and patterns of its results if only some results run
show_list()
{
	local test name patterns

	for test in "${tests[@]}"; do
		read -r name _ _ patterns <<< "$test"
		echo "$name${patterns:+ $patterns}"
	done
}

main()
{
	local test words

	parse "$@"
	select_tests
	select_part
	if [ -n "$list" ]; then
		show_list
		return
	fi
	unshare -n true 2> /dev/null || skip "the tests need root: each makes network namespaces"
	log=$(mktemp)
	trap 'rm -f "$log"' EXIT
	coproc starter { exec "$here/starter.py"; }
	echo "TAP version 13"
	echo "1..${#tests[@]}"
	for test in "${tests[@]}"; do
		read -ra words <<< "$test"
		run_one "${words[@]}"
	done
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ] || exit 1
	[ "$passed" -gt 0 ] || skip "all tests were skipped"
}

main "$@"
