"""Trainer callbacks: evaluation at each checkpoint, a guard against collapse, and a clean stop at Ctrl-C."""

from __future__ import annotations

import json
import logging
import shutil
import signal
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from accelerate.utils import gather_object
from aucenv.training.rlact.learning.pairs import PAIRS_FILE
from aucenv.training.rlact.states.messages import PHASES
from aucenv.training.rlact.states.state_buffer import BUFFER_FILE
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from aucenv.analysis.plots import Drawing, write_figure
from aucenv.core.files import JsonObject, parse_object, read_lines, to_pretty_json, write_atomically

log = logging.getLogger(__name__)
EVALUATION_FILE = "evaluation.json"
BEST_FOLDER, SUPERVISED_FOLDER = "best", "supervised"
ONLY_TO_RESUME = (
    *("optimizer.*", "scheduler.*", "rng_state*", "scaler.*", "trainer_state.json", "training_args.bin"),
    *(EVALUATION_FILE, PAIRS_FILE, BUFFER_FILE),
)
"""The files of a checkpoint that playing does not need."""
CURVES_FILE = "curves.png"
MIN_USED_PAIRS = 0.02
"""Replies have collapsed if the share of pairs in which one reply is better is below this."""
MIN_BID_SHARE = 0.005
"""Replies have collapsed if the share of bids, or of withdrawals, among legal replies is at most this."""


class EvaluateCheckpoints(TrainerCallback):
    """A callback that evaluates the model at each checkpoint.

    It writes `evaluation.json` into the checkpoint, and `evaluations.jsonl`, `curves.png` and the best model, `best`,
    into the run's folder. The best model is the checkpoint of the last stage with the highest "score". After the
    supervised updates, it saves a checkpoint, and a copy of the model, `supervised`.

    Args:
        out: folder of the run.
        evaluate: returns the evaluation of the current model.
        finish: called last, with the folder of the checkpoint, to mark it as complete.
        supervised_steps: the number of supervised updates.
        last_stage: see `RLActConfig.last_stage`.
    """

    def __init__(
        self,
        out: Path,
        evaluate: Callable[[], JsonObject],
        finish: Callable[[Path], None],
        supervised_steps: int,
        last_stage: str,
    ) -> None:
        self._out, self._evaluate, self._finish = out, evaluate, finish
        self._supervised_steps, self._last_stage = supervised_steps, last_stage

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        if state.is_world_process_zero and state.global_step == 0:
            self._record(self._out / "start.json", 0)

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        if state.global_step == self._supervised_steps:
            control.should_save = True

    def on_save(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object) -> None:
        if state.is_world_process_zero:
            folder = self._out / f"checkpoint-{state.global_step}"
            evaluations = self._record(folder / EVALUATION_FILE, state.global_step)
            self._finish(folder)
            if state.global_step == self._supervised_steps:
                copy_model(folder, self._out / SUPERVISED_FOLDER)
            if best_evaluation(evaluations, self._last_stage) is evaluations[-1]:
                copy_model(folder, self._out / BEST_FOLDER)

    def _record(self, path: Path, step: int) -> list[JsonObject]:
        """Write an evaluation of the current model, and return all evaluations so far."""
        out = self._out
        evaluation = {"step": step, **self._evaluate()}
        write_atomically(path, to_pretty_json(evaluation))
        evaluations = [earlier for earlier in read_evaluations(out) if earlier["step"] < step] + [evaluation]
        write_atomically(out / "evaluations.jsonl", "".join(f"{json.dumps(line)}\n" for line in evaluations))
        draw_curves(evaluations, out / CURVES_FILE)
        return evaluations


def best_evaluation(evaluations: Sequence[JsonObject], stage: str) -> JsonObject | None:
    """Return the last one of the evaluations in a stage with the highest score, or None if there is none."""
    in_stage = [each for each in evaluations if each["step"] and each["phase"] == stage]
    return max(reversed(in_stage), key=lambda each: each["score"], default=None)


def copy_model(checkpoint: Path, folder: Path) -> None:
    """Copy the model of a checkpoint, without what only resuming needs, in place of an earlier copy."""
    partial = folder.with_name(f".{folder.name}")
    shutil.rmtree(partial, ignore_errors=True)
    shutil.copytree(checkpoint, partial, ignore=shutil.ignore_patterns(*ONLY_TO_RESUME))
    shutil.rmtree(folder, ignore_errors=True)
    partial.rename(folder)


def read_evaluations(out: Path) -> list[JsonObject]:
    """Read the evaluations of a run so far, by step."""
    path = out / "evaluations.jsonl"
    return [parse_object(line, where) for where, line in read_lines(path)] if path.is_file() else []


class CollapseGuard(TrainerCallback):
    """A callback that warns when a model's replies have collapsed, and ends the run if they do not recover.

    Replies have collapsed if far fewer of them are readable than before, if hardly any pair has a better reply, or if
    nearly all make the same decision.

    Args:
        last_metrics: returns the metrics of the last step: "readable", the share of legal replies; "bid", the share of
            bids among those, or None if there are none; "used", the share of pairs with a better reply.
        window: number of steps that are averaged; the guard warns after one bad window and ends the run after two.
        stop: whether the guard ends the run, or only warns.
        phase_change: number of the last update of the first phase; the guard forgets all earlier steps after it.
        start: number of the last supervised update; until then, the guard does nothing.

    Attributes:
        ended: why the guard ended the run, or None.
    """

    def __init__(
        self,
        last_metrics: Callable[[], dict[str, float | None]],
        window: int,
        stop: bool,
        phase_change: int,
        start: int = 0,
    ) -> None:
        self._last_metrics, self._stop, self._phase_change, self._start = last_metrics, stop, phase_change, start
        self._steps: deque[dict[str, float | None]] = deque(maxlen=window)
        self._best_readable = 0.0
        self._bad_steps = 0
        self.ended: str | None = None

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        phase_start = max(step for step in (0, self._start, self._phase_change) if step <= state.global_step)
        logged = [line.get("replies/readable", 0.0) for line in state.log_history if line["step"] > phase_start]
        self._best_readable = max(logged, default=0.0)

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        if state.global_step <= self._start:
            return
        if state.global_step == self._phase_change + 1:
            self._steps.clear()
            self._best_readable, self._bad_steps = 0.0, 0
        self._steps.append(dict(self._last_metrics()))
        if len(self._steps) < (self._steps.maxlen or 1):
            return
        problem = self._find_problem()
        self._bad_steps = self._bad_steps + 1 if problem else 0
        if problem and self._bad_steps == 1:
            log.warning("step %d: %s", state.global_step, problem)
        if problem and self._stop and self._bad_steps > len(self._steps):
            self.ended = f"collapsed at step {state.global_step}: {problem}"
            control.should_training_stop = control.should_save = True

    def _find_problem(self) -> str | None:
        readable, used = self._mean("readable"), self._mean("used")
        self._best_readable = max(self._best_readable, readable)
        bids = [step["bid"] for step in self._steps if step["bid"] is not None]
        share = sum(bids) / len(bids) if bids else None
        if readable < self._best_readable / 2:
            return f"the share of readable replies fell from {self._best_readable:.0%} to {readable:.0%}"
        if used < MIN_USED_PAIRS:
            return f"only {used:.1%} of pairs have a better reply; {readable:.0%} of replies are readable"
        if share is not None and readable > 0.5 and not MIN_BID_SHARE < share < 1 - MIN_BID_SHARE:
            return f"{share:.1%} of replies bid: the model makes the same decision in all states"
        return None

    def _mean(self, name: str) -> float:
        return sum(step[name] or 0.0 for step in self._steps) / len(self._steps)


class StopOnInterrupt(TrainerCallback):
    """A callback that, at Ctrl-C, ends the run with a checkpoint after the current update, in all processes.

    A second Ctrl-C ends it at once.

    Args:
        failed: returns whether the run has to end in the same way for another reason.

    Attributes:
        stopped: whether the run is ending.
    """

    def __init__(self, failed: Callable[[], bool]) -> None:
        self._failed = failed
        self.stopped = False

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        self._previous_handler = signal.signal(signal.SIGINT, self._handle_interrupt)

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        self.stopped = any(gather_object([self.stopped or self._failed()]))
        if self.stopped:
            control.should_training_stop = control.should_save = True

    def on_train_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        signal.signal(signal.SIGINT, self._previous_handler)

    def _handle_interrupt(self, *_: Any) -> None:
        if self.stopped:
            signal.signal(signal.SIGINT, self._previous_handler)
            raise KeyboardInterrupt
        self.stopped = True
        log.warning("stopping after this update; press Ctrl-C again to stop at once")


class Diverged(ValueError):
    """Training has diverged: a weight is not finite."""


class StopWhenDiverged(TrainerCallback):
    """A callback that ends training with an error once a weight is not finite."""

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, model: Any = None, **_: object
    ) -> None:
        """Raise Diverged if a weight is not finite."""
        if not all(bool(weight.isfinite().all()) for weight in model.parameters() if weight.requires_grad):
            raise Diverged(f"diverged: a weight is not finite after update {state.global_step}")


def draw_curves(evaluations: Sequence[JsonObject], path: Path) -> None:
    """Plot accuracy, share of readable replies and, where it was measured, profit by step, as PNG, one row per game.

    Do nothing if matplotlib is not installed.
    """
    if find_spec("matplotlib") is None:
        return
    size = 10.0, 0.6 + 3.4 * len(evaluations[-1]["games"])
    write_figure([path], partial(_draw, evaluations), size)


def _draw(evaluations: Sequence[JsonObject], figure: Drawing) -> None:
    games = list(evaluations[-1]["games"])
    with_profits = all(each["games"][game]["profit"] is not None for each in evaluations for game in games)
    rows = figure.subplots(len(games), 2 if with_profits else 1, squeeze=False)
    for game, (axes, *others) in zip(games, rows, strict=True):
        steps, results = [each["step"] for each in evaluations], [each["games"][game] for each in evaluations]
        for phase in [phase for phase in PHASES if phase in results[-1]]:
            line = axes.plot(steps, [each[phase]["greedy"] for each in results], marker="o", label=f"{phase}, right")
            readable = [each[phase]["readable"] for each in results]
            axes.plot(steps, readable, linestyle=":", color=line[0].get_color(), label=f"{phase}, readable")
        for name, label, style in (("chance", "constant answer", "--"), ("probe", "probe", "-.")):
            if results[-1].get(name) is not None:
                axes.axhline(results[-1][name], color="grey", linewidth=0.8, linestyle=style, label=label)
        axes.set(title=game, xlabel="updates", ylabel="share of held-out states", ylim=(0, 1.02))
        for profits in others:
            measured = [(step, each["profit"]) for step, each in zip(steps, results, strict=True)]
            profits.plot(*zip(*measured, strict=True), "C2", marker="o", label="rlact, profit")
            if "expert" in results[-1]:
                expert = results[-1]["expert"]
                profits.axhline(expert, color="C3", linewidth=0.8, linestyle="--", label="expert, profit")
            profits.axhline(0, color="0.7", linewidth=0.8)
            profits.set(title=game, xlabel="updates", ylabel="profit per game, $", xlim=axes.get_xlim())
    lines = [line for axes in rows[0] for line in axes.get_lines() if not line.get_label().startswith("_")]
    figure.legend(handles=lines, loc="outside upper center", ncols=4, frameon=False)
