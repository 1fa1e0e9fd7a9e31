# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A part of lab/selftest: tests of the engine that runs the experiments. The same seed gives the
# same bytes, even on a busy machine. A failed cell does not affect other cells. The engine reports
# a failed cell, and runs the cell again only on request. After an interrupt, the next run continues
# with the missing batches. The engine refuses wrong input before a machine boots. The experiments
# of these tests are in lab/tests/papers. The paper "parts" tests lab/pieces.
# shellcheck disable=SC2016 # lines for other shells

# The command runs the engine on the paper "good". A later PAPER= overrides this paper.
good=(env PAPER=good KERNEL=7.2)
engine=(lab/engine/experiments --papers lab/tests/papers)

# bad PATTERN NAME=VALUE...: checks that the engine refuses these variables with this message, and
# starts no machine
bad()
{
	local pattern=$1 out=$TMPDIR/refused

	shift
	refused 1 "^freshlink: $pattern" "${good[@]}" "$@" "${engine[@]}" --out "$out" && [ ! -e "$out" ]
}

bad_input()
{
	result "engine: an unknown paper" bad "PAPER='none': expected bad, good, parts$" PAPER=none
	result "engine: an unknown figure" bad "FIG='9': expected 1, 2, slow of good$" FIG=9
	result "engine: no seeds" bad "SEEDS='0': expected a number of seeds" SEEDS=0
	result "engine: a bad range of seeds" bad "SEEDS='9-7': expected" SEEDS=9-7
	result "engine: an unsupported kernel" bad "KERNEL='5.4': expected 6.1, 6.12, 7.2" KERNEL=5.4
	result "engine: a bad limit" bad "LIMIT='soon': expected a whole number" LIMIT=soon
	result "engine: a file with a bad line" \
		bad "bad.figure1: recorded.down:7: 'x': expected a time in ms" PAPER=bad FIG=1
	result "engine: an impossible parameter" \
		bad "bad.figure2: lifetime=-1: expected a lifetime of at least 0" PAPER=bad FIG=2
	result "engine: the same cell twice" bad "bad.figure3: two cells of one name" PAPER=bad FIG=3
}

# files DIR: prints digests of the files that must be the same in each run. The file batch.json is
# left out, because it contains times.
files()
{
	(cd "$1" && find . -type f ! -name batch.json -path './good/*' -exec sha256sum {} + | sort -k2)
}

same_files()
{
	[ -n "$(files "$1")" ] && diff <(files "$1") <(files "$2") > "$TMPDIR/out"
}

# other_files FILE FILE: checks that the two files differ
other_files()
{
	! cmp -s "$1" "$2"
}

# loaded COMMAND...: runs COMMAND while other processes keep every processor busy
loaded()
{
	local status=0 busy=() i

	for ((i = 0; i < $(nproc); i++)); do
		setpriv --pdeathsig KILL sh -c 'while :; do :; done' &
		busy+=($!)
	done
	"$@" || status=$?
	kill "${busy[@]}"
	wait "${busy[@]}" 2> /dev/null
	return $status
}

determinism()
{
	local first=$TMPDIR/first second=$TMPDIR/second cell="rate=20kbit,packets=20"
	local run=("${good[@]}" FIG=1 SEEDS=2 PCAP=1 "${engine[@]}")

	result "engine: a figure runs with two seeds" ends 0 "${run[@]}" --out "$first"
	result "engine: the figure runs again on a busy machine" ends 0 loaded "${run[@]}" --out "$second"
	result "engine: there are eight results and eight captures" \
		[ "$(files "$first" | grep -cE '\.json$')-$(files "$first" | grep -c '0-in\.pcap$')" = 8-8 ]
	result "engine: both runs gave the same bytes" same_files "$first" "$second"
	result "engine: another seed gives other results" \
		other_files "$first/good/figure1/1/$cell.json" "$first/good/figure1/2/$cell.json"
	result "engine: a capture has all packets" \
		[ "$(tcpdump -nr "$first/good/figure1/1/$cell/0-in.pcap" 2> /dev/null | wc -l)" = 20 ]
	result "engine: a result describes its cell" described "$first/good/figure1/2/$cell.json"
}

# described FILE: checks that the result contains the parameters of its cell, the seed, the rows,
# the kernel and the command
described()
{
	/usr/bin/python3 - "$1" > "$TMPDIR/out" 2>&1 <<-'EOF'
	import json, sys
	result = json.load(open(sys.argv[1]))
	print(result)
	assert result["paper"] == "good" and result["figure"] == "figure1" and result["seed"] == 2
	assert result["parameters"] == {"rate": "20kbit", "packets": 20}
	assert [row["number"] for row in result["rows"]] == list(range(20))
	assert result["kernel"].startswith("7.2.") and result["kernel"].endswith("-lab")
	assert result["command"] == "make lab PAPER=good FIG=1 SEEDS=2-2 KERNEL=7.2"
	assert result["modules"] == {}
	EOF
}

# state CELL STATE: checks that batch.json of figure 2 contains this state of the cell
state()
{
	/usr/bin/python3 - "$TMPDIR/wrong/good/figure2/1" "does=$1" "$2" > "$TMPDIR/out" 2>&1 <<-'EOF'
	import json, os, sys
	folder, name, state = sys.argv[1:]
	cell = json.load(open(f"{folder}/batch.json"))["cells"][name]
	print(cell)
	assert cell["state"] == state
	assert os.path.exists(f"{folder}/{name}.json") == (state == "done")
	assert os.path.exists(f"{folder}/{name}.log") == (state == "failed")
	EOF
}

# logged CELL PATTERN: checks that the log of a failed cell matches
logged()
{
	grep -qE -- "$2" "$TMPDIR/wrong/good/figure2/1/does=$1.log"
}

failures()
{
	local dir=$TMPDIR/wrong/good/figure2/1 word before
	local run=("${good[@]}" FIG=2 SEEDS=1 LIMIT=10 "${engine[@]}" --out "$TMPDIR/wrong")

	result "engine: failing cells fail the run" \
		refused 1 '^freshlink: 4 cells have failed; RETRY=1 runs their batches again$' "${run[@]}"
	result "engine: failed cells are named, with the reason" \
		says '^freshlink: failed: good figure2 seed 1 does=raises: ValueError: deliberate$'
	for word in begins goes_on goes_on_again leaves ends; do
		result "engine: the good cell $word is done" state "$word" 'done'
	done
	for word in raises oopses hangs dies; do
		result "engine: the cell $word has failed" state "$word" failed
	done
	result "engine: the log of a cell that raises has the exception" logged raises '^ValueError: deliberate$'
	result "engine: the log of a kernel warning has the kernel's output" logged oopses 'WARNING: .*provoke_warn'
	result "engine: the log of a cell that spins has the limit" logged hangs '^no end within 10 s$'
	result "engine: the log of a killed cell has its status" logged dies 'ended with status -9'
	result "engine: the files of a failed cell are kept" grep -q kept "$dir/does=raises/notes"
	result "engine: processes that a cell leaves behind are ended" grep -q '"processes": 0' "$dir/does=ends.json"
	before=$(stat -c %y "$dir/batch.json")
	result "engine: a failed batch does not run again unasked" refused 1 '^freshlink: 0 of 1 batches have to run' "${run[@]}"
	result "engine: the failed cells are reported again" says '4 cells have failed'
	result "engine: the failed batch is unchanged" [ "$(stat -c %y "$dir/batch.json")" = "$before" ]
	result "engine: RETRY=1 runs the failed batch again" refused 1 '^freshlink: 1 of 1 batches have to run, 9 cells' \
		env RETRY=1 "${run[@]}"
}

# interrupted_run OUT: interrupts a run when one batch is done and another batch is running
interrupted_run()
{
	local pid status=0

	"${good[@]}" FIG=slow SEEDS=4 CORES=1 "${engine[@]}" --out "$1" \
		> "$TMPDIR/out" 2>&1 &
	pid=$!
	timeout 120 sh -c 'until grep -qs "^ \"seconds\": [0-9]" "$0"/good/slow/*/batch.json &&
		grep -qs running "$0"/good/slow/*/batch.json; do sleep 0.1; done' "$1"
	kill "$pid"
	wait "$pid" || status=$?
	[ "$status" = 143 ]
}

# nothing_runs_on PATTERN: checks that the run has left no process and no files of a machine
nothing_runs_on()
{
	! pgrep -af "$1" > "$TMPDIR/out" && nothing_left
}

# done_when DIR: prints the finished batches with their times
done_when()
{
	grep -l '^ "seconds": [0-9]' "$1"/good/slow/*/batch.json | xargs -r stat -c '%n %y'
}

# kept LINES LINES: checks that the second text contains all lines of the first text
kept()
{
	! grep -vxF "$2" <<< "$1" > "$TMPDIR/out"
}

resume()
{
	local out=$TMPDIR/resumed before left run

	run=("${good[@]}" FIG=slow SEEDS=4 "${engine[@]}" --out "$out")
	result "engine: a run is interrupted" interrupted_run "$out"
	before=$(done_when "$out")
	left=$((4 - $(grep -c . <<< "$before")))
	result "engine: no process of the interrupted run is left" nothing_runs_on "$out"
	result "engine: some batches are done, and some are not" grep -qx "[123]" <<< "$left"
	result "engine: the next run continues with the missing batches" refused 0 "^freshlink: $left of 4 batches have to run" "${run[@]}"
	result "engine: finished batches stay as they are" kept "$before" "$(done_when "$out")"
	result "engine: after a complete run no batch is left to run" refused 0 '^freshlink: 0 of 4 batches have to run' "${run[@]}"
}

# The results of a figure depend on its own files and on shared files, but not on the files of other
# figures.
changes()
{
	local papers=$TMPDIR/papers
	local run=("${good[@]}" lab/engine/experiments --quick --papers "$papers" --out "$TMPDIR/changed")

	cp -r lab/tests/papers "$papers"
	result "engine: the quick form runs a cell of each figure" \
		refused 0 '^freshlink: 3 of 3 batches have to run, 3 cells' "${run[@]}"
	echo 'HEADLINE = "another one"' >> "$papers/good/figure1.py"
	result "engine: after a change of a figure only this figure runs again" \
		refused 0 '^freshlink: 1 of 3 batches have to run, 1 cells' "${run[@]}"
	echo 1000000 > "$papers/good/work.txt"
	result "engine: after a change of a figure's file only this figure runs again" \
		refused 0 '^freshlink: 1 of 3 batches have to run, 1 cells' "${run[@]}"
	echo 'LATER = 1' >> "$papers/good/__init__.py"
	result "engine: after a change of a shared file all figures run again" \
		refused 0 '^freshlink: 3 of 3 batches have to run, 3 cells' "${run[@]}"
}

# The figures of the paper "parts" check their own results, and fail if a result is wrong.
parts()
{
	result "engine: the pieces that need a machine pass their checks" \
		refused 0 '^freshlink: every cell has its result' env PAPER=parts KERNEL=7.2 "${engine[@]}" --out "$TMPDIR/parts"
}

test_engine()
{
	bad_input
	determinism
	failures
	resume
	changes
	parts
}
