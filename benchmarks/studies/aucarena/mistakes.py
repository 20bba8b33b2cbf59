"""The mistakes of bidders: failed bids, and wrong beliefs about themselves and others.

Source: AucArena, arXiv 2310.05746, section 4. A rate (CFR) is F / (C + F), with F failed and C correct bids or
beliefs; withdrawals are correct. Beliefs are those that agents state after each item. The paper's C of beliefs is the
number of statements, a constant; its program counts correct statements again after each correction of another one.
See `aucenv.envs.english.stated_beliefs`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aucenv.benchmarks.studies.aucarena.auctions import (
    Counts,
    against_rivals,
    english_records,
    labels_of,
    rates_by_bidder,
    rivals_of,
    seats_of,
)
from aucenv.benchmarks.studies.cells import Row
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.agents.agents import bidders_in_words
from aucenv.analysis.plots import COLOURS, Drawing, errors, legend_above
from aucenv.core.play.bid_errors import count_bid_errors
from aucenv.core.records.figures import Rate
from aucenv.core.records.record import GameRecord
from aucenv.envs.english.stated_beliefs import KINDS, RIVAL_KINDS, belief_failures, combined_rate
from aucenv.runs.play import Match

CARELESS = "over_budget=0.05,too_low=0.05,wrong_belief=0.3"

PUBLISHED = {"GPT-4": 0.0021}
"""The lowest published rate; the paper does not say whether of bids or of beliefs."""
NO_CHECKS: dict[str, Rate] = dict.fromkeys(KINDS, (0, 0))
BELIEFS = {
    "own_budget": ("own budget", KINDS[:1]),
    "own_wins": ("own wins", KINDS[2:3]),
    "others": ("others' profits and wins", RIVAL_KINDS),
}
"""Beliefs of the published figure: heading, and kinds of checks."""

COLUMNS = {
    "name": ("bidder", "{}"),
    "games": ("games", "{}"),
    "against": ("against", "{}"),
    "failed": ("failed bids", "{:.2%}"),
    "unreadable": ("unreadable replies", "{:.2%}"),
    **{name: (f"wrong: {heading}", "{:.2%}") for name, (heading, _) in BELIEFS.items()},
    "beliefs": ("all wrong beliefs", "{:.2%}"),
    "own_profit": ("wrong: own profit", "{:.2%}"),
    "program": ("all wrong beliefs, as the program counts", "{:.2%}"),
}


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    """Return games of each bidder against rule bidders, in the paper's six settings."""
    return against_rivals(bidders, games, seed)


def rows(records: Sequence[GameRecord]) -> list[Row]:
    """Return a row for each bidder, and then for each published model."""
    played = english_records(records)
    rivals = rivals_of(played)
    rates, in_words = rates_by_bidder(played, _counts), bidders_in_words(played)
    table: list[Row] = []
    for bidder, games in labels_of(played).items():
        row: Row = {"name": bidder, "bidder": bidder, "games": games, "against": rivals[bidder], **rates[bidder]}
        undefined = ["failed"] if row.pop("tried") == 0 else []
        undefined += ["unreadable"] if bidder not in in_words else []
        row.update({f"{name}{end}": None for name in undefined for end in ("", "_low", "_high")})
        table.append(row)
    published: list[Row] = [
        {"name": f"{model}, published", "bidder": "published", "failed": rate, "beliefs": rate}
        for model, rate in PUBLISHED.items()
    ]
    return [*table, *published] if table else []


def _counts(record: GameRecord) -> Mapping[str, Counts]:
    """Count the failures and the opportunities of each bidder; `tried` is the number of attempted bids."""
    failures, beliefs = count_bid_errors(record), belief_failures([record])
    by_program = belief_failures([record], "program")
    counts: dict[str, Counts] = {}
    for label, seats in seats_of(record).items():
        bids = sum(one["amount"] is not None for one in record.decisions if one["seat"] in seats)
        checks = beliefs.get(label, NO_CHECKS)
        counts[label] = {
            "failed": _total([failures[seat].failed_bid_rate for seat in seats]),
            "unreadable": _total([failures[seat].unreadable_rate for seat in seats]),
            "tried": (bids + sum(failures[seat].illegal for seat in seats), 1),
            "own_profit": checks[KINDS[1]],
            **{name: combined_rate(checks, kinds) for name, (_, kinds) in BELIEFS.items()},
            "beliefs": combined_rate(checks, KINDS),
            "program": combined_rate(by_program.get(label, NO_CHECKS), KINDS),
        }
    return counts


def _total(rates: Sequence[tuple[int, int]]) -> tuple[int, int]:
    return sum(failed for failed, _ in rates), sum(total for _, total in rates)


def size(rows: Sequence[Row]) -> tuple[float, float]:
    """Return the size of the figure: higher for more bidders."""
    return 10.0, 0.4 * len(rows) + 2.0


def draw(rows: Sequence[Row], figure: Drawing) -> None:
    """Draw a panel for each rate, with a bar for each bidder, and the published rate as a line."""
    from matplotlib.ticker import PercentFormatter

    bidders = [row for row in rows if row["bidder"] != "published"]
    titles = {"failed": "failed bids", **{name: f"wrong: {heading}" for name, (heading, _) in BELIEFS.items()}}
    panels = figure.subplots(1, len(titles), sharey=True, sharex=True)
    for number, (axes, (name, title)) in enumerate(zip(panels, titles.items(), strict=True)):
        shown = [(place, row) for place, row in enumerate(bidders) if row[name] is not None]
        places, known = [place for place, _ in shown], [row for _, row in shown]
        bars = errors(known, name) if known else None
        axes.barh(places, [row[name] for row in known], 0.6, xerr=bars, color=COLOURS[number], capsize=3)
        for place, row in enumerate(bidders):
            end = row.get(f"{name}_high") or row[name] or 0
            text = "no rate" if row[name] is None else f"{row[name]:.1%}"
            axes.annotate(text, (end, place), (4, 0), textcoords="offset points", va="center", fontsize=8)
        for model, rate in PUBLISHED.items():
            label = f"lowest rate, of bids or of beliefs ({model}), published: {rate:.2%}"
            axes.axvline(rate, color="0.2", linestyle=":", label=label)
        axes.set_title(title, fontsize=9)
        axes.xaxis.set_major_formatter(PercentFormatter(1))
    panels[0].set_yticks(range(len(bidders)), [row["name"] for row in bidders])
    panels[0].invert_yaxis()
    shown_rates = [row.get(f"{name}_high") or row[name] or 0 for row in bidders for name in titles]
    panels[0].set_xlim(0, 1.35 * max(0.01, *shown_rates))
    figure.supxlabel("share that is wrong, with 95% intervals", fontsize=10)
    legend_above(figure)


STUDY: Study = Study(
    name="aucarena/mistakes",
    about="AucArena: shares of failed bids, and of wrong beliefs about own budget, own wins and other bidders.",
    columns=COLUMNS,
    bidders=("careful=llm:scripted,agent=bdi", f"careless=llm:scripted,agent=bdi,{CARELESS}"),
    games=10,
    offline_games=3,
    matches=matches,
    rows=rows,
    draw=draw,
    size=size,
    meaning=(
        "The published rate is the lowest of the paper's models; it stands beside failed bids and wrong beliefs, "
        "because the paper does not say which. Wrong beliefs are counted by the paper's formula; its program counts "
        "correct statements again after each correction. A script errs as often as its options say. A bidder that "
        "never bids has no share of failed bids."
    ),
)
