"""The experiment that compares online DPO with supervised finetuning: its plan, its choice of arms, locks and resuming."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
from types import SimpleNamespace

import numpy as np
import pytest
from aucenv.baselines.population.families import HELD_OUT, VALIDATION, load_population
from aucenv.benchmarks import rlact_arms, rlact_sealed
from aucenv.benchmarks.rlact_arms import HELD_OUT as HELD_OUT_FILE
from aucenv.benchmarks.rlact_arms import PLAN, RESULT, WEIGHTS, Experiment, Job
from aucenv.benchmarks.rlact_arms_table import LEAST, finalists, held_out_arms, leads, profit, to_markdown
from aucenv.benchmarks.rlact_evaluation import table_set
from aucenv.benchmarks.rlact_sealed import utility_losses
from aucenv.training.rlact.ablation import PRESET, Arm
from aucenv.training.rlact.arms import DECISION, METHODS, SOURCES, Arms
from aucenv.training.rlact.config import read_config
from aucenv.training.rlact.learning.callbacks import Diverged, StopWhenDiverged
from aucenv.training.rlact.states.states import read_states
from torch import nn

from aucenv.core.adapters.actions import read_dollar_action
from aucenv.core.formats.folders import only_writer
from aucenv.envs.sealed_bid.words import write_reply
from aucenv.policy.registry import make_policy

SMALL = {
    "num_states": "400",
    "warm_up_steps": "60",
    "judge_samples": "16",
    "per_device_train_batch_size": "16",
    "save_steps": "50",
    "eval_states": "30",
    "disable_tqdm": "true",
}


def plan_of(**changes):
    plan = {**json.loads(PLAN.read_text()), **changes}
    return copy.deepcopy(plan)


def result(method, source, rate, seed, harbor, english, diverged=None):
    """Return a result with profits that differ by deal, 4 tables of harbor and 2 of english."""
    deals = np.arange(20) % 5 - 2.0
    profits = {
        "harbor, validation families": [(harbor + deals).tolist()] * 4,
        "english, validation families": [(english + deals).tolist()] * 2,
    }
    return {
        "method": method,
        "source": source,
        "rate": rate,
        "seed": seed,
        "diverged": diverged,
        "profits": None if diverged else profits,
        "core_minutes": 7.0,
        "pairs": {"pairs": 96, "agreeing": 0.9, "synthetic": 0.0, "used": 0.1} if "dpo" in method else {},
    }


def test_the_plan_has_fourteen_arms_of_known_methods_and_families():
    plan, population = plan_of(), load_population()
    jobs = Experiment(PLAN.parent, plan)._jobs(plan["seeds"])
    assert len({job.arm for job in jobs}) == 14
    assert len(jobs) == 14 * 2 * 2
    assert set(plan["methods"]) == set(METHODS)
    assert tuple(plan["sources"]) == SOURCES
    assert plan["population"] == {"version": population.version, "digest": population.digest}
    for part, split in (("validation", VALIDATION), ("held_out", HELD_OUT)):
        families = {family.name for game in ("harbor", "english") for family in population.families(game, split)}
        assert families
        assert all(plan[part]["deals"] <= table_set(name).deals for name in plan[part]["sets"])
    bidders = {family.bidder for family in population.families("sealed_bid", HELD_OUT)} | {"equilibrium"}
    assert {name.partition(",")[0] for each in plan["sealed"]["tables"] for name in each["rivals"]} <= bidders
    read_config(PRESET, None, PLAN.parent, DECISION)  # the settings fit together


RESULTS = [
    *(result("sft", source, 0.002, seed, 30.0, 20.0) for source in SOURCES for seed in (0, 1)),
    *(result("sft", "learner", 0.0002, seed, 31.0, 20.0) for seed in (0, 1)),
    *(result("grpo", "learner", 0.002, seed, 10.0, 5.0) for seed in (0, 1)),
    *(result("dpo-decision", "learner", 0.002, seed, 32.0, 24.0) for seed in (0, 1)),
    *(result("dpo-shipped", "learner", 0.002, seed, 29.0, 20.0) for seed in (0, 1)),
    *(result("harbor-loss", "learner", 0.002, 0, 90.0, 90.0, "diverged: a weight") for _ in (0,)),
    *(result("harbor-loss", "learner", 0.0002, seed, 12.0, 5.0) for seed in (0, 1)),
]


def test_the_best_supervised_arm_and_the_best_others_get_more_seeds():
    chosen = finalists(RESULTS, plan_of())
    assert chosen == [
        ("sft", "learner", 0.0002),
        ("dpo-decision", "learner", 0.002),
        ("dpo-shipped", "learner", 0.002),
        ("harbor-loss", "learner", 0.0002),
    ]
    assert held_out_arms(RESULTS) == [chosen[0], chosen[1]]
    assert profit([RESULTS[0], result("sft", "x", 1, 0, 0, 0, "diverged")]) == LEAST


def test_leads_give_each_game_the_same_weight_and_are_paired_by_deals():
    rows = leads(RESULTS, 500)
    row = rows["dpo-decision", "learner", 0.002]
    assert row["lead"] == pytest.approx(((32 - 31) + (24 - 20)) / 2)
    assert row["low"] == pytest.approx(row["lead"])  # all deals have the same lead
    assert ("sft", "learner", 0.0002) not in rows
    assert ("harbor-loss", "learner", 0.002) not in rows
    assert leads([each for each in RESULTS if each["method"] != "sft"], 500) == {}


def test_the_table_has_all_arms_shares_of_pairs_and_those_that_diverged():
    losses = {table["name"]: [1.0, 2.0] for table in plan_of()["sealed"]["tables"]}
    sealed = [
        {"method": method, "source": "population", "rate": 1, "seed": seed, "diverged": None, "core_minutes": 1}
        | {"losses": {name: [each * factor for each in values] for name, values in losses.items()}}
        | {"start": losses if seed == 0 else None}
        for method, factor in (("sft", 1.0), ("dpo-decision", 0.5))
        for seed in (0, 1)
    ]
    text = to_markdown(RESULTS, RESULTS[:2], sealed, plan_of(resamples=200))
    assert "| dpo-decision | learner | 0.002 | 0, 1 | 32.00 / 24.00 | +2.50 (+2.50 to +2.50)" in text
    assert "| 90.0% | 0.0% | 10.0% | - | 7.0 |" in text
    assert "| harbor-loss | learner | 0.002 | 0 | - | - | - | - | - | - | 1 of 1 | 7.0 |" in text
    assert "| dpo-decision | 0, 1 | 0.750 | 0.750 | 0.750 | 0.750 | +0.750" in text
    assert "| the supervised model | - | 1.500" in text


class FakeArms:
    """Arms that train nothing; one of them diverges."""

    updates = 3

    def __init__(self, out, job, trained):
        self.out, self.job, self.trained = out, job, trained

    def folder(self, method, seed):
        return self.out / f"{method}-{self.job.source}-{self.job.rate:g}-{seed}"

    def train(self, method, seed):
        self.trained.append((method, seed))
        if method == "grpo":
            raise Diverged("diverged: a weight is not finite after update 2")
        return self.out / "model"

    def pairs(self, folder):
        return {}

    def preparations(self):
        (self.out / "prepared").touch()
        return []


def test_finished_arms_are_not_trained_again_and_a_diverged_one_is_recorded(tmp_path):
    trained, said = [], []
    experiment = Experiment(tmp_path, plan_of(), said.append)
    jobs = [Job(method, "learner", 0.1, 0) for method in ("sft", "grpo")]

    def work(number):
        experiment._work(
            "seeds",
            jobs[:number],
            lambda job: FakeArms(tmp_path, job, trained),
            lambda arms, job, model: {"profits": {"harbor": [[1.0, 2.0]]}},
        )

    work(1)
    work(2)
    (tmp_path / "prepared").unlink()
    work(2)
    assert not (tmp_path / "prepared").exists()  # no arm is left
    assert trained == [("sft", 0), ("grpo", 0)]
    results = [json.loads((tmp_path / f"{job.method}-learner-0.1-0" / RESULT).read_text()) for job in jobs]
    assert results[0]["profits"] == {"harbor": [[1.0, 2.0]]}
    assert results[1]["diverged"] == "diverged: a weight is not finite after update 2"
    assert results[1]["profits"] is None
    assert results[0]["updates"] == 3
    assert said[0] == "seeds: 1 of 1 arms are left, about 0.1 hours on one core"


def test_an_arm_of_another_process_is_left_to_it(tmp_path, monkeypatch):
    trained, said = [], []
    experiment = Experiment(tmp_path, plan_of(), said.append)
    jobs = [Job(method, "learner", 0.1, 0) for method in ("sft", "sft-dollars")]
    claimed = FakeArms(tmp_path, jobs[0], trained).folder("sft", 0)
    (claimed / "claim").mkdir(parents=True)

    def sleep(seconds):  # the other process finishes
        (claimed / RESULT).write_text('{"core_minutes": 2}')

    monkeypatch.setattr(rlact_arms.time, "sleep", sleep)
    with only_writer(claimed / "claim"):
        experiment._work(
            "seeds",
            jobs,
            lambda job: FakeArms(tmp_path, job, trained),
            lambda arms, job, model: {"profits": {}},
        )
    assert trained == [("sft-dollars", 0)]
    assert "seeds: other processes train the last arms; waiting" in said


def test_results_of_another_plan_are_refused(tmp_path):
    Experiment(tmp_path, plan_of()).out.joinpath("plan.json").write_text(json.dumps(plan_of(updates=7)))
    with pytest.raises(ValueError, match="results of another plan: updates is 7 in the folder and 500"):
        Experiment(tmp_path, plan_of()).run()


class Preparation:
    """The preparation of a supervised model, whose weights are those of the machine."""

    def __init__(self, out, weights):
        self.shared, self.start, self.weights = out / "shared", out / "shared" / "supervised", weights

    def preparations(self):
        return [("train the supervised model", self.start / "rlact.json", self.train)]

    def train(self):
        self.start.mkdir(parents=True)
        for name in (WEIGHTS, "rlact.json"):
            (self.start / name).write_bytes(self.weights)


def test_another_machine_continues_from_the_folder_of_results(tmp_path):
    results, folders = tmp_path / "results", [tmp_path / name for name in ("one", "two", "other")]
    one, two, other = (Experiment(folder, plan_of(), lambda text: None, results) for folder in folders)
    for experiment, weights in ((one, b"of one"), (two, b"of two")):
        experiment._prepare(Preparation(experiment.out, weights))
        assert (experiment.arms().start / WEIGHTS).read_bytes() == b"of one"
    dataclasses.replace(other, results=None)._prepare(Preparation(other.out, b"of other"))
    job = Job("sft", "population", 0.002, 0)
    written = one.arms(job).folder(job.method, job.seed) / RESULT
    written.parent.mkdir(parents=True)
    written.write_text(json.dumps(result("sft", "population", 0.002, 0, 30.0, 20.0)))
    one.keep()
    two.restore()
    assert json.loads((folders[1] / written.relative_to(folders[0])).read_text()) == json.loads(written.read_text())
    with pytest.raises(ValueError, match="expected results of the supervised model of"):
        other.restore()
    with pytest.raises(ValueError, match="expected results of the plan of"):
        Experiment(folders[1], plan_of(updates=7), results=results).restore()


def test_training_ends_with_an_error_once_a_weight_is_not_finite():
    layer, state = nn.Linear(1, 1), SimpleNamespace(global_step=4)
    StopWhenDiverged().on_step_end(None, state, None, model=layer)
    nn.init.constant_(layer.weight, math.inf)
    with pytest.raises(Diverged, match="not finite after update 4"):
        StopWhenDiverged().on_step_end(None, state, None, model=layer)


@pytest.mark.parametrize(
    ("bidder", "rivals", "low", "high"),
    [
        ("equilibrium", ["equilibrium", "equilibrium"], 0, 0.3),
        ("truthful", ["equilibrium", "equilibrium"], 4, 20),
        ("judge-greedy,rivals=inferred", ["follower,step=0.02,first=0.654", "replier,memory=7,first=0.716"], 0, 5),
    ],
)
def test_the_utility_loss_is_that_of_the_theory(bidder, rivals, low, high):
    losses = utility_losses(bidder, "first-ipv", rivals, 4, 78000)
    assert losses.shape == (4,)
    assert (losses >= -1e-9).all()
    assert low <= losses.mean() <= high


class InWords:
    """A bidder whose actions are replies in words."""

    interface = "text"

    def __init__(self, bidder):
        self.bidder = make_policy("sealed_bid", bidder)
        self.reset = self.bidder.reset

    def act(self, view, infos):
        return write_reply(read_dollar_action(self.bidder.act(view, infos)))


@pytest.mark.parametrize("bidder", ["equilibrium", "shade,factor=0.5"])
def test_bids_in_words_have_the_utility_loss_of_the_same_amounts(bidder, monkeypatch):
    arguments = "first-ipv", ["equilibrium", "truthful"], 3, 78000
    losses = utility_losses(bidder, *arguments)
    with monkeypatch.context() as patch:
        patch.setattr(rlact_sealed, "make_policy", lambda game, name: InWords(name))
        assert utility_losses(bidder, *arguments) == pytest.approx(losses)
    assert losses.mean() < utility_losses("shade,factor=0", *arguments).mean()


def small_experiment(out):
    plan = plan_of(changes=SMALL, supervised_updates=20, updates=2, learning_rates=[0.002], seeds=[0])
    plan |= {"final_seeds": [0], "validation": {**plan["validation"], "deals": 1}, "resamples": 100}
    plan["held_out"]["deals"] = plan["sealed"]["deals"] = 1
    plan["sealed"] |= {"seeds": [0], "changes": {**plan["sealed"]["changes"], "num_states": "200"}}
    return Experiment(out, plan, lambda text: None)


@pytest.mark.slow
def test_the_whole_experiment_runs_and_resumes(tmp_path):
    experiment = small_experiment(tmp_path)
    experiment.run()
    files = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.json") if path.name in (RESULT, HELD_OUT_FILE)}
    assert len(files) == 14 + 2 + 2
    text = (tmp_path / "table.md").read_text()
    assert all(f"| {method} |" in text for method in METHODS)
    experiment.run()
    assert files == {path: path.stat().st_mtime_ns for path in files}
    reached = read_states(tmp_path / "shared" / "learner-states" / "train.jsonl")
    assert all(any("rlact:" in name for name in state.bidders) for state in reached)


def test_methods_of_arms_are_runs_or_functions():
    assert all(isinstance(arm, Arm) and (arm.train is None) != (arm.changes is None) for arm in METHODS.values())
    assert Arms.command == "python -m aucenv.benchmarks.rlact_arms"
