"""Write the figures of a run as SVG and PNG, and their numbers as CSV: ranking, scores, wins and prices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from aucenv.benchmarks.report.run_summary import scores_of, sign_of

from aucenv.analysis.plots import Drawing, legend_above, write_figure
from aucenv.analysis.ranking.figure import draw_panels
from aucenv.analysis.ranking.standings import Row, standings
from aucenv.analysis.statistics.design import Design
from aucenv.analysis.statistics.intervals import ratio
from aucenv.analysis.statistics.metrics import figures_of
from aucenv.core.files import to_csv, write_atomically
from aucenv.core.records.record import GameRecord
from aucenv.runs.recorded.boards import prices_of

FORMATS = (".svg", ".png")
RATING_COLUMNS = ("bidder", "rank", "rating", "rating_low", "rating_high", "games")
SCORE_COLUMNS = ("bidder", "mean", "low", "quartile_1", "median", "quartile_3", "high")
DUEL_COLUMNS = ("bidder", "rival", "share", "games")
PRICE_COLUMNS = ("item", "price", "price_low", "price_high", "games")


def write_figures(records: Sequence[GameRecord], folder: Path) -> list[Path]:
    """Write the figures of the games of a run into a folder, those of each game into one of its name if there are more.

    Returns:
        The files.

    Raises:
        ImportError: matplotlib is not installed.
        OSError: A file cannot be written.
    """
    games = list(dict.fromkeys(record.game for record in records))
    files: list[Path] = []
    for game in games:
        played = [record for record in records if record.game == game]
        files += _figures_of(played, folder if len(games) == 1 else folder / game)
    return files


def _figures_of(records: Sequence[GameRecord], folder: Path) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    rows, game = standings(records), records[0].game
    scores, prices, sign = scores_of(records), price_rows(records), sign_of(records[0])
    tall = 1.6 + 0.34 * len(rows)
    files = [
        *_write(folder / "ranking", rows, RATING_COLUMNS, partial(draw_panels, rows, game, f"{game}"), (9, tall)),
        *_write(folder / "scores", scores, SCORE_COLUMNS, partial(_draw_scores, scores, game, sign), (8, tall)),
    ]
    if duels := duel_rows(rows):
        wide = 3 + 0.5 * len(rows)
        files += _write(folder / "wins", duels, DUEL_COLUMNS, partial(_draw_wins, rows), (wide, wide - 1))
    if prices:
        files += _write(folder / "prices", prices, PRICE_COLUMNS, partial(_draw_prices, prices, sign), (8, 4.4))
    return files


def _write(
    path: Path,
    rows: Sequence[Row],
    columns: Sequence[str],
    draw: Callable[[Drawing], object],
    size: tuple[float, float],
) -> list[Path]:
    """Write a figure in all formats, and its numbers."""
    pictures = [path.with_suffix(suffix) for suffix in FORMATS]
    write_figure(pictures, draw, size)
    table = path.with_suffix(".csv")
    write_atomically(table, to_csv([{name: row[name] for name in columns} for row in rows]))
    return [*pictures, table]


def duel_rows(rows: Sequence[Row]) -> list[Row]:
    """Return the share of games that each bidder has won against each rival; a draw is half a game."""
    return [
        {"bidder": row["bidder"], "rival": rival, "share": (duel["wins"] + duel["draws"] / 2) / duel["games"]}
        | {"games": duel["games"]}
        for row in rows
        for rival, duel in row["head_to_head"].items()
    ]


def price_rows(records: Sequence[GameRecord]) -> list[Row]:
    """Return the mean price of each item in the order of sale, over the games in which it is sold."""
    design = Design.of_records(records)
    paths = [prices_of(record) for record in records]
    rows: list[Row] = []
    for j in range(max(map(len, paths), default=0)):
        sums = np.zeros((design.num_deals, 2))
        for deal, path in zip(design.deals.tolist(), paths, strict=True):
            if j < len(path) and path[j] is not None:
                sums[deal] += path[j], 1
        mean = ratio(sums, design)
        if mean.value is not None:
            ends = {"price": mean.value, "price_low": mean.low, "price_high": mean.high}
            rows.append({"item": j + 1, **ends, "games": int(sums[:, 1].sum())})
    return rows


def _draw_scores(rows: Sequence[Row], game: str, sign: str, figure: Drawing) -> None:
    axes = figure.subplots()
    names = {"whislo": "low", "q1": "quartile_1", "med": "median", "q3": "quartile_3", "whishi": "high", "mean": "mean"}
    boxes = [{"label": row["bidder"], **{part: row[name] for part, name in names.items()}} for row in rows]
    axes.bxp(boxes, orientation="horizontal", showmeans=True, showfliers=False)
    axes.set_yticks(range(1, len(rows) + 1), [row["bidder"] for row in rows], parse_math=False)
    axes.invert_yaxis()
    axes.grid(axis="x")
    axes.set_xlabel(f"{figures_of(game).SCORE.replace('_', ' ')} of a game{f', {sign}' if sign else ''}")
    axes.set_title("box: half of the games; line: 5% to 95%; mark: median; triangle: mean", fontsize=9)


def _draw_wins(rows: Sequence[Row], figure: Drawing) -> None:
    names, axes = [row["bidder"] for row in rows], figure.subplots()
    shares = {(each["bidder"], each["rival"]): each["share"] for each in duel_rows(rows)}
    grid = np.array([[shares.get((one, other), np.nan) for other in names] for one in names])
    axes.imshow(grid, vmin=0, vmax=1, cmap="Blues")
    for (row, column), share in np.ndenumerate(grid):
        if not np.isnan(share):
            color = "white" if share > 0.6 else "black"
            axes.text(column, row, f"{share:.0%}", ha="center", va="center", color=color, fontsize=8)
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right", parse_math=False)
    axes.set_yticks(range(len(names)), names, parse_math=False)
    axes.set_title("games won against (a draw is half)")


def _draw_prices(rows: Sequence[Row], sign: str, figure: Drawing) -> None:
    axes: Any = figure.subplots()
    places = [row["item"] for row in rows]
    axes.plot(places, [row["price"] for row in rows], "o-", label="mean price")
    known = [row for row in rows if row["price_low"] is not None]
    if known:
        lows, highs = ([row[name] for row in known] for name in ("price_low", "price_high"))
        axes.fill_between([row["item"] for row in known], lows, highs, alpha=0.2, label="95% interval")
    axes.set_xlabel("item, in the order of sale")
    axes.set_ylabel(f"price{f', {sign}' if sign else ''}")
    axes.grid(axis="y")
    legend_above(figure)
