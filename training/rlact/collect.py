"""Where decision states come from: auctions of many kinds between rule bidders, spread evenly over kinds of moments."""

from __future__ import annotations

import dataclasses
import itertools
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from aucenv.baselines.scripted.english import value_per_estimate
from aucenv.baselines.scripted.harbor import OVERESTIMATE, priority
from aucenv.training.rlact.games import has_personas, learning_of, trained_games
from aucenv.training.rlact.messages import DETAILS, PHASES, PROFILES, rival_profile, state_messages
from aucenv.training.rlact.states import SPLITS, DecisionState, bounds, seen_digest

from aucenv.core.checks import one_of, whole_number
from aucenv.core.game import Game
from aucenv.core.money import to_dollars
from aucenv.core.policy import Policy
from aucenv.core.state import NOBODY
from aucenv.core.table import Table
from aucenv.envs.english.view import View
from aucenv.policy.registry import make_policy
from aucenv.registration import find_family

PER_GAME = 4
"""States taken of one game, at most: more would look alike."""
SHARES = {"train": 0.8, "validation": 0.1, "evaluation": 0.1}


@dataclasses.dataclass(frozen=True)
class Collection:
    """Which states.

    Attributes:
        number: in all, in SHARES.
        games: that RLAct plays, in turn.
        profiles, detail: see `messages`.

    Raises:
        ValueError: an unknown choice, or fewer states than splits need.
    """

    number: int = 10_000
    games: tuple[str, ...] = ("harbor",)
    seed: int = 0
    profiles: str = "sentence"
    detail: str = "full"

    def __post_init__(self) -> None:
        whole_number("states", self.number, 10, 10_000_000)
        whole_number("seed", self.seed, 0)
        for game in self.games:
            learning_of("game", game)
        if not self.games:
            raise ValueError(f"games: expected some of {', '.join(trained_games())}, got none")
        one_of("profiles", self.profiles, PROFILES)
        one_of("detail", self.detail, DETAILS)

    def wanted(self, split: str) -> int:
        """How many states a split gets."""
        if split == "train":
            return self.number - sum(self.wanted(other) for other in SPLITS[1:])
        return round(self.number * SHARES[split])


def collect(collection: Collection, split: str) -> Iterator[DecisionState]:
    """The states of a split; they follow from the settings alone.

    Of each game those are taken whose kind of moment was met least so far.
    """
    met: Counter[str] = Counter()
    seen: set[str] = set()
    left = collection.wanted(split)
    for game in itertools.count():
        if split_of(collection.seed, game) != split:
            continue
        taken = 0
        moments = _moments(collection, split, game)
        while moments and taken < PER_GAME and left > 0:
            chosen = min(moments, key=lambda moment: met[moment[0]])  # the first of those: the order is by chance
            moments.remove(chosen)
            state = chosen[1]()
            if state.id in seen:
                continue
            seen.add(state.id)
            met[chosen[0]] += 1
            taken += 1
            left -= 1
            yield state
        if left == 0:
            return


def split_of(seed: int, game: int) -> str:
    """The split of all states of a game, by a hash: states of one game look alike."""
    drawn = zlib.crc32(f"{seed} {game}".encode()) % 10
    return "validation" if drawn == 0 else "evaluation" if drawn == 1 else "train"


def _moments(collection: Collection, split: str, number: int) -> list[tuple[str, Callable[[], DecisionState]]]:
    """The decisions of a game in random order: the kind of moment, and what makes the state."""
    rng = np.random.default_rng([collection.seed, number])
    name = collection.games[number % len(collection.games)]
    family = find_family(name)
    learning = learning_of("game", name)
    scenario = learning.scenario(split, rng)
    bidders = tuple(str(bidder) for bidder in rng.choice(learning.TABLE, len(scenario.bidders)))
    policies: list[Policy] = [make_policy(name, bidder) for bidder in bidders]
    table = Table(family.game, scenario, ["amount"] * len(bidders))
    table.reset((collection.seed, number))
    for seat, policy in enumerate(policies):
        policy.reset(table.scenario_text.seats[seat], number)
    told = scenario.to_dict()
    found = []
    while not table.over:
        for seat in table.pending:
            view = table.view(seat)
            row = table.state.copy()
            make = partial(_state, collection, split, family.game, told, number, bidders, row, view)
            found.append((stratum(view), make))
            table.submit(seat, policies[seat].act(view, {}))
    return [found[i] for i in rng.permutation(len(found))]


def _state(
    collection: Collection,
    split: str,
    game: Game,
    scenario: dict,
    number: int,
    bidders: tuple[str, ...],
    row: np.ndarray,
    view: View,
) -> DecisionState:
    descriptions = tuple(getattr(view, "about_me", ()))
    profiles = [rival_profile(view, seat) for seat in range(len(bidders))] if has_personas(view) else []
    history = tuple(tuple(int(part) for part in entry) for entry in view._history)
    return DecisionState(
        id=seen_digest(view.row, view.seat_number, history, descriptions),
        split=split,
        game=game.name,
        env_version=game.version,
        scenario=scenario,
        seed=(collection.seed, number),
        bidders=bidders,
        seat=view.seat_number,
        row=row,
        history=history,  # type: ignore[arg-type]  # four numbers each
        descriptions=descriptions,
        profiles=tuple(map(tuple, profiles)),
        legal=dict(zip(("least", "most", "raise"), map(to_dollars, bounds(row, view.seat_number)), strict=True)),
        stratum=stratum(view),
        messages={p: state_messages(view, p, collection.profiles, collection.detail) for p in PHASES},
    )


def stratum(view: View) -> str:
    """The kind of moment: how far the game is, rivals still in, the own priority, how dear the least bid is."""
    g, seat, j = view.row[0], view.seat_number, view.item_number
    third = ("early", "middle", "late")[3 * j // int(g["num_items"])]
    rivals = sum(active for other, active in view.active.items() if other != view.seat)
    standing = "standing bid" if g["leader"] != NOBODY else "no bid"
    wanted = priority(g, seat, j) if has_personas(view) else 2
    least = float(g["least"]) / (value_per_estimate(g, seat, OVERESTIMATE) * float(g["estimate"][seat][j]))
    dear = "cheap" if least < 0.75 else "dear" if least > 0.92 else "fair"
    return f"{third}, {'one rival' if rivals == 1 else 'rivals'}, {standing}, priority {wanted}, {dear}"
