# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Functions for the parts of lab/selftest that run in a guest. The functions print results that the
# host counts. A script sources this file and never runs it.

# check NAME COMMAND...: prints "ok NAME" if the command succeeds, otherwise "not ok NAME" and the
# command's output
check()
{
	local name=$1 log

	shift
	log=$(mktemp)
	if "$@" > "$log" 2>&1 < /dev/null; then
		echo "ok $name"
	else
		echo "not ok $name"
		sed 's/^/# /' "$log"
	fi
	rm "$log"
}

# fails COMMAND...
fails()
{
	! "$@"
}

# prints PATTERN COMMAND...: checks that the command succeeds and that a line of its output matches
prints()
{
	local pattern=$1 output

	shift
	output=$("$@" 2>&1) || { echo "$output"; return 1; }
	echo "$output"
	grep -qE -- "$pattern" <<< "$output"
}

# plugins tc|ip: prints the directory in which the program looks for its plugins
plugins()
{
	grep -aoE "/usr/lib[-a-z0-9_/]*/$1\>" "$(command -v "$1")" | head -n 1
}
