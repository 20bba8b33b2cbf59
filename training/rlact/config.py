"""The settings of a training run: TRL's GRPO configuration plus RLAct's settings, from a preset or a YAML file."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import torch
from aucenv.training.rlact.settings_files import check_all_names, check_type, parse_settings, settings_file
from aucenv.training.rlact.states.games import learning_module
from aucenv.training.rlact.states.messages import BID, DETAILS, PROFILES, RECOMMENDATION
from transformers.integrations.integration_utils import get_available_reporting_integrations
from trl import GRPOConfig, ModelConfig, TrlParser

from aucenv.core.checks import MissingExtra, no_duplicates, nonempty_text, number, one_of, whole_number
from aucenv.core.formats.yaml_parser import read_scalar, read_yaml
from aucenv.core.words.bidder_name import public_name

SUPERVISED = "supervised"
"""The stage before the two phases; see `RLActConfig.stage_at`."""
FIXED = {
    "num_generations": 2,
    "num_iterations": 1,
    "steps_per_generation": 1,
    "scale_rewards": "none",
    "temperature": 1.0,
    "vllm_importance_sampling_correction": False,
    "top_p": 1.0,
    "top_k": 0,
    "min_p": None,
    "repetition_penalty": 1.0,
    "generation_kwargs": None,
    "mask_truncated_completions": False,
    "reward_weights": None,
    "multi_objective_aggregation": "sum_then_normalize",
    "max_steps": -1,
    "beta": 0.0,
    "shuffle_dataset": True,
    "save_strategy": "steps",
    "save_only_model": False,
}
"""TRL's settings with fixed values, because the comparison of pairs, or resuming a run, depends on them."""


@dataclass
class RLActConfig(GRPOConfig):
    """Settings of a run; those in `FIXED` cannot be changed.

    Defaults are the paper's if it states a value: HARBOR, arXiv 2502.12149, section on RLAct.
    """

    learning_rate: float = field(default=5e-5, metadata={"help": "Learning rate of AdamW."})
    recommendation_steps: int = field(default=1000, metadata={"help": "Updates of the first phase: recommendations."})
    bid_steps: int = field(default=500, metadata={"help": "Updates of the second phase: bids."})
    recommendation_share: float = field(
        default=0.0,
        metadata={"help": "Share of states of the second phase for which a recommendation is asked, not a bid."},
    )
    supervised_steps: int = field(
        default=0,
        metadata={"help": "Updates before both phases, on the judge's better replies."},
    )
    supervised_share: float = field(
        default=0.5,
        metadata={"help": "Share of states of the supervised updates for which a recommendation is asked, not a bid."},
    )
    supervised_rate: float = field(default=5e-4, metadata={"help": "Learning rate of the supervised updates."})
    share_prompts: bool = field(
        default=False, metadata={"help": "Compute the prompt of a pair once in the loss; needs a maskable attention."}
    )
    pair_beta: float = field(default=0.2, metadata={"help": "Beta in the loss of a pair."})
    pair_loss: Literal["harbor", "dpo", "decision"] = field(
        default="harbor",
        metadata={"help": "Loss of a pair: harbor (the paper's), dpo (online DPO's), or decision (its tokens only)."},
    )
    pair_reference: bool = field(
        default=False, metadata={"help": "Compare with the base model in the loss decision, as DPO does."}
    )
    pair_states: Literal["all", "stakes"] = field(
        default="all",
        metadata={"help": "States of pairs: all in turn, or drawn by p(1 - p) times the dollars at stake."},
    )
    buffer_updates: int = field(
        default=50, metadata={"help": "Updates within which p of every state is computed again, with stakes."}
    )
    decision_temperature: float = field(
        default=1.0, metadata={"help": "Temperature of the decision token of sampled pairs; other tokens have 1."}
    )
    counterfactual: bool = field(
        default=False,
        metadata={"help": "Replace a pair by opposite decisions if its replies mean the same or one is unusable."},
    )
    kl_weight: float = field(default=0.0, metadata={"help": "Weight of the KL divergence from the base model."})
    likelihood_weight: float = field(
        default=0.0,
        metadata={"help": "Weight of a term that raises the log-probability of the better reply of a pair."},
    )
    states: str | None = field(
        default=None, metadata={"help": "Folder of judged states; without it, the run collects states."}
    )
    games: list[str] = field(
        default_factory=lambda: ["harbor"],
        metadata={"help": "Games whose states are collected: harbor, english, sealed_bid."},
    )
    num_states: int = field(default=1250, metadata={"help": "Number of states to collect; 8 of 10 are for training."})
    profiles: str = field(default="sentence", metadata={"help": "Style of the rivals' profiles in messages."})
    detail: str = field(default="full", metadata={"help": f"Level of detail of messages: {', '.join(DETAILS)}."})
    judge: list[str] = field(
        default_factory=lambda: ["simulator"],
        metadata={"help": "simulator or llm:openai:MODEL,...; of two judges, the mean score; or random."},
    )
    judge_samples: int = field(default=128, metadata={"help": "Rollouts of each action."})
    judge_rivals: str = field(
        default="usual", metadata={"help": "The simulator's rivals: usual, inferred, or rule bidders joined by +."}
    )
    judge_later_bidder: str = field(
        default="usual",
        metadata={
            "help": "The bidder of a seat's later decisions in the simulator, or usual; several are joined by +, and "
            "{game} stands for the name of the game."
        },
    )
    judge_ladder: int = field(
        default=4, metadata={"help": "Number of bids compared: the least bid, and 1, 3, 7, ... increments more."}
    )
    skip_ties: bool = field(
        default=False, metadata={"help": "Skip states in which the values of the least bid and of withdrawing tie."}
    )
    speaks: bool = field(
        default=True,
        metadata={"help": "Whether the model writes its decisions as a player, or chooses the likeliest plain reply."},
    )
    freeze_embeddings: bool = field(default=False, metadata={"help": "Do not train the token embeddings."})
    least_gpu_gib: int = field(default=0, metadata={"help": "Required memory of one GPU in GiB; 0: a CPU is enough."})
    eval_states: int = field(default=500, metadata={"help": "Maximum number of held-out states in an evaluation."})
    eval_deals: int = field(default=0, metadata={"help": "Deals in an evaluation, each played in three seats."})
    warm_up_steps: int = field(
        default=0,
        metadata={"help": "Updates in which a model from scratch imitates rule bidders, before all other updates."},
    )
    warm_up_rate: float = field(default=1e-3, metadata={"help": "Learning rate of the warm-up."})
    guard_window: int = field(default=50, metadata={"help": "Number of updates that the collapse guard averages over."})
    guard: Literal["stop", "warn", "off"] = field(
        default="stop", metadata={"help": "What the collapse guard does: stop the run, only warn, or nothing."}
    )

    def __post_init__(self) -> None:
        self._check_lists()
        self._check()
        for name, value in FIXED.items():
            configured = getattr(self, name)
            if configured not in (value, _default(name)):
                raise ValueError(f"{name}: expected {value!r}, which cannot be changed, got {configured!r}")
            setattr(self, name, value)
        self.max_steps = self.supervised_steps + self.recommendation_steps + self.bid_steps
        has_reference = self.pair_loss == "dpo" or self.pair_reference or self.kl_weight > 0
        self.beta = float(has_reference)  # above 0, TRL keeps a reference model
        self.remove_unused_columns = False
        if getattr(self, "bf16", None) is None:
            self.bf16 = torch.cuda.is_available()
        self.dataloader_pin_memory &= torch.cuda.is_available()  # without a GPU, torch warns
        super().__post_init__()

    def _check_lists(self) -> None:
        self.games = self.games if isinstance(self.games, list) else [self.games]
        for game in self.games:
            learning_module("games", game)
        no_duplicates("games", self.games)
        self.judge = self.judge if isinstance(self.judge, list) else [self.judge]
        for name in self.judge:
            if public_name(nonempty_text("judge", name)) != name:
                raise ValueError(
                    "judge: expected header.NAME=env:VARIABLE, because the settings of a run are saved, got "
                    f"{public_name(name)!r}"
                )

    def _check(self) -> None:
        for name in ("judge_rivals", "judge_later_bidder"):
            nonempty_text(name, getattr(self, name))
        if self.states is not None:
            nonempty_text("states", self.states)
        if self.use_vllm and find_spec("vllm") is None:
            raise MissingExtra("use_vllm: vllm is not installed")
        if self.save_total_limit == 1:
            raise ValueError(
                "save_total_limit: expected 2 or more, got 1; the last checkpoint is kept while the next is written"
            )
        missing = set(self._reporters()) - set(get_available_reporting_integrations())
        if missing:
            raise MissingExtra(f"report_to: {', '.join(sorted(missing))}: not installed")
        check_gpu(whole_number("least_gpu_gib", self.least_gpu_gib, 0, 10_000))
        whole_number("recommendation_steps", self.recommendation_steps, 0, 10_000_000)
        is_supervised = bool(self.supervised_steps) and not self.recommendation_steps
        whole_number("bid_steps", self.bid_steps, int(not is_supervised), 10_000_000)
        rates = {"learning_rate": 1.0, "pair_beta": 100.0, "warm_up_rate": 1.0, "supervised_rate": 1.0}
        for name, most in rates.items():
            value = getattr(self, name)
            if number(name, value, 0, most) == 0:
                raise ValueError(f"{name}: expected a number above 0, got {value!r}")
        whole_number("seed", self.seed, 0, 2**32 - 1)
        number("kl_weight", self.kl_weight, 0, 1000)
        number("likelihood_weight", self.likelihood_weight, 0, 1000)
        for name in ("recommendation_share", "supervised_share"):
            number(name, getattr(self, name), 0, 1)
        check_pairs(self)
        one_of("guard", self.guard, ("stop", "warn", "off"))
        one_of("profiles", self.profiles, PROFILES)
        one_of("detail", self.detail, DETAILS)
        whole_number("num_states", self.num_states, 10, 10_000_000)
        for name, least in {
            "judge_samples": 2,
            "judge_ladder": 1,
            "eval_states": 1,
            "eval_deals": 0,
            "warm_up_steps": 0,
            "supervised_steps": 0,
            "guard_window": 1,
            "gradient_accumulation_steps": 1,
            "max_completion_length": 1,
        }.items():
            whole_number(name, getattr(self, name), least, 10_000_000)
        whole_number("per_device_train_batch_size", self.per_device_train_batch_size, 2)
        if self.per_device_train_batch_size % 2:
            raise ValueError(
                f"per_device_train_batch_size: expected an even number (two replies to each state), got "
                f"{self.per_device_train_batch_size}"
            )

    def _reporters(self) -> list[str]:
        names = [self.report_to] if isinstance(self.report_to, str) else self.report_to or []
        return [name for name in names if name not in ("none", "all")]

    @property
    def first_bid_step(self) -> int:
        """The number of updates before the second phase."""
        return self.supervised_steps + self.recommendation_steps

    def stage_at(self, step: int) -> str:
        """Return the stage of a step: supervised updates come first, then recommendations, then bids."""
        if step < self.supervised_steps:
            return SUPERVISED
        return RECOMMENDATION if step < self.first_bid_step else BID

    @property
    def last_stage(self) -> str:
        """The stage of the last step: that of bids, or of supervised updates if there are no others."""
        return self.stage_at(self.max_steps - 1)

    def tasks_at(self, step: int, states: int) -> list[str]:
        """Return the task, one of PHASES, of each of the `states` states of a step.

        In supervised updates and in the second phase, the first states ask for recommendations; states are shuffled.
        """
        shares = {SUPERVISED: self.supervised_share, RECOMMENDATION: 1.0, BID: self.recommendation_share}
        recommendations = round(shares[self.stage_at(step)] * states)
        return [RECOMMENDATION] * recommendations + [BID] * (states - recommendations)


def _default(name: str) -> Any:
    return next(f.default for f in dataclasses.fields(GRPOConfig) if f.name == name)


def read_config(
    preset: str | None, file: Path | None, out: Path, changes: Mapping[str, str]
) -> tuple[RLActConfig, ModelConfig]:
    """Read the settings of a preset or of a YAML file, with TRL's parser.

    Args:
        preset: name of a preset, or None.
        file: path of a YAML file, or None.
        out: folder of the run.
        changes: values that replace those of the preset or file, by name.

    Raises:
        ValueError: A setting is unknown or out of range, or there is not exactly one of preset and file.
        OSError: The file cannot be read.
    """
    path = settings_file(preset, file)
    parser = TrlParser((RLActConfig, ModelConfig))
    known = {action.dest: action for action in parser._actions if action.dest != "output_dir"}
    settings, lines = read_yaml(path)
    check_all_names(changes, lines, known, path)
    places = {name: f"{path}:{line}: {name}" for name, line in lines.items()}
    places |= {name: f"--set {name}" for name in changes}
    for name, value in (settings | {name: read_scalar(text) for name, text in changes.items()}).items():
        if name in FIXED and value != FIXED[name]:
            raise ValueError(f"{places[name]}: expected {FIXED[name]!r}, which cannot be changed, got {value!r}")
    arguments = []
    for name, value in changes.items():
        arguments += [f"--{name}", *(value.split() if known[name].nargs in ("+", "*") else [value] if value else [])]
    parser.set_defaults_with_config(**settings)
    config, model = parse_settings(parser, ["--output_dir", str(out), *arguments], path, places)
    for name in settings.keys() - changes.keys():
        check_type(places[name], settings[name], getattr(config, name, getattr(model, name, None)))
    if model.load_in_4bit or model.load_in_8bit:
        raise ValueError(f"{path}: load_in_4bit, load_in_8bit: expected false; training does not quantize models")
    return config, model


def check_gpu(least: int) -> None:
    """Raise unless there is a CUDA GPU with at least `least` GiB of memory, or `least` is 0.

    Raises:
        ValueError: There is no such GPU.
    """
    if not least:
        return
    available = torch.cuda.get_device_properties(0).total_memory / 2**30 if torch.cuda.is_available() else 0.0
    if available < least:
        got = f"one with {available:.0f} GiB" if available else "none"
        raise ValueError(
            f"this model needs a CUDA GPU with {least} GiB of memory, got {got}; --preset tiny and "
            "rlact-smollm2 need none"
        )


MOST_TEMPERATURE = 100.0


def check_pairs(config: Any) -> None:
    """Raise unless the settings of pairs are in range and fit together.

    Args:
        config: the settings, a `RLActConfig`.

    Raises:
        ValueError: They are not, or do not.
    """
    one_of("pair_loss", config.pair_loss, ("harbor", "dpo", "decision"))
    one_of("pair_states", config.pair_states, ("all", "stakes"))
    whole_number("buffer_updates", config.buffer_updates, 1, 10_000_000)
    if number("decision_temperature", config.decision_temperature, 0, MOST_TEMPERATURE) == 0:
        raise ValueError("decision_temperature: expected a number above 0, got 0")
    if config.decision_temperature != 1 and (config.use_vllm or config.use_transformers_continuous_batching):
        raise ValueError(
            "decision_temperature: expected 1 with vLLM or continuous batching, which sample all tokens at one "
            f"temperature, got {config.decision_temperature:g}"
        )
    is_decision = config.pair_loss == "decision"
    if not is_decision:
        for name, value in {"pair_reference": False, "pair_states": "all", "decision_temperature": 1.0}.items():
            if getattr(config, name) != value:
                raise ValueError(
                    f"{name}: expected {value!r} unless pair_loss is decision, got {getattr(config, name)!r}"
                )
        return
    if config.judge != ["simulator"]:
        raise ValueError(
            f"judge: expected simulator with pair_loss=decision, because only its values are in dollars, got "
            f"{', '.join(config.judge)}"
        )
    if config.counterfactual:
        raise ValueError(
            "counterfactual: expected False with pair_loss=decision, which drops pairs that agree, got True"
        )
