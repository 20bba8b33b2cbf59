"""What training leaves in a folder, and how it is loaded to play: a model or an adapter, and `rlact.json` beside it."""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any

from aucenv.baselines.llm.smollm2 import smollm2_folder
from aucenv.baselines.llm.torch_threads import torch_threads
from aucenv.training.rlact.messages import DETAILS, PHASES, PROFILES

from aucenv.core.checks import MissingExtra, field, one_of, whole_number
from aucenv.core.files import JsonObject, parse_object, to_pretty_json, write_atomically

ABOUT = "rlact.json"
VERSION = 1
SMOLLM2 = "smollm2"
SHAPE = ("model_type", "vocab_size", "hidden_size", "num_hidden_layers", "max_position_embeddings")
NAME_ON_HUB = re.compile(r"[\w.-]+/[\w.-]+")


def write_about(folder: Path, told: JsonObject, base: str | None, model: Any) -> None:
    """Say beside a checkpoint how its model is told of states.

    Args:
        told: phase, detail, profiles, longest.
        base: of an adapter: the name or folder of its model.
        model: with its adapter, if it has one.
    """
    whole = {"version": VERSION, **told, "base": base, "shape": shape_of(model)}
    write_atomically(folder / ABOUT, to_pretty_json(whole))


def shape_of(model: Any) -> JsonObject:
    """What tells one base from another: sizes, and a digest of some words' embeddings."""
    words = model.get_input_embeddings().weight.detach()
    some = words[:: max(1, len(words) // 64)].bfloat16().float().cpu()  # the same in whatever type it was loaded
    digest = hashlib.sha256(some.numpy().tobytes()).hexdigest()[:16]
    return {name: getattr(model.config, name, None) for name in SHAPE} | {"words": digest}


def read_about(folder: Path) -> JsonObject:
    """What `write_about` wrote.

    Raises:
        ValueError: there is no such folder or file, or it says something else.
    """
    path = folder / ABOUT
    if not path.is_file():
        raise ValueError(f"{folder}: expected the folder of a checkpoint of `aucenv train rlact`, with its {ABOUT}")
    about = parse_object(path.read_text(encoding="utf-8", errors="replace"), str(path))
    one_of(f"{path}: version", about.get("version"), (VERSION,))
    for name, known in {"phase": PHASES, "detail": DETAILS, "profiles": PROFILES}.items():
        one_of(f"{path}: {name}", about.get(name), known)
    whole_number(f"{path}: longest", about.get("longest"), 1, 1 << 20)
    field(about, "shape", dict, str(path))
    if about.get("base") is not None:
        field(about, "base", str, str(path))
    return about


def load_model(folder: Path, base: str | None = None) -> tuple[Any, Any, JsonObject]:
    """The model of a checkpoint, its tokenizer and what `rlact.json` says.

    Args:
        base: of an adapter, instead of the one that it names.

    Raises:
        ValueError: it cannot be loaded, or is an adapter for another base.
    """
    about = read_about(folder)
    adapted = is_adapter(folder)
    model = load_causal(base_folder(base or about["base"] or "", folder) if adapted else folder)
    if adapted:
        check_shape(about["shape"], shape_of(model), folder)
        try:
            from peft import PeftModel
        except ImportError:
            raise MissingExtra(f"{folder}: an adapter needs peft: pip install 'aucenv[rlact]'") from None
        model = _loaded(folder, lambda: PeftModel.from_pretrained(model, str(folder), local_files_only=True))
    return model.eval(), load_tokenizer(folder), about


def is_adapter(folder: Path) -> bool:
    """Whether a checkpoint is an adapter, that needs its base."""
    return (folder / "adapter_config.json").is_file()


def base_folder(name: str, adapter: Path) -> Path:
    """Where the base of an adapter is."""
    if name == SMOLLM2:
        return smollm2_folder()
    if not (Path(name) / "config.json").is_file():
        if NAME_ON_HUB.fullmatch(name):
            return from_hub(name)
        raise ValueError(
            f"{adapter}: expected its base, smollm2 or the folder of a model, got {name!r}; say base=FOLDER"
        )
    return Path(name)


def from_hub(name: str, revision: str | None = None) -> Path:
    """The folder of a model that a hub has, or had before.

    Raises:
        ValueError: it cannot be reached, or has no such model.
    """
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(name, revision=revision))
    except Exception as error:  # whatever a hub or the way to it does
        raise ValueError(
            f"{name}: cannot be downloaded: {type(error).__name__}; give the folder of the model"
        ) from None


def check_shape(expected: JsonObject, found: JsonObject, adapter: Path) -> None:
    """Nothing, if an adapter fits a model.

    Raises:
        ValueError: it was trained on another; says what differs.
    """
    other = [f"{name} {expected.get(name)}, got {found[name]}" for name in found if expected.get(name) != found[name]]
    if other:
        raise ValueError(f"{adapter}: the adapter is for another base: expected {'; '.join(other)}")


def load_causal(folder: Path, **options: Any) -> Any:
    """A causal language model of a folder.

    Raises:
        ValueError: GGUF, no model, or one that cannot be loaded.
    """
    from transformers import AutoModelForCausalLM
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()
    check_folder(folder)
    options = {"dtype": "auto", **options}
    return _loaded(folder, lambda: AutoModelForCausalLM.from_pretrained(folder, local_files_only=True, **options))


def check_folder(folder: Path) -> None:
    """Nothing, if it is that of a model.

    Raises:
        ValueError: GGUF, or no model.
    """
    if folder.suffix == ".gguf" or (
        folder.is_dir() and not (folder / "config.json").is_file() and any(folder.glob("*.gguf"))
    ):
        raise ValueError(
            f"{folder}: expected safetensors, as transformers saves them, got a GGUF model; smollm2 is converted by "
            "itself"
        )
    if not (folder / "config.json").is_file():
        raise ValueError(f"{folder}: expected the folder of a model, with its config.json")


def load_tokenizer(folder: Path) -> Any:
    """The tokenizer of a chat model.

    Raises:
        ValueError: there is none, or it has no chat template.
    """
    from transformers import AutoTokenizer

    tokenizer: Any = _loaded(folder, lambda: AutoTokenizer.from_pretrained(folder, local_files_only=True))
    if not tokenizer.chat_template:
        raise ValueError(f"{folder}: expected a chat model, but its tokenizer has no chat template")
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    tokenizer.padding_side = "left"
    return tokenizer


def _loaded(folder: Path, load: Any) -> Any:
    try:
        return load()
    except Exception as error:  # whatever transformers and peft find wrong with files
        lines = str(error).strip().splitlines() or [""]
        raise ValueError(f"{folder}: cannot be loaded: {type(error).__name__}: {lines[0]}") from None


def one_thread() -> None:
    """Leave cores to games: a small model on all of them is slower."""
    import torch

    if "OMP_NUM_THREADS" not in os.environ:
        torch.set_num_threads(torch_threads())


def last_checkpoint(out: Path) -> Path | None:
    """The last checkpoint that was saved to its end; what was cut off while it was saved is passed over."""
    named = {path.name.removeprefix("checkpoint-"): path for path in out.glob("checkpoint-*")}
    steps = {int(step): path for step, path in named.items() if step.isdecimal()}
    return next((steps[step] for step in sorted(steps, reverse=True) if _is_whole(steps[step])), None)


def _is_whole(checkpoint: Path) -> bool:
    """Whether all is there; `rlact.json` is written last."""
    try:
        json.loads((checkpoint / "trainer_state.json").read_text(encoding="utf-8"))
        read_about(checkpoint)
    except (OSError, ValueError):
        return False
    return (checkpoint / "optimizer.pt").is_file() and (checkpoint / "scheduler.pt").is_file()
