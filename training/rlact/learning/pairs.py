"""Pairs of replies to one state: the order of states, decisions that replace a useless pair, and shares of pairs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import torch
from aucenv.training.rlact.sealed.shares import is_sealed, share_ladder
from aucenv.training.rlact.states.states import DecisionState
from torch import Tensor
from torch.utils.data import Sampler

from aucenv.core.files import read_object, write_atomically
from aucenv.core.state import WITHDRAW

PAIRS_FILE = "pairs.json"
SHARES = ("agreeing", "synthetic", "used")
"""The pairs that are counted: those whose decisions agree when they are sampled, those with a reply that was not
sampled, and those of which the judge prefers one reply."""


def replacements(first: int | None, second: int | None, state: DecisionState) -> tuple[int, ...]:
    """Return two opposite decisions that replace a pair of replies; empty if the replies mean different decisions.

    The first is the decision of the first usable reply, or the least legal bid if there is none. The second is WITHDRAW
    if the first is a bid, and the least legal bid otherwise.

    An unreadable reply would lose to any decision, right or wrong. A reply that was cut off could win, and the model
    would learn never to end its replies. Both replies are replaced: if only the opposite decision were in plain words,
    the model would learn to prefer its own wording to plain words, because its own decision is mostly right.

    In sealed-bid auctions, the second is any other bid that the judge compares.

    Args:
        first, second: the amounts that the replies mean, in cents, or WITHDRAW; None if unusable or cut off.
        state: the state of the replies.
    """
    if first is not None and second is not None and first != second:
        return ()
    if is_sealed(state):
        ladder = share_ladder(state.full_row, state.seat)
        number = int(state.id, 16) % len(ladder)
        kept = next((amount for amount in (first, second) if amount is not None), ladder[number])
        return kept, ladder[(number + 1) % len(ladder)] if kept == ladder[number] else ladder[number]
    least = int(state.full_row["least"][0])
    kept = first if first is not None else least if second is None else second
    return kept, least if kept == WITHDRAW else WITHDRAW


class PairSampler(Sampler[int]):
    """A sampler of states in shuffled epochs, which yields each index twice in a row, for the two replies of a pair.

    Args:
        num_states: number of different states.
        num_pairs: total number of states over all epochs; the last epoch may be incomplete.
        seed: seed of the shuffling.
    """

    def __init__(self, num_states: int, num_pairs: int, seed: int) -> None:
        self._num_states, self._num_pairs, self._seed = num_states, num_pairs, seed

    def __len__(self) -> int:
        return 2 * self._num_pairs

    def __iter__(self) -> Iterator[int]:
        generator = torch.Generator().manual_seed(self._seed)
        for first in range(0, self._num_pairs, self._num_states):
            order = torch.randperm(self._num_states, generator=generator)[: self._num_pairs - first]
            yield from order.repeat_interleave(2).tolist()


class Pairs:
    """The order of each pair's replies, to split values by reply into those of the better and of the worse reply.

    Args:
        swapped: (pairs,) bool, whether the second reply is the better one.
    """

    def __init__(self, swapped: Tensor) -> None:
        self._swapped = swapped

    def split(self, values: Tensor) -> tuple[Tensor, Tensor]:
        """Return the values of the better and of the worse replies, (pairs,) each."""
        first, second = values[::2], values[1::2]
        return torch.where(self._swapped, second, first), torch.where(self._swapped, first, second)


class PairCounts:
    """How many pairs a run has sampled, and how many of them are of each kind in SHARES."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def add(self, counts: Mapping[str, int]) -> None:
        """Add the counts of an update: "pairs", and those in SHARES."""
        self._counts.update(counts)

    def shares(self) -> dict[str, float]:
        """Return "pairs", the number of pairs, and the share of each kind; empty if there was no pair."""
        pairs = self._counts["pairs"]
        shares = {name: round(self._counts[name] / pairs, 6) for name in SHARES} if pairs else {}
        return {"pairs": pairs, **shares} if pairs else {}

    def save(self, folder: Path) -> None:
        """Write the counts into the folder of a checkpoint."""
        write_atomically(folder / PAIRS_FILE, json.dumps(dict(self._counts)))

    def load(self, folder: Path) -> None:
        """Read what `save` wrote; a folder without it has no pairs."""
        path = folder / PAIRS_FILE
        self._counts = Counter(read_object(path, str(path)) if path.is_file() else {})
