# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 7, scenario 6: IFTP-W and IFTPV-W by the length of the sensitive part, and IFTPV, each alone on the
link at a bit error rate of 1e-4. The length counts the paper's header of 40 bytes. Here all headers and 40
bytes less of data are sensitive. IFTPV has no sensitive part, and is the same at each length."""
from iftpv import alone, figure6, scenario

TITLE = "IFTP-W and IFTPV, by the length of the sensitive part"
HEADLINE = "IFTPV above IFTP-W at any length, with lower jitter"
SECONDS, SEEDS = scenario.SECONDS, scenario.SEEDS
BER = 1e-4
LENGTHS = (40, 256, 512, 768, 1024, 1280, alone.SIZE)
CELLS = [{"kind": kind, "length": length} for kind in (figure6.W, figure6.BOTH) for length in LENGTHS] + \
    [{"kind": figure6.V}]
QUICK = [cell for cell in CELLS if cell.get("length") in (40, alone.SIZE, None)]


def run(cell, seed, directory):
    return [alone.run(figure6.KINDS[cell["kind"]], cell.get("length"), BER, seed, directory)]


# --- on the host ---

def at_each_length(rows):
    """The rows, with IFTPV's at each length that the others have."""
    own, other = rows[rows["kind"] == figure6.V], rows[rows["kind"] != figure6.V]
    lengths = other[["length"]].drop_duplicates()
    import pandas
    return pandas.concat([other, own.drop(columns="length").merge(lengths, how="cross")])


def draw(rows, path):
    figure6.draw_panels(at_each_length(rows), path, "length", TITLE, "sensitive part [bytes]")


def claims(rows):
    return figure6.judged(at_each_length(rows), "length", "lengths")
