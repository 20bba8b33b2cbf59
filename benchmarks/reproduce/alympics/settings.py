"""Alympics' six settings: survival, efficiency and the ratio of supply to requirement, beside the published figures.

Source: Alympics, arXiv 2311.03220, section 4. The published efficiencies here are recomputed with the paper's formula
from its records, because its printed table (1.57 3.06 3.87 1.98 2.97 4.24) counts too few wins in 12 games.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

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
from aucenv.benchmarks.reproduce.cells import Table, cells, estimates

from aucenv.analysis.plots import Drawing, legend_above
from aucenv.analysis.significance import t_test
from aucenv.core.files import JsonObject
from aucenv.core.record import GameRecord
from aucenv.envs.water_allocation.figures import FIGURES, game_figures

__all__ = ["ABOUT", "BIDDERS", "COLUMNS", "GAMES", "RECORDED", "draw", "matches", "more_tables", "rows"]

ABOUT = "Alympics' six settings: how often each resident survives, and the results of the games."
GAMES = 10
RECORDED = GAME
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
P_VALUES: dict[tuple[int, int], dict[str, float | str]] = {
    (1, 2): {"survival": 0.02},
    (1, 4): {"survival": 0.71, "rsr_end": 0.32, "efficiency": 0.21},
    (2, 3): {"survival": 0.01, "rsr_end": 0.69},
    (2, 5): {"survival": 0.25, "rsr_end": 0.03, "efficiency": 0.74},
    (3, 6): {"survival": 0.67, "rsr_end": 0.78, "efficiency": 0.20},
    (4, 5): {"survival": 0.12, "rsr_end": 0.50},
}
"""Published p-values by pair of settings; those of the efficiency of all other pairs are below .005."""

COLUMNS = {**HEAD, **{name: (name, "{:.2f}") for name in NAMES}}
MORE = {
    **HEAD,
    "survivors": ("survivors", "{:.2f}"),
    "rsr_start": ("RSR start", "{:.1f}"),
    "rsr_end": ("RSR end", "{:.2f}"),
    "efficiency": ("efficiency x 1000, 1/$", "{:.2f}"),
}


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """Return a row for each setting and bidder, and a row with the published figures of each setting.

    Figures are rates and means over games. `samples` are the values that `more_tables` tests.
    """
    table: list[JsonObject] = []
    for (setting, bidder), played in by_setting(records).items():
        games = [game_figures(record) for record in played]
        if not table or table[-1]["setting"] != setting:
            table.append(_published(setting, games[0].rsr_start))
        ends = [game.rsr_end for game in games if game.rsr_end is not None]
        efficiencies = [1000 * game.efficiency for game in games if game.efficiency is not None]
        rates = [sum(r.outcome["seats"][seat]["survived"] for r in played) / len(played) for seat in range(len(NAMES))]
        table.append(
            {
                **leading_columns(setting, bidder, played),
                "published": False,
                **dict(zip(NAMES, rates, strict=True)),
                **estimates(played, {"survivors": FIGURES["survivors_mean"]}),
                "rsr_start": games[0].rsr_start,
                "rsr_end": _mean(ends),
                "efficiency": _mean(efficiencies),
                "samples": {"survival": rates, "rsr_end": _rounded(ends), "efficiency": _rounded(efficiencies)},
            }
        )
    return table


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


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 6) if values else None


def _rounded(values: Sequence[float]) -> list[float]:
    return [round(value, 6) for value in values]


def _p_value(first: Sequence[float], second: Sequence[float]) -> float | None:
    try:
        test = t_test(first, second)
    except ImportError:
        return None
    return None if test is None else test.p


def more_tables(rows: Sequence[JsonObject]) -> list[Table]:
    """Return the tables of the games' results and of p-values between settings."""
    played = [row for row in rows if not row["published"]]
    tests = [
        [f"{row['setting']}, {other['setting']}", row["bidder"], *_compare(row, other)]
        for pair in itertools.combinations(NUMBERS.values(), 2)
        for row in played
        for other in played
        if (row["number"], other["number"]) == pair and row["bidder"] == other["bidder"]
    ]
    about = (
        "p-values of all pairs of settings; in brackets published values, and those of the published survival rates "
        "(-: undefined, or without the extra stats)"
    )
    headings = [heading for heading, _ in MORE.values()]
    return [
        ("Results of the games (RSR: mean supply / total need of the survivors)", headings, cells(rows, MORE)),
        (about, ["settings", "bidder", "survival", "RSR end", "efficiency"], tests),
    ]


def _compare(row: JsonObject, other: JsonObject) -> list[str]:
    """Format the p-values between two settings of the same bidder, with the published ones in brackets."""
    pair = row["number"], other["number"]
    published = {"survival": _published_survival(pair), "efficiency": "<.005", **P_VALUES.get(pair, {})}
    if other["personas"] == f"ignored, repeats {row['number']}":
        return [_with_published("same games", published.get(name)) for name in row["samples"]]
    tests = {name: _p_value(sample, other["samples"][name]) for name, sample in row["samples"].items()}
    return [_with_published("-" if p is None else f"{p:.3f}", published.get(name)) for name, p in tests.items()]


def _published_survival(pair: tuple[int, int]) -> float | None:
    """Return the p-value that follows from the published survival rates of two settings."""
    return _p_value(SURVIVAL[pair[0]], SURVIVAL[pair[1]])


def _with_published(shown: str, published: float | str | None) -> str:
    if isinstance(published, float):
        published = "<.005" if published < 0.005 else f"{published:.2f}"
    return shown if published is None else f"{shown} ({published})"


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
                axes.bar(at, [row[name] for name in NAMES], 0.8 / len(bidders), label=row["bidder"])
        axes.plot(
            range(len(NAMES)), SURVIVAL[NUMBERS[setting]], "k_", markersize=12, markeredgewidth=2, label="published"
        )
        axes.set_title(setting)
        axes.set_xticks(range(len(NAMES)), [name[0] for name in NAMES])
    panels[0].set_ylabel("share of games in which a resident survives")
    figure.supxlabel(f"resident: {', '.join(NAMES)}")
    legend_above(figure)
