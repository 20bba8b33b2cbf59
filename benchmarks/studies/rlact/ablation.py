"""Which part of RLAct's training adds what: arms that share a base model, judged states and the number of updates.

Source of the literal loss: HARBOR, arXiv 2502.12149, section on RLAct. Profits are those at the tables of validation
families in `rlact_evaluation.json`.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from aucenv.benchmarks.rlact_evaluation import PLAN, compare, profit_ratios, table_set
from aucenv.benchmarks.studies.cells import Row
from aucenv.benchmarks.studies.jobs import run_jobs
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.plots import Drawing, draw_bars, legend_above
from aucenv.core.checks import one_of, whole_number
from aucenv.core.files import JsonObject, read_object, to_pretty_json, write_atomically

if TYPE_CHECKING:
    from aucenv.training.rlact.ablation import Ablation

GAMES = 300
"""Games at each table: 100 deals in three seats."""
OURS, PROBE, CEILING = "ours", "probe", "judge-greedy"
CEILING_BIDDER = "judge-greedy,rivals=inferred"
CEILING_SHARE = 10
"""`judge-greedy` is slow, so it plays one of this many deals."""
SETS = {"harbor": "harbor, validation families", "english": "english, validation families"}
TRAINED = ("zero-shot", "sft", "offline-dpo", "online-dpo", "harbor-loss", "ours", "grpo", "random-judge")
ARMS = (*TRAINED, PROBE, CEILING)
AGREEMENT_PAIRS = 100
Progress = Callable[[int, int], None]

COLUMNS = {
    "arm": ("arm", "{}"),
    "seeds": ("seeds", "{}"),
    "bids": ("bids right, %", "{:.1f}"),
    "recommendations": ("recommendations right, %", "{:.1f}"),
    "legal": ("legal bids, %", "{:.1f}"),
    "regret_harbor": ("harbor, regret $", "{:,.0f}"),
    "regret_english": ("english, regret $", "{:,.0f}"),
    "harbor": ("harbor, profit %", "{:.2f}"),
    "english": ("english, profit %", "{:.2f}"),
    "lead": ("ours less this, points", "{:+.2f}"),
    "p": ("p (Holm)", "{:.4f}"),
}


@dataclasses.dataclass(frozen=True)
class Settings:
    """What determines the results.

    Attributes:
        deals: the deals at each table, each in three seats.
        updates: the updates of each arm; None: `ablation.UPDATES`.
        changes: settings that replace those of the preset `tiny-dpo`.
    """

    deals: int
    updates: int | None = None
    changes: Mapping[str, str] = dataclasses.field(default_factory=dict)


def run(
    out: Path,
    bidders: Sequence[str],
    games: int | None,
    seed: int,
    workers: int,
    advance: Progress,
    settings: Settings | None = None,
) -> list[Row]:
    """Train and play the arms that the folder does not have yet, and return the rows of the table.

    Args:
        out: the folder of the study.
        bidders: names of arms; none: all. A model, `llm:...`, is no arm but a judge, which is
            compared with the simulator.
        games: the number of games of each arm at each table.
        seed: the first training seed.
        workers: the number of arms that are trained at a time.
        advance: called with the numbers of finished and of all arms.
    """
    models = [name for name in bidders if name.startswith("llm:")]
    arms = [one_of("bidder", name, ARMS) for name in bidders if name not in models] or list(ARMS)
    deals = -(-whole_number("games", GAMES if games is None else games, 1) // 3)
    settings = settings or Settings(deals)
    seeds = [seed + each for each in read_object(PLAN, PLAN.name)["ablation_seeds"]]
    out.mkdir(parents=True, exist_ok=True)
    _check_settings(out, settings)
    jobs = [
        (out, settings, arm, each)
        for each in seeds
        for arm in arms
        if each == seeds[0] or arm not in (CEILING, "zero-shot")
    ]
    advance(0, len(jobs))
    _prepare(out, settings)
    for number, _ in enumerate(run_jobs(_run_job, jobs, workers), 1):
        advance(number, len(jobs))
    rows = rows_of(out, seeds)
    if models:
        agreements = [_agreement(out, settings, name) for name in models]
        write_atomically(out / "agreement.json", to_pretty_json(agreements))
    return rows


def _check_settings(out: Path, settings: Settings) -> None:
    """Write the settings, or raise if the folder has results with other settings."""
    path, data = out / "ablation.json", json.loads(json.dumps(dataclasses.asdict(settings)))
    if not path.is_file():
        write_atomically(path, to_pretty_json(data))
    elif (saved := read_object(path, str(path))) != data:
        raise ValueError(f"{out}: holds results with other settings: expected {saved}, got {data}")


def _ablation(out: Path, settings: Settings) -> Ablation:
    from aucenv.training.rlact.ablation import UPDATES, Ablation

    return Ablation(out, settings.updates or UPDATES, settings.changes)


def _prepare(out: Path, settings: Settings) -> None:
    if not (out / "shared" / "base" / "config.json").is_file():
        _ablation(out, settings).prepare()


def _run_job(out: Path, settings: Settings, arm: str, seed: int) -> None:
    """Train and evaluate an arm, unless the folder has its result."""
    path = out / f"{arm}-{seed}.json"
    if path.is_file():
        return
    import torch

    torch.set_num_threads(1)
    ablation = _ablation(out, settings)
    result: JsonObject = {"arm": arm, "seed": seed}
    if arm == CEILING:
        bidders = dict.fromkeys(SETS, CEILING_BIDDER)
    elif arm == PROBE:
        from aucenv.training.rlact.ablation import fit_probes

        probes = fit_probes(ablation, seed)
        bidders = {game: name for game, (name, _) in probes.items()}
        result["games"] = {game: {"bid": {"greedy": accuracy}} for game, (_, accuracy) in probes.items()}
    else:
        folder = ablation.train(arm, seed)
        result["games"] = ablation.rates(folder)
        bidders = dict.fromkeys(SETS, f"rlact:{folder}")
    deals = max(1, settings.deals // CEILING_SHARE) if arm == CEILING else settings.deals
    result["profits"] = {
        game: profit_ratios(table_set(SETS[game]), bidders[game], deals).round(6).tolist()
        for game in SETS
        if game in ablation.config.games
    }
    write_atomically(path, to_pretty_json(result))


def rows_of(out: Path, seeds: Sequence[int]) -> list[Row]:
    """Return the rows of the arms in a folder, in the order of ARMS."""
    results: dict[str, list[JsonObject]] = {}
    for arm in ARMS:
        paths = [out / f"{arm}-{seed}.json" for seed in seeds]
        read = [read_object(path, str(path)) for path in paths if path.is_file()]
        if read:
            results[arm] = read
    leads = _leads(results)
    return [{"arm": arm, **_row(each), **leads.get(arm, {})} for arm, each in results.items()]


def _row(results: Sequence[JsonObject]) -> Row:
    by_game = [each.get("games", {}) for each in results]

    def mean(task: str, name: str, games: Sequence[str], times: float = 100) -> float | None:
        tasks = [each[game].get(task, {}) for each in by_game for game in games if game in each]
        values = [task[name] for task in tasks if name in task]
        return round(times * float(np.mean(values)), 4) if values else None

    row: Row = {
        "seeds": len(results),
        "bids": mean("bid", "greedy", [*SETS]),
        "recommendations": mean("recommendation", "greedy", [*SETS]),
        "legal": mean("bid", "readable", [*SETS]),
        **{f"regret_{game}": mean("bid", "regret", [game], 1) for game in SETS},
    }
    for game in results[0]["profits"]:
        row[game] = round(float(np.mean([np.mean(each["profits"][game]) for each in results])), 4)
    return row


def _leads(results: Mapping[str, Sequence[JsonObject]]) -> dict[str, Row]:
    """Return the mean lead of our arm over each other one that played the same deals, with its interval."""
    if OURS not in results:
        return {}
    profits = {arm: np.array([_all_tables(each) for each in of_arm]) for arm, of_arm in results.items()}
    ours = profits.pop(OURS)
    others = {
        arm: each[0] if len(each) == 1 else each
        for arm, each in profits.items()
        if each.shape[1:] == ours.shape[1:] and len(each) in (1, len(ours))
    }
    rows = compare(ours, others, read_object(PLAN, PLAN.name)["resamples"])
    return {
        row["bidder"]: {"lead": row["lead"], "lead_low": row["low"], "lead_high": row["high"], "p": row["p"]}
        for row in rows[1:]
    }


def _all_tables(result: JsonObject) -> list[list[float]]:
    return [deals for game in result["profits"].values() for deals in game]


def _agreement(out: Path, settings: Settings, name: str) -> JsonObject:
    """Return how often a model judge prefers the same of two replies as the simulator."""
    from aucenv.training.rlact.judges.agreement import judge_agreement

    return judge_agreement(name, _ablation(out, settings).states[1], AGREEMENT_PAIRS)


def draw(rows: Sequence[Row], figure: Drawing) -> None:
    """Draw the profits of each arm, with a bar for each game."""
    axes = figure.subplots()
    games = [game for game in SETS if game in rows[0]]
    width = 0.8 / len(games)
    for number, game in enumerate(games):
        places = [i + width * (number - (len(games) - 1) / 2) for i in range(len(rows))]
        draw_bars(axes, places, rows, game, width, game)
    axes.set_xticks(range(len(rows)), [row["arm"].replace("-", "-\n") for row in rows])
    axes.set_ylabel("profit, % of values less starting prices")
    legend_above(figure)


STUDY: Study = Study(
    name="rlact/ablation",
    about="How much each part of RLAct's training adds: arms from one base model, on one set of judged states.",
    columns=COLUMNS,
    train=run,
    extra="rlact",
    draw=draw,
)
