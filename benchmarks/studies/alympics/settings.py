"""Alympics' six settings: survival, efficiency and the ratio of supply to requirement, beside the published figures.

Source: Alympics, arXiv 2311.03220, section 4, Tables 1, 2 and 4. The published mean efficiencies are recomputed with
the paper's formula from its records, because its printed table counts too few wins in 12 games. All other published
figures are as printed, also where the paper's records give others: the RSR of games 5 to 7 of setting 2 and 8 to 10 of
setting 3.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path

from aucenv.benchmarks.studies.alympics.droughts import (
    BIDDERS,
    GAME,
    HEAD,
    NAMES,
    NUMBERS,
    by_setting,
    leading_columns,
    matches,
)
from aucenv.benchmarks.studies.cells import (
    Table,
    distinct,
    estimates,
    published_columns,
    table_of,
    with_published,
)
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.plots import Drawing, draw_bars, legend_above
from aucenv.analysis.statistics.significance import t_test
from aucenv.core.files import JsonObject, read_object
from aucenv.core.records.figures import or_dash
from aucenv.core.records.record import GameRecord
from aucenv.envs.water_allocation.figures import FIGURES, SeatFigures, game_figures

GAMES = 10

PAIRS = list(itertools.combinations(NUMBERS.values(), 2))
LEAST_P = 0.005
"""Smaller p-values, which the paper prints as 0.00, are not shown in digits."""
MOST_SHOWN = 10
"""The number of games with a column of their own."""

COLUMNS = {**HEAD, **{name: (name, "{:.2f}") for name in NAMES}}
MORE = {
    **HEAD,
    **published_columns("survivors", "survivors", "{:.2f}"),
    "rsr_start": ("RSR start", "{:.1f}"),
    **published_columns("rsr_end", "RSR end", "{:.2f}"),
    **published_columns("efficiency", "efficiency x 1000, 1/$", "{:.2f}"),
}
DIFFERENCES = {**HEAD, **{f"{name}_difference": (name, "{:+.2f}") for name in NAMES}}


@functools.cache
def published_figures() -> JsonObject:
    """Return the published figures; the file says what they are."""
    return read_object(Path(__file__).with_name("published_settings.json"))


def published_p_values(pair: tuple[int, int]) -> dict[str, float]:
    """Return the published p-value of each measure between two settings, which are given by their numbers."""
    return {name: values[PAIRS.index(pair)] for name, values in published_figures()["p_values"].items()}


def published_survival(number: int) -> list[float]:
    """Return the published survival rate of each resident in a setting."""
    rates: list[float] = published_figures()["settings"][number - 1]["survival"]
    return rates


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """Return a row for each setting and bidder, and a row with the published figures of each setting.

    Figures are rates and means over games. `by_game` has the survivors, the RSR at the end and the efficiency of each
    game. `samples` are the values that tests compare, and `p_values` are those of the tests against later settings.
    """
    table: list[JsonObject] = []
    for (setting, bidder), played in by_setting(records).items():
        games = [game_figures(record) for record in played]
        published = _published(setting, games[0].rsr_start)
        if not table or table[-1]["setting"] != setting:
            table.append(published)
        ends = [game.rsr_end for game in games if game.rsr_end is not None]
        efficiencies = [1000 * game.efficiency for game in games if game.efficiency is not None]
        rates = [sum(r.outcome["seats"][seat]["survived"] for r in played) / len(played) for seat in range(len(NAMES))]
        figures = {
            "survivors": FIGURES["survivors_mean"],
            "rsr_end": FIGURES["rsr_end"],
            "efficiency": _efficiency,
        }
        row = {
            **leading_columns(setting, bidder, played),
            "published": False,
            **_survival(played),
            **estimates(played, figures),
            "rsr_start": games[0].rsr_start,
            "by_game": [_of_game(record) for record in played],
            "samples": {"survival": rates, "rsr_end": _rounded(ends), "efficiency": _rounded(efficiencies)},
        }
        compared = (*NAMES, "survivors", "rsr_end", "efficiency")
        table.append(with_published(row, {name: published[name] for name in compared}))
    for row in table:
        if not row["published"]:
            later = [other for other in table if other["bidder"] == row["bidder"] and other["number"] > row["number"]]
            row["p_values"] = {other["setting"]: _p_values(row, other) for other in later}
    return table


def _efficiency(seat: SeatFigures) -> tuple[float, float]:
    """Return the efficiency of a seat's game, times 1000, and whether it is defined."""
    value, defined = FIGURES["efficiency"](seat)
    return 1000 * value, defined


def _survival(played: Sequence[GameRecord]) -> JsonObject:
    """Return the share of games that each resident survives, with its interval over deals."""
    row: JsonObject = {}
    for seat, name in enumerate(NAMES):
        row |= estimates(played, {name: FIGURES["survival_rate"]}, seat)
    return row


def _of_game(record: GameRecord) -> JsonObject:
    """Return the figures of one game; survivors are initials."""
    game = game_figures(record)
    survivors = [player["name"][0] for player in record.seats if player["seat"] in record.outcome["survivors"]]
    efficiency = None if game.efficiency is None else round(1000 * game.efficiency, 6)
    return {"survivors": "".join(survivors), "rsr_end": game.rsr_end, "efficiency": efficiency}


def _published(setting: str, rsr_start: float | None) -> JsonObject:
    """Return the row of the published figures of a setting; nobody knows who survives in which of its games."""
    number = NUMBERS[setting]
    figures, survival = published_figures()["settings"][number - 1], published_survival(number)
    by_game = zip(figures["rsr_end_by_game"], figures["efficiency_by_game"], strict=True)
    return {
        **leading_columns(setting, "published", games=GAMES),
        "published": True,
        **dict(zip(NAMES, survival, strict=True)),
        "survivors": round(sum(survival), 6),
        "rsr_start": rsr_start,
        **{name: figures[name] for name in ("rsr_end", "efficiency", "efficiency_printed")},
        "by_game": [{"survivors": None, "rsr_end": rsr, "efficiency": efficiency} for rsr, efficiency in by_game],
    }


def _rounded(values: Sequence[float]) -> list[float]:
    return [round(value, 6) for value in values]


def _p_values(row: JsonObject, other: JsonObject) -> dict[str, float | None]:
    """Return the p-values between two settings of one bidder."""
    tests = {name: p_value(sample, other["samples"][name]) for name, sample in row["samples"].items()}
    return {name: None if p is None else round(p, 6) for name, p in tests.items()}


def p_value(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return the p-value of a t-test; None if it is undefined, or scipy is not installed."""
    try:
        test = t_test(first, second)
    except ImportError:
        return None
    return None if test is None else test.p


def more_tables(rows: Sequence[JsonObject]) -> list[Table]:
    """Return the tables of the games' results, of differences from published survival, by game, and of p-values."""
    played = [row for row in rows if not row["published"]]
    games = [str(game) for game in range(1, MOST_SHOWN + 1)]
    by_game = (
        f"Results by game, of the first {MOST_SHOWN}: survivors by initial, RSR at the end, and efficiency x 1000 in "
        "1/$. Published games have other deals; their figures are as printed, which in some games differ from the "
        "paper's records, and their survivors are not known (-)"
    )
    return [
        table_of("Results of the games (RSR: mean supply / total need of the survivors)", MORE, played),
        table_of("Survival: difference from the published rates", DIFFERENCES, played),
        (
            by_game,
            ["setting", "bidder", "RSR start", "figure", *games, "mean"],
            [line for row in rows for line in _game_lines(row)],
        ),
        p_value_table(played),
    ]


def _game_lines(row: JsonObject) -> Iterator[list[str]]:
    """Yield a line for each figure of the games of a row, with its mean over all games."""
    forms = {"survivors": "{}", "rsr_end": "{:.2f}", "efficiency": "{:.2f}"}
    headings = {"survivors": "survivors", "rsr_end": "RSR end", "efficiency": "efficiency"}
    for name, form in forms.items():
        values = [or_dash(game[name], form) or "nobody" for game in row["by_game"][:MOST_SHOWN]]
        mean = or_dash(row.get(f"{name}_printed", row[name]), "{:.2f}")
        head = [f"{row['number']} {row['setting']}", row["bidder"], f"{row['rsr_start']:.1f}", headings[name]]
        yield [*head, *values, *["-"] * (MOST_SHOWN - len(values)), mean]


def p_value_table(rows: Sequence[JsonObject]) -> Table:
    """Return the table of p-values of all pairs of settings, each beside the published one."""
    lines = [
        [f"{row['setting']}, {other['setting']}", row["bidder"], *_compare(row, other)]
        for pair in PAIRS
        for row in rows
        for other in rows
        if (row["number"], other["number"]) == pair and row["bidder"] == other["bidder"]
    ]
    printed = " ".join(str(setting["efficiency_printed"]) for setting in published_figures()["settings"])
    about = (
        "p-values of all pairs of settings (-: undefined, or without the extra stats). Beside the published p-values "
        "of survival are those that follow from the published rates. Published p-values of the efficiency follow from "
        f"the efficiencies as printed, {printed}, and not from the recomputed ones above"
    )
    headings = ["survival", "published", "from published rates", "RSR end", "published", "efficiency", "published"]
    return about, ["settings", "bidder", *headings], lines


def _compare(row: JsonObject, other: JsonObject) -> list[str]:
    """Format the p-values between two settings of the same bidder, each beside the published one."""
    pair = row["number"], other["number"]
    published = {name: _shown(p, "{:.2f}") for name, p in published_p_values(pair).items()}
    ours = {name: _shown(p) for name, p in row["p_values"][other["setting"]].items()}
    if other["personas"] == f"ignored, repeats {row['number']}":
        ours = dict.fromkeys(ours, "same games")
    cells_of = {name: [ours[name], published[name]] for name in ours}
    cells_of["survival"].append(_shown(p_value(*map(published_survival, pair))))
    return [cell for of_measure in cells_of.values() for cell in of_measure]


def _shown(p: float | None, form: str = "{:.3f}") -> str:
    return f"<{LEAST_P}" if p is not None and p < LEAST_P else or_dash(p, form)


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """Draw survival by resident: a panel for each setting, a bar for each bidder, and a line at the published rate."""
    settings = distinct(rows, "setting")
    bidders = list(dict.fromkeys(row["bidder"] for row in rows if not row["published"]))
    panels = figure.subplots(1, len(settings), sharey=True, squeeze=False)[0]
    for axes, setting in zip(panels, settings, strict=True):
        for row in rows:
            if row["setting"] == setting and not row["published"]:
                shift = (bidders.index(row["bidder"]) + 0.5) / len(bidders) - 0.5
                at = [place + 0.8 * shift for place in range(len(NAMES))]
                drawn = [{f"rate{end}": row[f"{name}{end}"] for end in ("", "_low", "_high")} for name in NAMES]
                draw_bars(axes, at, drawn, "rate", 0.8 / len(bidders), row["bidder"])
        axes.plot(
            range(len(NAMES)),
            published_survival(NUMBERS[setting]),
            "k_",
            markersize=12,
            markeredgewidth=2,
            label="published",
        )
        axes.set_title(setting)
        axes.set_xticks(range(len(NAMES)), [name[0] for name in NAMES])
    panels[0].set_ylabel("share of games in which a resident survives")
    figure.supxlabel(f"resident: {', '.join(NAMES)}")
    legend_above(figure)


STUDY: Study = Study(
    name="alympics/settings",
    about="Alympics' six settings: how often each resident survives, and the results of the games.",
    columns=COLUMNS,
    bidders=BIDDERS,
    games=GAMES,
    matches=matches,
    rows=rows,
    draw=draw,
    size=(9.0, 4.2),
    more_tables=more_tables,
    recorded=(GAME,),
    meaning=(
        "The published figures are those of ten games of GPT-4 in each setting; an interval is that of our games "
        "alone. Rule bidders ignore personas, so that settings 4 to 6 repeat 1 to 3. A test of survival compares the "
        "rates of five residents, as the paper's does, and not games: it has little power. Of 45 tests, two or three "
        "have p below .05 by accident. Of the nine published tests of personas (settings 1 and 4, 2 and 5, 3 and 6), "
        "one has: that of the RSR in settings 2 and 5."
    ),
)
