"""What planning adds: adaptive, static and no planning of one model in the same auctions, by model and budget.

Source: AucArena, arXiv 2310.05746, section 4. The three bidders differ in the agent's option `plan` alone: adaptive
plans again after each item, static plans once, none does not plan. Their seats rotate.
"""

from __future__ import annotations

from collections.abc import Sequence

from aucenv.benchmarks.rankings.leaderboard import STANDARD_BUDGETS, rotated
from aucenv.benchmarks.studies.aucarena.auctions import GAME, deviations, dollars, setting_of
from aucenv.benchmarks.studies.cells import Row, flattened, group_by
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.plots import Drawing, draw_points, legend_above
from aucenv.analysis.ranking.ratings import rate
from aucenv.analysis.statistics.metrics import bidder_figures
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import label_of, parse_bidder, public_name, with_options
from aucenv.envs.english.game import SCENARIOS
from aucenv.runs.play import Match

NAME = "aucarena/ablation"
PLANS = ("adaptive", "static", "none")
ORDER = "random"
START = 25
"""The rating of every bidder before its first game."""

COLUMNS = {
    "bidder": ("model", "{}"),
    "budget": ("budget, $", "{:,}"),
    "plan": ("planning", "{}"),
    "games": ("games", "{}"),
    "rating": ("TrueSkill, mean", "{:.1f}"),
    "deviation": ("TrueSkill, sigma", "{:.1f}"),
    "profit": ("mean profit, $", "{:,.0f}"),
    "items": ("items", "{:.2f}"),
}


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    """Return games in which each bidder plays all three seats, with a different plan in each.

    Raises:
        ValueError: a bidder is no model with the agent bdi, or has the option `plan`.
    """
    arms_of = [_arms(bidder) for bidder in bidders]
    schedule: list[Match] = []
    for budget in STANDARD_BUDGETS:
        scenario = SCENARIOS[f"standard-{budget // 1000}k-{ORDER}"]
        for arms in arms_of:
            for number in range(games):
                schedule.append(Match(GAME, scenario, rotated(arms, number), (seed, number), len(schedule)))
    return schedule


def _arms(bidder: str) -> tuple[str, ...]:
    """Return the names of a model's three bidders."""
    spec, shown = parse_bidder(bidder), public_name(bidder)
    if spec.kind != "llm" or spec.params.get("agent", "bdi") != "bdi":
        raise ValueError(f"study {NAME}: expected a model with agent=bdi, such as llm:openai:MODEL, got {shown!r}")
    if "plan" in spec.params:
        raise ValueError(f"study {NAME}: expected a bidder without plan=..., which the study sets, got {shown!r}")
    label, _ = _split(bidder)
    options = {"agent": "bdi", **spec.params}
    return tuple(with_options(bidder, f"{label}-{plan}" if label else None, **options, plan=plan) for plan in PLANS)


def _split(bidder: str) -> tuple[str, str]:
    """Return the label of a bidder's name, or "" if it has none, and the rest."""
    before, equals, rest = bidder.partition("=")
    return (before, rest) if equals and ":" not in before and "," not in before else ("", bidder)


def _model(record: GameRecord) -> str | None:
    """Return the label of the model that plays all three plans in a game; None for other games."""
    setting = setting_of(record)
    if setting is None or setting[0] not in STANDARD_BUDGETS or setting[1] != ORDER:
        return None
    names = [player["bidder"] for player in record.seats]
    models = set()
    for name in names:
        plan = parse_bidder(name).params.get("plan")
        label, rest = _split(name)
        model = rest.replace(f",plan={plan}", "")
        stem = label.removesuffix(f"-{plan}")
        models.add(label_of(f"{stem}={model}" if stem else model))
    plans = sorted(parse_bidder(name).params.get("plan", "") for name in names)
    return models.pop() if len(models) == 1 and plans == sorted(PLANS) else None


def rows(records: Sequence[GameRecord]) -> list[Row]:
    """Return a row for each model, budget and plan."""
    table = []
    matching = [record for record in records if _model(record) is not None]
    cells = group_by(matching, lambda record: (_model(record), int(record.deal["seats"][0]["budget"])))
    for (model, budget), played in cells.items():
        ratings, figures, sigmas = rate(played), bidder_figures(played), deviations(played)
        labels = {
            parse_bidder(player["bidder"]).params["plan"]: label_of(player["bidder"]) for player in played[0].seats
        }
        for plan in PLANS:
            chosen = figures[labels[plan]]
            estimates = {
                "rating": ratings.of(labels[plan]),
                "profit": chosen["profit_mean"],
                "items": chosen["items_mean"],
            }
            row: Row = {"bidder": model, "budget": budget, "plan": plan, "games": len(played)}
            table.append({**row, **flattened(estimates), "deviation": round(sigmas[labels[plan]], 6)})
    return table


def size(rows: Sequence[Row]) -> tuple[float, float]:
    """Return the size of the figure: wider for more models and budgets."""
    return max(8.0, 0.7 * len(rows) / len(PLANS) + 2.0), 4.8


def draw(rows: Sequence[Row], figure: Drawing) -> None:
    """Draw the ratings by model and budget, with a point for each plan."""
    axes = figure.subplots()
    places = list(dict.fromkeys((row["bidder"], row["budget"]) for row in rows))
    for number, plan in enumerate(PLANS):
        points = [row for row in rows if row["plan"] == plan]
        at = [places.index((row["bidder"], row["budget"])) + 0.22 * (number - 1) for row in points]
        draw_points(axes, at, points, "rating", "osD"[number], f"{plan} planning" if plan != "none" else "no planning")
    axes.axhline(START, color="0.4", linewidth=0.8, linestyle=":")
    axes.set_xticks(
        range(len(places)), [f"{model}\n{dollars(budget)}" for model, budget in places], rotation=30, ha="right"
    )
    axes.set_xlim(-0.6, len(places) - 0.4)
    axes.set_xlabel("model and budget")
    axes.set_ylabel("TrueSkill")
    legend_above(figure)


STUDY: Study = Study(
    name=NAME,
    about="AucArena: TrueSkill of adaptive, static and no planning, all by the same model, in the same auctions.",
    columns=COLUMNS,
    bidders=("bdi=llm:scripted,agent=bdi,minor=0.6",),
    games=10,
    matches=matches,
    rows=rows,
    draw=draw,
    size=size,
    meaning=(
        "The paper shows these ratings without numbers: planning with updates wins, and a static plan is sometimes "
        "worse than none, most at $40,000. The script does not follow its plans: it knows the remaining items, and "
        "bids less for minor ones, only if a plan has listed them, so that its rows test the study and say nothing "
        "about planning."
    ),
)
