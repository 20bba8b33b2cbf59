"""The tables of the benchmark: the ranking, the tables of each game, and what is left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from aucenv.benchmarks.benchmark.plan import Plan

from aucenv.analysis import model_figures
from aucenv.analysis.markdown import table
from aucenv.analysis.ranking_tables import interval_note
from aucenv.analysis.shown_figures import note_on_failed_bids
from aucenv.core.figures import TextTable, or_dash
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.phrases import listed

HASH_DIGITS = 16
"""How many digits of a hash tables show; a submission has all of them."""
SCALE = "0 = random, 1 = the reference"
OVERALL = (
    "An overall score is the mean over the games that the bidder plays: only those of bidders that play the same games "
    "can be compared."
)


def text_tables(plan: Plan, rows: Sequence[JsonObject], by_table: bool = False) -> list[TextTable]:
    """Return the tables that a terminal shows.

    Args:
        rows: The rows of `score_rows`; those of bidders that call models may have `model`, their figures.
        by_table: Whether to show the tables of each game.
    """
    models = {row["bidder"]: row["model"] for row in rows if "model" in row}
    tables = [_ranking(plan, rows), *(_game_table(plan, game, rows) for game in plan.games if by_table)]
    tables.append(TextTable(model_figures.TITLE, model_figures.COLUMNS, list(model_figures.cells(models))))
    return [one for one in tables if one.lines]


def to_markdown(plan: Plan, rows: Sequence[JsonObject], models: Mapping[str, JsonMapping]) -> str:
    """Return all tables in Markdown, with both ends of the intervals.

    Args:
        models: The figures of models by bidder.
    """
    shown = [_ranking(plan, rows, ends=True), *(_game_table(plan, game, rows, ends=True) for game in plan.games)]
    parts = [f"**{one.title}**\n\n{table(one.headings, one.lines, one.note)}" for one in shown if one.lines]
    if models:
        parts.append(table(model_figures.COLUMNS, model_figures.cells(models)))
    notes = [f"- {note}\n" for note in notes_on_games(plan)]
    return "\n".join(parts) + ("\n" + "".join(notes) if notes else "")


def notes_on_games(plan: Plan) -> Iterator[str]:
    """Yield a sentence for the games that a bidder cannot play and each reason, and for those that nobody plays."""
    empty = [game for game in plan.games if game not in plan.played]
    for label, reasons in plan.left_out.items():
        by_reason: dict[str, list[str]] = {}
        for game, reason in reasons.items():
            if game not in empty:
                by_reason.setdefault(reason, []).append(game)
        for reason, games in by_reason.items():
            yield f"{label} is left out of {listed(games)}: {reason}"
    if empty:
        yield f"left out {listed(empty)}: none of the bidders can play {'it' if len(empty) == 1 else 'them'}"


def title_of(plan: Plan) -> str:
    """Return the name of the suite, the size and the hash."""
    return f"{plan.suite.name}, {plan.size}, suite hash {plan.hash[:HASH_DIGITS]}"


def _ranking(plan: Plan, rows: Sequence[JsonObject], ends: bool = False) -> TextTable:
    games = plan.played
    in_words = any(row["replies_in_words"] for row in rows)
    headings = ["rank", "bidder", "overall", *games, "failed bids", *(["unreadable"] if in_words else [])]
    lines = []
    for row in rows:
        scores = [row["games"].get(game, {}) for game in games]
        rates = [or_dash(row["failed_bid_rate"], "{:.1%}")]
        rates += [or_dash(row["unreadable_rate"], "{:.1%}")] if in_words else []
        cells = [_cell(row, "overall", ends), *(_cell(score, "score", ends) for score in scores), *rates]
        tied = sum(other["rank"] == row["rank"] for other in rows) > 1
        lines.append([f"{row['rank']}{'=' * tied}", row["bidder"], *cells])
    notes = [note_on_failed_bids((row["failed_bid_rate"], row["unreadable_rate"]) for row in rows)]
    if len({tuple(row["games"]) for row in rows}) > 1:
        notes.append(OVERALL)
    note = " ".join(filter(None, notes))
    return TextTable(_title(title_of(plan), lines, ends), tuple(headings), lines, note)


def _game_table(plan: Plan, game: str, rows: Sequence[JsonObject], ends: bool = False) -> TextTable:
    names = [one.name for one in plan.tables(game)]
    played = [row for row in rows if game in row["games"]]
    lines = []
    for row in played:
        scores = row["games"][game]
        lines.append([row["bidder"], *(_cell(scores["tables"][name], "score", ends) for name in names)])
    return TextTable(_title(game, lines, ends), ("bidder", *names), lines)


def _title(title: str, lines: Sequence[Sequence[str]], ends: bool) -> str:
    return f"{title}: {SCALE}" if ends else f"{title}: {SCALE}; {interval_note(lines)}"


def _cell(scores: JsonMapping, name: str, ends: bool) -> str:
    value = scores.get(name)
    if value is None:
        return "-"
    low, high = scores[f"{name}_low"], scores[f"{name}_high"]
    if low is None:
        return f"{value:.2f}"
    return f"{value:.2f} ({low:.2f} to {high:.2f})" if ends else f"{value:.2f} ±{(high - low) / 2:.2f}"
