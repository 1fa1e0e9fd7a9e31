# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A part of lab/selftest. Experiments on a cluster give the same bytes as experiments without a
# cluster. The cluster is Slurm with two workers on this machine.
# shellcheck disable=SC2016 # lines for other shells

# shellcheck source=lab/tests/engine.sh
. "lab/tests/engine.sh"

# on_both DIR: checks that each worker has run batches
on_both()
{
	grep -ho '"worker": "[^"]*"' "$1"/good/figure1/*/batch.json | sort -u > "$TMPDIR/out"
	diff "$TMPDIR/out" - <<-'END'
	"worker": "worker1"
	"worker": "worker2"
	END
}

# interrupted_jobs COMMAND...: interrupts COMMAND while one of its jobs runs, and checks that no job
# remains
interrupted_jobs()
{
	lab/engine/cluster bash -c '"$@" & pid=$!
		timeout 60 sh -c "until squeue -h -t running | grep -q .; do sleep 0.2; done" || exit
		kill $pid; wait $pid; [ $? = 143 ] && [ -z "$(squeue -h -t pending,running)" ]' bash "$@"
}

test_cluster()
{
	local run=("${good[@]}" FIG=1 SEEDS=4 "${engine[@]}" --out)

	result "cluster: the experiments run on the cluster" ends 0 lab/engine/cluster "${run[@]}" "$TMPDIR/cluster"
	result "cluster: both workers have run batches" on_both "$TMPDIR/cluster"
	result "cluster: the experiments run without the cluster" ends 0 "${run[@]}" "$TMPDIR/local"
	result "cluster: the results are the same to the byte" same_files "$TMPDIR/cluster" "$TMPDIR/local"
	result "cluster: an interrupt cancels the jobs" ends 0 \
		interrupted_jobs "${good[@]}" FIG=slow SEEDS=4 "${engine[@]}" --out "$TMPDIR/interrupted"
}
