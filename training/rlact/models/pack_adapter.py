"""Write a trained adapter in half precision, with its card, so that it can be part of a package.

`python -m aucenv.training.rlact.models.pack_adapter RUN/model FOLDER` leaves out the tokenizer, which the base model
has.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
from pathlib import Path

import torch
from aucenv.training.rlact.models.checkpoints import METADATA_FILE, SMOLLM2, is_adapter, read_metadata
from aucenv.training.rlact.models.model_card import SMOLLM2_ON_HUB
from safetensors.torch import load_file, save_file

from aucenv.core.files import read_object, to_pretty_json, write_atomically

WEIGHTS_FILE, CONFIG_FILE, CARD = "adapter_model.safetensors", "adapter_config.json", "README.md"


def pack(source: Path, folder: Path) -> None:
    """Write an adapter in half precision into a new folder.

    Args:
        source: the folder of the adapter.
        folder: the new folder.

    Raises:
        ValueError: The source is not an adapter of `aucenv train rlact`, or the new folder exists.
    """
    base = read_metadata(source)["base"]
    if not is_adapter(source):
        raise ValueError(f"{source}: expected an adapter, got a whole model")
    if folder.exists():
        raise ValueError(f"{folder}: exists")
    folder.mkdir(parents=True)
    weights = {name: values.to(torch.float16) for name, values in load_file(source / WEIGHTS_FILE).items()}
    save_file(weights, folder / WEIGHTS_FILE, {"format": "pt"})
    config = read_object(source / CONFIG_FILE, CONFIG_FILE)
    config["base_model_name_or_path"] = SMOLLM2_ON_HUB if base == SMOLLM2 else base
    write_atomically(folder / CONFIG_FILE, to_pretty_json(config))
    shutil.copy(source / METADATA_FILE, folder)
    digests = [hashlib.sha256((each / WEIGHTS_FILE).read_bytes()).hexdigest() for each in (source, folder)]
    card = (source / CARD).read_text(encoding="utf-8")
    packed = f"{digests[1]}; in half precision, rounded from {digests[0]}"
    write_atomically(folder / CARD, card.replace(digests[0], packed))


def main() -> None:
    """Write an adapter in half precision."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("source", type=Path, help="the folder of the adapter")
    parser.add_argument("folder", type=Path, help="the new folder")
    options = parser.parse_args()
    pack(options.source, options.folder)


if __name__ == "__main__":
    main()
