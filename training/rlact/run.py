"""A training run: states, the model to begin with, updates, and what is left in its folder."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from aucenv.baselines.llm.smollm2 import smollm2_folder
from aucenv.training.rlact.callbacks import (
    CollapseGuard,
    EvaluateCheckpoints,
    StopOnInterrupt,
    read_evaluations,
)
from aucenv.training.rlact.card import model_card
from aucenv.training.rlact.checkpoints import (
    SMOLLM2,
    last_checkpoint,
    load_causal,
    load_tokenizer,
    write_about,
)
from aucenv.training.rlact.collect import Collection, collect
from aucenv.training.rlact.config import RLActConfig
from aucenv.training.rlact.evaluation import ceiling, evaluate, profit_ratio
from aucenv.training.rlact.judges import Judge, RandomJudge
from aucenv.training.rlact.messages import PHASES, TERSE
from aucenv.training.rlact.named_judges import judge_named
from aucenv.training.rlact.remembered import RememberingSimulator
from aucenv.training.rlact.speaker import Speaker
from aucenv.training.rlact.states import DecisionState, check_disjoint, read_states, write_states
from aucenv.training.rlact.tiny import scripted_dialogues, tiny_model, tiny_tokenizer, warm_up
from aucenv.training.rlact.trainer import RLActTrainer
from trl import ModelConfig, SFTConfig, get_peft_config

from aucenv.policy import make_policy
from aucenv.records import to_pretty_json, write_atomically

TINY = "tiny"
SETTINGS = "settings.json"
MODEL = "model"
SPLITS = ("train", "evaluation")
"""Learnt from, and held out: other houses and other descriptions of personas."""
NAME_ON_HUB = re.compile(r"[\w.-]+/[\w.-]+")
JUDGED_AT_ONCE = 500
MAY_CHANGE = {
    *("output_dir", "logging_dir", "run_name", "resume_from_checkpoint", "save_total_limit", "report_to"),
    *("disable_tqdm", "log_level", "logging_steps", "eval_deals", "eval_states", "guard", "guard_window"),
}
"""Settings that a run may go on with others of: they change nothing that is learnt."""
Shown = Callable[[Iterable[Any], str, int], Iterable[Any]]
"""Shows progress over what it is given: a description, and how many."""


@dataclasses.dataclass
class Run:
    """A run in a folder.

    Attributes:
        config, model: its settings; see `config.read_config`.
        resume: go on with what the folder holds.
        preset, changes: where the settings are from, for the card.
    """

    config: RLActConfig
    model: ModelConfig
    resume: bool = False
    preset: str | None = None
    changes: Mapping[str, str] = dataclasses.field(default_factory=dict)
    shown: Shown = lambda things, what, number: things

    @property
    def out(self) -> Path:
        """Its folder."""
        return Path(self.config.output_dir)

    def run(self) -> dict[str, Any]:
        """Train to the end; or until Ctrl-C or a collapse, with a checkpoint to go on from.

        Returns:
            The last evaluation; "ended": why it ended before its end, or None.

        Raises:
            ValueError: settings, states or a model that do not go together, or a folder that holds another run.
        """
        check_gpu(self.config)
        self._check_folder()
        learnt, held_out = self._states()
        self._settle(learnt, held_out)
        trainer = self.trainer(learnt, held_out)
        checkpoint = last_checkpoint(self.out) if self.resume else None
        trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))
        found = {**read_evaluations(self.out)[-1], "ended": trainer.why_ended()}
        if found["ended"] is None:
            self._finish(self.out / MODEL, trainer, save=True)
        return found

    def trainer(self, learnt: Sequence[DecisionState], held_out: Sequence[DecisionState]) -> RLActTrainer:
        """The trainer, its model loaded and its callbacks set."""
        config = self.config
        with config.main_process_first(desc="the model to begin with"):
            model, tokenizer, base = self._base(learnt)
        check_context(learnt, tokenizer, model.config, config.max_completion_length or 0)
        if config.freeze_embeddings:
            model.get_input_embeddings().weight.requires_grad_(False)
        guard = CollapseGuard(lambda: trainer.last, config.guard_window, config.guard == "stop")
        interrupt = StopOnInterrupt()
        trainer = RLActTrainer(
            model,
            config,
            learnt,
            self._judge_of(),
            processing_class=tokenizer,
            peft_config=get_peft_config(self.model),
        )
        trainer.base_name = base if self.model.use_peft else None
        known = {"expact": None, **ceiling(learnt, held_out)}
        if config.eval_deals:
            known["expact"] = profit_ratio(make_policy("harbor", "expact"), config.eval_deals)
        asked = spread(held_out, config.eval_states)

        def figures() -> dict[str, Any]:
            speaker = Speaker(trainer.model, tokenizer, config.detail, config.profiles, config.max_completion_length)
            return {**evaluate(speaker, asked, trainer.phase, config.eval_deals), **known}

        evaluations = EvaluateCheckpoints(figures, lambda folder: self._finish(folder, trainer))
        for callback in (evaluations, interrupt, *([guard] if config.guard != "off" else [])):
            trainer.add_callback(callback)
        trainer.why_ended = lambda: guard.ended or ("stopped" if interrupt.stopped else None)
        return trainer

    def _check_folder(self) -> None:
        if self.resume and not (self.out / SETTINGS).is_file():
            raise ValueError(f"{self.out}: expected a run to go on with, and its {SETTINGS}")
        if not self.resume and (self.out / SETTINGS).exists():
            raise ValueError(f"{self.out}: holds a run; --resume goes on with it, or choose another folder")
        self.out.mkdir(parents=True, exist_ok=True)

    def _states(self) -> tuple[list[DecisionState], list[DecisionState]]:
        """To learn from, and held out; judged."""
        config = self.config
        folder = Path(config.states) if config.states else self.out / "states"
        with config.main_process_first(desc="states"):
            if config.states is None and not all((folder / f"{split}.jsonl").is_file() for split in SPLITS):
                folder.mkdir(parents=True, exist_ok=True)
                collection = Collection(config.num_states, ("harbor",), config.seed, config.profiles, config.detail)
                for split in SPLITS:
                    wanted = collection.wanted(split)
                    found = list(self.shown(collect(collection, split), f"{split} states", wanted))
                    write_states(folder / f"{split}.jsonl", self._judged(found, split))
        learnt, held_out = (read_states(folder / f"{split}.jsonl") for split in SPLITS)
        check_disjoint(learnt, held_out)
        return [self._judged(split, "states") for split in (learnt, held_out)]

    def _judged(self, states: Sequence[DecisionState], what: str) -> list[DecisionState]:
        """With what their actions are worth."""
        simulator, found = self._simulator, []
        missing = [state for state in states if state.worth is None]
        starts = range(0, len(missing), JUDGED_AT_ONCE)
        for start in self.shown(starts, f"judging {what}", len(starts)) if missing else ():
            found += simulator.worths(missing[start : start + JUDGED_AT_ONCE])
        worths = iter(found)
        return [state if state.worth else dataclasses.replace(state, worth=next(worths)) for state in states]

    @functools.cached_property
    def _simulator(self) -> RememberingSimulator:
        config = self.config
        return RememberingSimulator(config.judge_samples, ladder=config.judge_ladder, threads=os.cpu_count() or 1)

    def _judge_of(self) -> Callable[[str], Judge]:
        if self.config.judge == ["random"]:
            return lambda phase: RandomJudge(self.config.seed)
        return lambda phase: judge_named(self.config.judge, self._simulator, phase)

    def _settle(self, learnt: Sequence[DecisionState], held_out: Sequence[DecisionState]) -> None:
        """Keep what this run follows from; of one that goes on, see that it is the same."""
        told = {name: value for name, value in self.config.to_dict().items() if name not in MAY_CHANGE}
        told |= {f"model: {name}": value for name, value in dataclasses.asdict(self.model).items()}
        told = json.loads(json.dumps(told, default=str))
        for name, states in (("states", learnt), ("held-out states", held_out)):
            lines = "".join(state.to_json() for state in states)
            told[f"digest of {name}"] = hashlib.sha256(lines.encode()).hexdigest()
        path = self.out / SETTINGS
        if self.resume:
            before = json.loads(path.read_text(encoding="utf-8"))
            changed = [name for name in sorted({*told, *before}) if told.get(name) != before.get(name)]
            if changed:
                name = changed[0]
                raise ValueError(
                    f"{self.out}: holds a run with other settings: {', '.join(changed)}; {name}: expected "
                    f"{before.get(name)!r}, got {told.get(name)!r}"
                )
        elif self.config.process_index == 0:
            write_atomically(path, to_pretty_json(told))

    def _base(self, learnt: Sequence[DecisionState]) -> tuple[Any, Any, str]:
        """The model to begin with, its tokenizer and its name."""
        name = self.model.model_name_or_path or ""
        if name == TINY:
            return (*self._tiny(learnt), str(self.out / "base"))
        folder = smollm2_folder() if name == SMOLLM2 else Path(name)
        dtype = self.model.dtype or "float32"
        if not folder.exists() and NAME_ON_HUB.fullmatch(name):
            return from_hub(name, self.model.model_revision, dtype)
        return load_causal(folder, dtype=dtype), load_tokenizer(folder), name

    def _tiny(self, learnt: Sequence[DecisionState]) -> tuple[Any, Any]:
        """From scratch, once it has learnt to speak as rule bidders do."""
        config, folder = self.config, self.out / "base"
        if config.detail != TERSE:
            raise ValueError(f"detail: the model {TINY} reads {TERSE} states alone, got {config.detail!r}")
        if not (folder / "config.json").is_file():
            dialogues = scripted_dialogues(list(self.shown(learnt, "rule bidders' words", len(learnt))), config.seed)
            tokenizer = tiny_tokenizer(text for asked, reply in dialogues for text in (asked[0]["content"], reply))
            model = tiny_model(tokenizer, config.seed)
            if config.warm_up_steps:
                warm_up(model, tokenizer, dialogues, self._warm_up())
            save_whole(folder, model, tokenizer)
        return load_causal(folder), load_tokenizer(folder)

    def _warm_up(self) -> SFTConfig:
        config = self.config
        return SFTConfig(
            output_dir=str(self.out / "base"),
            max_steps=config.warm_up_steps,
            learning_rate=config.warm_up_rate,
            lr_scheduler_type="cosine",
            warmup_steps=config.warm_up_steps // 20,
            per_device_train_batch_size=config.per_device_train_batch_size // 2,
            seed=config.seed,
            save_strategy="no",
            logging_steps=max(1, config.warm_up_steps // 10),
            activation_checkpointing=False,
            bf16=False,
            use_cpu=config.use_cpu,
            report_to="none",
            max_length=None,
        )

    def _finish(self, folder: Path, trainer: RLActTrainer, save: bool = False) -> None:
        """Say in a checkpoint's folder how to play it, last of all."""
        config = self.config
        if save:
            trainer.save_model(str(folder))
        if config.process_index != 0:
            return
        told = {"phase": trainer.answers, "detail": config.detail, "profiles": config.profiles}
        model = trainer.accelerator.unwrap_model(trainer.model)
        write_atomically(folder / "README.md", model_card(self, read_evaluations(self.out)))
        write_about(folder, {**told, "longest": config.max_completion_length}, trainer.base_name, model.config)


def save_whole(folder: Path, model: Any, tokenizer: Any) -> None:
    """Save a model; nothing half-written has its name."""
    partial = folder.with_name(f".{folder.name}")
    shutil.rmtree(partial, ignore_errors=True)
    model.save_pretrained(partial)
    tokenizer.save_pretrained(partial)
    shutil.rmtree(folder, ignore_errors=True)
    partial.rename(folder)


def spread(states: Sequence[DecisionState], most: int) -> list[DecisionState]:
    """At most so many of the states, evenly over all."""
    step = max(1.0, len(states) / most)
    return [states[int(i * step)] for i in range(min(most, len(states)))]


def check_gpu(config: RLActConfig) -> None:
    """Nothing, if there is the GPU that the settings ask for.

    Raises:
        ValueError: there is not; says what is needed.
    """
    if not config.least_gpu_gib:
        return
    found = torch.cuda.get_device_properties(0).total_memory / 2**30 if torch.cuda.is_available() else 0.0
    if found < config.least_gpu_gib:
        got = f"one with {found:.0f} GiB" if found else "none"
        raise ValueError(
            f"this model needs a CUDA GPU with {config.least_gpu_gib} GiB of memory, got {got}; --preset tiny and "
            "smollm2-135m need none"
        )


def check_context(states: Sequence[DecisionState], tokenizer: Any, model_config: Any, longest: int) -> None:
    """Nothing, if each state and a reply fit into the model's context.

    Raises:
        ValueError: one does not; names it.
    """
    most = getattr(model_config, "max_position_embeddings", None)
    texts = [(s, tokenizer.apply_chat_template(s.messages[p], tokenize=False)) for s in states for p in PHASES]
    state, text = max(texts, key=lambda each: len(each[1]))
    tokens = len(tokenizer(text, add_special_tokens=False)["input_ids"])
    if most is not None and tokens + longest > most:
        raise ValueError(
            f"state {state.id}: {tokens} tokens and {longest} of a reply are more than the model's context of {most}; "
            "set detail to brief or terse, or a smaller max_completion_length"
        )


def from_hub(name: str, revision: str, dtype: str) -> tuple[Any, Any, str]:
    """A model that a hub has.

    Raises:
        ValueError: it cannot be reached or loaded.
    """
    from huggingface_hub import snapshot_download

    try:
        folder = Path(snapshot_download(name, revision=revision))
    except Exception as error:  # whatever a hub or the way to it does
        raise ValueError(
            f"{name}: cannot be downloaded: {type(error).__name__}; give the folder of the model"
        ) from None
    return load_causal(folder, dtype=dtype), load_tokenizer(folder), name
