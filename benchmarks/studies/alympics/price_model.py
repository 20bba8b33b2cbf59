"""The price of water as a linear function of the last price, the supply, and residents' health, wealth and need.

Source: Alympics, arXiv 2311.03220, which says that the price of a day is a function of these, and fits none. The price
is the lowest winning bid; means are those of the residents alive in the morning, with their salary of the day.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from aucenv.benchmarks.studies.alympics.droughts import (
    BIDDERS,
    GAME,
    HEAD,
    NUMBERS,
    by_setting,
    leading_columns,
    matches,
    setting_of,
)
from aucenv.benchmarks.studies.cells import Table, table_of
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.plots import Drawing, legend_above
from aucenv.analysis.statistics.regression import Coefficient, Regression, fit_linear
from aucenv.core.files import JsonObject
from aucenv.core.records.figures import or_dash
from aucenv.core.records.record import GameRecord
from aucenv.envs.water_allocation.game import SUPPLIES

ALL = "all"
"""The number of the rows over all settings."""
VARIABLES = {
    "last_price": "last price, $ per $",
    "supply": "supply, $ per unit",
    "health": "mean health, $ per point",
    "wealth": "mean wealth, $ per $",
    "need": "mean need, $ per unit",
}
"""Variable -> the heading of its coefficient."""
COLUMNS = {
    **HEAD,
    "days": ("days", "{}"),
    **{name: (heading, "{:.2f}") for name, heading in VARIABLES.items()},
    "r_squared": ("R squared", "{:.2f}"),
    "rmse": ("residual, $", "{:.0f}"),
}


def observations(record: GameRecord) -> Iterator[tuple[int, float, tuple[float, ...]]]:
    """Yield the number of each day with a price on it and on the day before, its price, and its VARIABLES."""
    residents = {
        player["seat"]: resident for player, resident in zip(record.seats, record.scenario["residents"], strict=True)
    }
    last_price: float | None = None
    before = {seat: {"balance": 0, "health": record.scenario["start_health"]} for seat in residents}
    for day in record.outcome["days"]:
        alive = list(day["bids"])
        price = min((day["bids"][seat] for seat in day["winners"]), default=None)
        if price is not None and last_price is not None:
            health = sum(before[seat]["health"] for seat in alive) / len(alive)
            wealth = sum(before[seat]["balance"] + residents[seat]["salary"] for seat in alive) / len(alive)
            need = sum(residents[seat]["need"] for seat in alive) / len(alive)
            yield day["number"], price, (last_price, day["supply"], health, wealth, need)
        last_price, before = price, day["after"]


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """Return a row for each setting and bidder, and one for each bidder over all settings whose games differ.

    Each coefficient has its interval, and its standard error as NAME_error. `residuals` are the root mean squared
    residuals by day, and `points` are [number of the setting, price, fitted price].
    """
    groups = by_setting(records)
    table = [
        {**leading_columns(setting, bidder, played), **_fit(played)} for (setting, bidder), played in groups.items()
    ]
    for bidder in dict.fromkeys(bidder for _, bidder in groups):
        kept = [group for group, row in zip(groups, table, strict=False) if group[1] == bidder and not _repeats(row)]
        played = [record for group in kept for record in groups[group]]
        head = {"number": ALL, "setting": "settings", "bidder": bidder, "personas": "both", "games": len(played)}
        table.append({**head, **_fit(played)})
    return table


def _repeats(row: JsonObject) -> bool:
    """Return whether the games of a row are those of another one."""
    return str(row["personas"]).startswith("ignored")


def _fit(played: Sequence[GameRecord]) -> JsonObject:
    """Return the figures of the regression over games, in each of which all days form a cluster."""
    data = [(game, *day) for game, record in enumerate(played) for day in observations(record)]
    prices = np.array([price for _, _, price, _ in data], float)
    variables = np.array([values for *_, values in data], float).reshape(len(data), len(VARIABLES))
    fit = fit_linear(prices, variables, [game for game, *_ in data])
    row = {"days": len(data), **_coefficients(fit)}
    if fit is None:
        return {**row, "r_squared": None, "rmse": None, "residuals": [], "points": []}
    residuals = prices - fit.fitted
    days = np.array([day for _, day, _, _ in data])
    settings = [NUMBERS[setting_of(played[game]) or ""] for game, *_ in data]
    by_day = [residuals[days == day] for day in range(1, int(days.max()) + 1)]
    return {
        **row,
        "r_squared": None if fit.r_squared is None else round(fit.r_squared, 6),
        "rmse": _root_mean_square(residuals),
        "residuals": [_root_mean_square(part) if len(part) else None for part in by_day],
        "points": [list(point) for point in zip(settings, prices.tolist(), fit.fitted.round(2).tolist(), strict=True)],
    }


def _root_mean_square(values: np.ndarray) -> float:
    return round(float(np.sqrt(np.mean(values**2))), 6)


def _coefficients(fit: Regression | None) -> JsonObject:
    values = [Coefficient(None)] * (1 + len(VARIABLES)) if fit is None else fit.coefficients
    row: JsonObject = {}
    for name, each in zip(("constant", *VARIABLES), values, strict=True):
        ends = {name: each.value, f"{name}_error": each.error, f"{name}_low": each.low, f"{name}_high": each.high}
        row |= {key: None if value is None else round(value, 6) for key, value in ends.items()}
    return row


def more_tables(rows: Sequence[JsonObject]) -> list[Table]:
    """Return the tables of standard errors and of residuals by day."""
    headings = {"constant": "constant, $", **VARIABLES}
    errors = {**HEAD, **{f"{name}_error": (heading, "{:.3f}") for name, heading in headings.items()}}
    chosen = [row for row in rows if row["number"] == ALL]
    days = range(max((len(row["residuals"]) for row in chosen), default=0))
    lines = [
        [str(day + 1), *(or_dash(dict(enumerate(row["residuals"])).get(day), "{:.0f}") for row in chosen)]
        for day in days
    ]
    by_day = "Root mean squared residual of the regression over all settings by day, $"
    return [
        table_of(
            "Standard errors of the coefficients, clustered by game (-: fewer than five games, or no coefficient)",
            errors,
            rows,
        ),
        (by_day, ["day", *(row["bidder"] for row in chosen)], lines),
    ]


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """Draw actual over fitted prices: a panel for each bidder, a colour for each supply, and the line of equality."""
    chosen = [row for row in rows if row["number"] == ALL]
    panels = figure.subplots(1, len(chosen), squeeze=False)[0]
    for axes, row in zip(panels, chosen, strict=True):
        for number in NUMBERS.values():
            points = [(fitted, price) for setting, price, fitted in row["points"] if setting == number]
            if points:
                mark = "o" if number <= len(SUPPLIES) else "x"  # settings 4 to 6 are 1 to 3 with personas
                colour = f"C{(number - 1) % len(SUPPLIES)}"
                axes.plot(*zip(*points, strict=True), mark, color=colour, markersize=3, alpha=0.5, label=_label(number))
        highest = max((max(price, fitted) for _, price, fitted in row["points"]), default=1)
        lowest = min(0, *(fitted for _, _, fitted in row["points"])) if row["points"] else 0
        axes.plot([lowest, highest], [lowest, highest], "k--", linewidth=1, label="fitted = actual")
        axes.set_title(f"{row['bidder']}\nR squared {or_dash(row['r_squared'], '{:.2f}')}")
        axes.set_ylim(bottom=0)
    panels[0].set_ylabel("lowest winning bid of a day, $")
    figure.supxlabel("fitted price, $")
    legend_above(figure, 4)


def _label(number: int) -> str:
    return next(setting for setting, one in NUMBERS.items() if one == number)


STUDY: Study = Study(
    name="alympics/price-model",
    about=(
        "The price of a day as a linear regression on the last price, the supply, mean health, mean wealth and mean "
        "need."
    ),
    columns=COLUMNS,
    bidders=BIDDERS,
    games=10,
    offline_bidders=("thirst", "planner", "resident=llm:scripted,agent=resident"),
    matches=matches,
    rows=rows,
    draw=draw,
    size=(9.0, 4.6),
    more_tables=more_tables,
    recorded=(GAME,),
    meaning=(
        "The paper says on what the price depends and fits no function, so that no published values stand beside. "
        "Days of one game depend on each other: the standard errors allow for any dependence within a game, and need "
        "five games. A coefficient is an association in these games, and no effect: health and wealth follow from "
        "earlier prices. Mean need changes only when a resident dies; where it is constant, or there are too few "
        "days, its cell is empty (-)."
    ),
)
