# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What lab/run and lab/vm/run have in common: the directory shared with the
# guest, the time limit, the way out, the verdict. Sourced after lab/lib.sh.

MACHINE_DIR=
MACHINE_PID=

# What both runners take; machine_parse sets them
series='' built='' limit=300 out='' verbose='' command=()
# Where --kernel does not say; an option of the runner may change it
default_series=6.12

# machine_parse ARGUMENT...: own_option (the runner's) takes what is not common
# to both, and sets "taken" to the number of words it took
# shellcheck disable=SC2034 # the runners use what it sets
machine_parse()
{
	local taken

	while [ $# -gt 0 ]; do
		taken=2
		case $1 in
		--kernel) need_series "${2:-}"; series=$2 ;;
		--built) need_value "$1" "${2:-}"; built=$2 ;;
		--limit) need_number "$1" "${2:-}"; limit=$2 ;;
		--out) need_value "$1" "${2:-}"; out=$2 ;;
		--verbose) verbose=1 taken=1 ;;
		--help) usage; exit ;;
		--) shift; break ;;
		*) own_option "$@" || die "'$1': expected an option or --; see --help" ;;
		esac
		shift "$taken"
	done
	[ $# -gt 0 ] || die "no command: expected one after --"
	series=${series:-$default_series}
	command=("$@")
}

# Whatever happens, nothing is left
machine_cleanup()
{
	# nor does a second signal leave the half of it
	trap '' INT TERM HUP
	# the shell would report what is killed
	exec 2> /dev/null
	if [ -n "$MACHINE_PID" ]; then
		# the group, once timeout has made itself its leader
		kill -KILL -- "-$MACHINE_PID" || kill -KILL "$MACHINE_PID" || true
		wait || true
	fi
	[ -z "$MACHINE_DIR" ] || rm -rf "$MACHINE_DIR"
}

# By somebody who has a time limit of his own: the kernel's last words may say why
machine_terminated()
{
	[ ! -e "$MACHINE_DIR/log" ] || tail -n 15 "$MACHINE_DIR/log" >&2
	exit 143
}

# What a runner that was killed outright has left
machine_sweep()
{
	local dir pid

	for dir in "${TMPDIR:-/tmp}"/freshlink.*.??????; do
		pid=${dir#*/freshlink.}
		[ -e "/proc/${pid%.*}" ] || rm -rf "$dir" 2> /dev/null || true
	done
}

# machine_prepare NAME KERNEL_MODULES MODULES: the directory that the guest sees
# as /run/freshlink
machine_prepare()
{
	say "Linux $(basename "$2")"
	machine_sweep
	need_space "${TMPDIR:-/tmp}" 100
	trap machine_cleanup EXIT
	trap 'exit 130' INT
	trap machine_terminated TERM HUP
	# named before it is there, for a signal that comes with it
	printf -v MACHINE_DIR '%s/freshlink.%d.%06d' "${TMPDIR:-/tmp}" $$ $((SRANDOM % 1000000))
	mkdir -m 700 "$MACHINE_DIR"
	mkdir "$MACHINE_DIR/share" "$MACHINE_DIR/share/out"
	: > "$MACHINE_DIR/stdout"
	: > "$MACHINE_DIR/stderr"
	cat > "$MACHINE_DIR/share/job" <<-EOF
	export FL_MACHINE=$1 FL_KERNEL=$series FL_EXPECT_ALL=1 FL_OUT=/run/freshlink/out
	export FL_SEED=${seed:-}
	export FL_MODULES=${3@Q}
	export TC_LIB_DIR=${FL_TREE@Q}/build/tools/tc IP_LIB_DIR=${FL_TREE@Q}/build/tools/ip
	export PATH=${FL_TREE@Q}/build/tools:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
	export HOME=/tmp LANG=C.UTF-8 TERM=dumb
	guest=${FL_TREE@Q}/lab/guest
	modules=${2@Q}
	work=${PWD@Q}
	command=(${command[*]@Q})
	EOF
}

# machine_follow FILE: what the guest writes, whole lines, until it ends
machine_follow()
{
	tail -q -s 0.02 -n +1 --pid=$MACHINE_PID -f "$MACHINE_DIR/$1" | sed -u ''
}

# machine_run COMMAND...: the machine under its time limit; what the guest writes
# appears meanwhile. Everything dies with this script. Returns what the caller
# is to exit with: the guest command's status, 124 or 125.
machine_run()
{
	local tails status=0

	setpriv --pdeathsig KILL timeout -s KILL "$limit" setpriv --pdeathsig KILL "$@" \
		< /dev/null >> "$MACHINE_DIR/log" 2>&1 &
	MACHINE_PID=$!
	machine_follow stdout &
	tails=$!
	machine_follow stderr >&2 &
	# the shell would report a killed job
	wait $MACHINE_PID 2> /dev/null || status=$?
	MACHINE_PID=
	wait $tails $! || true
	[ -z "$out" ] || { mkdir -p "$out" && cp -r "$MACHINE_DIR/share/out/." "$out"; }
	machine_verdict $status
}

# machine_verdict STATUS: of the machine itself
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
