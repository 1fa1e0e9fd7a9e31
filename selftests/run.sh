#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs the tests: each program in a network namespace of its own, with a time
# limit; TAP, then a line "N passed, N failed, N skipped" and a status to match.
#
# A result is what a program's TAP names, or the program itself where it names
# none. A program that dies, runs out of time or skips part of its plan is one
# failure more. Where FL_EXPECT_ALL=1 says that nothing is missing on this
# machine, a skipped result is a failed one. Status 4 says that nothing was tested.

here=$(dirname "$(readlink -f "$0")")
suites=(codec lpd xlo tdc cli)
installed=''
# codec and cli test what the project's tree builds: an installed copy is without them
[ -e "$here/../kmod/Kbuild" ] || { suites=(lpd xlo tdc) installed=1; }
passed=0 failed=0 skipped=0 number=0

usage()
{
	cat <<-EOF
	Usage: run.sh [-l] [-t TEST] SUITE...
	  -l        list the tests instead of running them
	  -t TEST   run only this one (a name from the list, may be given again)
	SUITE: ${suites[*]}, all or smoke (a short list of each)
	EOF
}

die()
{
	echo "run.sh: $*" >&2
	exit 2
}

# skip REASON: ends the run as kselftest has it where nothing was tested
skip()
{
	echo "run.sh: $*" >&2
	exit 4
}

# Stock kernels have no KUnit, and only the debug builds have fault injection
missing_by_design()
{
	case $1 in
	lpd_kunit.py | xlo_kunit.py) [[ ${FL_MACHINE:-host} =~ ^(vm|host)$ ]] ;;
	lpd_nomem.py) [[ ${FL_MACHINE:-host} != *-debug ]] ;;
	*) false ;;
	esac
}

# Of the rules for parents those in which a timer or a tree's end takes part, of the shapes of
# packets one
fewer_rules()
{
	sed -e 's/lpd_parents\.py$/& *:all_* *:timer_* *:replace_* *:delete_* *:tree_* *:link_*/' \
		-e 's/lpd_truncate\.py$/& *:linear *:timer_* qfq:* fragments:ipv4_udp*/' \
		-e 's/lpd_strip\.py$/& relative_lifetime stale_* frames_* drr:* qfq:*/' \
		-e 's/lpd_overflow\.py$/& random_mix:* hfsc:* qfq:*/' \
		-e 's/lpd_order\.py$/& reorder_3 random_* stale_* cut_* hfsc:* qfq:*/'
}

# Of all suites' tests, those in which no kernel has a part are left to the fast machines.
# The machines in real time are slow. Each series has a lab kernel too, which runs all: they
# are spared the longest of what happens byte by byte. The one with two CPUs is there for
# what these do to each other.
not_here()
{
	local alike='codec/codec|cli/bad_input|cli/drift'
	local bytes='cli/emulate|cli/emulate_restore|lpd/lpd_(million|truncate_hosts)'
	local races='lpd/lpd_(change|deadline|expiry|kunit|modules|moments|mq|nomem|parents|spike|truncate)'

	bytes+='|xlo/xlo_(forward_pieces|forward_tcp|ingress|library)'
	races+='|xlo/xlo_(churn|config|datagram|kunit|tcp)'
	case ${FL_MACHINE:-host} in
	lab-debug) grep -vE "^($alike) " ;;
	vm) grep -vE "^($alike|$bytes) " | fewer_rules ;;
	smp-debug) grep -E "^($races) " | fewer_rules ;;
	*) cat ;;
	esac
}

# tests_of SUITE: "SUITE/NAME SECONDS COMMAND..." of each test, a line each
tests_of()
{
	local file name

	case $1 in
	codec) echo "codec/codec 120 $here/codec/run" ;;
	lpd | xlo)
		for file in "$here/net/$1"_*.py; do
			name=$(basename "$file")
			missing_by_design "$name" || echo "$1/${name%.py} 400 $file"
		done
		;;
	tdc)
		for file in "$here"/tdc/*.json; do
			echo "tdc/$(basename "$file" .json) 200 $here/tdc/run.py $file"
		done
		echo "tdc/netlink 100 $here/tdc/netlink.py"
		echo "tdc/privilege 100 $here/tdc/privilege.py"
		;;
	cli)
		for file in "$here"/cli/*; do
			if [ ! -x "$file" ] || [ ! -f "$file" ]; then
				continue
			fi
			name=$(basename "$file")
			echo "cli/${name%.*} 400 $file"
		done
		;;
	smoke) smoke_tests ;;
	all)
		for file in "${suites[@]}"; do
			tests_of "$file"
		done | not_here
		;;
	*) die "suite '$1': expected ${suites[*]}, all or smoke" ;;
	esac
}

# What half a minute on a slow machine can tell
smoke_tests()
{
	local net=$here/net

	# the same on every kernel, and slow where it is emulated
	[[ -n $installed || ${FL_MACHINE:-host} = vm ]] || tests_of codec
	cat <<-EOF
	lpd/lpd_options 60 $net/lpd_options.py
	lpd/lpd_rewrite 60 $net/lpd_rewrite.py value_and_every_other_bit floor_is_zero
	lpd/lpd_moments 60 $net/lpd_moments.py enqueue purge timer
	lpd/lpd_limits 60 $net/lpd_limits.py limit_drops_the_newest stale_make_room memory_drops_the_newest
	lpd/lpd_change 60 $net/lpd_change.py refused_change_leaves_everything limit_shrinks_under_packets
	lpd/lpd_parents 100 $net/lpd_parents.py hfsc:all_stale qfq:all_stale drr:all_stale htb:link_down_and_up peeked_packet_expires_under_tbf
	lpd/lpd_forward 60 $net/lpd_forward.py routed_packets_arrive_right
	lpd/lpd_strip 60 $net/lpd_strip.py relative_lifetime stale_packets_are_cut_first frames_with_tags drr:backlog_at_every_step
	lpd/lpd_truncate 60 $net/lpd_truncate.py ipv4_udp:linear ipv6_tcp:paged qfq:parent_finds_them tbf:timer_cuts
	lpd/lpd_adu 60 $net/lpd_adu.py those_to_come those_in_the_queue
	lpd/lpd_feedback 60 $net/lpd_feedback.py expired_in_the_queue
	xlo/xlo_config 60 $net/xlo_config.py profile_round_trip every_change_is_told
	xlo/xlo_refusals 60 $net/xlo_refusals.py bad_profiles bad_caps bad_settings
	xlo/xlo_stamp 60 $net/xlo_stamp.py profile_is_written only_the_profiles_packets
	xlo/xlo_ingress 60 $net/xlo_ingress.py each_kind_is_counted_once relative_is_capped
	xlo/xlo_forward 60 $net/xlo_forward.py marked_by_nft other_options_stay room_up_to_the_mtu
	tdc/traffic 60 $here/tdc/run.py $here/tdc/traffic.json
	EOF
	[ -n "$installed" ] || echo "cli/q_lpd 60 $here/cli/q_lpd.py"
}

# count KIND [TIMES]
count()
{
	local kind=$1

	[ "$kind" != skipped ] || [ "${FL_EXPECT_ALL:-}" != 1 ] || kind=failed
	printf -v "$kind" %d $((${!kind} + ${2:-1}))
}

# tally LOG STATUS: adds a program's results to the counts; says what is wrong
tally()
{
	local log=$1 status=$2 bad skips good plan

	bad=$(grep -c '^not ok ' "$log")
	skips=$(grep -Ec '^ok .*# SKIP' "$log")
	good=$(($(grep -c '^ok ' "$log") - skips))
	plan=$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' "$log" | head -n 1)
	count passed "$good"
	count failed "$bad"
	count skipped "$skips"
	if [ "$status" = 124 ] || [ "$status" = 137 ]; then
		count failed
		echo "ran out of time"
	elif [ $((good + bad + skips)) = 0 ]; then
		case $status in
		0) count passed ;;
		4) count skipped; [ "${FL_EXPECT_ALL:-}" != 1 ] || echo "skipped, and nothing may be" ;;
		*) count failed; echo "status $status" ;;
		esac
	elif [ -n "$plan" ] && [ "$plan" != $((good + bad + skips)) ]; then
		count failed
		echo "$((good + bad + skips)) results of $plan planned, status $status"
	elif [ "$bad" = 0 ] && [ "$status" != 0 ] && [ "$status" != 4 ]; then
		count failed
		echo "status $status though no result is bad"
	fi
}

# run_one NAME SECONDS COMMAND...
run_one()
{
	local name=$1 limit=$2 status=0 before=$failed start problem log

	shift 2
	number=$((number + 1))
	log=$(mktemp)
	start=$(date +%s%N)
	timeout -k 5 "$limit" unshare -n -- "$@" > "$log" 2>&1 < /dev/null || status=$?
	tally "$log" "$status" > "$log.problem"
	problem=$(< "$log.problem")
	sed 's/^/    /' "$log"
	[ -z "$problem" ] || echo "# $name: $problem"
	[ "$failed" = "$before" ] || printf 'not '
	echo "ok $number - $name # $((($(date +%s%N) - start) / 1000000)) ms"
	rm -f "$log" "$log.problem"
}

# parse ARGUMENT...: sets list, wanted and tests
parse()
{
	list='' wanted=() tests=()
	while getopts lt:h option; do
		case $option in
		l) list=1 ;;
		t) wanted+=("$OPTARG") ;;
		h) usage; exit 0 ;;
		*) usage >&2; exit 2 ;;
		esac
	done
	shift $((OPTIND - 1))
	[ $# -gt 0 ] || set -- all
	for suite in "$@"; do
		[[ " ${suites[*]} all smoke " == *" $suite "* ]] ||
			die "suite '$suite': expected ${suites[*]}, all or smoke"
		mapfile -t -O "${#tests[@]}" tests < <(tests_of "$suite")
	done
}

# Leaves in tests those that -t names
select_tests()
{
	local test name kept=()

	[ ${#wanted[@]} -gt 0 ] || return 0
	for name in "${wanted[@]}"; do
		for test in "${tests[@]}"; do
			[[ ${test%% *} == "$name" || ${test%% *} == */"$name" ]] && kept+=("$test") && continue 2
		done
		die "test '$name': no such test; run.sh -l lists them"
	done
	tests=("${kept[@]}")
}

main()
{
	local test words

	parse "$@"
	select_tests
	if [ -n "$list" ]; then
		printf '%s\n' "${tests[@]%% *}"
		return
	fi
	unshare -n true 2> /dev/null || skip "the tests need root: each makes network namespaces"
	echo "TAP version 13"
	echo "1..${#tests[@]}"
	for test in "${tests[@]}"; do
		read -ra words <<< "$test"
		run_one "${words[@]}"
	done
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ] || exit 1
	[ "$passed" -gt 0 ] || skip "no test could be done here"
}

main "$@"
