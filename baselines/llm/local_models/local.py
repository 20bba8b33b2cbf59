"""Chat models that run in this process and generate the replies of all running games in batches."""

from __future__ import annotations

import dataclasses
import time
from concurrent.futures import wait
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from aucenv.baselines.llm.local_models.smollm2 import smollm2_folder
from aucenv.baselines.llm.option_values import full_name

from aucenv.core.extras import LOADING
from aucenv.core.files import JsonMapping
from aucenv.core.formats.user_files import USER_FILES
from aucenv.core.policy import ModelFailure
from aucenv.runs.model_calls.calls import Completion, Pause, Request

if TYPE_CHECKING:
    from aucenv.baselines.llm.local_models.batch_generation import BatchGenerator


@dataclasses.dataclass(frozen=True)
class LocalModel:
    """A model that runs in this process, and is loaded on its first call.

    Attributes:
        folder: the folder of the model.
        adapter: the folder of a LoRA adapter; "" = none.
        batch: the maximum number of replies generated at the same time.
        device: a torch device; "auto": CUDA if available, else the CPU.
    """

    name: str
    folder: str
    adapter: str
    batch: int
    device: str
    endpoint: str = "local"

    def complete(self, request: Request, pause: Pause) -> Completion:
        """Return the model's reply."""
        started = time.monotonic()
        answer = self._generator().ask(request)
        while not answer.done():
            pause(0)
            wait([answer], timeout=0.5)
        completion = answer.result()
        waited = max(0.0, time.monotonic() - started - completion.seconds)
        return dataclasses.replace(completion, waited=waited)

    def _generator(self) -> BatchGenerator:
        with LOADING:
            try:
                return _load(self.folder, self.adapter, self.batch, self.device)
            except ValueError as error:
                raise ModelFailure(str(error)) from None


@lru_cache
def _load(folder: str, adapter: str, batch: int, device: str) -> BatchGenerator:
    from aucenv.baselines.llm.local_models.batch_generation import BatchGenerator

    return BatchGenerator(folder, adapter, batch, device)


def make_model(name: str, options: JsonMapping, where: str) -> LocalModel:
    """Return the model of a bidder's name.

    Raises:
        ValueError: if the folder of the model or of the adapter does not exist.
        ModuleNotFoundError: if a package is not installed.
    """
    for package in ("torch", "transformers", *(["peft"] if options["adapter"] else [])):
        if find_spec(package) is None:
            raise ModuleNotFoundError(name=package)
    try:
        folder = smollm2_folder() if name == "smollm2" else USER_FILES.find(name)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    adapter = str(USER_FILES.find(options["adapter"])) if options["adapter"] else ""
    if not (folder / "config.json").is_file():
        raise ValueError(f"{where}: expected smollm2 or the folder of a model, with its config.json, got {name!r}")
    if adapter and not (Path(adapter) / "adapter_config.json").is_file():
        raise ValueError(f"{where}, adapter: expected a folder with an adapter_config.json, got {options['adapter']!r}")
    return LocalModel(full_name(name, options["adapter"]), str(folder), adapter, options["batch"], options["device"])
