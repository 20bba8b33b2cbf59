"""Alympics' six settings: survival, efficiency and the ratio of supply to requirement, beside the published figures.

Source: Alympics, arXiv 2311.03220, section 4, Tables 1, 2 and 4. The published efficiencies here are recomputed with
the paper's formula from its records, because its printed table (PRINTED_EFFICIENCY) counts too few wins in 12 games.
The published p-values of the efficiency belong to that printed table.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from aucenv.benchmarks.reproduce.alympics.droughts import (
    BIDDERS,
    GAME,
    HEAD,
    NAMES,
    NUMBERS,
    by_setting,
    leading_columns,
    matches,
)
from aucenv.benchmarks.reproduce.cells import Table, cells, estimates, published_columns, with_published

from aucenv.analysis.plots import Drawing, draw_bars, legend_above
from aucenv.analysis.significance import t_test
from aucenv.core.figures import or_dash
from aucenv.core.files import JsonObject
from aucenv.core.record import GameRecord
from aucenv.envs.water_allocation.figures import FIGURES, SeatFigures, game_figures

__all__ = ["ABOUT", "BIDDERS", "COLUMNS", "GAMES", "RECORDED", "draw", "matches", "more_tables", "rows"]

ABOUT = "Alympics' six settings: how often each resident survives, and the results of the games."
GAMES = 10
RECORDED = (GAME,)
SIZE = (9.0, 4.2)

SURVIVAL = {
    1: (0.1, 0.1, 0.5, 0.7, 0.4),
    2: (0.8, 0.5, 0.8, 0.8, 0.9),
    3: (1, 1, 1, 1, 0.9),
    4: (0.3, 0.1, 0.4, 0.6, 0.7),
    5: (0.6, 0.6, 0.6, 0.5, 0.9),
    6: (1, 0.8, 1, 1, 1),
}
RSR_END = (0.83, 0.51, 0.53, 0.72, 0.65, 0.52)
EFFICIENCY = (2.59, 3.31, 3.91, 2.64, 3.08, 4.24)
PRINTED_EFFICIENCY = (1.57, 3.06, 3.87, 1.98, 2.97, 4.24)
P_VALUES: dict[tuple[int, int], dict[str, float]] = {
    (1, 2): {"survival": 0.02},
    (1, 4): {"survival": 0.71, "rsr_end": 0.32, "efficiency": 0.207},
    (2, 3): {"survival": 0.01, "rsr_end": 0.69},
    (2, 5): {"survival": 0.25, "rsr_end": 0.03, "efficiency": 0.744},
    (3, 6): {"survival": 0.67, "rsr_end": 0.78, "efficiency": 0.198},
    (4, 5): {"survival": 0.12, "rsr_end": 0.50},
}
"""Published p-values by pair of settings; those of the efficiency of all other pairs are below .005."""
LEAST_P = 0.005
MOST_SHOWN = 10
"""The number of games with a column of their own."""
MEANING = (
    "The published figures are those of ten games of GPT-4 in each setting; an interval is that of our games alone. "
    "Rule bidders ignore personas, so that settings 4 to 6 repeat 1 to 3. A test of survival compares the rates of "
    "five residents, as the paper's does, and not games: it has little power. Of 45 tests, two or three have p below "
    ".05 by accident."
)

COLUMNS = {**HEAD, **{name: (name, "{:.2f}") for name in NAMES}}
MORE = {
    **HEAD,
    **published_columns("survivors", "survivors", "{:.2f}"),
    "rsr_start": ("RSR start", "{:.1f}"),
    **published_columns("rsr_end", "RSR end", "{:.2f}"),
    **published_columns("efficiency", "efficiency x 1000, 1/$", "{:.2f}"),
}
DIFFERENCES = {**HEAD, **{f"{name}_difference": (name, "{:+.2f}") for name in NAMES}}


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
    number = NUMBERS[setting]
    return {
        **leading_columns(setting, "published", games=GAMES),
        "published": True,
        **dict(zip(NAMES, SURVIVAL[number], strict=True)),
        "survivors": round(sum(SURVIVAL[number]), 6),
        "rsr_start": rsr_start,
        "rsr_end": RSR_END[number - 1],
        "efficiency": EFFICIENCY[number - 1],
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
    most = min(MOST_SHOWN, max(row["games"] for row in played))
    games = [str(game) for game in range(1, most + 1)]
    return [
        _table("Results of the games (RSR: mean supply / total need of the survivors)", MORE, played),
        _table("Survival: difference from the published rates", DIFFERENCES, played),
        (
            f"Results by game, of {most}: survivors by initial, RSR at the end, and efficiency x 1000 in 1/$",
            ["setting", "bidder", "RSR start", "figure", *games, "mean", "published"],
            [line for row in played for line in _game_lines(row, most)],
        ),
        p_value_table(played),
    ]


def _table(about: str, columns: Mapping[str, tuple[str, str]], rows: Sequence[JsonObject]) -> Table:
    return about, [heading for heading, _ in columns.values()], cells(rows, columns)


def _game_lines(row: JsonObject, most: int) -> Iterator[list[str]]:
    forms = {"survivors": "{}", "rsr_end": "{:.2f}", "efficiency": "{:.2f}"}
    headings = {"survivors": "survivors", "rsr_end": "RSR end", "efficiency": "efficiency"}
    for name, form in forms.items():
        values = [or_dash(game[name], form) or "nobody" for game in row["by_game"][:most]]
        means = [or_dash(row[key], "{:.2f}") for key in (name, f"{name}_published")]
        head = [f"{row['number']} {row['setting']}", row["bidder"], f"{row['rsr_start']:.1f}", headings[name]]
        yield [*head, *values, *["-"] * (most - len(values)), *means]


def p_value_table(rows: Sequence[JsonObject]) -> Table:
    """Return the table of p-values of all pairs of settings, each beside the published one."""
    lines = [
        [f"{row['setting']}, {other['setting']}", row["bidder"], *_compare(row, other)]
        for pair in itertools.combinations(NUMBERS.values(), 2)
        for row in rows
        for other in rows
        if (row["number"], other["number"]) == pair and row["bidder"] == other["bidder"]
    ]
    printed = " ".join(map(str, PRINTED_EFFICIENCY))
    about = (
        "p-values of all pairs of settings (-: undefined, or without the extra stats). Published p-values of survival "
        "are printed for 6 pairs; beside them are those that follow from the published rates. Published p-values of "
        f"the efficiency follow from the efficiencies as printed, {printed}, and not from the recomputed ones above"
    )
    headings = ["survival", "published", "from published rates", "RSR end", "published", "efficiency", "published"]
    return about, ["settings", "bidder", *headings], lines


def _compare(row: JsonObject, other: JsonObject) -> list[str]:
    """Format the p-values between two settings of the same bidder, each beside the published one."""
    pair = row["number"], other["number"]
    published = P_VALUES.get(pair, {})
    ours = {name: _shown(p) for name, p in row["p_values"][other["setting"]].items()}
    if other["personas"] == f"ignored, repeats {row['number']}":
        ours = dict.fromkeys(ours, "same games")
    survival = _shown(published.get("survival"), "{:.2f}"), _shown(p_value(SURVIVAL[pair[0]], SURVIVAL[pair[1]]))
    efficiency = _shown(published["efficiency"]) if "efficiency" in published else f"<{LEAST_P}"
    rsr = _shown(published.get("rsr_end"), "{:.2f}")
    return [ours["survival"], *survival, ours["rsr_end"], rsr, ours["efficiency"], efficiency]


def _shown(p: float | None, form: str = "{:.3f}") -> str:
    return f"<{LEAST_P}" if p is not None and p < LEAST_P else or_dash(p, form)


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """Draw survival by resident: a panel for each setting, a bar for each bidder, and a line at the published rate."""
    settings = list(dict.fromkeys(row["setting"] for row in rows))
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
            range(len(NAMES)), SURVIVAL[NUMBERS[setting]], "k_", markersize=12, markeredgewidth=2, label="published"
        )
        axes.set_title(setting)
        axes.set_xticks(range(len(NAMES)), [name[0] for name in NAMES])
    panels[0].set_ylabel("share of games in which a resident survives")
    figure.supxlabel(f"resident: {', '.join(NAMES)}")
    legend_above(figure)
