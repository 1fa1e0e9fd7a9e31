# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 2: the goodput of short flows without messages, by the attempts of the link for each packet.
The goodput is the ratio of the bytes that arrive, without duplicates, to the bytes that TCP sends. So
it shows how many retransmissions of TCP the link saves."""
from rto import scenario

TITLE = "Goodput without messages, by the attempts of the link"
HEADLINE = "about 85 % with three attempts, even at 50 % bad"
SECONDS, COST = 500, 0.5    # approximate, because sessions differ in length
ATTEMPTS = (1, 2, 3, 6)
JUDGED = 3
CELLS = [{"attempts": attempts, "bad": bad} for attempts in ATTEMPTS for bad in scenario.BADS]
QUICK = [cell for cell in CELLS if cell["bad"] == scenario.BADS[-1] and cell["attempts"] in (1, JUDGED)]


def run(cell, seed, directory):
    return scenario.run({"source": "3GPP", "tcp": "default", **cell}, seed, directory)


# --- on the host ---

def with_goodput(rows):
    """The rows with the goodput in percent. Short flows send segments of nearly one size, so segments are
    counted."""
    return rows.assign(goodput=100 * (rows["arrived"] - rows["again"]) / rows["sent"],
                       share=scenario.share(rows["bad"]))


def draw(rows, path):
    from pieces import picture
    sheet, axes = picture.sheet(1, 1, (6, 4.5))
    rows = with_goodput(rows)
    for number, attempts in enumerate(ATTEMPTS):
        if len(one := scenario.of(rows, attempts=attempts)):
            picture.curve(axes[0, 0], one, "share", "goodput", number, f"attempts {attempts}")
    axes[0, 0].set_ylabel("goodput [% of TCP's segments]")
    axes[0, 0].set_xlabel(scenario.BAD_AXIS)
    picture.legend(axes[0, 0])
    picture.save(sheet, path, TITLE)


def claims(rows):
    from pieces.claim import Claim
    from pieces.estimate import is_less, text
    rows = with_goodput(scenario.of(rows, bad=scenario.BADS[-1]))
    goodput = {attempts: scenario.by_seed(rows, "goodput", attempts=attempts)
               for attempts in sorted(rows["attempts"].unique())}
    fewest, *_, most = goodput.values()
    return [Claim("50 % bad: goodput with three attempts", "about 85 %", text(goodput[JUDGED], " %"),
                  bool(80 <= goodput[JUDGED].mean() <= 90)),
            Claim("50 % bad: more attempts give more goodput", "", "; ".join(
                f"{text(values, ' %')} with {attempts}" for attempts, values in goodput.items()),
                is_less(fewest, most))]
