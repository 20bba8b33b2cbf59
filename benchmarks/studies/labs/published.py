"""Published figures of Synthetic Labs (arXiv 2507.09083), beside those of our bidders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aucenv.benchmarks.studies.cells import Row, with_published

from aucenv.analysis.plots import Drawing
from aucenv.analysis.statistics.metrics import Figure, all_figures, figures_of

MODELS = {"gpt_4": "GPT-4", "gpt_4o": "GPT-4o"}
"""The published models: their names in rows, and in tables."""
MARKERS = {"gpt_4": "D", "gpt_4o": "s"}
Pair = tuple[float | None, float | None]
"""The published figures of both models; None: there is none."""
NO_FIGURES: Pair = (None, None)


def beside_models(row: Row, name: str, published: Pair) -> Row:
    """Return a row with the published figure of each model, and the difference of the row's figure from it.

    Args:
        name: a figure of the row, whose interval is NAME_low and NAME_high.

    Returns:
        The row with MODEL, and MODEL_difference with its interval; see `cells.with_published`.
    """
    compared = dict(row)
    for model, value in zip(MODELS, published, strict=True):
        beside = with_published(row, {name: value})
        compared[model] = beside[f"{name}_published"]
        for end in ("", "_low", "_high"):
            compared[f"{model}_difference{end}"] = beside[f"{name}_difference{end}"]
    return compared


def model_columns(
    form: str, models: Sequence[str] = tuple(MODELS), signed: str = "{:+.2f}"
) -> dict[str, tuple[str, str]]:
    """Return the columns of `beside_models`.

    Args:
        form: the format of the published figures.
        signed: the format of the differences.
    """
    columns: dict[str, tuple[str, str]] = {}
    for model in models:
        columns[model] = (f"{MODELS[model]}, published", form)
        columns[f"{model}_difference"] = ("difference", signed)
    return columns


def ratio_figures(game: str) -> dict[str, Figure]:
    """Return the mean of bid / value in the two counts that a table shows.

    Returns:
        `ratio`, which is comparable with the published figures: on a rising clock, the winner's price is the one at
        which the clock stopped, as the authors count; and `censored`, in which that price is only known to be higher.
        In sealed bids both are the same.
    """
    figures = all_figures(figures_of(game))
    return {
        "ratio": figures.get("published_bid_per_value", figures["bid_per_value"]),
        "censored": figures["bid_per_value"],
    }


def draw_models(axes: Drawing, places: Mapping[str, float], published: Mapping[str, Pair]) -> None:
    """Draw the published figures as white markers, right of the places of their settings."""
    for number, (model, name) in enumerate(MODELS.items()):
        points = [
            (places[key] + 0.26 + 0.12 * number, pair[number]) for key, pair in published.items() if key in places
        ]
        known = [(place, value) for place, value in points if value is not None]
        if known:
            style = {"markersize": 6, "markerfacecolor": "white", "markeredgecolor": "black", "zorder": 4}
            label = f"{name}, published"
            axes.plot([x for x, _ in known], [y for _, y in known], MARKERS[model], label=label, **style)
