"""The folder of a training run: its settings, which a resumed run must have, too."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from pathlib import Path

import torch
from aucenv.training.rlact.config import RLActConfig
from aucenv.training.rlact.settings_files import COMMAND
from trl import ModelConfig

from aucenv.core.bidder_name import check_path
from aucenv.core.files import JsonObject
from aucenv.core.folders import TRAINING, check_training, write_or_compare

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
