"""Checkpoints of PPO: safetensors files with a network and what it is trained for, read and written without torch."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from aucenv.core.checks import field
from aucenv.core.compiled.networks import MAX_LAYERS, encode
from aucenv.core.files import JsonObject, write_bytes_atomically
from aucenv.core.formats.json_parser import parse_json
from aucenv.core.game import Game
from aucenv.core.words.phrases import listed

FORMAT = "aucenv-ppo-1"
SEATS = "num_bidders"
"""The field of a layout that has the number of seats."""
MAX_FILE = 16 << 20
MAX_HEADER = 1 << 16
LSTM = ("lstm.weight_ih", "lstm.weight_hh", "lstm.bias")
"""Names of the tensors of a recurrent layer, with torch's shapes; its two biases are added up."""


@dataclasses.dataclass(frozen=True)
class Checkpoint:
    """A network and what it is trained for.

    Attributes:
        game, version: The game, such as "english" and 0.
        scenario: The name of the scenario in which it is trained.
        layout: What a scenario must have in common with it; see `layout_of`.
        is_share: Whether the output is the share of the seat's value; otherwise there is one for each vector action.
        log_std: The logarithm of the standard deviation of drawn shares.
        weights, biases: (inputs, outputs) and (outputs,) float32 for each layer.
        lstm: The tensors of LSTM, float32, of a recurrent layer before the others; () if there is none.
        about: How it is trained, as JSON.
    """

    game: str
    version: int
    scenario: str
    layout: Mapping[str, int]
    is_share: bool
    log_std: float
    weights: Sequence[np.ndarray]
    biases: Sequence[np.ndarray]
    lstm: Sequence[np.ndarray] = ()
    about: JsonObject = dataclasses.field(default_factory=dict)

    @property
    def num_features(self) -> int:
        """The number of features that it reads."""
        return int(self.lstm[0].shape[1] if len(self.lstm) else self.weights[0].shape[0])

    def encoded(self, samples: bool = False) -> np.ndarray:
        """Return the network as compiled code reads it; see `core.compiled.networks`.

        Args:
            samples: Whether it draws its actions; otherwise it takes the most likely one.

        Raises:
            ValueError: The network is recurrent, which compiled code does not support.
        """
        if len(self.lstm):
            raise ValueError("expected a network without a recurrent layer (LSTM), which compiled code cannot play")
        return encode(self.weights, self.biases, self.is_share, samples, self.log_std)

    def why_unplayable(self, game: Game, row: np.void) -> str | None:
        """Return why the network cannot play its game with this state, or None if it can."""
        layout = layout_of(game, row)
        if dict(self.layout) == layout:
            return None
        names = [name for name in {**self.layout, **layout} if self.layout.get(name) != layout.get(name)]
        different = [_difference(game, name, self.layout.get(name), layout.get(name)) for name in names]
        return f"trained for {self.scenario!r} with {listed(different)}"


def layout_of(game: Game, row: np.void) -> dict[str, int]:
    """Return what a network's features do not show, or what determines their number.

    These are the number of seats, that of items if the number of features depends on it, and the fields of the state
    that the game's vector module lists as MECHANISM.

    Args:
        game: The game.
        row: A state of the game.
    """
    seats, items = int(row["num_seats"]), int(row["num_items"])
    vector: Any = game.features
    layout = {SEATS: seats}
    if vector.num_features(seats, items) != vector.num_features(seats, items + 1):
        layout["num_items"] = items
    return layout | {name: int(row[name]) for name in getattr(vector, "MECHANISM", ())}


def _difference(game: Game, name: str, trained: int | None, number: int | None) -> str:
    """Return how a field of the layout differs, in words of the scenario: `values cv instead of ipv`."""
    field_name, words = getattr(game.features, "MECHANISM", {}).get(name, (name, ()))
    was, now = (words[each] if each in range(len(words)) else each for each in (trained, number))
    return f"{field_name} {was} instead of {now}"


def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint as a safetensors file, atomically.

    Raises:
        OSError: The file cannot be written; an older file remains.
    """
    tensors = dict(zip(LSTM, checkpoint.lstm, strict=False))
    for i, (weight, bias) in enumerate(zip(checkpoint.weights, checkpoint.biases, strict=True)):
        tensors |= {f"{i}.weight": weight, f"{i}.bias": bias}
    fields = ("game", "version", "scenario", "is_share", "log_std", "about")
    metadata = {"format": FORMAT, "layout": dict(checkpoint.layout), **{n: getattr(checkpoint, n) for n in fields}}
    header: JsonObject = {"__metadata__": {"aucenv": json.dumps(metadata)}}
    at = 0
    for name, tensor in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [at, at + 4 * tensor.size]}
        at += 4 * tensor.size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    data = b"".join(np.ascontiguousarray(tensor, "<f4").tobytes() for tensor in tensors.values())
    write_bytes_atomically(path, len(text).to_bytes(8, "little") + text + data)


def read_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """Read a checkpoint.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is not a whole checkpoint of `aucenv train ppo`; the message names it.
    """
    with Path(path).open("rb") as file:
        raw = file.read(MAX_FILE + 1)
    try:
        return _parse(raw)
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise ValueError(f"{path}: expected a checkpoint of `aucenv train ppo`: {error}") from None


def _parse(raw: bytes) -> Checkpoint:
    length = int.from_bytes(raw[:8], "little")
    if len(raw) > MAX_FILE or len(raw) < 8 or length > MAX_HEADER:
        raise ValueError(f"got {len(raw)} bytes that are no safetensors file of such a network")
    if len(raw) < 8 + length:
        raise ValueError(f"the file is truncated: its header has {length} bytes, of which {len(raw) - 8} are there")
    header = parse_json(raw[8 : 8 + length].decode(), "header")
    about = parse_json(header.pop("__metadata__")["aucenv"], "metadata")
    if about["format"] != FORMAT:
        raise ValueError(f"expected the format {FORMAT}, got {about['format']!r:.80}")
    data = raw[8 + length :]
    tensors = {name: _tensor(entry, data) for name, entry in header.items()}
    number = sum(name.endswith(".weight") for name in tensors)
    weights = [tensors[f"{i}.weight"] for i in range(number)]
    biases = [tensors[f"{i}.bias"] for i in range(number)]
    lstm = [tensors[name] for name in LSTM if name in tensors]
    _check_shapes(weights, biases, lstm)
    layout = field(about, "layout", dict)
    return Checkpoint(
        field(about, "game", str),
        field(about, "version", int),
        field(about, "scenario", str),
        {name: field(layout, name, int) for name in layout},
        field(about, "is_share", bool),
        field(about, "log_std", float),
        weights,
        biases,
        lstm,
        field(about, "about", dict),
    )


def _tensor(entry: JsonObject, data: bytes) -> np.ndarray:
    first, last = entry["data_offsets"]
    shape = tuple(entry["shape"])
    if entry["dtype"] != "F32" or min(shape) < 1 or last - first != 4 * int(np.prod(shape)) or first < 0:
        raise ValueError(f"got a tensor of {entry['dtype']!r:.20} {shape!r:.80}")
    if last > len(data):
        raise ValueError(f"the file is truncated: expected {last} bytes of weights, got {len(data)}")
    tensor = np.frombuffer(data[first:last], "<f4").reshape(shape)
    if not np.isfinite(tensor).all():
        raise ValueError("got a weight that is not a number")
    return tensor


def _check_shapes(weights: Sequence[np.ndarray], biases: Sequence[np.ndarray], lstm: Sequence[np.ndarray]) -> None:
    """Raise ValueError unless the layers fit together."""
    if not 1 <= len(weights) <= MAX_LAYERS or len(lstm) not in (0, len(LSTM)):
        raise ValueError(f"expected 1 to {MAX_LAYERS} layers, got {len(weights)}")
    inputs = int(lstm[1].shape[1]) if len(lstm) else int(weights[0].shape[0])
    if len(lstm) and not all(len(part) == 4 * inputs for part in lstm):
        raise ValueError("the parts of the recurrent layer do not fit together")
    for weight, bias in zip(weights, biases, strict=True):
        if weight.shape != (inputs, bias.size) or bias.ndim != 1:
            raise ValueError(f"layers do not fit together: weights {weight.shape}, biases {bias.shape}")
        inputs = bias.size
