"""Roll out whole games, and continuations of a game in progress, between rule bidders in compiled code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from aucenv.core.adapters.actions import read_dollar_action
from aucenv.core.adapters.threads import Threads
from aucenv.core.checks import one_of, whole_number
from aucenv.core.kernel import Seed, read_seed, seed_words, warn_if_slow
from aucenv.core.play.rollouts import Rollouts, stacked
from aucenv.core.play.snapshot import Snapshot
from aucenv.core.records.record import GameRecord
from aucenv.core.state import IDLE
from aucenv.policy.registry import rule_numbers
from aucenv.registration import EnvFamily, find_family
from aucenv.runs.play import play

Lineup = Sequence[str]


def rollout(
    game: str | EnvFamily,
    scenario: Any,
    bidders: Lineup | Sequence[Lineup],
    games: int,
    seed: Seed = 0,
    *,
    num_threads: int = 1,
) -> dict[str, np.ndarray]:
    """Play `games` games. Game i equals the game that `play` plays with the same bidders and seed `[seed, i]`.

    Args:
        game: the game's name ("english", "sealed_bid", ...) or its family.
        scenario: a name, a path or a scenario of that game.
        bidders: the name of a rule bidder for each seat; or several such lineups. Game i uses lineup i modulo their
            number.
        num_threads: affects only the running time.

    Returns:
        An array (games, seats) for each name in the game's RESULT; money in cents. English: profit, items,
        budget_left; sealed_bid and clock: profit, prizes, paid; water_allocation: days_lived, health, balance, wins,
        spent, void_bids.

    Raises:
        ValueError: a bidder is not a rule bidder of this game, or the number of bidders is not the number of seats;
            or `load_scenario` does not accept the scenario.

    Example:
        >>> import aucenv
        >>> lineup = ["rule", "pace", "drain"]
        >>> results = aucenv.rollout("english", "standard-10k-random", lineup, games=100)
        >>> results["profit"].shape
        (100, 3)
        >>> results["profit"].mean(0).round() / 100  # dollars of each seat
        array([8138., 6715., 5907.])
    """
    family = find_family(game)
    chosen = family.game.load_scenario(scenario)
    template = chosen.template()
    whole_number("games", games, 0, 2**32)
    kinds, params = read_lineups(family.name, _lineups(bidders), chosen)
    with Threads(num_threads) as threads:
        words = np.tile(seed_words(seed), (num_threads, 1))
        rollouts = family.game.rollouts_of(kinds)
        return _run(threads, family, rollouts, "play_games", games, template, template, kinds, params, words)


def rollout_record(
    game: str | EnvFamily, scenario: Any, bidders: Lineup | Sequence[Lineup], number: int, seed: Seed = 0
) -> GameRecord:
    """Return the record of game `number` of the rollout with the same arguments; `play` plays the game.

    Example:
        >>> import aucenv
        >>> lineup = ["rule", "pace", "drain"]
        >>> record = aucenv.rollout_record("english", "standard-10k-random", lineup, number=7)
        >>> record.index, [seat["profit"] for seat in record.outcome["seats"]]
        (7, [10000, 6600, 6400])
    """
    lineups = _lineups(bidders)
    return play(game, scenario, lineups[number % len(lineups)], [*read_seed(seed), number], index=number)


def continue_from(
    snapshot: Snapshot,
    first_action: Mapping[str, float],
    bidders: Lineup,
    keys: Sequence[int] | np.ndarray,
    *,
    hidden_from: str | None = None,
    num_threads: int = 1,
) -> dict[str, np.ndarray]:
    """Play a game in progress to its end, once for each key.

    Continuations with equal keys use the same random numbers (common random numbers). Far fewer continuations are
    then needed to estimate the difference between two first actions.

    Args:
        first_action: seat -> action in the open round: dollars, negative = withdraw. Every other acting seat takes the
            action that it has already submitted, or else the action that its bidder chooses.
        bidders: the name of a rule bidder for each seat.
        keys: whole numbers from 0 to 2**63 - 1; each one seeds all random numbers of its continuation.
        hidden_from: a seat; the values that this seat may not know are resampled, by the key, in each continuation.
        num_threads: affects only the running time.

    Returns:
        Arrays as from `rollout`, with one row for each key.

    Raises:
        ValueError: the first action is illegal, or its seat is unknown or not acting; also for the reasons given in
            `rollout`.

    Example:
        >>> import aucenv
        >>> env = aucenv.english_v0("standard-10k-random")
        >>> env.reset(seed=0)
        >>> snapshot, lineup = env.unwrapped.table.snapshot(), ["rule", "pace", "drain"]
        >>> for action in (4000, -1):  # the least bid for the first item, or withdrawing
        ...     results = aucenv.continue_from(snapshot, {"bidder_0": action}, lineup, keys=range(50))
        ...     print(action, results["profit"][:, 0].mean() / 100)
        4000 6948.0
        -1 8072.0
    """
    game = snapshot.game
    scenario_text = game.view.ScenarioText.of(snapshot.scenario)
    names = scenario_text.seats
    kinds, params = _read_lineup(game.name, bidders, snapshot.scenario)
    hidden = -1 if hidden_from is None else names.index(one_of("hidden_from", hidden_from, names))
    actions = np.full((1, len(names)), IDLE, np.int64)
    for seat, answer in snapshot.answered.items():
        if hidden in (-1, seat):  # the other seats' open actions are hidden too
            actions[0, seat] = answer[0]
    for name, dollars in first_action.items():
        seat = names.index(one_of("first_action, seat", name, names))
        if not snapshot.state["acting"][0, seat]:
            raise ValueError(f"first_action: {name} has nothing to decide now")
        try:
            cents = actions[0, seat] = read_dollar_action(dollars)
        except ValueError as error:
            raise ValueError(f"first_action: {name}: {error}") from None
        code = game.rules.check(snapshot.state, 0, seat, cents)
        if code:
            raise ValueError(
                f"first_action: {name}: {game.words.refusal(snapshot.state, seat, cents, code, scenario_text)}"
            )
    key_array = np.asarray(keys)
    whole = key_array.ndim == 1 and (key_array.size == 0 or key_array.dtype.kind in "iu")
    if not whole or (key_array.size and not 0 <= int(key_array.min()) <= int(key_array.max()) < 2**63):
        raise ValueError(f"keys: expected whole numbers from 0 to 2**63 - 1, got {keys!r:.80}")
    with Threads(num_threads) as threads:
        rollouts, start, seeds = game.rollouts_of(kinds), snapshot.state, key_array.astype(np.int64)
        continuing = len(seeds), start, start, hidden, actions, kinds, params, seeds
        return _run(threads, find_family(game.name), rollouts, "continue_games", *continuing)


def evaluate_actions(
    game: str | EnvFamily,
    rows: np.ndarray,
    seats: np.ndarray,
    actions: np.ndarray,
    lineups: tuple[np.ndarray, np.ndarray],
    chosen: np.ndarray,
    keys: np.ndarray,
    noise: float = 0.0,
    num_threads: int = 1,
) -> np.ndarray:
    """Roll out several actions of the deciding seat in each of many states; see `core.play.rollouts.evaluate_actions`.

    Args:
        rows: (decisions,) states of games with the same number of seats, in which the values that are hidden from the
            deciding seat are resampled for each key; or (decisions, keys), states in which they are resampled already.
        seats: (decisions,), the number of the deciding seat.
        actions: (decisions, actions), in cents or WITHDRAW; IDLE where a decision has fewer actions.
        lineups: kinds and parameters, as returned by `read_lineups`.
        chosen: (decisions, any), the indices of the lineups; key k uses entry k modulo their number.
        keys: (decisions, keys); each one seeds all random numbers of its continuations.
        noise: the probability, at each decision of a rival, that it makes a mistake: it withdraws instead of bidding,
            or bids the least legal amount instead of withdrawing.

    Returns:
        (decisions, actions, keys) int64: the deciding seat's first number of the game's RESULT, such as its profit
        in cents; IDLE where there is no such action.
    """
    warn_if_slow()
    family = find_family(game)
    kinds, params = lineups
    rollouts = family.game.rollouts_of(kinds)
    num_seats = kinds.shape[1]
    size = rollouts.memory_size(num_seats, int(rows["num_items"].max(initial=0)))
    results = np.full((*actions.shape, keys.shape[1]), IDLE, np.int64)
    with Threads(num_threads) as threads:
        arguments = (
            np.zeros(2 * num_threads, rows.dtype),
            rows.reshape(len(rows), -1),
            rows.ndim > 1,
            seats,
            actions,
            chosen,
            kinds,
            params,
            round(noise * 2**32),
            keys,
            threads.scratch(size, dtype=np.float64),
            threads.scratch(num_seats),
            threads.scratch(num_seats, len(family.game.rules.RESULT)),
            results,
        )
        threads.run(rollouts.evaluate_actions, len(rows), *arguments)
    return results


def read_lineups(game: str, lineups: Sequence[Lineup], scenario: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the kinds (lineups, seats) and parameters (lineups, seats, any) of rule bidders and networks.

    Raises:
        ValueError: a bidder is not a rule bidder of this game or cannot play the scenario, or the number of bidders is
            not the number of seats.
    """
    pairs = [_read_lineup(game, lineup, scenario) for lineup in lineups]
    seats = len(pairs[0][0])
    every = stacked([row for _, params in pairs for row in params])
    return np.array([kinds for kinds, _ in pairs]), every.reshape(len(pairs), seats, -1)


def _run(
    threads: Threads, family: EnvFamily, rollouts: Rollouts, template: str, number: int, row: np.ndarray, *args: Any
) -> dict[str, np.ndarray]:
    warn_if_slow()
    rules = family.game.rules
    seats = int(row["num_seats"][0])
    states = np.repeat(row, threads.number)
    amounts = threads.scratch(seats)
    memories = threads.scratch(rollouts.memory_size(seats, int(row["num_items"][0])), dtype=np.float64)
    results = np.empty((number, seats, len(rules.RESULT)), np.int64)
    threads.run(getattr(rollouts, template), number, states, *args, memories, amounts, results)
    return {name: results[:, :, i] for i, name in enumerate(rules.RESULT)}


def _lineups(bidders: Lineup | Sequence[Lineup]) -> list[list[str]]:
    if not bidders or isinstance(bidders[0], str):
        bidders = [bidders]  # type: ignore[list-item]  # a single lineup, because its first entry is a name
    return [[*lineup] for lineup in bidders]


def _read_lineup(game: str, bidders: Lineup, scenario: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the kinds (seats,) and parameters (seats, any) of bidders."""
    seats = len(scenario.bidders)
    if len(bidders) != seats:
        raise ValueError(f"bidders: expected one for each of {seats} seats, got {len(bidders)}")
    pairs = [rule_numbers(game, name, scenario) for name in bidders]
    return np.array([kind for kind, _ in pairs]), stacked([params for _, params in pairs])
