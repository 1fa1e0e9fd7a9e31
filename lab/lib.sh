# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Shared by the scripts of the machines: sourced, never run.
# shellcheck disable=SC2034 # used by those who source it

set -euo pipefail

# Ctrl-C ends a script even where a child makes an ordinary failure of it
trap 'exit 130' INT

FL_TREE=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# a service has no HOME: then the shell asks for the user's home directory
FL_CACHE=${FL_CACHE:-${XDG_CACHE_HOME:-${HOME:-~}/.cache}/freshlink}
FL_SERIES="6.1 6.12 7.2"
FL_KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

say()
{
	printf 'freshlink: %s\n' "$*" >&2
}

die()
{
	say "$*"
	exit 1
}

# debian_release: "ID CODENAME" of this machine, "debian bookworm" for one
debian_release()
{
	# shellcheck disable=SC1091
	(. /etc/os-release && echo "$ID ${VERSION_CODENAME:-}")
}

# need_value OPTION VALUE: an option that takes a value got one
need_value()
{
	[ -n "${2:-}" ] || die "$1: expected a value after it"
}

# need_number OPTION VALUE: VALUE is a whole number above 0
need_number()
{
	[[ "${2:-}" =~ ^[1-9][0-9]*$ ]] ||
		die "$1 '${2:-}': expected a whole number above 0"
}

# need_series SERIES: one of the supported kernels
need_series()
{
	[[ " $FL_SERIES " == *" ${1:-} "* ]] ||
		die "kernel '${1:-}': expected one of $FL_SERIES"
}

# need_space DIR MEGABYTES: DIR (created if missing) has room
need_space()
{
	local free

	mkdir -p "$1"
	free=$(df --output=avail -BM "$1" | tail -n 1 | tr -dc 0-9)
	[ "$free" -ge "$2" ] ||
		die "$1: $free MB free, $2 MB needed"
}

# need_commands COMMAND...: says what to do about a missing one
need_commands()
{
	local cmd

	for cmd; do
		command -v "$cmd" > /dev/null ||
			die "$cmd is missing: run lab/setup"
	done
}

# locked NAME COMMAND...: one caller at a time, whatever tree it runs in.
# The command must not inherit the lock into something that outlives it.
locked()
{
	local fd status=0

	mkdir -p "$FL_CACHE/lock"
	exec {fd}> "$FL_CACHE/lock/$1"
	flock "$fd"
	shift
	"$@" || status=$?
	exec {fd}>&-
	return "$status"
}

# quietly LOG COMMAND...: output to LOG; on failure its end is shown.
# The command must chain its steps with &&: errexit is off inside it.
quietly()
{
	local log=$1

	shift
	("$@") > "$log" 2>&1 && return
	tail -n 40 "$log" >&2
	return 1
}

# Exit status of a build that lacked its packages
FL_NOT_FETCHED=9

# cached_instead STATUS DIR...: after a build that ended with STATUS, the newest
# of the finished directories if all it lacked was the network
cached_instead()
{
	local status=$1 newest

	shift
	newest=$(finished "$@" | head -n 1)
	[ "$status" = "$FL_NOT_FETCHED" ] || exit "$status"
	[ -n "$newest" ] || die "the packages cannot be fetched and none is cached: is there a network?"
	say "the packages cannot be fetched: going on with $(basename "$newest")"
	echo "$newest"
}

# keep_newest DIR...: removes all but the two used last
keep_newest()
{
	finished "$@" | tail -n +3 | xargs -r rm -rf
}

# finished DIR...: the whole ones among them, the one used last first
finished()
{
	find "$@" -maxdepth 0 -type d ! -name '*.tmp' -printf '%T@ %p\n' 2> /dev/null |
		sort -rn | cut -d' ' -f2-
}
