# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 6, scenario 5: IFTP-W and IFTPV, each alone on the link, by bit error rate. 512 bytes of a packet of
IFTP-W are sensitive to errors; IFTPV drops what is damaged. The paper does not say what its throughput counts,
so the figure has three rates: packets that came, that were whole, and that were usable, that is with a whole
sensitive part. IFTPV-W, which is IFTPV with a sensitive part, is the paper's outlook (section 7). It separates
what the decision after a loss does from what the sensitive part does."""
from iftpv import alone, scenario

TITLE = "IFTP-W and IFTPV, by bit error rate"
HEADLINE = "IFTPV above IFTP-W, with lower jitter"
SECONDS, SEEDS = scenario.SECONDS, scenario.SEEDS
FIXED = 512                             # bytes
W, V, BOTH = "IFTP-W", "IFTPV", "IFTPV-W"
KINDS = {W: "iftp", V: "iftpv", BOTH: "iftpv"}
CELLS = [{"kind": kind, "ber": ber} for kind in KINDS for ber in scenario.BERS]
QUICK = [cell for cell in CELLS if cell["ber"] in (1e-5, 1e-3)]


def run(cell, seed, directory):
    sensitive = None if cell["kind"] == V else FIXED
    return [alone.run(KINDS[cell["kind"]], sensitive, cell["ber"], seed, directory)]


# --- on the host ---

RATES = {"came": "came", "whole": "whole", "usable": "sensitive part whole"}


def draw(rows, path):
    draw_panels(rows, path, "ber", TITLE, "bit error rate")


def draw_panels(rows, path, x, text, label):
    """Draw the three rates and the jitter of each kind against a parameter."""
    from pieces import picture
    shown = {value: f"{name} [kbit/s]" for value, name in RATES.items()} | \
        {"jitter_ms": "jitter of whole packets [ms]"}
    sheet, axes = picture.sheet(2, 2, (12, 8.5))
    for each, (value, name) in zip(axes.flat, shown.items()):
        for number, kind in enumerate(KINDS):
            picture.curve(each, rows[rows["kind"] == kind].dropna(subset=value), x, value, number, kind)
        each.set_xlabel(label)
        each.set_ylabel(name)
        each.set_ylim(0)
        each.set_xscale("log" if x == "ber" else "linear")
    picture.legend(axes[0, 0])
    picture.save(sheet, path, text)


def claims(rows):
    return judged(rows, "ber", "bit error rates")


def judged(rows, x, where):
    """The claims that IFTPV is above IFTP-W for each value of a parameter, by each rate, and that its jitter is
    lower; the paper's, and the same with a sensitive part."""
    return [compared(rows, x, where, one, value) for one in (V, BOTH) for value in (*RATES, "jitter_ms")]


def compared(rows, x, where, one, value):
    """The claim about a kind and IFTP-W by a value."""
    from pieces.claim import Claim
    rate = value in RATES
    mean = rows.dropna(subset=value).groupby(["kind", x])[value].mean().unstack("kind")
    mean = mean.reindex(columns=[one, W]).dropna()
    ahead = mean[one] > mean[W] if rate else mean[one] < mean[W]
    ours = "; ".join(f"at {at:g} {a:.0f} and {b:.0f} kbit/s" if rate else f"at {at:g} {a:.2f} and {b:.2f} ms"
                     for at, (a, b) in mean.iterrows())
    return Claim(f"{one} and {W} at all {where}: {RATES.get(value, 'jitter')}",
                 f"{V} {'above' if rate else 'below'}" if one == V else "", ours,
                 bool(len(mean) and ahead.all()), remarks(rows, x, one))


def remarks(rows, x, one):
    """What a claim's rates do not show: timeouts, and sources that ended early."""
    mean = rows.groupby(["kind", x])["timeouts"].mean().unstack("kind").reindex(columns=[one, W]).dropna()
    timeouts = "; ".join(f"at {at:g} {a:.1f} and {b:.1f}" for at, (a, b) in mean.iterrows() if a or b)
    return "; ".join(filter(None, [timeouts and f"timeouts of a flow: {timeouts}", early(rows)]))


def early(rows):
    """How many sources ended early (flow.Flow.finish), which the rates of a whole run do not hide."""
    ended = (rows["end"] != "").groupby([rows["kind"], rows["ber" if "ber" in rows else "length"]]).sum()
    found = "; ".join(f"{count} of {kind} at {at:g}" for (kind, at), count in ended.items() if count)
    return f"sources that ended early: {found}" if found else ""
