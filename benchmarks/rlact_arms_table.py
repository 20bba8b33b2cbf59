"""Choose arms of `rlact_arms` by their profits, and write tables of all arms, with intervals over seeds and deals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from aucenv.benchmarks.rlact_evaluation import compare

from aucenv.analysis.markdown import table as markdown
from aucenv.core.files import JsonObject

Arm = tuple[str, str, float]
"""The method, the source of states and the learning rate."""
SUPERVISED = ("sft", "sft-dollars")
LEAST = -1e9
"""The profit of an arm that has diverged, which ranks last."""


def by_arm(results: Sequence[JsonObject]) -> dict[Arm, list[JsonObject]]:
    """Return the results of each arm at each rate, by seed."""
    arms: dict[Arm, list[JsonObject]] = {}
    for each in sorted(results, key=lambda result: result["seed"]):
        arms.setdefault((each["method"], each["source"], each["rate"]), []).append(each)
    return arms


def profit(results: Sequence[JsonObject]) -> float:
    """Return the mean profit of an arm: of each game over its tables and deals, then over games and seeds."""
    if any(each["diverged"] for each in results):
        return LEAST
    return float(np.mean([np.mean([np.mean(of_game) for of_game in each["profits"].values()]) for each in results]))


def _best_rates(results: Sequence[JsonObject]) -> dict[tuple[str, str], Arm]:
    """Return each arm at its better rate, by decreasing profit."""
    best: dict[tuple[str, str], Arm] = {}
    for arm in sorted(arms := by_arm(results), key=lambda arm: -profit(arms[arm])):
        best.setdefault(arm[:2], arm)
    return best


def finalists(results: Sequence[JsonObject], plan: Mapping[str, Any]) -> list[Arm]:
    """Return the arms that get the final seeds: the best supervised ones and others, each at its better rate."""
    ranked = list(_best_rates([each for each in results if each["seed"] in plan["seeds"]]).values())
    supervised = [arm for arm in ranked if arm[0] in SUPERVISED][: plan["finalists"]["supervised"]]
    return supervised + [arm for arm in ranked if arm[0] not in SUPERVISED][: plan["finalists"]["others"]]


def held_out_arms(results: Sequence[JsonObject]) -> list[Arm]:
    """Return the arms that play held-out families: the best supervised one and the best other one, over all seeds."""
    arms = by_arm(results)
    ranked = sorted(arms, key=lambda arm: -profit(arms[arm]))
    groups = [arm for arm in ranked if arm[0] in SUPERVISED], [arm for arm in ranked if arm[0] not in SUPERVISED]
    return [arm for group in groups for arm in group[:1]]


def _array(results: Sequence[JsonObject], key: str = "profits", sign: float = 1.0) -> np.ndarray:
    """Return the figures of an arm, (seeds, tables, deals), in units in which their mean gives each game one weight.

    Args:
        results: the results of the arm, by seed.
        key: the name of the figures: lists by table for each game, or a list for each table.
        sign: a factor; -1 if lower figures are better.
    """
    by_seed = []
    for each in results:
        groups = [group for group in each[key].values() if isinstance(group[0], list)] or [[*each[key].values()]]
        tables = sum(map(len, groups))
        weighted = [np.array(group) * (tables / (len(groups) * len(group))) for group in groups]
        by_seed.append(np.concatenate(weighted))
    return sign * np.array(by_seed)


def leads(results: Sequence[JsonObject], resamples: int) -> dict[Arm, JsonObject]:
    """Return the lead of each arm over the best supervised one on the same deals, with its interval and p-value."""
    arms = {arm: each for arm, each in by_arm(results).items() if profit(each) > LEAST}
    supervised = [arm for arm in arms if arm[0] in SUPERVISED]
    if not supervised:
        return {}
    most = max(len(arms[arm]) for arm in supervised)
    reference = max((arm for arm in supervised if len(arms[arm]) == most), key=lambda arm: profit(arms[arm]))
    rows: dict[Arm, JsonObject] = {}
    for size in sorted({len(each) for each in arms.values()}):
        base = _array(arms[reference][:size])
        others = {arm: _array(each) for arm, each in arms.items() if len(each) == size and arm != reference}
        others = {arm: each for arm, each in others.items() if each.shape == base.shape}
        if others:
            named = {str(number): each for number, each in enumerate(others.values())}
            for row in compare(base, named, resamples)[1:]:
                lead, low, high = -row["lead"], -row["high"], -row["low"]
                rows[[*others][int(row["bidder"])]] = {"lead": lead, "low": low, "high": high, "p": row["p"]}
    return rows


def _lines(results: Sequence[JsonObject], plan: Mapping[str, Any]) -> list[list[str]]:
    arms, compared = by_arm(results), leads(results, plan["resamples"])
    lines = []
    for arm in sorted(arms, key=lambda arm: -profit(arms[arm])):
        each, lead, pairs = arms[arm], compared.get(arm), arms[arm][0].get("pairs") or {}
        diverged = sum(result["diverged"] is not None for result in each)
        played = [result["profits"] for result in each if not result["diverged"]]
        games = list(dict.fromkeys(name for profits in played for name in profits))
        figures = [f"{np.mean([np.mean(profits[name]) for profits in played]):.2f}" for name in games]
        shares = [f"{pairs[name]:.1%}" if name in pairs else "-" for name in ("agreeing", "synthetic", "used")]
        lines.append([
            arm[0],
            arm[1],
            f"{arm[2]:g}",
            ", ".join(str(result["seed"]) for result in each),
            " / ".join(figures) if figures else "-",
            f"{lead['lead']:+.2f} ({lead['low']:+.2f} to {lead['high']:+.2f})" if lead else "-",
            f"{lead['p']:.4f}" if lead else "-",
            *shares,
            f"{diverged} of {len(each)}" if diverged else "-",
            f"{np.mean([result['core_minutes'] for result in each]):.1f}",
        ])  # fmt: skip
    return lines


def _sealed_lines(results: Sequence[JsonObject], plan: Mapping[str, Any]) -> list[list[str]]:
    """Return the mean utility loss of each method at each table, and by how much it is below that of `sft`."""
    arms, lines = by_arm([each for each in results if not each["diverged"]]), []
    names = [table["name"] for table in plan["sealed"]["tables"]]
    first = next((each for (method, _, _), each in arms.items() if method == "sft"), [])
    starts = [each["start"] for each in results if each.get("start")]
    if starts:
        lines.append(["the supervised model", "-", *(f"{np.mean(starts[0][name]):.3f}" for name in names), "-"])
    for (method, _, _), each in arms.items():
        losses = [f"{np.mean([result['losses'][name] for result in each]):.3f}" for name in names]
        shown = "-"
        if first and method != "sft" and len(each) == len(first):
            # a lower loss leads: signs change
            row = compare(_array(each, "losses", -1), {"sft": _array(first, "losses", -1)}, plan["resamples"])[1]
            shown = f"{row['lead']:+.3f} ({row['low']:+.3f} to {row['high']:+.3f})"
        lines.append([method, ", ".join(str(result["seed"]) for result in each), *losses, shown])
    return lines


def to_markdown(
    results: Sequence[JsonObject],
    held_out: Sequence[JsonObject],
    sealed: Sequence[JsonObject],
    plan: Mapping[str, Any],
) -> str:
    """Return the tables of results on validation families, on held-out families, and in sealed bids."""
    headings = [
        *(
            "method",
            "states",
            "rate",
            "seeds",
            "profit, %",
            "lead over the best supervised arm (else the last), points",
            "p (Holm)",
        ),
        *("agreeing", "synthetic", "used", "diverged", "core-minutes"),
    ]
    parts = [
        (title, markdown(headings, _lines(each, plan)))
        for title, each in (
            (f"Validation families ({' / '.join(plan['validation']['sets'])})", results),
            (f"Held-out families ({' / '.join(plan['held_out']['sets'])})", held_out),
        )
        if each
    ]
    if sealed:
        names = [table["name"] for table in plan["sealed"]["tables"]]
        heads = ["method", "seeds", *(f"utility loss with {name}, $" for name in names), "below sft by, $"]
        parts.append(("Sealed bids", markdown(heads, _sealed_lines(sealed, plan))))
    return "\n\n".join(f"**{title}**\n\n{text.strip()}" for title, text in parts) + "\n"
