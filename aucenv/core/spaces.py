"""Gymnasium spaces of the interfaces."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces

INTERFACES = ("vector", "amount")


def features_box(size: int, clip: float) -> spaces.Box:
    return spaces.Box(-clip, clip, (size,), np.float32)


def observation_space(interface: str, num_features: int, num_actions: int, clip: float) -> spaces.Dict:
    """What a seat of this interface observes; only vector actions have a mask (a Box cannot be masked)."""
    parts: dict[str, spaces.Space] = {"observation": features_box(num_features, clip)}
    if interface == "vector":
        parts["action_mask"] = spaces.Box(0, 1, (num_actions,), np.int8)
    return spaces.Dict(parts)


def action_space(interface: str, num_actions: int, max_dollars: float) -> spaces.Space:
    """A vector action, or an amount in dollars where anything negative withdraws."""
    if interface == "vector":
        return spaces.Discrete(num_actions)
    return spaces.Box(-1.0, max_dollars, (1,), np.float64)
