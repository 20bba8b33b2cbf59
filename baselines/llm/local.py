"""Chat models in this process: the replies of all games in flight are written in batches."""

from __future__ import annotations

import dataclasses
import threading
import time
from concurrent.futures import wait
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from aucenv.baselines.llm.smollm2 import smollm2_folder

from aucenv.core.files import JsonMapping
from aucenv.core.policy import ModelFailure
from aucenv.runs.calls import Completion, Pause, Request

if TYPE_CHECKING:
    from aucenv.baselines.llm.batch_generation import Writer


@dataclasses.dataclass(frozen=True)
class LocalModel:
    """A model in this process; loaded when it is first asked.

    Attributes:
        folder: of the model; adapter: of a LoRA adapter, "" = none.
    """

    name: str
    folder: str
    adapter: str
    batch: int
    device: str
    endpoint: str = "local"

    def complete(self, request: Request, pause: Pause) -> Completion:
        """Its reply."""
        asked = time.monotonic()
        answer = self._writer().ask(request)
        while not answer.done():
            pause(0)
            wait([answer], timeout=0.5)
        completion = answer.result()
        waited = max(0.0, time.monotonic() - asked - completion.seconds)
        return dataclasses.replace(completion, waited=waited)

    def _writer(self) -> Writer:
        with _LOADING:
            try:
                return _loaded(self.folder, self.adapter, self.batch, self.device)
            except ValueError as error:
                raise ModelFailure(str(error)) from None


_LOADING = threading.Lock()


@lru_cache
def _loaded(folder: str, adapter: str, batch: int, device: str) -> Writer:
    from aucenv.baselines.llm.batch_generation import Writer

    return Writer(folder, adapter, batch, device)


def make_model(name: str, options: JsonMapping, where: str) -> LocalModel:
    """The model of a bidder's name.

    Raises:
        ValueError: there is no such folder, or a package is not installed.
    """
    for package in ("torch", "transformers", *(["peft"] if options["adapter"] else [])):
        if find_spec(package) is None:
            raise ModuleNotFoundError(name=package)
    try:
        folder = smollm2_folder() if name == "smollm2" else Path(name)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    adapter = options["adapter"] or ""
    if not (folder / "config.json").is_file():
        raise ValueError(f"{where}: expected smollm2 or the folder of a model, with its config.json, got {name!r}")
    if adapter and not (Path(adapter) / "adapter_config.json").is_file():
        raise ValueError(f"{where}, adapter: expected a folder with an adapter_config.json, got {adapter!r}")
    full_name = f"{name}+{adapter}" if adapter else name
    return LocalModel(full_name, str(folder), adapter, options["batch"], options["device"])
