"""The rows that a reset of a batch deals, and their seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from aucenv.core.checks import FieldError, excerpt, whole_number

RESET_MASK = "reset_mask"
"""The only option of a reset, under the name that it has in Gymnasium."""


def read_reset_mask(options: Any, num_envs: int) -> np.ndarray:
    """Return which rows a reset deals: (num_envs,) bool; all of them without options.

    Raises:
        ValueError: There is another option, or the mask is not an array of one bool for each row, at least one of them
            True.
    """
    if not options and options in (None, {}):
        return np.ones(num_envs, np.bool_)
    if not isinstance(options, Mapping) or set(options) != {RESET_MASK}:
        raise FieldError("options", f"expected {{{RESET_MASK!r}: an array of bools}} or None, got {excerpt(options)}")
    mask = options[RESET_MASK]
    is_array = isinstance(mask, np.ndarray)
    if not is_array or mask.dtype != np.bool_ or mask.shape != (num_envs,):
        given = f"{mask.dtype} of shape {mask.shape}" if is_array else excerpt(mask)
        raise FieldError(RESET_MASK, f"expected a NumPy array of bools of shape {(num_envs,)}, got {given}")
    if not mask.any():
        raise FieldError(RESET_MASK, "expected at least one True, got False for all rows")
    return mask


def read_row_seeds(seed: int | Sequence[int] | None, mask: np.ndarray) -> list[int | None]:
    """Return the seed of each row in `mask`, in order; None is a random one.

    Args:
        seed: A number, to which the number of the row is added; or one for each row, inside `mask` or not.
        mask: (rows,) bool.

    Raises:
        ValueError: A seed is not a whole number of at least 0, or there is not one for each row.
    """
    rows = np.flatnonzero(mask).tolist()
    if seed is None:
        return [None] * len(rows)
    if isinstance(seed, np.ndarray):
        seed = seed.tolist()
    if not isinstance(seed, (list, tuple)):
        first = whole_number("seed", seed, 0)
        return [first + row for row in rows]
    if len(seed) != len(mask):
        raise FieldError("seed", f"expected one for each of {len(mask)} rows, got {len(seed)}")
    return [whole_number(f"seed[{row}]", seed[row], 0) for row in rows]


def ranges_of(mask: np.ndarray) -> list[list[int]]:
    """Return the first and the last row, exclusive, of each range of consecutive rows in `mask`."""
    return np.flatnonzero(np.diff(mask, prepend=False, append=False)).reshape(-1, 2).tolist()
