"""What happens beside the updates: evaluation, a guard against collapse, and Ctrl-C."""

from __future__ import annotations

import json
import logging
import signal
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from accelerate.utils import gather_object
from aucenv.training.rlact.curves import draw_curves
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from aucenv.core.files import JsonObject, parse_object, read_lines, to_pretty_json, write_atomically

log = logging.getLogger(__name__)
EVALUATION = "evaluation.json"
CURVES = "curves.png"
LEAST_USED = 0.02
LEAST_BIDS = 0.005


class EvaluateCheckpoints(TrainerCallback):
    """Writes `evaluation.json` beside each checkpoint and `curves.png` beside them all; then says that it is whole.

    Args:
        out: the run's folder.
        evaluate: gives the figures at this step.
        finish: called with the folder of a checkpoint, last.
    """

    def __init__(self, out: Path, evaluate: Callable[[], JsonObject], finish: Callable[[Path], None]) -> None:
        self._out, self._evaluate, self._finish = out, evaluate, finish

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        if state.is_world_process_zero and state.global_step == 0:
            self._keep(self._out / "start.json", 0)

    def on_save(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object) -> None:
        if state.is_world_process_zero:
            folder = self._out / f"checkpoint-{state.global_step}"
            self._keep(folder / EVALUATION, state.global_step)
            self._finish(folder)

    def _keep(self, path: Path, step: int) -> None:
        out = self._out
        found = {"step": step, **self._evaluate()}
        write_atomically(path, to_pretty_json(found))
        so_far = [line for line in read_evaluations(out) if line["step"] < step] + [found]
        write_atomically(out / "evaluations.jsonl", "".join(f"{json.dumps(line)}\n" for line in so_far))
        draw_curves(so_far, out / CURVES)


def read_evaluations(out: Path) -> list[JsonObject]:
    """The figures of a run so far, by step."""
    path = out / "evaluations.jsonl"
    return [parse_object(line, where) for where, line in read_lines(path)] if path.is_file() else []


class CollapseGuard(TrainerCallback):
    """Warns when replies are no longer told apart, and ends the run when that goes on.

    Args:
        last: gives the last step's figures: readable, bid and used, the shares of replies that are legal, of those that
            bid, and of pairs that had a better reply; None = nothing legal.
        window: steps that it looks back on; it warns after one and ends the run after two.
        stop: whether it ends it.
        turn: the update after which other replies are asked for, and it looks back no further.
    """

    def __init__(self, last: Callable[[], dict[str, float | None]], window: int, stop: bool, turn: int) -> None:
        self._last, self._stop, self._turn = last, stop, turn
        self._steps: deque[dict[str, float | None]] = deque(maxlen=window)
        self._best_readable = 0.0
        self._bad_for = 0
        self.ended: str | None = None

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        since = self._turn if state.global_step >= self._turn else 0
        logged = [line.get("replies/readable", 0.0) for line in state.log_history if line["step"] > since]
        self._best_readable = max(logged, default=0.0)

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        if state.global_step == self._turn + 1:
            self._steps.clear()
            self._best_readable, self._bad_for = 0.0, 0
        self._steps.append(dict(self._last()))
        if len(self._steps) < (self._steps.maxlen or 1):
            return
        why = self._seen()
        self._bad_for = self._bad_for + 1 if why else 0
        if why and self._bad_for == 1:
            log.warning("step %d: %s", state.global_step, why)
        if why and self._stop and self._bad_for > len(self._steps):
            self.ended = f"collapsed at step {state.global_step}: {why}"
            control.should_training_stop = control.should_save = True

    def _seen(self) -> str | None:
        readable, used = self._mean("readable"), self._mean("used")
        self._best_readable = max(self._best_readable, readable)
        bids = [step["bid"] for step in self._steps if step["bid"] is not None]
        share = sum(bids) / len(bids) if bids else None
        if readable < self._best_readable / 2:
            return f"replies that can be read fell from {self._best_readable:.0%} to {readable:.0%}"
        if used < LEAST_USED:
            return f"only {used:.1%} of pairs have a better reply; {readable:.0%} of replies can be read"
        if share is not None and readable > 0.5 and not LEAST_BIDS < share < 1 - LEAST_BIDS:
            return f"{share:.1%} of replies bid: it always decides alike"
        return None

    def _mean(self, name: str) -> float:
        return sum(step[name] or 0.0 for step in self._steps) / len(self._steps)


class StopOnInterrupt(TrainerCallback):
    """Ctrl-C ends the run after its update, in all processes, with a checkpoint; a second one at once.

    Args:
        failed: whether something else ends it so.
    """

    def __init__(self, failed: Callable[[], bool]) -> None:
        self._failed = failed
        self.stopped = False

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        self._before = signal.signal(signal.SIGINT, self._note)

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        self.stopped = any(gather_object([self.stopped or self._failed()]))
        if self.stopped:
            control.should_training_stop = control.should_save = True

    def on_train_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _note(self, *_: Any) -> None:
        if self.stopped:
            signal.signal(signal.SIGINT, self._before)
            raise KeyboardInterrupt
        self.stopped = True
        log.warning("stopping after this update; once more: at once")
