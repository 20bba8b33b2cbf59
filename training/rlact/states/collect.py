"""Collect decision states from varied auctions among the population, evenly over the kinds of decision points."""

from __future__ import annotations

import dataclasses
import itertools
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import numpy as np
from aucenv.baselines.population.families import HELD_OUT, TRAIN, VALIDATION, load_population
from aucenv.baselines.scripted.english import OVERESTIMATE, value_per_estimate
from aucenv.baselines.scripted.harbor_personas import priority
from aucenv.training.rlact.judges.continuations import check_later_bidder
from aucenv.training.rlact.sealed.shares import is_sealed, share_stratum
from aucenv.training.rlact.states.games import has_personas, learning_module, trained_games
from aucenv.training.rlact.states.messages import DETAILS, PHASES, PROFILES, rival_profile, state_messages
from aucenv.training.rlact.states.row_codec import view_digest
from aucenv.training.rlact.states.state_format import SPLITS
from aucenv.training.rlact.states.states import DecisionState, bounds

from aucenv.core.checks import one_of, whole_number
from aucenv.core.compiled.cold_start import compile_kernels
from aucenv.core.game import Game
from aucenv.core.play.table import Table
from aucenv.core.policy import Policy
from aucenv.core.state import NOBODY
from aucenv.core.words.money import to_dollars
from aucenv.envs.english.view import View
from aucenv.policy.registry import make_policy
from aucenv.registration import find_family
from aucenv.runs.kernel_calls import game_kernels

MAX_STATES_PER_GAME = 4
"""Maximum number of states from one game, because states of one game are similar."""
LEAGUE_SHARE = 0.25
"""The probability that a seat of a collected game has a bidder of the league, if there are any."""
SHARES = {"train": 0.8, "validation": 0.1, "evaluation": 0.1}
FAMILIES = {"train": TRAIN, "validation": VALIDATION, "evaluation": HELD_OUT}
"""The split of the population from which the bidders of each split's games are drawn."""


@dataclasses.dataclass(frozen=True)
class Collection:
    """A specification of the states to collect; equal specifications give equal states.

    Attributes:
        number: total number of states, divided among the splits by SHARES.
        games: names of games, which alternate.
        seed: seed of the collection.
        profiles, detail: style of the messages; see `messages.state_messages`.
        learner: the bidder in a random seat of each game, whose decisions alone are collected; None collects those of
            all seats, which are families of the population.
        league: bidders that may take a rival's seat, too: each with a probability of LEAGUE_SHARE.

    Raises:
        ValueError: A choice is unknown, or there are too few states for the splits.
    """

    number: int = 10_000
    games: tuple[str, ...] = ("harbor",)
    seed: int = 0
    profiles: str = "sentence"
    detail: str = "full"
    learner: str | None = None
    league: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        whole_number("states", self.number, 10, 10_000_000)
        whole_number("seed", self.seed, 0)
        for game in self.games:
            learning_module("game", game)
            if self.learner is not None:
                check_later_bidder(self.learner, make_policy(game, self.learner))
        if not self.games:
            raise ValueError(f"games: expected some of {', '.join(trained_games())}, got none")
        one_of("profiles", self.profiles, PROFILES)
        one_of("detail", self.detail, DETAILS)

    def split_size(self, split: str) -> int:
        """Return the number of states of a split."""
        if split == "train":
            return self.number - sum(self.split_size(other) for other in SPLITS[1:])
        return round(self.number * SHARES[split])


Point = tuple[str, Callable[[], DecisionState]]
"""The kind of a decision point, and a function that creates its state."""
Map = Callable[[Callable[[list[int]], Iterable[list[Point]]], Sequence[int]], Iterator[list[Point]]]
"""map(play, games): the decision points of each game, in order."""


def map_here(play: Callable[[list[int]], Iterable[list[Point]]], games: Sequence[int]) -> Iterator[list[Point]]:
    """Play games in this process."""
    return iter(play(list(games)))


def collect(
    collection: Collection, split: str, other_ids: Iterable[str] = (), map_games: Map = map_here
) -> Iterator[DecisionState]:
    """Yield the states of a split.

    From each game, take at most MAX_STATES_PER_GAME decision points, of the kinds taken least often so far.

    Args:
        other_ids: ids of states of other splits, which this split must not contain.
        map_games: plays games; the states do not depend on it.
    """
    counts_by_game = {name: Counter[str]() for name in collection.games}
    ids = set(other_ids)
    left = collection.split_size(split)
    numbers = (game for game in itertools.count() if split_of(collection.seed, game) == split)
    while left:
        games = list(itertools.islice(numbers, -(-left // MAX_STATES_PER_GAME)))
        for game, points in zip(games, map_games(partial(play_games, collection, split), games), strict=True):
            kind_counts = counts_by_game[collection.games[game % len(collection.games)]]
            for state in _chosen(points, min(left, MAX_STATES_PER_GAME), ids, kind_counts):
                left -= 1
                yield state


def _chosen(points: list[Point], most: int, ids: set[str], kind_counts: Counter[str]) -> Iterator[DecisionState]:
    """Yield at most `most` new states of a game, of the kinds taken least often, and count them."""
    taken = 0
    while points and taken < most:
        chosen = min(points, key=lambda point: kind_counts[point[0]])  # the first of several; their order is random
        points.remove(chosen)
        state = chosen[1]()
        if state.id not in ids:
            ids.add(state.id)
            kind_counts[chosen[0]] += 1
            taken += 1
            yield state


def play_games(collection: Collection, split: str, numbers: list[int]) -> Iterator[list[Point]]:
    """Yield the decision points of games, each in random order."""
    return (_decision_points(collection, split, number) for number in numbers)


def split_of(seed: int, game: int) -> str:
    """Return the split of a game, by a hash. All states of a game are in one split, because they are similar."""
    remainder = zlib.crc32(f"{seed} {game}".encode()) % 10
    return "validation" if remainder == 0 else "evaluation" if remainder == 1 else "train"


def _decision_points(collection: Collection, split: str, number: int) -> list[Point]:
    """Play a game, and return its decision points in random order: their kinds, and functions that create states."""
    rng = np.random.default_rng([collection.seed, number])
    name = collection.games[number % len(collection.games)]
    family = find_family(name)
    learning = learning_module("game", name)
    scenario = learning.scenario(split, rng)
    members = load_population().families(name, FAMILIES[split])
    bidders = [members[int(i)].draw(rng) for i in rng.integers(len(members), size=len(scenario.bidders))]
    if collection.league:
        bidders = [str(rng.choice(collection.league)) if rng.random() < LEAGUE_SHARE else bidder for bidder in bidders]
    chosen = range(len(bidders))
    if collection.learner is not None:
        seat = int(rng.integers(len(bidders)))
        bidders[seat], chosen = collection.learner, range(seat, seat + 1)
    if number < len(collection.games):  # the first game of this name
        compile_kernels(game_kernels(family, scenario, bidders))
    policies: list[Policy] = [make_policy(name, bidder) for bidder in bidders]
    table = Table(family.game, scenario, [policy.interface for policy in policies])
    table.reset((collection.seed, number))
    for seat, policy in enumerate(policies):
        policy.reset(table.scenario_text.seats[seat], number)
    scenario_data = scenario.to_dict()
    points = []
    while not table.over:
        for seat in table.pending:
            view = table.view(seat)
            if seat in chosen:
                row, names = table.state.copy(), tuple(bidders)
                make = partial(_make_state, collection, split, family.game, scenario_data, number, names, row, view)
                points.append((stratum(view), make))
            table.submit(seat, policies[seat].act(view, {}))
    return [points[i] for i in rng.permutation(len(points))]


def _make_state(
    collection: Collection,
    split: str,
    game: Game,
    scenario: dict,
    number: int,
    bidders: tuple[str, ...],
    full_row: np.ndarray,
    view: View,
) -> DecisionState:
    descriptions = tuple(getattr(view, "about_me", ()))
    profiles = [rival_profile(view, seat) for seat in range(len(bidders))] if has_personas(view) else []
    history = tuple(tuple(int(part) for part in entry) for entry in getattr(view, "_history", ()))
    return DecisionState(
        id=view_digest(view.row, view.seat_number, history, descriptions),
        split=split,
        game=game.name,
        env_version=game.version,
        scenario=scenario,
        seed=(collection.seed, number),
        bidders=bidders,
        seat=view.seat_number,
        full_row=full_row,
        history=history,  # type: ignore[arg-type]  # each entry has four numbers
        descriptions=descriptions,
        profiles=tuple(map(tuple, profiles)),
        legal=dict(zip(("least", "most", "raise"), map(to_dollars, bounds(full_row, view.seat_number)), strict=True)),
        stratum=stratum(view),
        population=load_population().version,
        messages={p: state_messages(view, p, collection.profiles, collection.detail) for p in PHASES},
    )


def stratum(view: View) -> str:
    """Return the kind of a decision point.

    It consists of the stage of the game, the number of active rivals, whether there is a standing bid, the seat's
    priority for the item, and the ratio of the least bid to the expected value. In sealed-bid auctions, see
    `shares.share_stratum`.
    """
    if is_sealed(view):
        return share_stratum(view)
    g, seat, j = view.row[0], view.seat_number, view.item_number
    third = ("early", "middle", "late")[3 * j // int(g["num_items"])]
    rivals = sum(active for other, active in view.active.items() if other != view.seat)
    standing = "standing bid" if g["leader"] != NOBODY else "no bid"
    seat_priority = priority(g, seat, j) if has_personas(view) else 2
    ratio = float(g["least"]) / (value_per_estimate(g, seat, OVERESTIMATE) * float(g["estimate"][seat][j]))
    price = "cheap" if ratio < 0.75 else "dear" if ratio > 0.92 else "fair"
    return f"{third}, {'one rival' if rivals == 1 else 'rivals'}, {standing}, priority {seat_priority}, {price}"
