"""Rate decisions of RLAct's models among families for evaluation, on the states of `rlact_evaluation.json`.

`python -m aucenv.benchmarks.rlact_decisions --states DIR --model DIR --out DIR` compares a model's recommendations and
bids with the more frequent decision and with a probe that is fitted to the training states in the first folder.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import typer
from aucenv.benchmarks.rlact_evaluation import PLAN
from aucenv.training.rlact.collect import Collection, collect
from aucenv.training.rlact.config import read_config
from aucenv.training.rlact.evaluation import by_game, evaluate, references
from aucenv.training.rlact.messages import BID, PHASES
from aucenv.training.rlact.policy import load_generator
from aucenv.training.rlact.run import Run
from aucenv.training.rlact.states import DecisionState, read_states, write_states

from aucenv.analysis.markdown import table as markdown
from aucenv.core.files import JsonObject, read_object, to_pretty_json, write_atomically

SPLIT = "evaluation"
HEADINGS = (
    "model",
    "game",
    "states",
    "constant, %",
    "probe, %",
    "recommendations right, %",
    "bids right, %",
    "legal, %",
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


def rates(model: Path, states: Sequence[DecisionState]) -> dict[str, JsonObject]:
    """Return a model's decision rates by game; see `evaluation.evaluate`."""
    return evaluate(load_generator(str(model)), states, BID, 0)


def rows(models: Sequence[Path], train: Sequence[DecisionState], states: Sequence[DecisionState]) -> list[JsonObject]:
    """Return a row for each model and game."""
    compared, sizes = references(train, states, 0), {game: len(each) for game, each in by_game(states).items()}
    return [
        {"model": str(model), "game": game, "states": sizes[game], **compared[game], **rated}
        for model in models
        for game, rated in rates(model, states).items()
    ]


def to_markdown(results: Sequence[JsonObject]) -> str:
    """Return the table of the rates, in percent."""
    lines = [
        [
            row["model"],
            row["game"],
            f"{row['states']:,}",
            *(f"{100 * row[name]:.1f}" for name in ("chance", "probe")),
            *(f"{100 * row[task]['greedy']:.1f}" for task in PHASES),
            f"{100 * row[BID]['readable']:.1f}",
        ]
        for row in results
    ]
    return markdown(HEADINGS, lines)


def main() -> None:
    """Rate models on the states for evaluation, and write the results."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--states", type=Path, required=True, help="folder of judged training states, for the probe")
    parser.add_argument("--model", type=Path, action="append", required=True, help="the folder of a model")
    parser.add_argument("--number", type=int, help="number of states over all splits, if not that of the plan")
    parser.add_argument("--out", type=Path, required=True, help="folder of the results and of the states")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    judged = options.states / "train-judged.jsonl"
    train = read_states(judged if judged.is_file() else options.states / "train.jsonl")
    results = rows(options.model, train, evaluation_states(options.out, list(by_game(train)), options.number))
    write_atomically(options.out / "decisions.json", to_pretty_json(results))
    write_atomically(options.out / "decisions.md", to_markdown(results))
    typer.echo(to_markdown(results))


if __name__ == "__main__":
    main()
