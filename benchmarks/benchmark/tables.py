"""The tables of the benchmark: the ranking, the tables of each game, and what is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from aucenv.benchmarks.benchmark.plan import Plan
from aucenv.benchmarks.benchmark.scores import ISOLATED, rows_by_games

from aucenv.analysis.agents import model_figures
from aucenv.analysis.markdown import from_text
from aucenv.analysis.ranking.shown_figures import note_on_bidders, note_on_failed_bids
from aucenv.analysis.ranking.tables import interval_note, rank_cell
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.records.figures import ShownFigure, TextTable, or_dash
from aucenv.core.words.phrases import listed

HASH_DIGITS = 16
"""How many digits of a hash tables show; a submission has all of them."""
SCALE = "0 = random, 1 = the reference"


def text_tables(plan: Plan, rows: Sequence[JsonObject], by_table: bool = False) -> list[TextTable]:
    """Return the tables that a terminal shows.

    Args:
        rows: The rows of `score_rows`; those of bidders that call models may have `model`, their figures.
        by_table: Whether to show the tables of each game.
    """
    models = {row["bidder"]: row["model"] for row in rows if "model" in row}
    tables = [*_rankings(plan, rows), *(_game_table(plan, game, rows) for game in plan.games if by_table)]
    tables.append(model_figures.text_table(models))
    return [one for one in tables if one.lines]


def to_markdown(plan: Plan, rows: Sequence[JsonObject], models: Mapping[str, JsonMapping]) -> str:
    """Return all tables in Markdown, with both ends of the intervals.

    Args:
        models: The figures of models by bidder.
    """
    shown = _rankings(plan, rows, ends=True) + [_game_table(plan, game, rows, ends=True) for game in plan.games]
    parts = [f"**{one.title}**\n\n{from_text(one)}" for one in shown if one.lines]
    if models:
        parts.append(from_text(model_figures.text_table(models)))
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


def _rankings(plan: Plan, rows: Sequence[JsonObject], ends: bool = False) -> list[TextTable]:
    """Return a ranking of each group of bidders that play the same games; if there are several, titles name the games.

    A group is compared with no other one, because overall scores are means over other games.
    """
    groups = rows_by_games(rows, plan.games)
    of_games = {games: "" if len(groups) == 1 else f", {listed(games)}" for games in groups}
    return [_ranking(f"{title_of(plan)}{of_games[games]}", games, ranked, ends) for games, ranked in groups.items()]


def _ranking(title: str, games: Sequence[str], rows: Sequence[JsonObject], ends: bool) -> TextTable:
    in_words = any(row["replies_in_words"] for row in rows)
    isolated = any(row["process"] == ISOLATED for row in rows)
    headings = ["rank", "bidder", "overall", *games, "failed bids", *(["unreadable"] if in_words else [])]
    headings += ["process"] if isolated else []
    shared = Counter(row["rank"] for row in rows)
    lines = []
    for row in rows:
        rates = [or_dash(row["failed_bid_rate"], "{:.1%}")]
        rates += [or_dash(row["unreadable_rate"], "{:.1%}")] if in_words else []
        rates += [row["process"]] if isolated else []
        scores = [_cell(row["games"][game], "score", ends) for game in games]
        lines.append([rank_cell(row, shared), row["bidder"], _cell(row, "overall", ends), *scores, *rates])
    failed = note_on_failed_bids((row["failed_bid_rate"], row["unreadable_rate"]) for row in rows)
    note = " ".join(filter(None, (note_on_bidders(rows), failed)))
    return TextTable(_title(title, lines, ends), tuple(headings), lines, note)


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
    text = f"{value:.2f}"
    if low is not None:
        text += f" ({low:.2f} to {high:.2f})" if ends else f" ±{(high - low) / 2:.2f}"
    return ShownFigure(text, value, low, high)
