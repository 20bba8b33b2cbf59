"""Many games, and many continuations of one game, between rule bidders, wholly inside compiled code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from aucenv.core.actions import amount_cents
from aucenv.core.checks import one_of, whole_number
from aucenv.core.kernel import Seed, read_seed, seed_words, warn_if_slow
from aucenv.core.record import GameRecord
from aucenv.core.snapshot import Snapshot
from aucenv.core.state import IDLE
from aucenv.core.threads import Threads
from aucenv.policy.registry import rule_numbers, scripted_module
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
    """Play `games` games; game i is the game that `play` plays with the same bidders and seed `[seed, i]`.

    Args:
        game: its name, "english", "sealed_bid", ..., or its family.
        scenario: a name, a path or a scenario of that game.
        bidders: the name of a rule bidder for each seat; or several such lineups, of which game i takes the i-th, and
            from the first again after the last.
        num_threads: they change nothing but the time it takes.

    Returns:
        For each of the game's RESULT, an array (games, seats); money in cents. English: profit, items, budget_left;
        sealed_bid and clock: profit, prizes, paid; water_allocation: days_lived, health, balance, wins, spent,
        void_bids.

    Raises:
        ValueError: a bidder is not a rule bidder of this game; not one bidder per seat; or as `load_scenario`.
    """
    family = find_family(game)
    chosen = family.game.load_scenario(scenario)
    template = chosen.template()
    whole_number("games", games, 0, 2**32)
    kinds, params = read_lineups(family.name, _lineups(bidders), chosen)
    with Threads(num_threads) as threads:
        words = np.tile(seed_words(seed), (num_threads, 1))
        return _run(threads, family, "play_out", games, template, template, kinds, params, words)


def rollout_record(
    game: str | EnvFamily, scenario: Any, bidders: Lineup | Sequence[Lineup], number: int, seed: Seed = 0
) -> GameRecord:
    """The record of game `number` of the rollout with these arguments: the same game, played at a table."""
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

    Continuations of two first actions with the same keys share their chance (common random numbers): their
    difference is told with far fewer of them.

    Args:
        first_action: what seats do in the open round, by seat: dollars, negative = withdraw. The others of those who
            have a decision do what was answered already, or else what their bidders do.
        bidders: the name of a rule bidder for each seat.
        keys: all chance to come follows from them; whole numbers from 0 to 2**63 - 1.
        hidden_from: a seat; what it may not know is drawn anew in each continuation, from the key.
        num_threads: they change nothing but the time it takes.

    Returns:
        As `rollout`, a row for each key.

    Raises:
        ValueError: an illegal first action, an unknown seat, or one without a decision; or as `rollout`.
    """
    game = snapshot.game
    scenario_text = game.view.ScenarioText.of(snapshot.scenario)
    names = scenario_text.seats
    kinds, params = _read_lineup(game.name, bidders, snapshot.scenario)
    hidden = -1 if hidden_from is None else names.index(one_of("hidden_from", hidden_from, names))
    actions = np.full((1, len(names)), IDLE, np.int64)
    for seat, answer in snapshot.answered.items():
        if hidden in (-1, seat):  # otherwise it is not known yet
            actions[0, seat] = answer[0]
    for name, dollars in first_action.items():
        seat = names.index(one_of("first_action, seat", name, names))
        if not snapshot.state["acting"][0, seat]:
            raise ValueError(f"first_action: {name} has nothing to decide now")
        try:
            cents = actions[0, seat] = amount_cents(dollars)
        except ValueError as error:
            raise ValueError(f"first_action: {name}: {error}") from None
        code = game.rules.check(snapshot.state, 0, seat, cents)
        if code:
            raise ValueError(
                f"first_action: {name}: {game.text.refusal(snapshot.state, seat, cents, code, scenario_text)}"
            )
    draws = np.asarray(keys)
    whole = draws.ndim == 1 and (draws.size == 0 or draws.dtype.kind in "iu")
    if not whole or (draws.size and not 0 <= int(draws.min()) <= int(draws.max()) < 2**63):
        raise ValueError(f"keys: expected whole numbers from 0 to 2**63 - 1, got {keys!r:.80}")
    with Threads(num_threads) as threads:
        family, start = find_family(game.name), snapshot.state
        keyed = draws.astype(np.int64)
        return _run(threads, family, "play_on", len(draws), start, start, hidden, actions, kinds, params, keyed)


def weigh_actions(
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
    """Play several actions of a seat on, in many decision states; see `core.rollouts.weigh_actions`.

    Args:
        rows: (decisions,) states of games with as many bidders, as anybody sees them who decides there.
        lineups: kinds and parameters, as `read_lineups` gives them.
        chosen: (decisions, any), which lineups play on.
        noise: the chance that a rival does the opposite of what it means to do, at each decision.

    Returns:
        (decisions, actions, keys) int64: the first of the game's RESULT; IDLE where there is no such action.
    """
    warn_if_slow()
    family = find_family(game)
    rollouts = scripted_module(family.name).ROLLOUTS
    kinds, params = lineups
    num_seats = kinds.shape[1]
    size = rollouts.memory_size(num_seats, int(rows["num_items"].max(initial=0)))
    results = np.full((*actions.shape, keys.shape[1]), IDLE, np.int64)
    with Threads(num_threads) as threads:
        given = (
            np.zeros(2 * num_threads, rows.dtype),
            rows,
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
        threads.run(rollouts.weigh_actions, len(rows), *given)
    return results


def read_lineups(game: str, lineups: Sequence[Lineup], scenario: Any) -> tuple[np.ndarray, np.ndarray]:
    """The kinds (lineups, seats) and parameters (lineups, seats, 8) of rule bidders.

    Raises:
        ValueError: a bidder is not a rule bidder of this game, or cannot play the scenario; or not one per seat.
    """
    read = [_read_lineup(game, lineup, scenario) for lineup in lineups]
    return np.array([kinds for kinds, _ in read]), np.array([params for _, params in read])


def _run(
    threads: Threads, family: EnvFamily, template: str, number: int, row: np.ndarray, *args: Any
) -> dict[str, np.ndarray]:
    warn_if_slow()
    rules, rollouts = family.game.rules, scripted_module(family.name).ROLLOUTS
    seats = int(row["num_seats"][0])
    states = np.repeat(row, threads.number)
    amounts = threads.scratch(seats)
    memories = threads.scratch(rollouts.memory_size(seats, int(row["num_items"][0])), dtype=np.float64)
    results = np.empty((number, seats, len(rules.RESULT)), np.int64)
    threads.run(getattr(rollouts, template), number, states, *args, memories, amounts, results)
    return {name: results[:, :, i] for i, name in enumerate(rules.RESULT)}


def _lineups(bidders: Lineup | Sequence[Lineup]) -> list[list[str]]:
    if not bidders or isinstance(bidders[0], str):
        bidders = [bidders]  # type: ignore[list-item]  # a lineup, as its first name tells
    return [[*lineup] for lineup in bidders]


def _read_lineup(game: str, bidders: Lineup, scenario: Any) -> tuple[np.ndarray, np.ndarray]:
    """The kinds (seats,) and parameters (seats, 8) of rule bidders."""
    seats = len(scenario.bidders)
    if len(bidders) != seats:
        raise ValueError(f"bidders: expected one for each of {seats} seats, got {len(bidders)}")
    read = [rule_numbers(game, name, scenario) for name in bidders]
    return np.array([kind for kind, _ in read]), np.array([params for _, params in read])
