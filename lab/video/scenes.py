# SPDX-License-Identifier: GPL-2.0-or-later
"""Which program sends the video, and how the video crosses the link."""
from typing import NamedTuple

LOSS, DELAY, LINK = 5, 50, 10               # %, ms each way, Mbit/s
RATE = 2                                    # Mbit/s, of --rate


class Scene(NamedTuple):
    """Without an order, the camera sends to the player itself. Otherwise freshlink send and recv are between
    them. `fixed`: without congestion control. The lifetime is in ms."""

    program: str
    order: str = None
    lifetime: int = 500
    fixed: bool = True

    @property
    def way(self):
        if not self.order:
            return "UDP"
        return f"{self.order}, {self.lifetime} ms" + ("" if self.fixed else ", CCID 2")

    @property
    def sender(self):
        """The options of freshlink send."""
        return f"--lifetime {self.lifetime}ms" + f" --control fixed --rate {RATE}mbit" * self.fixed

    @property
    def receiver(self):
        """The options of freshlink recv."""
        return f"--order {self.order}" + " --fixed" * self.fixed


SCENES = [
    Scene("ffmpeg"), Scene("ffmpeg", "paced"), Scene("ffmpeg", "paced", 300), Scene("ffmpeg", "paced", 200),
    Scene("ffmpeg", "ordered"), Scene("ffmpeg", "asap"), Scene("ffmpeg", "paced", fixed=False),
    Scene("GStreamer"), Scene("GStreamer", "paced"), Scene("GStreamer", "asap")]
