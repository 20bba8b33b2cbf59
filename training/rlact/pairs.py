"""Pairs of replies to one state: the order of the states, and the decisions that replace a useless pair."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from aucenv.training.rlact.shares import is_sealed, share_ladder
from aucenv.training.rlact.states import DecisionState
from torch import Tensor
from torch.utils.data import Sampler

from aucenv.core.state import WITHDRAW


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
