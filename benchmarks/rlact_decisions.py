"""Rate decisions of RLAct's models among families for evaluation, on the states of `rlact_evaluation.json`.

`python -m aucenv.benchmarks.rlact_decisions --states DIR --model DIR --out DIR` compares a model's recommendations and
bids with the more frequent decision and with a probe that is fitted to the training states in the first folder.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import typer
from aucenv.benchmarks.rlact_evaluation import LEVEL, PLAN
from aucenv.training.rlact.config import read_config
from aucenv.training.rlact.evaluation import by_game, judge_decision, references
from aucenv.training.rlact.learning.generation import ReplyGenerator
from aucenv.training.rlact.policy import load_generator
from aucenv.training.rlact.run import Run
from aucenv.training.rlact.states.collect import Collection, collect
from aucenv.training.rlact.states.messages import PHASES, read_legal
from aucenv.training.rlact.states.run_states import evenly_spaced, has_clear_decision
from aucenv.training.rlact.states.states import DecisionState, read_states, write_states

from aucenv.analysis.markdown import table as markdown
from aucenv.core.files import JsonObject, read_object, to_pretty_json, write_atomically

SPLIT = "evaluation"
STYLES = {"scored": False, "written": True}
"""How a model replies: it chooses the likeliest plain reply, or writes one."""
HEADINGS = (
    *("model", "replies", "game", "states", "constant, %", "probe, %"),
    *("recommendations right, %", "bids right, %", "legal, %", "legal sampled, %"),
)


def evaluation_states(out: Path, games: Sequence[str], number: int | None = None) -> list[DecisionState]:
    """Return the judged states for evaluation, from the folder `out` if it has them.

    Args:
        out: the folder, to which new states are written.
        games: the names of the games.
        number: the number of states over all splits, of which a tenth are for evaluation; None: that of the plan.
    """
    path = out / f"{SPLIT}.jsonl"
    if not path.is_file():
        plan = read_object(PLAN, PLAN.name)["decisions"]
        config, model = read_config("tiny", None, out, {})
        collection = Collection(number or plan["states"], tuple(games), plan["seed"], detail=config.detail)
        write_states(path, Run(config, model, False).judge(collect(collection, SPLIT), SPLIT))
    return read_states(path)


def decide(generator: ReplyGenerator, states: Sequence[DecisionState], phase: str, samples: bool) -> JsonObject:
    """Return a model's decisions in one game.

    Returns:
        "right", whether each decision of a state without a tie is right; "legal", the share of legal greedy replies;
        and "sampled", that of sampled ones, or None.
    """
    replies = generator.greedy_replies([state.view() for state in states], phase)
    amounts = [read_legal(reply, phase, state) for reply, state in zip(replies, states, strict=True)]
    judged = [judge_decision(state, amount)[1] for state, amount in zip(states, amounts, strict=True)]
    sampled = None
    if samples:
        drawn = generator.sampled_replies([state.view() for state in states], phase, 0)
        legal = [read_legal(reply, phase, state) is not None for reply, state in zip(drawn, states, strict=True)]
        sampled = float(np.mean(legal))
    return {
        "right": [is_right for is_right in judged if is_right is not None],
        "legal": float(np.mean([amount is not None for amount in amounts])),
        "sampled": sampled,
    }


def rows(
    models: Sequence[tuple[str, str]], train: Sequence[DecisionState], states: Sequence[DecisionState]
) -> list[JsonObject]:
    """Return a row for each model and game; the decisions of a row are those of `decide` by task.

    Args:
        models: the folder of each model, and how it replies, one of STYLES.
        train: the training states of the probe.
        states: the states for evaluation.
    """
    compared, results = references(train, states, 0), []
    for folder, style in models:
        generator = load_generator(folder, "", STYLES[style])
        for game, of_game in by_game(states).items():
            decisions = {task: decide(generator, of_game, task, style == "written") for task in PHASES}
            results.append({
                "model": folder, "replies": style, "game": game, "states": len(of_game), **compared[game], **decisions
            })  # fmt: skip
    return results


def leads(rows: Sequence[JsonObject], other: Sequence[JsonObject], resamples: int) -> list[JsonObject]:
    """Return by how much the decisions of rows are right more often than those of other rows, of the same states.

    Returns:
        For each pair of rows and each task, "lead", the difference of the shares of right decisions, and "low" and
        "high", the ends of its 95% interval (percentile bootstrap over states); and the same over all rows and tasks.
    """
    differences = {
        (row["model"], row["replies"], row["game"], task): np.subtract(
            row[task]["right"], other_row[task]["right"], dtype=float
        )
        for row, other_row in zip(rows, other, strict=True)
        for task in PHASES
    }
    everything = np.concatenate(list(differences.values()))
    results = []
    for key, values in [*differences.items(), (("", "", "all", "both"), everything)]:
        rng = np.random.default_rng(len(values))
        means = values[rng.integers(len(values), size=(resamples, len(values)))].mean(1)
        low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]).tolist()
        names = dict(zip(("model", "replies", "game", "task"), key, strict=True))
        results.append({**names, "lead": float(values.mean()), "low": low, "high": high})
    return results


def to_markdown(results: Sequence[JsonObject], compared: Sequence[JsonObject] = ()) -> str:
    """Return the table of the rates, and that of `leads`, in percent."""
    lines = [
        [
            *(row["model"], row["replies"], row["game"], f"{row['states']:,}"),
            *(f"{100 * row[name]:.1f}" for name in ("chance", "probe")),
            *(f"{100 * np.mean(row[task]['right']):.1f}" for task in PHASES),
            *(_lowest([row[task][name] for task in PHASES]) for name in ("legal", "sampled")),
        ]
        for row in results
    ]
    text = markdown(HEADINGS, lines)
    if not compared:
        return text
    leads_lines = [
        [
            *(each[name] for name in ("model", "replies", "game", "task")),
            f"{100 * each['lead']:+.1f}",
            f"{100 * each['low']:+.1f} to {100 * each['high']:+.1f}",
        ]
        for each in compared
    ]
    return text + "\n" + markdown(("model", "replies", "game", "task", "lead, points", "95% interval"), leads_lines)


def _lowest(shares: Sequence[float | None]) -> str:
    known = [share for share in shares if share is not None]
    return f"{100 * min(known):.1f}" if known else "-"


def main() -> None:
    """Rate models on the states for evaluation, and write the results."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--states", type=Path, required=True, help="folder of judged training states, for the probe")
    parser.add_argument("--model", action="append", required=True, help="the folder of a model")
    parser.add_argument("--against", help="the folder of a model with which the others are compared")
    parser.add_argument("--replies", action="append", choices=STYLES, help="how models reply; default: written")
    parser.add_argument("--number", type=int, help="number of states over all splits, if not that of the plan")
    parser.add_argument("--each", type=int, help="number of states without ties of each game; default: all, with ties")
    parser.add_argument("--out", type=Path, required=True, help="folder of the results and of the states")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    judged = options.states / "train-judged.jsonl"
    train = read_states(judged if judged.is_file() else options.states / "train.jsonl")
    states = evaluation_states(options.out, list(by_game(train)), options.number)
    if options.each is not None:
        clear = by_game([state for state in states if has_clear_decision(state)])
        states = [state for of_game in clear.values() for state in evenly_spaced(of_game, options.each)]
    styles = options.replies or ["written"]
    results = rows([(model, style) for model in options.model for style in styles], train, states)
    compared = []
    if options.against is not None:
        other = rows([(options.against, style) for style in styles], train, states)
        compared = leads(results, other * len(options.model), read_object(PLAN, PLAN.name)["resamples"])
        results += other
    write_atomically(options.out / "decisions.json", to_pretty_json({"rates": results, "leads": compared}))
    write_atomically(options.out / "decisions.md", to_markdown(results, compared))
    typer.echo(to_markdown(results, compared))


if __name__ == "__main__":
    main()
