# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A part of lab/selftest: the demo ends with what it is there to show.

# stale QUEUE CONDITION: what the table says under "stale delivered" in each of a
# queue's two rows is so
stale()
{
	awk -v queue="$1" '/^---/ { table = 1 }
		table && $2 == queue && $5 '"$2"' { rows++ }
		END { exit rows != 2 }' "$TMPDIR/out"
}

# The picture has points of both queues in it, in the colours they are drawn in
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

test_demo()
{
	result "demo: it ends well" ends 0 env MACHINE=lab lab/demo/run "$TMPDIR/demo"
	result "demo: LPD delivers nothing stale" stale LPD '== 0'
	result "demo: drop-tail does" stale drop-tail '> 0'
	result "demo: it says so" says '^After a delay spike .*is stale: [0-9]+ % with drop-tail, none with LPD\.$'
	result "demo: run.json has the four flows" \
		[ "$(grep -c '"flow":' "$TMPDIR/demo/run.json")" = 4 ]
	result "demo: the picture shows both queues" picture_shows_both "$TMPDIR/demo/freshlink-demo.png"
	result "demo: no results are overwritten unasked" \
		refused 1 'expected a new directory' env MACHINE=lab lab/demo/run "$TMPDIR/demo"
}
