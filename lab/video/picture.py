# SPDX-License-Identifier: GPL-2.0-or-later
"""The same moment of the video, decoded with and without freshlink, and below it which pictures of the video
are intact in each scene."""
from matplotlib import colors, image

from pieces.picture import COLORS, FAINT, INK, pyplot, title
from video.programs import FRAMES, RATE, SHOT

LEVELS = 8      # of each colour, so that the file is small


def _show(axes, result, how):
    pixels = image.imread(result.shot)[::2, ::2, :3]
    axes.imshow((pixels * (LEVELS - 1)).round() / (LEVELS - 1), interpolation="nearest")
    axes.set_axis_off()
    title(axes, f"{how}: {result.intact} of {FRAMES} intact")


def _strip(axes, results):
    """A line for each scene. The time of the pictures above is marked."""
    axes.imshow([result.whole for result in results], aspect="auto", interpolation="nearest",
                cmap=colors.ListedColormap([COLORS[1], COLORS[0]]), vmin=0, vmax=1,
                extent=(0, FRAMES / RATE, len(results) - 0.5, -0.5))
    for number in range(1, len(results)):
        axes.axhline(number - 0.5, color="white", linewidth=2)
    axes.axvline(SHOT, color=INK, linestyle=":")
    axes.set_yticks(range(len(results)), [f"{result.program}: {result.way}" for result in results],
                    fontsize=8)
    axes.tick_params(colors=INK, length=0)
    axes.set_xlabel("time in the video [s]; blue: intact, orange: damaged or missing", color=FAINT)


def draw(results, without, through, path):
    figure = pyplot.figure(figsize=(9, 5.2), layout="constrained")
    places = figure.add_gridspec(2, 2, height_ratios=(3, 2.4))
    _show(figure.add_subplot(places[0, 0]), without, "straight over UDP")
    _show(figure.add_subplot(places[0, 1]), through, "freshlink send and recv")
    _strip(figure.add_subplot(places[1, :]), results)
    figure.savefig(path, dpi=100)
