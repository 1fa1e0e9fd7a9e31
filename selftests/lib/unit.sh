# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs unit tests, which print TAP, and reports their results in one TAP. The programs are built if
# they are missing or old. Scripts source this file.

tests=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# the folder of the programs
build=${tests%/*}/build/selftests
number=0
failures=0

# report STATUS NAME: one result, good if STATUS is 0
report()
{
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		failures=$((failures + 1))
		echo "not ok $number - $2"
	fi
}

# take WHAT STATUS < TAP: reports the results of WHAT, which ended with STATUS, and whether the
# number of results is as planned
take()
{
	local line name seen=0 planned=none bad=0

	while IFS= read -r line; do
		case $line in
		"ok "* | "not ok "*)
			name=${line#*ok }
			name=${name#* }
			[ "${line%%ok *}" = "" ]
			report $? "$1: ${name#- }"
			seen=$((seen + 1))
			;;
		1..*) planned=${line#1..} ;;
		"#"*) echo "$line" ;;
		*) echo "# $line" ;;
		esac
	done
	[ "$seen" = "$planned" ] && [ "$seen" -gt 0 ] && [ "$2" = 0 ] || bad=1
	report $bad "$1: $seen of $planned planned results, status $2"
}

# run_unit NAME PROGRAM: runs a program such as codec/stamp_test, whose Makefile is in the folder
# that the program's path names
run_unit()
{
	local status=0 output folder=$tests/${2%/*} program=$build/$2

	output=$(make -s -C "$folder" "$program" 2>&1 && "$program" 2>&1) || status=$?
	take "$1" "$status" <<< "$output"
}

# finish: prints the plan. Fails if a result has failed.
finish()
{
	echo "1..$number"
	[ "$failures" = 0 ]
}
