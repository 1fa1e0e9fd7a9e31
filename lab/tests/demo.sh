# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A part of lab/selftest. The demo's tables and picture show the effect of each queue.

# rows COUNT FLOWS QUEUE CONDITION: checks that COUNT rows of these flows and this queue meet an awk
# condition. The fifth column counts stale packets, or duplicates for TCP.
rows()
{
	awk -v count="$1" -v flows="^($2)\$" -v queue="$3" '/^---/ { table = 1 } /^$/ { table = 0 }
		table && $1 ~ flows && $2 == queue && '"$4"' { rows++ }
		END { exit rows != count }' "$TMPDIR/out"
}

# picture_shows_both PICTURE: checks that the picture has points in the colours of both queues
picture_shows_both()
{
	/usr/bin/python3 - "$1" > "$TMPDIR/out" 2>&1 <<-'EOF'
	import sys
	from matplotlib import image
	pixels = (image.imread(sys.argv[1])[:, :, :3] * 255).round().astype(int)
	print(f"{pixels.shape[1]} x {pixels.shape[0]}")
	for color in ((0xd5, 0x5e, 0x00), (0x00, 0x72, 0xb2)):
	    count = (pixels == color).all(axis=2).sum()
	    print(f"{color}: {count} pixels")
	    assert count > 500
	EOF
}

# shellcheck disable=SC2016 # awk's
test_demo()
{
	local udp='CBR|ON/OFF'

	result "demo: it ends well" ends 0 env MACHINE=lab lab/demo/compare "$TMPDIR/demo"
	result "demo: LPD delivers nothing stale" rows 2 "$udp" LPD '$5 == 0 && NF > 8'
	result "demo: drop-tail delivers stale packets" rows 2 "$udp" drop-tail '$5 > 0'
	result "demo: its sentence says so" says '^After a delay spike .*Stale packets among those that arrive: [0-9]+ % with drop-tail, none with LPD, none with LPD-headers\. Headers of packets that do not arrive whole: [1-9][0-9]* of [0-9]+ with LPD-headers\.$'
	result "demo: LPD-headers delivers nothing stale but headers" \
		rows 1 CBR LPD-headers '$4 > 300 && $5 == 0 && $6 >= 20 && $7 == 0'
	result "demo: after a spike urgent packets wait behind others" \
		rows 1 pair LPD '$5 == 0 && $6 > 0 && $11 > 1'
	result "demo: with earliest deadline first they do not wait" \
		rows 1 pair LPD-EDF '$5 == 0 && $6 > 0 && $11 < 1'
	result "demo: with drop-tail TCP's timeouts cause duplicates" \
		rows 1 TCP drop-tail '$5 >= 20 && $6 == 0 && $9 >= 1'
	result "demo: with LPD hardly any, because it discards the originals" \
		rows 1 TCP LPD '$5 <= 0.03 * $4 && $6 > 0 && $9 >= 1'
	result "demo: its sentence says so" \
		says '^Duplicates among TCP.s packets .*: [0-9]+ % with drop-tail, (none|under 1 %|[1-3] %) with LPD\.$'
	result "demo: a network that drops options lets nothing through" \
		rows 1 drone LPD '$4 == 0 && $5 == 0 && $6 > 0 && $9 > 0'
	result "demo: with strip all fresh packets pass this network" \
		rows 1 drone LPD-strip '$4 > 300 && $5 == 0 && $6 > 0 && $9 == 0'
	result "demo: its sentence says so" \
		says '^The drone.s packets .*: none of [0-9]+ with LPD, [0-9]+ of [0-9]+ with LPD-strip\..* none with LPD-strip\.$'
	result "demo: run.json has all flows and queues" \
		[ "$(grep -c '"flow":' "$TMPDIR/demo/run.json")" = 11 ]
	result "demo: the picture shows both queues" picture_shows_both "$TMPDIR/demo/freshlink-demo.png"
	result "demo: it does not overwrite results" \
		refused 1 'expected a new directory' env MACHINE=lab lab/demo/compare "$TMPDIR/demo"
}
