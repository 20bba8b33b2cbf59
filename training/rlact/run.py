"""A training run: collect and judge states, load the base model, train it, and save the results in a folder."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import os
import shutil
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import torch
from aucenv.training.rlact.config import RLActConfig
from aucenv.training.rlact.estimate import Estimate, estimate
from aucenv.training.rlact.evaluation import evaluate, references, score
from aucenv.training.rlact.judges.judges import Judge, RandomJudge
from aucenv.training.rlact.judges.named_judges import judge_named
from aucenv.training.rlact.judges.simulator import CachedSimulator
from aucenv.training.rlact.learning.callbacks import (
    BEST_FOLDER,
    CollapseGuard,
    EvaluateCheckpoints,
    StopOnInterrupt,
    copy_model,
    read_evaluations,
)
from aucenv.training.rlact.learning.decision_trainer import DecisionTrainer
from aucenv.training.rlact.learning.generation import ReplyGenerator
from aucenv.training.rlact.learning.log_lines import train_with_lines
from aucenv.training.rlact.learning.trainer import RLActTrainer
from aucenv.training.rlact.models.base_model import BASE, check_base_model, load_base_model, model_path
from aucenv.training.rlact.models.checkpoints import is_adapter, last_checkpoint, write_metadata
from aucenv.training.rlact.models.model_card import ModelCard, command_of
from aucenv.training.rlact.settings_files import COMMAND, ORIGIN_FILE, save_origin
from aucenv.training.rlact.states.collect import Collection, collect
from aucenv.training.rlact.states.messages import BID
from aucenv.training.rlact.states.run_states import (
    SPLITS,
    check_messages,
    check_origin,
    evenly_spaced,
    has_clear_decision,
    states_digest,
)
from aucenv.training.rlact.states.states import ActionValues, DecisionState, check_disjoint, read_states, write_states
from peft import PeftModel
from trl import ModelConfig, get_peft_config

from aucenv.core.files import JsonObject, read_object, write_atomically
from aucenv.core.formats.folders import TRAINING, check_training, only_writer, write_or_compare
from aucenv.core.progress import track
from aucenv.core.words.bidder_name import check_path

DIGESTS_FILE = "states.json"
MODEL_FOLDER = "model"
SAMPLE_SECONDS = 1e-4
"""About how long a state takes to play and to judge for each sample of the judge; measured on one core."""
NUM_CHECKED = 20
"""Number of states of a file whose messages are compared with those that the run would write."""
JUDGE_BATCH = 500


@dataclasses.dataclass
class Run:
    """A training run in a folder.

    Attributes:
        config, model: settings of the run; see `config.read_config`.
        resume: whether to resume the run in the folder.
        source, changes: origin of the settings, for the model card; see `model_card.ModelCard`.
        command: the command of the run, if it is not `aucenv train rlact`.
        say: prints what the run needs, and which files it reads, before it starts.
    """

    config: RLActConfig
    model: ModelConfig
    resume: bool = False
    source: str = "--preset settings.yaml"
    changes: Mapping[str, str] = dataclasses.field(default_factory=dict)
    command: str | None = None
    say: Callable[[str], None] = lambda text: None

    @property
    def out(self) -> Path:
        """The folder of the run."""
        return Path(self.config.output_dir)

    def run(self) -> JsonObject:
        """Train until the last update, Ctrl-C, a collapse or a judge's failure, and leave a checkpoint to resume from.

        Returns:
            The last evaluation, and "ended": why the run ended before the last update, or None.

        Raises:
            ValueError: Settings, states and model do not fit together, or the folder holds another run.
        """
        trainer = self._prepare()
        checkpoint = last_checkpoint(self.out) if self.resume else None
        locked = only_writer(self.out) if self.config.process_index == 0 else contextlib.nullcontext()
        with locked, explain_lack_of_memory(self.config), warnings.catch_warnings():
            # trl reads an attribute that transformers has renamed
            warnings.filterwarnings("ignore", ".*is_gradient_checkpointing", FutureWarning)
            train_with_lines(trainer, "update", checkpoint)
        trainer.accelerator.wait_for_everyone()  # the first process evaluates
        evaluations = read_evaluations(self.out)
        if not evaluations:
            raise ValueError(f"{self.out}: expected a run's evaluations, got none")
        summary = {**evaluations[-1], "ended": trainer.end_reason()}
        if summary["ended"] is None:
            self._finish(self.out / MODEL_FOLDER, trainer, save=True)
        return summary

    def _prepare(self) -> RLActTrainer:
        """Create the trainer. If that fails, leave nothing in the folder but the states that were collected."""
        if self.config.process_index == 0:
            check_run(self.config, self.model, self.resume)
        self._judge_factory()(BID)
        check_base_model(self.config, self.model)
        needs = self._needs().to_text() if self.config.process_index == 0 else ""
        is_new = not self.out.exists()
        self.open()
        if needs:
            self.say(f"{self.model.model_name_or_path}: {needs}")
        try:
            return self.trainer(*self.states())
        except Exception:
            if not self.resume and self.config.process_index == 0:
                for name in (TRAINING, ORIGIN_FILE, DIGESTS_FILE):
                    (self.out / name).unlink(missing_ok=True)
                shutil.rmtree(self.out / BASE, ignore_errors=True)
                if is_new and not any(self.out.iterdir()):
                    self.out.rmdir()
            raise

    def _needs(self) -> Estimate:
        """Return the memory, and the time of the updates that are left."""
        checkpoint = last_checkpoint(self.out) if self.resume else None
        done = 0 if checkpoint is None else int(checkpoint.name.removeprefix("checkpoint-"))
        is_warm = self.resume and (self.out / BASE / "config.json").is_file()
        return estimate(self.config, self.model, model_path(self.model.model_name_or_path or ""), done, is_warm)

    def trainer(self, train: Sequence[DecisionState], held_out: Sequence[DecisionState]) -> RLActTrainer:
        """Return the trainer, with the model loaded and the callbacks added."""
        config = self.config
        eval_states = evenly_spaced(held_out, config.eval_states)
        compared = references(train, eval_states, config.eval_deals)
        with config.main_process_first(desc="the base model"):
            model, tokenizer, base = load_base_model(config, self.model, train, eval_states)
        if config.freeze_embeddings:
            model.get_input_embeddings().weight.requires_grad_(False)
        trainer = (DecisionTrainer if config.pair_loss == "decision" else RLActTrainer)(
            model,
            config,
            [state for state in train if has_clear_decision(state)] if config.skip_ties else train,
            self._judge_factory(),
            processing_class=tokenizer,
            peft_config=None if isinstance(model, PeftModel) else get_peft_config(self.model),
        )
        trainer.base, trainer.is_adapter = base, self.model.use_peft or isinstance(model, PeftModel)

        def evaluate_model() -> JsonObject:
            style = config.detail, config.profiles, config.max_completion_length, config.speaks, config.judge_ladder
            generator = ReplyGenerator(trainer.model, tokenizer, *style)
            results = evaluate(generator, eval_states, trainer.trained_phase, config.eval_deals)
            tasks = config.tasks_at(max(0, trainer.state.global_step - 1), config.per_device_train_batch_size // 2)
            games = {game: {**result, **compared[game]} for game, result in results.items()}
            pairs = trainer.pair_counts.shares()
            return {"phase": trainer.last_stage, "score": score(results, set(tasks)), "games": games, "pairs": pairs}

        self._add_callbacks(trainer, evaluate_model)
        return trainer

    def _add_callbacks(self, trainer: RLActTrainer, evaluate_model: Callable[[], JsonObject]) -> None:
        config = self.config
        guard = CollapseGuard(
            lambda: trainer.last_metrics,
            config.guard_window,
            config.guard == "stop",
            config.first_bid_step,
            config.supervised_steps,
        )
        interrupt = StopOnInterrupt(lambda: trainer.failed is not None)
        evaluations = EvaluateCheckpoints(
            self.out,
            evaluate_model,
            lambda folder: self._finish(folder, trainer),
            config.supervised_steps,
            config.last_stage,
        )
        for callback in (evaluations, interrupt, *([guard] if config.guard != "off" else [])):
            trainer.add_callback(callback)
        trainer.end_reason = lambda: (
            guard.ended
            or trainer.failed
            or ("stopped" if interrupt.stopped and trainer.state.global_step < config.max_steps else None)
        )

    def open(self) -> None:
        """Create the folder and save the settings; see `open_folder`."""
        if self.config.process_index == 0:
            open_folder(self.config, self.model, self.resume)
            if self.command is None:
                save_origin(self.out, self.source, self.changes)

    def states(self) -> tuple[list[DecisionState], list[DecisionState]]:
        """Return the judged states for training and those held out for evaluation."""
        folder = Path(self.config.states) if self.config.states else self.out / "states"
        with self.config.main_process_first(desc="states"):
            train = self._load_split(folder, SPLITS[0])
            held_out = self._load_split(folder, SPLITS[1], [state.id for state in train])
        check_disjoint(train, held_out)
        if self.config.process_index == 0:
            digests = {"learnt": states_digest(train), "held out": states_digest(held_out)}
            write_or_compare(self.out / DIGESTS_FILE, digests, "other states")
        return train, held_out

    def _load_split(self, folder: Path, split: str, other_ids: Iterable[str] = ()) -> list[DecisionState]:
        """Read the states of a split, or collect and write them if no states are configured; judge them.

        States that are collected do not have `other_ids`.

        Of configured states, SPLIT-judged.jsonl is read in place of SPLIT.jsonl if it exists.
        """
        config, path = self.config, folder / f"{split}.jsonl"
        judged_path = folder / f"{split}-judged.jsonl"
        if config.states is not None and judged_path.is_file():
            path = judged_path
        if config.states is not None or path.is_file():
            if config.process_index == 0:
                self.say(f"{split} states: {path}")
            states = read_states(path)
            check_origin(states, path)
            check_messages(evenly_spaced(states, NUM_CHECKED), config, path)
            return self.judge(states, split)
        collection = Collection(config.num_states, tuple(config.games), config.seed, config.profiles, config.detail)
        collected = collect(collection, split, other_ids)
        number = collection.split_size(split)
        seconds = number * config.judge_samples * SAMPLE_SECONDS
        judged = self.judge(track(collected, f"{split} states", number, seconds), split)
        folder.mkdir(parents=True, exist_ok=True)
        write_states(path, judged)
        return judged

    def judge(self, states: Iterable[DecisionState], split: str) -> list[DecisionState]:
        """Return the states with their action values. States are judged while others are still being collected."""
        executor = ThreadPoolExecutor(1)  # one thread is enough, because compiled games release the GIL
        collected: list[DecisionState] = []
        futures: list[Future[list[ActionValues]]] = []
        unjudged: list[DecisionState] = []
        try:
            for state in states:
                collected.append(state)
                if state.action_values is None:
                    unjudged.append(state)
                if len(unjudged) == JUDGE_BATCH:
                    futures.append(executor.submit(self.simulator.action_values, unjudged))
                    unjudged = []
            if unjudged:
                futures.append(executor.submit(self.simulator.action_values, unjudged))
            results = [future.result() for future in track(futures, f"judged parts of the {split} states")]
        finally:
            executor.shutdown(cancel_futures=True)
        action_values = itertools.chain.from_iterable(results)
        return [
            state if state.action_values else dataclasses.replace(state, action_values=next(action_values))
            for state in collected
        ]

    @functools.cached_property
    def simulator(self) -> CachedSimulator:
        config = self.config
        return CachedSimulator(
            config.judge_samples,
            config.judge_later_bidder,
            config.judge_rivals,
            ladder=config.judge_ladder,
            threads=os.cpu_count() or 1,
        )

    def _judge_factory(self) -> Callable[[str], Judge]:
        if self.config.judge == ["random"]:
            return lambda phase: RandomJudge(self.config.seed)
        return lambda phase: judge_named(self.config.judge, self.simulator, phase)

    def _finish(self, folder: Path, trainer: RLActTrainer, save: bool = False) -> None:
        """Write the model card and the metadata into a checkpoint's folder; the metadata mark it as complete."""
        config = self.config
        best = self.out / BEST_FOLDER
        if save and not best.is_dir():
            trainer.save_model(str(folder))
            (folder / "training_args.bin").unlink(missing_ok=True)  # pickled, and not needed for playing
        if config.process_index != 0:
            return
        if save and best.is_dir():
            copy_model(best, folder)
        pairs = config.per_device_train_batch_size // 2
        style = {
            "phase": trainer.trained_phase,
            "tasks": list(dict.fromkeys(config.tasks_at(max(0, trainer.state.global_step - 1), pairs))),
            "detail": config.detail,
            "profiles": config.profiles,
            "games": config.games,
            "speaks": config.speaks,
            "ladder": config.judge_ladder,
        }
        model = trainer.accelerator.unwrap_model(trainer.model)
        name = self.model.model_name_or_path or ""
        start = Path(name) if is_adapter(Path(name)) else Path(trainer.base)
        card = ModelCard(
            trainer.base if is_adapter(start) else name,
            config,
            self.command or command_of("train rlact", config, self.source, self.changes),
            read_evaluations(self.out),
            trainer.base,
            start,
            folder,
            self.simulator,
            read_object(self.out / DIGESTS_FILE, DIGESTS_FILE) if (self.out / DIGESTS_FILE).is_file() else {},
        )
        write_atomically(folder / "README.md", card.to_markdown())
        if not save:
            trainer.save_pairs(folder)
        base = trainer.base if trainer.is_adapter else None
        write_metadata(folder, {**style, "longest": config.max_completion_length}, base, model)


MAY_CHANGE = {
    *("output_dir", "logging_dir", "run_name", "resume_from_checkpoint", "save_total_limit", "report_to"),
    *("states", "disable_tqdm", "log_level", "logging_steps", "eval_deals", "eval_states", "guard", "guard_window"),
}
"""Settings that may differ when a run is resumed, because training does not depend on them."""


def check_run(config: RLActConfig, model: ModelConfig, resume: bool) -> JsonObject:
    """Return the settings of a run, after a check that it may start or resume in its folder.

    Raises:
        FileExistsError: The folder belongs to another command.
        ValueError: The folder holds another run, states or none to resume, or the settings differ.
    """
    out = Path(config.output_dir)
    check_path(out)
    settings = {name: value for name, value in config.to_dict().items() if name not in MAY_CHANGE}
    settings |= {f"model: {name}": value for name, value in dataclasses.asdict(model).items()}
    settings["command"] = COMMAND
    check_training(out, settings, resume)
    if not resume and config.states is None and (out / "states").exists():
        raise ValueError(f"{out}: holds states; use them with --set states={out / 'states'}")
    return settings


def open_folder(config: RLActConfig, model: ModelConfig, resume: bool) -> None:
    """Create the folder of a run and save its settings; see `check_run`."""
    settings, out = check_run(config, model, resume), Path(config.output_dir)
    out.mkdir(parents=True, exist_ok=True)
    write_or_compare(out / TRAINING, settings, "other settings")


@contextlib.contextmanager
def explain_lack_of_memory(config: RLActConfig) -> Iterator[None]:
    """Raise an error that names the settings to change if torch cannot get the memory that it needs.

    Raises:
        ValueError: There is not enough memory.
    """
    try:
        yield
    except (RuntimeError, MemoryError) as error:  # torch.OutOfMemoryError is a RuntimeError, as is that of CPUs
        text = str(error)
        if not isinstance(error, (MemoryError, torch.OutOfMemoryError)) and "allocate memory" not in text:
            raise
        raise ValueError(
            f"out of memory: start again with a smaller even per_device_train_batch_size, which is "
            f"{config.per_device_train_batch_size}, and a larger gradient_accumulation_steps, or with "
            "gradient_checkpointing=true or dtype=bfloat16"
        ) from None
