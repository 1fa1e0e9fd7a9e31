# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Functions that lab/uml and lab/vm/machine (the runners) share. The functions handle options, the
# directory shared with the guest, the time limit, clean-up and the verdict. A runner sources
# lab/lib.sh before this file.

MACHINE_DIR=
MACHINE_PID=
MACHINE_HELPER=		# a process that ends with the machine

# The options that both runners have. The function machine_parse sets these variables.
series='' built='' limit=300 out='' verbose='' command=()
# The kernel's series if the option --kernel is missing. An option of the runner may change this
# default.
default_series=6.12

# machine_parse ARGUMENT...: parses the common options. Any other option is parsed by own_option,
# which the runner defines. The function own_option sets "used" to the number of words that it has
# parsed.
# shellcheck disable=SC2034 # the runners use these variables
machine_parse()
{
	local used

	while [ $# -gt 0 ]; do
		used=2
		case $1 in
		--kernel) need_series "${2:-}"; series=$2 ;;
		--built) need_value "$1" "${2:-}"; built=$2 ;;
		--limit) need_number "$1" "${2:-}"; limit=$2 ;;
		--out) need_value "$1" "${2:-}"; out=$2 ;;
		--verbose) verbose=1 used=1 ;;
		--help) usage; exit ;;
		--) shift; break ;;
		*) own_option "$@" || die "'$1': expected an option or --; see --help" ;;
		esac
		shift "$used"
	done
	[ $# -gt 0 ] || die "no command: expected one after --"
	series=${series:-$default_series}
	command=("$@")
}

# Kills the machine and removes its directory, however the script ends
machine_cleanup()
{
	# a second signal must not interrupt the clean-up
	trap '' INT TERM HUP
	# The shell must not report the killed jobs.
	exec 2> /dev/null
	[ -z "$MACHINE_HELPER" ] || kill "$MACHINE_HELPER" || true
	if [ -n "$MACHINE_PID" ]; then
		# Kill the process group if the command timeout has created it already.
		kill -KILL -- "-$MACHINE_PID" || kill -KILL "$MACHINE_PID" || true
		wait || true
	fi
	[ -z "$MACHINE_DIR" ] || rm -rf "$MACHINE_DIR"
}

# machine_ends STATUS: handles a signal. Another signal may end the trap EXIT before its first command,
# so the handler itself cleans up.
machine_ends()
{
	machine_cleanup
	exit "$1"
}

# Handles SIGTERM, for example from a caller with its own time limit: shows the kernel's last lines
machine_terminated()
{
	[ ! -e "$MACHINE_DIR/log" ] || tail -n 15 "$MACHINE_DIR/log" >&2
	machine_ends 143
}

# Removes the directories of runners that were killed by SIGKILL
machine_sweep()
{
	local dir pid

	for dir in "${TMPDIR:-/tmp}"/freshlink.*.??????; do
		pid=${dir#*/freshlink.}
		[ -e "/proc/${pid%.*}" ] || rm -rf "$dir" 2> /dev/null || true
	done
}

# machine_directory: creates the machine's directory. The guest sees "share" in it
machine_directory()
{
	machine_sweep
	need_space "${TMPDIR:-/tmp}" 100
	trap machine_cleanup EXIT
	trap 'machine_ends 130' INT
	trap machine_terminated TERM HUP
	# The variable is set before mkdir, so that the clean-up removes the directory even if a
	# signal arrives early.
	printf -v MACHINE_DIR '%s/freshlink.%d.%06d' "${TMPDIR:-/tmp}" $$ $((SRANDOM % 1000000))
	mkdir -m 700 "$MACHINE_DIR"
	mkdir "$MACHINE_DIR/share" "$MACHINE_DIR/share/out"
	: > "$MACHINE_DIR/stdout"
	: > "$MACHINE_DIR/stderr"
}

# machine_prepare NAME KERNEL_MODULES MODULES: creates the directory that the guest sees as
# /run/freshlink
machine_prepare()
{
	say "Linux $(basename "$2")"
	machine_directory
	cat > "$MACHINE_DIR/share/job" <<-EOF
	export FL_MACHINE=$1 FL_KERNEL=$series FL_EXPECT_ALL=1 FL_OUT=/run/freshlink/out
	: > "\$FL_OUT/../begun"
	export FL_SEED=${seed:-}
	export FL_MODULES=${3@Q} PYTHONPATH=${FL_TREE@Q}/selftests
	export TC_LIB_DIR=${FL_TREE@Q}/build/tools/tc IP_LIB_DIR=${FL_TREE@Q}/build/tools/ip
	export PATH=${FL_TREE@Q}/build/tools:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
	export HOME=/tmp LANG=C.UTF-8 TERM=dumb
	guest=${FL_TREE@Q}/lab/guest
	modules=${2@Q}
	work=${PWD@Q}
	command=(${command[*]@Q})
	EOF
}

# machine_follow FILE: prints the guest's output in whole lines until the machine ends
machine_follow()
{
	tail -q -s 0.02 -n +1 --pid=$MACHINE_PID -f "$MACHINE_DIR/$1" | sed -u ''
}

# machine_boot COMMAND...: runs the machine under its time limit, and shows the guest's output while
# the machine runs. All processes end with this script. Returns the exit status of the machine's process.
machine_boot()
{
	local tails status=0

	setpriv --pdeathsig KILL timeout -s KILL "$limit" setpriv --pdeathsig KILL "$@" \
		< /dev/null >> "$MACHINE_DIR/log" 2>&1 &
	MACHINE_PID=$!
	machine_follow stdout &
	tails=$!
	machine_follow stderr >&2 &
	# the shell must not report a killed job
	wait $MACHINE_PID 2> /dev/null || status=$?
	MACHINE_PID=
	wait $tails $! || true
	return "$status"
}

# crashed STATUS: whether the machine's process died of SIGSEGV before the guest's command began
crashed()
{
	[ "$1" = 139 ] && [ ! -e "$MACHINE_DIR/share/begun" ]
}

# machine_run COMMAND...: runs the machine. QEMU 7.2 sometimes crashes while it emulates a boot. The
# machine then boots once more. Returns the exit status of the guest's command, 124 (time limit) or 125
# (the machine failed).
machine_run()
{
	local status=0

	machine_boot "$@" || status=$?
	if crashed "$status"; then
		say "$1 crashed during the boot: it starts once more"
		status=0
		machine_boot "$@" || status=$?
	fi
	[ -z "$out" ] || { mkdir -p "$out" && cp -r "$MACHINE_DIR/share/out/." "$out"; }
	machine_verdict $status
}

# machine_verdict STATUS: prints the reason if the machine failed, and returns the final status
machine_verdict()
{
	local verdict=$MACHINE_DIR/share/verdict

	[ -z "$verbose" ] || cat "$MACHINE_DIR/log" >&2
	if [ "$(head -n 1 "$verdict" 2> /dev/null)" = pass ]; then
		return "$(< "$MACHINE_DIR/share/status")"
	fi
	if [ "$1" = 137 ]; then
		tail -n 15 "$MACHINE_DIR/log" >&2
		say "time limit: the machine was ended after $limit s"
		return 124
	fi
	[ -n "$verbose" ] || cat "$MACHINE_DIR/log" >&2
	if [ -s "$verdict" ]; then
		say "the machine's verdict: $(< "$verdict")"
	else
		say "the machine died without a verdict"
	fi
	return 125
}
