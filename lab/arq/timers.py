# SPDX-License-Identifier: GPL-2.0-or-later
"""The link layers that the figures compare, by the names in the cells, as options of arqlink.

The paper prints the formulas of the adaptive timer for each of the two channels. It prints the
variance without an absolute value (equation 2), unlike TCP. The "absolute" timers take the absolute
value. If the factor of the variance is 0, as for the two-state channel, both forms are the same. The
timer "adaptive stamp" is not in the paper: its samples are of one certain transmission, and its frames
are 4 to 8 bytes longer.
These choices are ours:

- The window has 10 frames, and the number of attempts is unlimited. A smaller window makes the differences
  with contention smaller. With a larger window a frame waits behind more frames of its own link, so
  without contention the adaptive timer is longer than the fixed ones (figure "variants").
- An acknowledgment waits for 35 ms, about the time of a frame.
- The timer and the sample of a frame start when the frame enters the queue that it shares with
  other traffic (clock queued). Only so does other traffic lengthen the round trip.
- A frame is queued again even if a copy of it still waits (copies yes)."""
from arq.network import TWO_STATE, UNIFORM

COMMON = {"window": 10, "ack_delay": "35ms", "clock": "queued", "reject": "multi", "copies": "yes",
          "ring": "4mb"}
FIXED = {f"{tenths / 10} s": {"timer": "fixed", "timeout": f"{tenths * 100}ms"}
         for tenths in range(9, 14)}
LOW, MIDDLE, HIGH = "0.9 s", "1.1 s", "1.3 s"
ADAPTIVE, ADAPTIVE_ABSOLUTE, STAMP = "adaptive", "adaptive absolute", "adaptive stamp"
TCP, TCP_ABSOLUTE = "plain TCP", "plain TCP absolute"
RAW = "raw link"
ADAPTIVES = (ADAPTIVE, ADAPTIVE_ABSOLUTE, STAMP)
# the timers that are compared at each loss rate
SOME = (LOW, MIDDLE, HIGH, ADAPTIVE, TCP_ABSOLUTE, RAW)
# {channel: factors of the mean and of the variance (equations 3 and 4)}
FACTORS = {UNIFORM: (3, 2), TWO_STATE: (4, 0)}
TCP_FACTORS = (1, 4)


def forms(channel):
    """The adaptive timers. On the two-state channel the factor of the variance is 0."""
    return ADAPTIVES if channel == UNIFORM else (ADAPTIVE, STAMP)


def most(channel):
    """All timers."""
    return (*FIXED, *forms(channel), TCP, TCP_ABSOLUTE, RAW)


def adaptive(factors, variance):
    return {"timer": "adaptive", "mean_factor": factors[0], "deviation_factor": factors[1],
            "variance": variance}


def options(timer, channel, **changes):
    """The options of arqlink, or None for the raw link. `changes` replace options."""
    known = {**FIXED, ADAPTIVE: adaptive(FACTORS[channel], "signed"),
             ADAPTIVE_ABSOLUTE: adaptive(FACTORS[channel], "absolute"),
             STAMP: adaptive(FACTORS[channel], "signed") | {"estimate": "stamp"},
             TCP: adaptive(TCP_FACTORS, "signed"), TCP_ABSOLUTE: adaptive(TCP_FACTORS, "absolute")}
    if timer == RAW:
        return None
    return " ".join(f"{name} {value}" for name, value in {**COMMON, **known[timer], **changes}.items())
