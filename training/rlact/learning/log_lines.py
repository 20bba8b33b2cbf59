"""A line for each logged update of a training run, in place of the dicts that trainers print."""

from __future__ import annotations

import contextlib
import math
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tqdm import tqdm  # type: ignore[import-untyped]
from transformers import PrinterCallback, ProgressCallback, Trainer, TrainerCallback, TrainerControl, TrainerState

from aucenv.core.progress import doing
from aucenv.core.words.phrases import count

SHOWN = {
    "loss": ("loss", "{:.4g}"),
    "learning_rate": ("learning rate", "{:.2g}"),
    "mean_token_accuracy": ("right tokens", "{:.1%}"),
    "replies/readable": ("legal", "{:.1%}"),
    "replies/bid": ("bids", "{:.1%}"),
    "replies/replaced": ("replaced", "{:.1%}"),
    "pairs/used": ("used pairs", "{:.1%}"),
    "pairs/agreeing": ("agreeing pairs", "{:.1%}"),
    "pairs/synthetic": ("synthetic pairs", "{:.1%}"),
    "pairs/dropped": ("dropped pairs", "{:.1%}"),
}
"""Logged figures that a line shows -> their names and formats; docs/rlact.md defines them."""


class LogLines(TrainerCallback):
    """A callback that prints a line for each log.

    Args:
        unit: what is counted, such as "update".
    """

    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._first = 0

    def on_train_begin(self, args: Any, state: TrainerState, control: TrainerControl, **kwargs: object) -> None:
        """Keep the number of updates that an earlier process has made."""
        self._first = state.global_step

    def on_log(
        self, args: Any, state: TrainerState, control: TrainerControl, logs: Any = None, **kwargs: object
    ) -> None:
        if state.is_world_process_zero and logs:
            stage_at = getattr(args, "stage_at", None)
            stage = f" ({stage_at(max(0, state.global_step - 1))})" if stage_at else ""
            place = f"{self._unit} {state.global_step} of {state.max_steps}{stage}"
            tqdm.write(line_of(logs, place, state.global_step, self._first))


class Bars(ProgressCallback):
    """The progress bar of a trainer, which prints no logs."""

    def on_log(self, *args: object, **kwargs: object) -> None:
        """Print nothing."""


def line_of(logs: Mapping[str, float | None], place: str, step: int = 1, first: int = 0) -> str:
    """Return the line of a log: its place in the run, and the figures in SHOWN; of the last log, the time.

    Args:
        logs: the figures.
        place: the place in words.
        step: the number of updates so far.
        first: how many of them an earlier process made, whose losses are not in the mean loss.
    """
    runtime = logs.get("train_runtime")
    if runtime is not None:
        if step == first:
            return f"{place}: already finished"
        minutes, seconds = divmod(round(runtime), 60)
        time = f"{count(minutes, 'minute')} {seconds} s" if minutes else f"{seconds} s"
        loss = (logs["train_loss"] or 0.0) * step / (step - first)  # the trainer divides by all updates
        return f"{place}: done, in {time}; mean loss {loss:.4g}"
    figures = [
        f"{name} {form.format(value)}"
        for key, (name, form) in SHOWN.items()
        if (value := logs.get(key)) is not None and not math.isnan(value)
    ]
    return f"{place}: {', '.join(figures)}"


class Updates(TrainerCallback):
    """A callback that counts the updates as a task of `core.progress`.

    Args:
        unit: what is counted, such as "update".
        stack: ends the task.
    """

    def __init__(self, unit: str, stack: contextlib.ExitStack) -> None:
        self._unit, self._stack = unit, stack

    def on_train_begin(self, args: Any, state: TrainerState, control: TrainerControl, **kwargs: object) -> None:
        """Begin the task with the updates that an earlier process has made."""
        self._task = self._stack.enter_context(doing(f"{self._unit}s", state.max_steps, state.global_step))

    def on_step_end(self, args: Any, state: TrainerState, control: TrainerControl, **kwargs: object) -> None:
        """Count an update."""
        self._task.update(state.global_step)


def train_with_lines(trainer: Trainer, unit: str, checkpoint: Path | None = None) -> None:
    """Train, and print lines in place of dicts; without a terminal, there is a task in place of the progress bar.

    Args:
        trainer: the trainer.
        unit: what is counted, such as "update".
        checkpoint: the folder of the checkpoint to continue from.
    """
    trainer.remove_callback(PrinterCallback)
    trainer.add_callback(LogLines(unit))
    is_bar = trainer.pop_callback(ProgressCallback) is not None
    with contextlib.ExitStack() as stack:
        if not sys.stderr.isatty():
            trainer.add_callback(Updates(unit, stack))
        elif is_bar:
            trainer.add_callback(Bars())
        trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))
