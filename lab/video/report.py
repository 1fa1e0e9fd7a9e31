#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""report.py DIRECTORY: prints how many pictures each player decoded, and how many of them are the camera's,
and draws a picture, from the files that the guest left in DIRECTORY."""
import os
import subprocess
import sys

LAB = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = LAB
from video.programs import FRAMES, KBIT, PROGRAMS
from video.scenes import DELAY, LINK, LOSS

from engine import record

TITLES = ("program", "across", "datagrams", "lost", "repeats", "decoded", "intact", "errors", "delay [ms]")
BEST = "paced, 500 ms"


class Result:
    """What became of the video in a scene. `whole` tells for each picture of the camera whether the player
    has decoded the same one."""

    def __init__(self, number, notes, directory, pictures):
        self.program, self.way, self.notes = notes["program"], notes["way"], notes
        self.shot = os.path.join(directory, f"{number}.png")
        decoded = PROGRAMS[self.program].pictures(_read(directory, number, "player"))
        self.decoded, self.whole = len(decoded), [picture in set(decoded) for picture in pictures]
        # of the decoder; the last error of ffmpeg says that nothing more arrives
        self.errors = sum(line.startswith("[") for line in
                          _read(directory, number, "player.errors").splitlines())

    @property
    def intact(self):
        return sum(self.whole)

    def row(self):
        send, recv = self.notes["send"], self.notes["recv"]
        if not send:
            return (self.program, self.way, self.notes["packets"], self.notes["lost"], 0, self.decoded,
                    self.intact, self.errors, f"{DELAY}")
        age = recv["age"]
        return (self.program, self.way, send["submitted"], send["submitted"] - recv["delivered"],
                send["packets"]["repeats"], self.decoded, self.intact, self.errors,
                f"{1000 * age['min']:.0f} to {1000 * age['max']:.0f}")


def _read(directory, number, name):
    with open(os.path.join(directory, f"{number}.{name}")) as file:
        return file.read()


def sent(program):
    """The checksums of the camera's pictures."""
    found = program.pictures(subprocess.run(program.sent(), text=True, stdout=subprocess.PIPE,
                                            check=True).stdout)[:FRAMES]
    if len(set(found)) != FRAMES:
        sys.exit(f"freshlink: {program.NAME} decodes {len(set(found))} different pictures of the clip: "
                 f"expected {FRAMES}")
    return found


def load(directory):
    """Returns where the run was, and its results."""
    run = record.read(os.path.join(directory, "run.json"))
    pictures = {name: sent(program) for name, program in PROGRAMS.items()}
    return run["where"], [Result(number, notes, directory, pictures[notes["program"]])
                          for number, notes in enumerate(run["scenes"])]


def table(results):
    rows = [TITLES, *(tuple(map(str, result.row())) for result in results)]
    widths = [max(map(len, column)) for column in zip(*rows)]
    # words to the left, numbers to the right
    return [f"{row[0]:{widths[0]}}  {row[1]:{widths[1]}}" + "".join(
        f"  {cell:>{width}}" for cell, width in zip(row[2:], widths[2:])) for row in rows]


def of(results, program, way):
    return next(result for result in results if (result.program, result.way) == (program, way))


def main():
    if len(sys.argv) != 2:
        sys.exit("report.py: expected one argument, the directory with run.json")
    where, results = load(sys.argv[1])
    print(f"{FRAMES} pictures, {KBIT} kbit/s, over {LINK} Mbit/s and {2 * DELAY} ms there and back, {LOSS} % "
          f"lost each way ({where})\n")
    print("\n".join(table(results)) + "\n")
    for name in PROGRAMS:
        print(f"Of {FRAMES} pictures, {name} decodes {of(results, name, 'UDP').intact} without an error "
              f"over UDP, and {of(results, name, BEST).intact} through freshlink send and recv.")
    from video import picture
    path = os.path.join(sys.argv[1], "video.png")
    picture.draw(results, of(results, "ffmpeg", "UDP"), of(results, "ffmpeg", BEST), path)
    print(f"\nPicture: {path}")


if __name__ == "__main__":
    main()
