# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A part of lab/selftest. ffmpeg and GStreamer decode each picture of a video that crosses a lossy
# link through freshlink send and recv, and few over UDP.

# row PROGRAM WAY CONDITION: checks that the table's row of this scene meets an awk condition
row()
{
	awk -F '  +' -v program="$1" -v way="$2" '$1 == program && $2 == way && '"$3"' { rows++ }
		END { exit rows != 1 }' "$TMPDIR/out"
}

# shellcheck disable=SC2016 # awk's
test_video()
{
	# columns: 3 datagrams, 4 lost, 5 repeats, 6 decoded, 7 intact, 8 errors, 9 delay
	local whole='$4 == 0 && $5 > 30 && $6 == 300 && $7 == 300 && $8 == 0' program

	result "video: it ends well" ends 0 lab/video/compare "$TMPDIR/video"
	for program in ffmpeg GStreamer; do
		result "video: over UDP, $program decodes few pictures" \
			row $program UDP '$3 > 1000 && $4 > 30 && $7 > 0 && $7 < 60'
		result "video: paced, $program decodes each picture" row $program 'paced, 500 ms' "$whole"
		result "video: $program: with asap, late repeats damage pictures" \
			row $program 'asap, 500 ms' '$4 == 0 && $7 > 0 && $7 < 300'
	done
	result "video: ffmpeg needs the order" row ffmpeg 'ordered, 500 ms' "$whole"
	result "video: paced gives each datagram after the same time" row ffmpeg 'paced, 500 ms' '$9 ~ /^(499|500) to 500$/'
	result "video: the others are given when they are complete" \
		row ffmpeg 'ordered, 500 ms' '$9 ~ /^50 to [34]/'
	result "video: two repeats repair most losses" \
		row ffmpeg 'paced, 300 ms' '$4 > 0 && $4 < 6 && $7 > 150 && $9 ~ /^(299|300) to 300$/'
	result "video: one repeat repairs fewer" \
		row ffmpeg 'paced, 200 ms' '$4 >= 6 && $4 < 30 && $7 > 60 && $9 ~ /^(199|200) to 200$/'
	result "video: congestion control does not let the video pass" \
		row ffmpeg 'paced, 500 ms, CCID 2' '$4 > 400 && $7 < 10'
	result "video: its sentence says so" \
		says '^Of 300 pictures, ffmpeg decodes [1-5]?[0-9] without an error over UDP, and 300 through freshlink send and recv\.$'
	result "video: the picture is there" [ -s "$TMPDIR/video/video.png" ]
	result "video: it does not overwrite results" \
		refused 1 'expected a new directory' lab/video/compare "$TMPDIR/video"
	result "video: a wrong seed is refused" \
		refused 1 "SEED 'x': expected a whole number" env SEED=x lab/video/compare "$TMPDIR/other"
}
