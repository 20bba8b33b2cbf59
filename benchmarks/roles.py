"""The entry of a scenario's bidders that each bidder of a game gets: its seat's, or the same one in all games.

An entry is a name, a budget, an objective and what the estimates are like. Seats rotate, so a bidder gets all entries
in turn if they belong to seats. If they belong to bidders, a table does not mix those that seek profit with those that
seek items; and lessons that a memory keeps about rivals are about the rivals of these names.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from aucenv.core.checks import whole_number
from aucenv.envs.english.game import resize_bidders
from aucenv.envs.english.rules import MAX_BIDDERS

ROLES = ("seats", "bidders")
Seating = Callable[[tuple[str, ...]], Any]
"""A function from the bidders of a game, in the order of its seats, to the game's scenario."""


def seating(scenario: Any, names: Sequence[str], roles: str, remembers: bool) -> Seating:
    """Return the function that gives the bidders of a game their entries.

    Args:
        scenario: the scenario of all games, with its entries in the order of the seats.
        names: all bidders. With `roles="bidders"`, the first ones get the entries in this order, and further ones get
            copies of them under new names.
        roles: one of ROLES.
        remembers: whether a bidder keeps a memory from game to game; names then belong to bidders in any case.

    Raises:
        ValueError: entries belong to bidders, but the game has none, or there are too few or too many bidders.
    """
    by_bidder = roles == "bidders"
    entries: tuple[Any, ...] = getattr(scenario, "bidders", ())
    if by_bidder:
        if not entries or not all(map(dataclasses.is_dataclass, entries)):
            raise ValueError(f"roles: expected 'seats' in a game whose bidders have no entries, got {roles!r}")
        whole_number("roles: number of bidders", len(names), len(entries), MAX_BIDDERS)
    elif not remembers or not entries:
        return lambda lineup: scenario
    else:
        whole_number("number of bidders beside one with a memory", len(names), 1, MAX_BIDDERS)
    roles_of_all = resize_bidders(entries, max(len(entries), len(names)))

    @cache  # games share scenario objects
    def seated(lineup: tuple[str, ...]) -> Any:
        spare = [entry.name for entry in roles_of_all[len(names) :]]
        taken: dict[str, str] = {}
        chosen = []
        for seat, bidder in enumerate(lineup):
            role = roles_of_all[names.index(bidder)]
            name = role.name if bidder not in taken else spare.pop(0)  # a bidder in two seats has a second name
            taken[bidder] = name
            chosen.append(role if by_bidder else dataclasses.replace(entries[seat], name=name))
        return dataclasses.replace(scenario, bidders=tuple(chosen))

    return seated
