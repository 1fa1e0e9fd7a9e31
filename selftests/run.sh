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
suites=(codec lpd xlo cell tcp tdc cli)
installed=''
# codec and cli test what the project's tree builds: an installed copy is without them
[ -e "$here/../kmod/Kbuild" ] || { suites=(lpd xlo cell tcp tdc) installed=1; }
passed=0 failed=0 skipped=0 number=0
# of the program that runs
log=''

usage()
{
	cat <<-EOF
	Usage: run.sh [-l] [-p I/N] [-t TEST] SUITE...
	  -l        list the tests instead of running them
	  -p I/N    run only the I-th of N parts of them, which are about as long
	  -t TEST   run only this one (a name from the list, may be given again)
	SUITE: ${suites[*]}, all, smoke (a short list of each) or soak
	       (the long forms: hours)
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

# Stock kernels have no KUnit and our builds no BPF and no memory cgroups, only the debug builds
# have fault injection, and only simulated time passes as a link's would
missing_by_design()
{
	case $1 in
	lpd_kunit.py | xlo_kunit.py | cell_kunit.py | iftpv_kunit.py | rto_kunit.py) [[ ${FL_MACHINE:-host} =~ ^(vm|host)$ ]] ;;
	cell_xdp.py | cell_memory.py | lpd_memory.py | rto_memory.py | xlo_memory.py) [[ ${FL_MACHINE:-host} =~ ^(lab|lab-debug|smp-debug)$ ]] ;;
	lpd_nomem.py | xlo_nomem.py | cell_nomem.py | rto_nomem.py) [[ ${FL_MACHINE:-host} != *-debug ]] ;;
	lpd_late.py | cell_down.py | cell_leap.py | cell_outage.py | cell_service.py | cell_states.py | cell_trace.py) [[ ${FL_MACHINE:-host} != lab* ]] ;;
	# lab/run --append ipv6.disable=1 is without
	rto_no_ipv6.py) [ -e /proc/sys/net/ipv6 ] ;;
	# what comes faster than it is read, comes for ever where time stands still meanwhile
	log_flood.py) [[ ${FL_MACHINE:-host} =~ ^lab ]] ;;
	# a peer that computes is late in real time
	baseline.py | peer_reno.py | repeats.py | iftpv_base.py | iftpv_ecn.py | iftpv_entry.py | iftpv_gaps.py | iftpv_growth.py | iftpv_handover.py | \
		iftpv_info.py | iftpv_overruled.py | iftpv_parameters.py | iftpv_rates.py | iftpv_recovery.py | \
		iftpv_switch.py | iftpv_timeout.py | iftpv_tolerance.py | iftpv_trace.py | iftpv_undo.py | iftpv_verdict.py | \
		rto_attack.py | rto_cases.py | rto_coexist.py | rto_events.py | rto_hostile.py | rto_ipv6.py | rto_limits.py | \
		rto_monitor.py | rto_refusals.py | rto_room.py | rto_token.py | rto_trace.py | timer_2003.py) [[ ${FL_MACHINE:-host} != lab* ]] ;;
	*) false ;;
	esac
}

# Of all suites' tests a machine is spared what another one tells as well; a suite that is
# called by its name runs whole. "lab" runs all, a kernel of each series: byte by byte the same
# happens elsewhere, more slowly.
#
# In words, help and traces of the command no kernel has a part, nor in what the modules refuse, or
# tshark and scapy say of a packet: one lab kernel is enough.
user_space='cli/(bad_input|drift|foreign_text|syzkaller|trace)'
once="codec/codec|$user_space|cli/(emulate_restore|library|rto_commands|rto_monitor|trace_.*|traffic_schedule|xlo_commands)|tdc/(config|refused)"
once+='|lpd/lpd_(late|truncate_hosts)|xlo/xlo_library|cell/cell_spec|tcp/rto_spec'
# of traffic_nrt what a kernel has a part in: the laws that it draws by are arithmetic, and 7.2 is the
# fastest lab kernel
nrt_once=(-e 's/traffic_nrt\.py$/& everything_* reading_begins_* full_* unreachable signals_* connection_*/')
# of cell_errors what does not count thousands
errors_once=(sed -e 's/cell_errors\.py$/& a* delivered_* checksums_* *tolerant* super_* drops_*/')
not_here()
{
	case ${FL_MACHINE:-host}-${FL_KERNEL:-} in
	lab-debug-*) checked ;;
	# its packets are for the checkers' kernel
	lab-6.1) other_series | sed "${nrt_once[@]}" ;;
	lab-7.2) other_series ;;
	lab-6.12) sed "${nrt_once[@]}" ;;
	vm-6.12) stock ;;
	vm-*) stock | real_time ;;
	smp-debug-*) races ;;
	*) cat ;;
	esac
}

# Of a series beside 6.12: very many packets, the channel's distributions and most of what IFTPV
# makes of round-trip times are arithmetic
other_series()
{
	grep -vE "^($once|xlo/xlo_(hostile|repeats)|lpd/lpd_deadline|tcp/iftpv_rates) " |
		"${errors_once[@]}" -e 's/iftpv_growth\.py$/& unused pause/' -e 's/iftpv_gaps\.py$/& super_packets/' \
			-e 's/iftpv_tolerance\.py$/& floor start gaps mark/' \
			-e 's/lpd_overflow\.py$/& *tail:* *head:* *stalest:* *one_*/'
}

# What allocates, locks and reads memory, once each. Very many packets, long transfers,
# distributions and the sizes of windows are for the fast kernel; and KASAN keeps what was freed
# for a while, so memory seems to grow under an attack. Changes under traffic need two CPUs: races.
checked()
{
	local others="$once|lpd/lpd_(attack|deadline|million)|cli/(emulate.*|library|q_lpd|traffic.*)"

	others+='|tdc/traffic|tcp/(baseline|peer_reno|repeats|rto_attack|iftpv_(base|gaps|growth|handover|info|parameters|rates|recovery|tolerance))'
	grep -vE "^($others) " | "${errors_once[@]}" |
		sed -Ee 's/lpd_adu\.py$/& [!f]*/' \
			-e 's/lpd_overflow\.py$/& *tail:fifo *head:edf *stalest:edf *one_*/' \
			-e 's/lpd_truncate\.py$/& *paged [!i]*/' \
			-e 's/cell_(link|upload)\.py$/& *[!c]/' \
			-e 's/xlo_monitor\.py$/& [!l]*/' \
			-e 's/xlo_ingress\.py$/& [!f]*/' \
			-e 's/xlo_repeats\.py$/& ipv6:fast_open/' \
			-e 's/xlo_tcp\.py$/& *:syncookies [!i]*/'
}

# What Debian's own configuration, a processor's own time and tools beside ours have a part
# in. Of the bytes that are written, cut and refused smoke has some of each kind; that no packet
# leaves late simulated time tells, where no halted machine can look like it.
stock()
{
	local told="$once|cli/(emulate|emulate_cellink|emulate_restore|library|link_cellink|q_lpd|traffic_schedule|xlo_monitor)"

	told+='|lpd/lpd_(adu|attack|batches|deadline|expiry|feedback|forward|limits|link|million|notify|options|order)'
	told+='|lpd/lpd_(overflow|rewrite|ring|statistics|strip|super|trees|truncate)'
	told+='|xlo/xlo_(config|datagram|forward.*|hostile|ingress|programs|refusals|spec|stamp)'
	told+='|cell/cell_(config|errors|spec)'
	told+='|tdc/(attributes|traffic)'
	grep -vE "^($told) " |
		sed -e 's/traffic_nrt\.py$/& everything_* signals_*/' -e 's/rto_churn\.py$/& *unloaded/' \
			-e 's/traffic_tcp_sink\.py$/& [!e]*/' \
			-e 's/lpd_modules\.py$/& load_* namespace_*/' \
			-e 's/lpd_nat\.py$/& *:ipv4/' \
			-e 's/lpd_parents\.py$/& *:timer_* *:link_*/' \
			-e 's/lpd_mq\.py$/& *:timer_* *:root_*/' \
			-e 's/lpd_spike\.py$/& backlog_* many_* packets_* t* removed_while_the*/' \
			-e 's/cell_backpressure\.py$/& default_* drains_* lpd_*/' \
			-e 's/cell_link\.py$/& mtu moves_* namespace_* changed_*/' \
			-e 's/cell_network\.py$/& address_* neighbour_* tcp/' \
			-e 's/cell_traffic\.py$/& reload/' \
			-e 's/cell_upload\.py$/& told_* uploads_* privilege unloaded_* changed_*/' \
			-e 's/cli.traffic\.py$/& option_* via_* source_* signals_*/' \
			-e 's/xlo_coexist\.py$/& conntrack_* rule_* vlan tunnels tcp_*/' \
			-e 's/xlo_repeats\.py$/& ipv4:data/'
}

# On Debian's other two kernels what depends on when something happens, and whom they charge memory to
real_time()
{
	grep -E '^(lpd/lpd_(change|memory|modules|parents|spike)|xlo/xlo_(memory|tcp)|cell/cell_(link|memory|traffic|upload|xdp)|tcp/rto_memory) ' |
		sed -e 's/xlo_tcp\.py$/& rto_* *:server_sends*/'
}

# What two CPUs do to each other, below parents of which each locks, peeks or counts in its own way
races()
{
	local both='lpd/lpd_(change|modules|mq|parents|ring|spike|trees)' parents kind

	for kind in root tbf htb hfsc qfq prio; do
		parents+=" $kind:timer_* $kind:replace_* $kind:delete_*"
	done

	both+='|xlo/xlo_(churn|tcp)'
	both+='|cell/cell_(backpressure|link|traffic|upload)|tcp/rto_churn'
	grep -E "^($both) " |
		sed -e "s/lpd_parents\.py$/&$parents/" \
			-e 's/lpd_change\.py$/& *_traffic/' \
			-e 's/lpd_modules\.py$/& *_under_traffic in_use_* namespace_*/' \
			-e 's/cell_upload\.py$/& *_under_traffic uploads_* device_* unloaded_* deleted_*/' \
			-e 's/lpd_mq\.py$/& mq:leaf_* mq:queue_* mq:link_* *:timer_* mq:root_*/' \
			-e 's/lpd_spike\.py$/& backlog_* many_* timer_* removed_*/' \
			-e 's/xlo_tcp\.py$/& rto_* *:server_sends*/'
}

# tests_of SUITE: "SUITE/NAME SECONDS COMMAND..." of each test, a line each
tests_of()
{
	local file name

	case $1 in
	codec) echo "codec/codec 120 $here/codec/run" ;;
	lpd | xlo | cell)
		for file in "$here/net/$1"_*.py; do
			name=${file##*/}
			missing_by_design "$name" || echo "$1/${name%.py} 400 $file"
		done
		;;
	tcp)
		for file in "$here"/tcp/*.py; do
			name=${file##*/}
			missing_by_design "$name" || echo "tcp/${name%.py} 400 $file"
		done
		;;
	tdc)
		for file in "$here"/tdc/*.json; do
			name=${file##*/}
			echo "tdc/${name%.json} 200 $here/tdc/run.py $file"
		done
		echo "tdc/attributes 200 $here/tdc/attributes.py"
		echo "tdc/netlink 100 $here/tdc/netlink.py"
		echo "tdc/privilege 100 $here/tdc/privilege.py"
		;;
	cli)
		for file in "$here"/cli/*; do
			if [ ! -x "$file" ] || [ ! -f "$file" ]; then
				continue
			fi
			name=${file##*/}
			missing_by_design "$name" || echo "cli/${name%.*} 400 $file"
		done
		;;
	smoke) smoke_tests ;;
	soak) soak_tests ;;
	all)
		for file in "${suites[@]}"; do
			tests_of "$file"
		done | not_here
		;;
	*) die "suite '$1': expected ${suites[*]}, all, smoke or soak" ;;
	esac
}

# The long forms of what the other suites do in short (lib/soak.py): many packets where time is
# simulated, hostile ones where memory is watched, many changes where two CPUs make them
soak_tests()
{
	local net=$here/net

	case ${FL_MACHINE:-host} in
	smp-debug)
		cat <<-EOF
		lpd/lpd_modules 14400 $net/lpd_modules.py
		lpd/lpd_change 7200 $net/lpd_change.py under_traffic
		lpd/lpd_ring 7200 $net/lpd_ring.py
		lpd/lpd_trees 14400 $net/lpd_trees.py
		cell/cell_link 7200 $net/cell_link.py
		cell/cell_traffic 14400 $net/cell_traffic.py
		cell/cell_upload 7200 $net/cell_upload.py unloaded_* deleted_*
		xlo/xlo_churn 14400 $net/xlo_churn.py
		tcp/rto_churn 7200 $here/tcp/rto_churn.py
		EOF
		;;
	lab-debug)
		cat <<-EOF
		xlo/xlo_hostile 36000 $net/xlo_hostile.py
		lpd/lpd_trees 36000 $net/lpd_trees.py
		tcp/iftpv_load 3600 $here/tcp/iftpv_load.py load_and_unload_*
		tcp/rto_hostile 36000 $here/tcp/rto_hostile.py
		tdc/attributes 36000 $here/tdc/attributes.py
		EOF
		;;
	*)
		cat <<-EOF
		lpd/lpd_late 14400 $net/lpd_late.py
		lpd/lpd_million 3600 $net/lpd_million.py
		tcp/rto_attack 3600 $here/tcp/rto_attack.py
		lpd/lpd_attack 7200 $net/lpd_attack.py
		xlo/xlo_ingress 3600 $net/xlo_ingress.py flood_of_malformed_packets
		EOF
		;;
	esac
}

# What half a minute on a slow machine can tell
smoke_tests()
{
	local net=$here/net

	# the same on every kernel, and slow where it is emulated
	[[ -n $installed || ${FL_MACHINE:-host} = vm ]] || tests_of codec
	cat <<-EOF
	lpd/lpd_options 60 $net/lpd_options.py absent behind_*
	lpd/lpd_rewrite 60 $net/lpd_rewrite.py value_and_every_other_bit floor_is_zero
	lpd/lpd_moments 60 $net/lpd_moments.py enqueue purge timer
	lpd/lpd_limits 60 $net/lpd_limits.py limit_drops_the_newest stale_make_room memory_drops_the_newest
	lpd/lpd_change 60 $net/lpd_change.py refused_change_leaves_everything limit_shrinks_under_packets
	lpd/lpd_parents 100 $net/lpd_parents.py hfsc:all_stale qfq:all_stale drr:all_stale htb:link_down_and_up
	lpd/lpd_forward 60 $net/lpd_forward.py routed_packets_arrive_right
	lpd/lpd_strip 60 $net/lpd_strip.py relative_lifetime frames_with_tags
	lpd/lpd_truncate 60 $net/lpd_truncate.py ipv4_udp:linear ipv6_tcp:paged qfq:parent_finds_them tbf:timer_cuts
	lpd/lpd_adu 60 $net/lpd_adu.py those_to_come those_in_the_queue
	lpd/lpd_notify 60 $net/lpd_notify.py switched frames_with_tags
	cell/cell_backpressure 60 $net/cell_backpressure.py default_holds_two drains_* lpd_*
	cell/cell_link 60 $net/cell_link.py carrier_* deleted_*
	cell/cell_upload 60 $net/cell_upload.py told_* bad_*
	xlo/xlo_config 60 $net/xlo_config.py profile_round_trip every_change_is_told
	xlo/xlo_refusals 60 $net/xlo_refusals.py bad_profiles bad_caps bad_settings
	xlo/xlo_stamp 60 $net/xlo_stamp.py profile_is_written only_the_profiles_packets
	xlo/xlo_ingress 60 $net/xlo_ingress.py each_kind_is_counted_once relative_is_capped
	xlo/xlo_forward 60 $net/xlo_forward.py other_options_stay room_up_to_the_mtu
	tcp/iftpv_load 60 $here/tcp/iftpv_load.py loaded_* in_use_*
	tdc/traffic 60 $here/tdc/run.py $here/tdc/traffic.json a05f a060 a06b a0b0
	EOF
	[ -n "$installed" ] || echo "cli/q_lpd 60 $here/cli/q_lpd.py help options_are_printed_* counters histogram"
}

# count KIND [TIMES]
count()
{
	local kind=$1

	[ "$kind" != skipped ] || [ "${FL_EXPECT_ALL:-}" != 1 ] || kind=failed
	printf -v "$kind" %d $((${!kind} + ${2:-1}))
}

# tally STATUS GOOD BAD SKIPS PLAN: adds a program's results to the counts; problem says what
# is wrong
tally()
{
	local status=$1 good=$2 bad=$3 skips=$4 results=$(($2 + $3 + $4)) plan=$5

	problem=''
	count passed "$good"
	count failed "$bad"
	count skipped "$skips"
	if [ "$status" = 124 ] || [ "$status" = 137 ]; then
		count failed
		problem="ran out of time"
	elif [ "$results" = 0 ]; then
		case $status in
		0) count passed ;;
		4) count skipped; [ "${FL_EXPECT_ALL:-}" != 1 ] || problem="skipped, and nothing may be" ;;
		*) count failed; problem="status $status" ;;
		esac
	elif [ -n "$plan" ] && [ "$plan" != "$results" ]; then
		count failed
		problem="$results results of $plan planned, status $status"
	elif [ "$bad" = 0 ] && [ "$status" != 0 ] && [ "$status" != 4 ]; then
		count failed
		problem="status $status though no result is bad"
	fi
}

# show_log: prints it; sets good, bad and skips to the numbers of its results, and plan. Without
# a process more: to start one takes long in an emulated machine.
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

# ended SECONDS COMMAND...: runs it in a network namespace of its own, what it prints goes to the
# log; sets status
ended()
{
	local limit=$1 IFS=$'\t'

	shift
	: > "$log"
	if [[ $1 = *.py ]]; then
		echo "$limit	$log	$*" >&"${starter[1]}"
		read -r status <&"${starter[0]}" || status="none, and the starter is gone"
	else
		status=0
		timeout -k 5 "$limit" unshare -n -- "$@" > "$log" 2>&1 < /dev/null || status=$?
	fi
}

# run_one NAME SECONDS COMMAND...
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

# parse ARGUMENT...: sets list, part, parts, wanted and tests
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
	for suite in "$@"; do
		[[ " ${suites[*]} all smoke soak " == *" $suite "* ]] ||
			die "suite '$suite': expected ${suites[*]}, all, smoke or soak"
		[ "$suite" != soak ] || export FL_SOAK=1
		mapfile -t -O "${#tests[@]}" tests < <(tests_of "$suite")
	done
}

# parse_part I/N
parse_part()
{
	if ! [[ $1 =~ ^([1-9])/([1-9])$ ]] || [ "${BASH_REMATCH[1]}" -gt "${BASH_REMATCH[2]}" ]; then
		die "-p '$1': expected a part and how many there are, such as 1/2"
	fi
	part=${BASH_REMATCH[1]} parts=${BASH_REMATCH[2]}
}

# Leaves in tests every so-many-th: those of a suite are dealt out
select_part()
{
	local i kept=()

	for ((i = part - 1; i < ${#tests[@]}; i += parts)); do
		kept+=("${tests[i]}")
	done
	tests=("${kept[@]}")
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
	select_part
	if [ -n "$list" ]; then
		printf '%s\n' "${tests[@]%% *}"
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
	[ "$passed" -gt 0 ] || skip "no test could be done here"
}

main "$@"
