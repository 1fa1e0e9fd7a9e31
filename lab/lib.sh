# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Functions for the lab's scripts. The scripts source this file and never run it.
# shellcheck disable=SC2034 # the scripts that source this file use them

set -euo pipefail

# Ctrl-C ends a script even if a child process handles the signal and only fails
trap 'exit 130' INT

FL_TREE=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# a systemd unit has no HOME; in this case bash expands ~ to the user's home directory
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

# debian_release: prints "ID CODENAME" of this machine, for example "debian bookworm"
debian_release()
{
	# shellcheck disable=SC1091
	(. /etc/os-release && echo "$ID ${VERSION_CODENAME:-}")
}

# debian_other: prints the codename of Debian's other release: 13 (trixie) on Debian 12, and 12
# (bookworm) on Debian 13
debian_other()
{
	local release

	release=$(debian_release)
	case $release in
	"debian bookworm") echo trixie ;;
	"debian trixie") echo bookworm ;;
	*) die "this is $release: expected Debian 12 (bookworm) or 13 (trixie)" ;;
	esac
}

# triplet_of ARCH: prints the prefix of the cross compiler for another architecture
triplet_of()
{
	case $1 in
	arm64) echo aarch64-linux-gnu ;;
	s390x) echo s390x-linux-gnu ;;
	*) die "no cross compiler for '$1'" ;;
	esac
}

# need_value OPTION VALUE: dies if an option has no value
need_value()
{
	[ -n "${2:-}" ] || die "$1: expected a value after it"
}

# need_number OPTION VALUE: dies if VALUE is not a whole number above 0
need_number()
{
	[[ "${2:-}" =~ ^[1-9][0-9]*$ ]] ||
		die "$1 '${2:-}': expected a whole number above 0"
}

# need_series SERIES: dies if SERIES is not the series of a supported kernel
need_series()
{
	[[ " $FL_SERIES " == *" ${1:-} "* ]] ||
		die "kernel '${1:-}': expected one of $FL_SERIES"
}

# need_space DIR MEGABYTES: creates DIR if it is missing. Dies if DIR has too little free space.
need_space()
{
	local free

	mkdir -p "$1"
	free=$(df --output=avail -BM "$1" | tail -n 1 | tr -dc 0-9)
	[ "$free" -ge "$2" ] ||
		die "$1: $free MB free, $2 MB needed"
}

# need_commands COMMAND...: dies if a command is missing, and says how to install it
need_commands()
{
	local cmd

	for cmd; do
		command -v "$cmd" > /dev/null ||
			die "$cmd is missing: run lab/setup"
	done
}

# locked NAME COMMAND...: runs COMMAND under a lock that all checkouts share. COMMAND must not leave
# a child process behind, because the child process would keep the lock.
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

# quietly LOG COMMAND...: writes COMMAND's output to LOG, and shows the end of LOG on failure.
# COMMAND must chain its steps with &&, because errexit is off inside it.
quietly()
{
	local log=$1

	shift
	("$@") > "$log" 2>&1 && return
	tail -n 40 "$log" >&2
	return 1
}

# The exit status of a build if its packages could not be fetched
FL_NOT_FETCHED=9

# cached_instead STATUS DIR...: called after a build has failed with STATUS. If STATUS means that
# the packages were not fetched, prints the complete directory that was used last. For another
# STATUS, exits with STATUS.
cached_instead()
{
	local status=$1 newest

	shift
	newest=$(finished "$@" | head -n 1)
	[ "$status" = "$FL_NOT_FETCHED" ] || exit "$status"
	[ -n "$newest" ] || die "the packages cannot be fetched, and the cache has none: is there a network?"
	say "the packages cannot be fetched: using $(basename "$newest") from the cache"
	echo "$newest"
}

# keep_newest DIR...: removes all of these directories except the two that were used last
keep_newest()
{
	finished "$@" | tail -n +3 | xargs -r rm -rf
}

# finished DIR...: prints the complete directories, beginning with the directory that was used last
finished()
{
	find "$@" -maxdepth 0 -type d ! -name '*.tmp' -printf '%T@ %p\n' 2> /dev/null |
		sort -rn | cut -d' ' -f2-
}
