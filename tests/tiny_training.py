"""Training runs that take seconds, with few states, a tiny model and two phases."""

from __future__ import annotations

import dataclasses

import torch
from aucenv.training.rlact.judges.simulator import Simulator
from aucenv.training.rlact.states.collect import Collection, collect
from aucenv.training.rlact.states.states import write_states

TRAIN_COMMAND = "aucenv train rlact --preset tiny --out tiny"
"""The command in the documentation that trains a model."""
SMALL = {
    "games": "harbor",
    "judge_rivals": "usual",
    "recommendation_share": "0",
    "num_states": "100",
    "warm_up_steps": "20",
    "recommendation_steps": "4",
    "bid_steps": "2",
    "per_device_train_batch_size": "16",
    "warmup_steps": "0",
    "save_steps": "3",
    "logging_steps": "1",
    "eval_states": "12",
    "eval_deals": "0",
    "judge_samples": "16",
    "disable_tqdm": "true",
}


def write_small_states(folder, number=100, detail="terse-3"):
    """Write judged states for `Run` into a folder, and return the folder."""
    collection = Collection(number, detail=detail)
    for split in ("train", "validation"):
        states = list(collect(collection, split))
        values = Simulator(samples=16, ladder=1).action_values(states)
        judged = [dataclasses.replace(state, action_values=each) for state, each in zip(states, values, strict=True)]
        write_states(folder / f"{split}.jsonl", judged)
    return folder


def small_run(out, states, resume=False, show_progress=None, **changes):
    """Return a small run with the preset `tiny-dpo`; it collects its own states if `states` is None."""
    from aucenv.training.rlact.config import read_config
    from aucenv.training.rlact.run import Run

    settings = {**SMALL, **{name: str(value) for name, value in changes.items()}}
    if states is not None:
        settings["states"] = str(states)
    config, model = read_config("tiny-dpo", None, out, settings)
    return Run(config, model, resume)


def equal_weights(first, second):
    """Return whether two sets of weights are equal to the bit."""
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)
