"""The summary of a run on a page: ranking, scores, tables, and facts about the run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from aucenv.benchmarks.rankings.leaderboard import report as ranking
from aucenv.benchmarks.rankings.leaderboard import rows_with_models
from aucenv.benchmarks.rankings.saved_runs import SavedRun
from aucenv.benchmarks.report.redaction import SETTINGS

from aucenv.analysis.agents.call_costs import cost_in_words
from aucenv.analysis.agents.model_figures import answered_by, notes_on_answers
from aucenv.analysis.agents.tables import agent_tables
from aucenv.analysis.ranking.tables import DUELS, ranking_tables
from aucenv.analysis.statistics.metrics import figures_of, scores_by_bidder
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.records.figures import ShownFigure, TextTable, is_amount
from aucenv.core.records.record import GameRecord
from aucenv.core.words.money import CURRENCIES
from aucenv.core.words.phrases import count
from aucenv.runs.loop import Report
from aucenv.runs.model_calls.calls import Call
from aucenv.runs.results import read_run

DIGITS = 6
"""The number of digits after the decimal point of saved figures."""


def summary_of(run: SavedRun, records: Sequence[GameRecord], calls: Sequence[Call], is_redacted: bool) -> JsonObject:
    """Return the summary of a run, in words and numbers.

    Args:
        run: The run.
        records: Its games, in which bidders and scenarios may have new names.
        calls: Its model calls.
        is_redacted: Whether words and names are left out.
    """
    games = list(_by_game(records))
    is_ranked = is_redacted or (not run.is_benchmark and run.study is None)
    reports = {game: ranking(played, calls) for game, played in _by_game(records).items()} if is_ranked else {}
    name = "run" if is_redacted else run.path.resolve().name
    return {
        "name": name,
        "ranking": [_rating(row) for row in reports[games[0]].rows] if is_ranked and len(games) == 1 else [],
        "scores": scores_of(records) if len(games) == 1 else [],
        "score_title": _score_title(games[0]),
        "sign": sign_of(records[0]),
        "tables": [table_data(table) for table in _tables(run, records, calls, reports, is_redacted) if table.lines],
        "facts": list(_facts(run, records, calls, is_redacted)),
    }


def _rating(row: JsonMapping) -> JsonObject:
    return {name: row[name] for name in ("bidder", "rating", "rating_low", "rating_high")}


def scores_of(records: Sequence[GameRecord]) -> list[JsonObject]:
    """Return the distribution of each bidder's scores over games, from the highest mean."""
    by_bidder: dict[str, list[float]] = {}
    for record in records:
        for bidder, score in scores_by_bidder(record).items():
            by_bidder.setdefault(bidder, []).append(score)
    names = ("low", "quartile_1", "median", "quartile_3", "high")
    rows: list[JsonObject] = []
    for bidder, scores in by_bidder.items():
        quantiles = np.quantile(scores, [0.05, 0.25, 0.5, 0.75, 0.95]).round(4).tolist()
        rows.append(
            {"bidder": bidder, "mean": round(float(np.mean(scores)), 4), **dict(zip(names, quantiles, strict=True))}
        )
    return sorted(rows, key=lambda row: -row["mean"])


def _score_title(game: str) -> str:
    score = figures_of(game).SCORE.replace("_", " ")
    return f"{score.capitalize()} of a game"


def sign_of(record: GameRecord) -> str:
    """Return the currency sign of a game's scores; "" if they are no amounts."""
    if not is_amount(figures_of(record.game).SCORE):
        return ""
    return CURRENCIES.get(record.scenario.get("currency", ""), "$")


def _tables(
    run: SavedRun,
    records: Sequence[GameRecord],
    calls: Sequence[Call],
    reports: Mapping[str, Report],
    is_redacted: bool,
) -> Iterator[TextTable]:
    """Yield the tables that the run prints, then those about agents, which name scenarios and are never redacted.

    Args:
        reports: The rankings by game; empty: the run has tables of its own.
    """
    if not reports:
        yield from _tables_of_run(run, records, calls)
    for game, played in _by_game(records).items():
        if reports:
            title = f"{game}, {count(len(played), 'game')}"
            yield from ranking_tables(rows_with_models(reports[game]), game, title)
        if not is_redacted:
            yield from agent_tables(played)


def _tables_of_run(run: SavedRun, records: Sequence[GameRecord], calls: Sequence[Call]) -> list[TextTable]:
    """Return the tables of a benchmark or a study; of a run that has none yet, one that says why."""
    try:
        if run.is_benchmark:
            return _benchmark_tables(run, records, calls)
        assert run.study is not None
        tables = run.study.tables(run.report(records, calls).rows)
    except (ValueError, OSError) as error:
        return [TextTable("the tables of this run", ("run", "why there are none"), [[run.path.name, str(error)]])]
    return [TextTable(title, tuple(headings), lines) for title, headings, lines in tables]


def _by_game(records: Iterable[GameRecord]) -> dict[str, list[GameRecord]]:
    games: dict[str, list[GameRecord]] = {}
    for record in records:
        games.setdefault(record.game, []).append(record)
    return games


def _benchmark_tables(run: SavedRun, records: Sequence[GameRecord], calls: Sequence[Call]) -> list[TextTable]:
    from aucenv.benchmarks.benchmark.run import make_report
    from aucenv.benchmarks.benchmark.saved_plan import read_plan
    from aucenv.benchmarks.benchmark.tables import text_tables

    plan, _ = read_plan(read_run(run.path), run.path)
    plan = plan.finished({record.index: record for record in records})
    return list(text_tables(plan, rows_with_models(make_report(plan, list(records), list(calls))), by_table=True))


def table_data(table: TextTable) -> JsonObject:
    """Return a table as the page needs it.

    A cell is a text, or a list of the text of a figure, the figure, and the ends of its interval if it has one.
    `shares` is whether cells are shares of games won.
    """
    return {
        "title": table.title,
        "columns": list(table.headings),
        "rows": [list(map(_cell, line)) for line in table.lines],
        "note": table.note,
        "shares": table.title == DUELS,
    }


def _cell(cell: str) -> str | list[str | float]:
    if not isinstance(cell, ShownFigure):
        return cell
    ends = [] if cell.low is None or cell.high is None else [cell.low, cell.high]
    return [str(cell), *(round(float(number), DIGITS) for number in (cell.value, *ends))]


def _facts(
    run: SavedRun, records: Sequence[GameRecord], calls: Sequence[Call], is_redacted: bool
) -> Iterator[tuple[str, str]]:
    settings: JsonObject = dict(run.settings)
    number = count(len(records), "game")
    if run.study is None and isinstance(settings.get("games"), int):  # the number of games of the whole run
        total = settings.pop("games")
        number = number if total == len(records) else f"{len(records):,} of {count(total, 'game')}"
    yield "games", f"{number} of {', '.join(dict.fromkeys(record.game for record in records))}"
    yield "run", "complete" if run.finished else "a file of games" if not run.settings else "not finished"
    if run.version is not None:
        yield "aucenv", run.version
    yield from _times(run.path)
    answers = [call for call in calls if call.is_answer]
    calls = [call for call in calls if not call.is_answer]
    if answers:
        yield "answers of people", f"{len(answers):,}, {sum(call.seconds for call in answers):,.1f} s"
    if calls:
        numbers = [number for call in calls for number in (call.tokens_in, call.tokens_out)]
        known = [number for number in numbers if number is not None]
        tokens = f"{sum(known):,}" if len(known) == len(numbers) else "unknown"
        seconds = sum(call.seconds for call in calls)
        finished = {record.index for record in records}
        unfinished = sum(call.game not in finished for call in calls)
        text = f"{len(calls):,}, {tokens} tokens, {cost_in_words(calls)}, {seconds:,.1f} s"
        yield "model calls", f"{text}; {unfinished:,} of them in unfinished games" if unfinished else text
        if notes := " ".join(notes_on_answers(answered_by(calls))):
            yield "changed models", notes
    for name, value in settings.items():
        if value not in (None, [], {}, ()) and (name in SETTINGS or not is_redacted):
            yield name.replace("_", " "), ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _times(path: Path) -> Iterator[tuple[str, str]]:
    if (path / "run.json").exists():
        data = read_run(path)
        yield "started", data["started"]
        if data["finished"] is not None:
            yield "finished", data["finished"]
