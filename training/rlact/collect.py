"""Where decision states come from: auctions of many kinds between rule bidders, spread evenly over kinds of moments."""

from __future__ import annotations

import dataclasses
import itertools
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from aucenv.baselines.scripted.english import value_per_estimate
from aucenv.baselines.scripted.harbor import OVERESTIMATE, priority
from aucenv.training.rlact.messages import DETAILS, PHASES, PROFILES, rival_profile, state_messages
from aucenv.training.rlact.states import GAMES, SPLITS, DecisionState, bounds, seen_digest

from aucenv.core.checks import one_of, whole_number
from aucenv.core.money import to_dollars
from aucenv.core.state import NOBODY
from aucenv.core.table import Table
from aucenv.envs.english.scenario import NAMES
from aucenv.envs.harbor.scenario import Bidder, Scenario
from aucenv.policy.registry import make_policy
from aucenv.registration import find_family

PER_GAME = 4
"""States taken of one game, at most: more would look alike."""
SHARES = {"train": 0.8, "validation": 0.1, "evaluation": 0.1}
BIDDERS = {
    "harbor": (
        *("expact", "expact", "persona", "persona", "second_order", "pace", "value,margin=0.1"),
        *("rule,k=2", "rule,k=3", "rule,k=4", "rule,k=6"),
    ),
    "english": ("rule,k=2", "rule,k=4", "value", "value,margin=0.1", "pace", "pace,margin=0.1", "drain"),
}
"""Who sits at the tables, each as likely as it stands there often."""
BUDGETS = (0.5, 0.75, 1.0, 1.0, 1.25, 1.5)
"""Times the game's usual budget: everybody's in half of the games, else each bidder's own."""


@dataclasses.dataclass(frozen=True)
class Collection:
    """Which states.

    Attributes:
        number: in all, in SHARES.
        games: of GAMES, in turn.
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
            one_of("game", game, GAMES)
        if not self.games:
            raise ValueError(f"games: expected some of {', '.join(GAMES)}, got none")
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
    scenario = (harbor_scenario if name == "harbor" else english_scenario)(split, rng)
    bidders = tuple(str(bidder) for bidder in rng.choice(BIDDERS[name], len(scenario.bidders)))
    policies: list[Any] = [make_policy(name, bidder) for bidder in bidders]
    table = Table(family.game, scenario, ["amount"] * len(bidders))
    table.reset((collection.seed, number))
    for seat, policy in enumerate(policies):
        policy.reset(table.catalogue.seats[seat], number)
    told = scenario.to_dict()
    found = []
    while not table.over:
        for seat in table.owing:
            view = table.view(seat)
            row = table.state.copy()
            make = partial(_state, collection, split, family.game, told, number, bidders, row, view)
            found.append((stratum(view), make))
            table.submit(seat, policies[seat].act(view, {}))
    return [found[i] for i in rng.permutation(len(found))]


def _state(
    collection: Collection, split: str, game: Any, scenario: dict, number: int, bidders: Any, row: np.ndarray, view: Any
) -> DecisionState:
    descriptions = tuple(getattr(view, "about_me", ()))
    profiles = [rival_profile(view, seat) for seat in range(len(bidders))] if game.name == "harbor" else []
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


def stratum(view: Any) -> str:
    """The kind of moment: how far the game is, rivals still in, the own priority, how dear the least bid is."""
    g, seat, j = view.row[0], view.seat_number, view.item_number
    third = ("early", "middle", "late")[3 * j // int(g["num_items"])]
    rivals = sum(active for other, active in view.active.items() if other != view.seat)
    standing = "standing bid" if g["leader"] != NOBODY else "no bid"
    wanted = priority(g, seat, j) if hasattr(view, "personas") else 2
    least = float(g["least"]) / (value_per_estimate(g, seat, OVERESTIMATE) * float(g["estimate"][seat][j]))
    dear = "cheap" if least < 0.75 else "dear" if least > 0.92 else "fair"
    return f"{third}, {'one rival' if rivals == 1 else 'rivals'}, {standing}, priority {wanted}, {dear}"


def harbor_scenario(split: str, rng: np.random.Generator) -> Scenario:
    """A housing auction: standing houses in a third of the cases, else fresh ones, that no other split has."""
    number = int(rng.choice([2, 3, 3, 3, 4, 5]))
    kept = "evaluation" if split == "evaluation" else "train"
    fresh = 2 * int(rng.integers(500)) + (split == "evaluation")
    budgets = _budgets(1_000_000, number, rng)
    personas = ("drawn",) * int(rng.choice([1, 1, 1, 2, 0]))
    over = int(rng.choice([5, 10, 10, 10, 15]))
    return Scenario(
        "rlact",
        tuple(Bidder(NAMES[i], budgets[i], personas, over, int(rng.choice([0, 0, 5]))) for i in range(number)),
        kept if rng.random() < 1 / 3 else f"fresh-{fresh}",
        num_items=int(rng.choice([8, 10, 10, 12])),
        matches=1 if number > 3 or len(personas) == 2 else 2,
        item_order=str(rng.choice(["random", "ascending", "descending"])),
        split=kept,
    )


def english_scenario(split: str, rng: np.random.Generator) -> Any:
    """An English auction of AucArena's standard items; for evaluation, of those of its niche study."""
    load = find_family("english").game.load_scenario
    scenario = load(f"standard-20k-{rng.choice(['random', 'ascending', 'descending'])}")
    scenario = scenario.changed(num_bidders=int(rng.choice([2, 3, 3, 3, 4])))
    if split == "evaluation":
        scenario = dataclasses.replace(scenario, items=load("niche-20k").items)
    budgets = _budgets(20_000, len(scenario.bidders), rng)
    bidders = tuple(dataclasses.replace(b, budget=x) for b, x in zip(scenario.bidders, budgets, strict=True))
    return dataclasses.replace(scenario, bidders=bidders)


def _budgets(usual: int, number: int, rng: np.random.Generator) -> list[float]:
    if rng.random() < 0.5:
        return [usual * float(rng.choice(BUDGETS))] * number
    return [usual * float(factor) for factor in rng.choice(BUDGETS, number)]
