"""A training run: states, the model to begin with, updates, and what is left in its folder."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import itertools
import json
import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from aucenv.training.rlact.base_model import BASE, Shown, begin, check_beginning
from aucenv.training.rlact.cached_simulator import RememberingSimulator
from aucenv.training.rlact.callbacks import CollapseGuard, EvaluateCheckpoints, StopOnInterrupt, read_evaluations
from aucenv.training.rlact.checkpoints import last_checkpoint, write_about
from aucenv.training.rlact.collect import Collection, collect
from aucenv.training.rlact.config import RLActConfig
from aucenv.training.rlact.evaluation import ceiling, evaluate, profit_ratio
from aucenv.training.rlact.generation import ReplyGenerator
from aucenv.training.rlact.judges import Judge, RandomJudge
from aucenv.training.rlact.messages import BID, PHASES, state_messages
from aucenv.training.rlact.model_card import model_card
from aucenv.training.rlact.named_judges import judge_named
from aucenv.training.rlact.states import DecisionState, Worth, check_disjoint, read_states, write_states
from aucenv.training.rlact.trainer import RLActTrainer
from trl import ModelConfig, get_peft_config

from aucenv.core.files import JsonObject, parse_object, to_pretty_json, write_atomically
from aucenv.policy.registry import make_policy

SETTINGS, DIGESTS = "settings.json", "states.json"
MODEL = "model"
CHECKED = 20
"""States of a file that are told again, to see that all are told as a run tells of them."""
SPLITS = ("train", "evaluation")
"""Learnt from, and held out: other houses and other descriptions of personas."""
JUDGED_AT_ONCE = 500
MAY_CHANGE = {
    *("output_dir", "logging_dir", "run_name", "resume_from_checkpoint", "save_total_limit", "report_to"),
    *("states", "disable_tqdm", "log_level", "logging_steps", "eval_deals", "eval_states", "guard", "guard_window"),
}
"""Settings that a run may go on with others of: they change nothing that is learnt."""


@dataclasses.dataclass
class Run:
    """A run in a folder.

    Attributes:
        config, model: its settings; see `config.read_config`.
        resume: go on with what the folder holds.
        source, changes: where the settings are from, for the card.
    """

    config: RLActConfig
    model: ModelConfig
    resume: bool = False
    source: str = "--config settings.yaml"
    changes: Mapping[str, str] = dataclasses.field(default_factory=dict)
    shown: Shown = lambda things, what, number: things

    @property
    def out(self) -> Path:
        """Its folder."""
        return Path(self.config.output_dir)

    def run(self) -> JsonObject:
        """Train to the end; or until Ctrl-C or a collapse, with a checkpoint to go on from.

        Returns:
            The last evaluation; "ended": why it ended before its end, or None.

        Raises:
            ValueError: settings, states or a model that do not go together, or a folder that holds another run.
        """
        trainer = self._ready()
        checkpoint = last_checkpoint(self.out) if self.resume else None
        trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))
        trainer.accelerator.wait_for_everyone()  # the first process evaluates
        evaluations = read_evaluations(self.out)
        if not evaluations:
            raise ValueError(f"{self.out}: expected a run's evaluations, got none")
        found = {**evaluations[-1], "ended": trainer.why_ended()}
        if found["ended"] is None:
            self._finish(self.out / MODEL, trainer, save=True)
        return found

    def _ready(self) -> RLActTrainer:
        """All that an update needs; a run that is refused leaves nothing behind but the states that it collected."""
        self._judge_of()(BID)
        check_beginning(self.config, self.model)
        fresh = not self.out.exists()
        self.open()
        try:
            return self.trainer(*self.states())
        except Exception:
            if not self.resume and self.config.process_index == 0:
                for name in (SETTINGS, DIGESTS):
                    (self.out / name).unlink(missing_ok=True)
                shutil.rmtree(self.out / BASE, ignore_errors=True)
                if fresh and not any(self.out.iterdir()):
                    self.out.rmdir()
            raise

    def trainer(self, learnt: Sequence[DecisionState], held_out: Sequence[DecisionState]) -> RLActTrainer:
        """The trainer, its model loaded and its callbacks set."""
        config = self.config
        asked = spread([state for state in held_out if decided(state)], config.eval_states)
        known = {"expact": None, **ceiling(learnt, asked)}
        with config.main_process_first(desc="the model to begin with"):
            model, tokenizer, base = begin(config, self.model, learnt, asked, self.shown)
        if config.freeze_embeddings:
            model.get_input_embeddings().weight.requires_grad_(False)
        guard = CollapseGuard(
            lambda: trainer.last, config.guard_window, config.guard == "stop", config.recommendation_steps
        )
        interrupt = StopOnInterrupt(lambda: trainer.failed is not None)
        trainer = RLActTrainer(
            model,
            config,
            [state for state in learnt if decided(state)] if config.skip_ties else learnt,
            self._judge_of(),
            processing_class=tokenizer,
            peft_config=get_peft_config(self.model),
        )
        trainer.base_name = base if self.model.use_peft else None
        if config.eval_deals:
            known["expact"] = profit_ratio(make_policy("harbor", "expact"), config.eval_deals)

        def figures() -> JsonObject:
            speaker = ReplyGenerator(
                trainer.model, tokenizer, config.detail, config.profiles, config.max_completion_length
            )
            return {**evaluate(speaker, asked, trainer.answers, config.eval_deals), **known}

        evaluations = EvaluateCheckpoints(self.out, figures, lambda folder: self._finish(folder, trainer))
        for callback in (evaluations, interrupt, *([guard] if config.guard != "off" else [])):
            trainer.add_callback(callback)
        trainer.why_ended = lambda: (
            guard.ended
            or trainer.failed
            or ("stopped" if interrupt.stopped and trainer.state.global_step < config.max_steps else None)
        )
        return trainer

    def open(self) -> None:
        """Make the folder and keep the settings; of a run that goes on, see that they are the same."""
        if self.config.process_index != 0:
            return
        path = self.out / SETTINGS
        if self.resume and not path.is_file():
            raise ValueError(f"{self.out}: expected a run to go on with, and its {SETTINGS}")
        if not self.resume and path.exists():
            raise ValueError(f"{self.out}: holds a run; --resume goes on with it, or choose another folder")
        if not self.resume and self.config.states is None and (self.out / "states").exists():
            raise ValueError(f"{self.out}: holds states; --set states={self.out / 'states'} learns from them")
        told = {name: value for name, value in self.config.to_dict().items() if name not in MAY_CHANGE}
        told |= {f"model: {name}": value for name, value in dataclasses.asdict(self.model).items()}
        self.out.mkdir(parents=True, exist_ok=True)
        self._keep(path, told, "other settings")

    def _keep(self, path: Path, told: JsonObject, what: str) -> None:
        """Write a file; where there is one, see that it says the same."""
        told = json.loads(json.dumps(told, default=str))
        if not path.exists():
            write_atomically(path, to_pretty_json(told))
            return
        before = parse_object(path.read_text(encoding="utf-8", errors="replace"), str(path))
        changed = [name for name in sorted({*told, *before}) if told.get(name) != before.get(name)]
        if changed:
            name = changed[0]
            raise ValueError(
                f"{self.out}: holds {what}: {', '.join(changed)}; {name}: expected {before.get(name)!r}, got "
                f"{told.get(name)!r}"
            )

    def states(self) -> tuple[list[DecisionState], list[DecisionState]]:
        """To learn from, and held out; judged."""
        folder = Path(self.config.states) if self.config.states else self.out / "states"
        with self.config.main_process_first(desc="states"):
            learnt, held_out = (self._split(folder, split) for split in SPLITS)
        check_disjoint(learnt, held_out)
        if self.config.process_index == 0:
            digests = {"learnt": digest_of(learnt), "held out": digest_of(held_out)}
            self._keep(self.out / DIGESTS, digests, "other states")
        return learnt, held_out

    def _split(self, folder: Path, split: str) -> list[DecisionState]:
        """The states of a file; collected and written to it where none are given."""
        config, path = self.config, folder / f"{split}.jsonl"
        if config.states is not None or path.is_file():
            states = read_states(path)
            check_told(spread(states, CHECKED), config, path)
            return self._judged(states, split)
        collection = Collection(config.num_states, ("harbor",), config.seed, config.profiles, config.detail)
        found = self.shown(collect(collection, split), f"{split} states", collection.wanted(split))
        judged = self._judged(found, split)
        folder.mkdir(parents=True, exist_ok=True)
        write_states(path, judged)
        return judged

    def _judged(self, states: Iterable[DecisionState], what: str) -> list[DecisionState]:
        """With what their actions are worth; some are judged while others are still collected."""
        judge = ThreadPoolExecutor(1)  # compiled games let go of the interpreter's lock
        told: list[DecisionState] = []
        asked: list[Future[list[Worth]]] = []
        missing: list[DecisionState] = []
        try:
            for state in states:
                told.append(state)
                if state.worth is None:
                    missing.append(state)
                if len(missing) == JUDGED_AT_ONCE:
                    asked.append(judge.submit(self._simulator.worths, missing))
                    missing = []
            if missing:
                asked.append(judge.submit(self._simulator.worths, missing))
            found = [future.result() for future in (self.shown(asked, f"judging {what}", len(asked)) if asked else ())]
        finally:
            judge.shutdown(cancel_futures=True)
        worths = itertools.chain.from_iterable(found)
        return [state if state.worth else dataclasses.replace(state, worth=next(worths)) for state in told]

    @functools.cached_property
    def _simulator(self) -> RememberingSimulator:
        config = self.config
        return RememberingSimulator(config.judge_samples, ladder=config.judge_ladder, threads=os.cpu_count() or 1)

    def _judge_of(self) -> Callable[[str], Judge]:
        if self.config.judge == ["random"]:
            return lambda phase: RandomJudge(self.config.seed)
        return lambda phase: judge_named(self.config.judge, self._simulator, phase)

    def _finish(self, folder: Path, trainer: RLActTrainer, save: bool = False) -> None:
        """Say in a checkpoint's folder how to play it, last of all."""
        config = self.config
        if save:
            trainer.save_model(str(folder))
            (folder / "training_args.bin").unlink(missing_ok=True)  # pickled, and of no use to who plays
        if config.process_index != 0:
            return
        told = {"phase": trainer.answers, "detail": config.detail, "profiles": config.profiles}
        model = trainer.accelerator.unwrap_model(trainer.model)
        about = self.model.model_name_or_path, self.config, self.source, self.changes, read_evaluations(self.out)
        write_atomically(folder / "README.md", model_card(*about))
        write_about(folder, {**told, "longest": config.max_completion_length}, trainer.base_name, model)


def digest_of(states: Sequence[DecisionState]) -> str:
    """What tells states, and what was said of them, from others."""
    digest = hashlib.sha256()
    for state in states:
        digest.update(repr((state.id, state.messages, state.worth)).encode())
    return digest.hexdigest()


def check_told(states: Sequence[DecisionState], config: RLActConfig, path: Path) -> None:
    """Nothing, if states are told as a run tells of them.

    Raises:
        ValueError: one is not: its detail, or how profiles are told, is another.
    """
    for state in states:
        told = {phase: state_messages(state.view(), phase, config.profiles, config.detail) for phase in PHASES}
        if told != state.messages:
            raise ValueError(
                f"{path}: expected states told with detail={config.detail} and profiles={config.profiles}, but state "
                f"{state.id} is told otherwise"
            )


def decided(state: DecisionState) -> bool:
    """Whether it is known to be right to bid, or to withdraw."""
    return state.worth is not None and state.worth.bid_or_withdraw != 0


def spread(states: Sequence[DecisionState], most: int) -> list[DecisionState]:
    """At most so many of the states, evenly over all."""
    step = max(1.0, len(states) / most)
    return [states[int(i * step)] for i in range(min(most, len(states)))]
