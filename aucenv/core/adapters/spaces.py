"""Gymnasium spaces of observations and actions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from gymnasium import spaces

from aucenv.core.adapters.features import CLIP
from aucenv.core.checks import one_of

INTERFACES = ("vector", "amount", "text")
AMOUNT_SCALES = ("dollars", "share")
OBSERVATIONS = ("dict", "flat")


class Words(spaces.Space[str]):
    """The space of all strings; Gymnasium's Text contains only strings of an explicit set of characters.

    Args:
        max_dollars: The highest bid in the replies that `sample` returns.
        write_reply: A function that returns the simplest reply for an amount in cents.
    """

    def __init__(self, max_dollars: float, write_reply: Callable[[int], str]) -> None:
        super().__init__()
        self.max_dollars = max_dollars
        self.write_reply = write_reply

    @property
    def is_np_flattenable(self) -> bool:
        """Always False: strings cannot be flattened to arrays."""
        return False

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """Return the simplest reply for a random bid or a withdrawal; the mask is ignored."""
        return self.write_reply(int(self.np_random.integers(-1, int(self.max_dollars) + 1)) * 100)

    def contains(self, x: Any) -> bool:
        """Return whether `x` is a str."""
        return isinstance(x, str)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Words) and (self.max_dollars, self.write_reply) == (
            other.max_dollars,
            other.write_reply,
        )

    def __hash__(self) -> int:
        return hash((Words, self.max_dollars, self.write_reply))

    def __repr__(self) -> str:
        return f"Words({self.max_dollars})"


@spaces.flatten_space.register(Words)
def _flatten_words_space(space: Words) -> Words:
    return space


@spaces.flatten.register(Words)
@spaces.unflatten.register(Words)
def _flatten_words(space: Words, x: str) -> str:  # type: ignore[misc]  # its T is one of `str`
    """Return a text as it is: Gymnasium flattens the arrays of a Dict, and keeps what is no array."""
    return x


def features_box(size: int) -> spaces.Box:
    """Return the space of a vector of features."""
    return spaces.Box(-CLIP, CLIP, (size,), np.float32)


def observation_space(interface: str, num_features: int, num_actions: int, words: Words) -> spaces.Dict:
    """Return the observation space of an interface; only vector actions have a mask, as Box and text have none."""
    parts: dict[str, spaces.Space] = {"observation": features_box(num_features)}
    if interface == "vector":
        parts["action_mask"] = spaces.Box(0, 1, (num_actions,), np.int8)
    elif interface == "text":
        parts["text"] = words
    return spaces.Dict(parts)


def checked_observation(observation: str, interfaces: Iterable[str]) -> bool:
    """Return whether observations are "flat": the features alone, with the mask in the info.

    Raises:
        ValueError: The kind of observation is unknown, or an interface is "text", which needs a dict.
    """
    flat = one_of("observation", observation, OBSERVATIONS) == "flat"
    if flat and "text" in interfaces:
        raise ValueError("observation: expected 'dict' with interface='text', got 'flat', which contains no text")
    return flat


def scaled_interface(interface: str, amount_scale: str) -> str:
    """Return the interface of a seat whose amounts have this scale: "amount" becomes "share" if they are shares.

    Raises:
        ValueError: The scale is unknown.
    """
    shares = one_of("amount_scale", amount_scale, AMOUNT_SCALES) == "share"
    return "share" if shares and interface == "amount" else interface


def action_space(interface: str, num_actions: int, words: Words) -> spaces.Space:
    """Return the action space of an interface: vector actions, dollars (negative: withdraw), shares, or replies."""
    if interface == "vector":
        return spaces.Discrete(num_actions)
    if interface == "text":
        return words
    if interface == "share":
        return spaces.Box(0.0, 1.0, (1,), np.float32)
    return spaces.Box(-1.0, words.max_dollars, (1,), np.float64)
