"""Roll out actions of deciding seats, whose later decisions are made by a rule bidder or by any other policy."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from aucenv.baselines.scripted.rollout import evaluate_actions
from aucenv.training.rlact.judges.row_rollouts import evaluate_with
from aucenv.training.rlact.states.decision_points import AnyScenario, Decisions, Lineups

from aucenv.core.adapters.actions import action_cents
from aucenv.core.play.engine import EMPTY_MEMORY, NO_NOISE
from aucenv.core.state import IDLE, NOBODY, RUNNING, WITHDRAW, rekey
from aucenv.core.views.history import Entry
from aucenv.core.words.bidder_name import parse_bidder, public_name
from aucenv.policy.registry import make_policy, rule_bidders, rule_numbers
from aucenv.registration import find_family


def is_rule_bidder(game: str, name: str) -> bool:
    """Return whether compiled code can play this bidder."""
    return parse_bidder(name).kind in rule_bidders(game)


def evaluate(
    decisions: Decisions,
    worlds: np.ndarray,
    actions: np.ndarray,
    lineups: Lineups,
    chosen: np.ndarray,
    own: str,
    keys: np.ndarray,
    noise: float,
    num_threads: int,
) -> np.ndarray:
    """Return the deciding seats' final profits after each action, (decisions, actions, keys), in cents.

    Args:
        decisions: The decision points.
        worlds: The rows from which the games continue; see `rollout.evaluate_actions`.
        actions, chosen, keys, noise: See `rollout.evaluate_actions`.
        lineups: The bidders of all seats but the deciding seats.
        own: The bidder that makes the deciding seats' later decisions.
    """
    seats = decisions.seats
    if not is_rule_bidder(decisions.game, own):
        policy = _policy(decisions.game, own)
        if hasattr(policy, "act_rows"):
            arguments = decisions, worlds, actions, lineups, chosen, keys, noise, num_threads
            return evaluate_with(policy, *arguments)
        return np.array(
            [
                _play_on(decisions, i, worlds[i : i + 1], actions[i], lineups, chosen[i], own, keys[i], noise)
                for i in range(len(decisions))
            ]
        )
    scenario: Any = AnyScenario(lineups[0].shape[1])
    kind, numbers = rule_numbers(decisions.game, own, scenario)
    # A lineup may be used for several deciding seats, so each decision gets its lineups.
    kinds, params = (array[chosen] for array in lineups)
    at = np.arange(len(seats)), slice(None), seats
    kinds[at], params[at] = kind, numbers
    number = chosen.shape[1]
    lineups = kinds.reshape(-1, kinds.shape[-1]), params.reshape(-1, *params.shape[2:])
    chosen = np.arange(len(seats) * number).reshape(-1, number)
    return evaluate_actions(decisions.game, worlds, seats, actions, lineups, chosen, keys, noise, num_threads)


def best_of(profits: Sequence[np.ndarray]) -> np.ndarray:
    """Return the profits of each action with the bidder for the later decisions with which their mean is highest.

    Args:
        profits: For each bidder, (decisions, actions, keys).
    """
    if len(profits) == 1:
        return profits[0]
    stacked = np.array(profits)
    best = stacked.mean(-1).argmax(0)
    return np.take_along_axis(stacked, best[None, ..., None], 0)[0]


def check_later_bidder(name: str, policy: Any) -> None:
    """Raise unless a policy can decide in many games in turn: from the View alone, without calls of models.

    Raises:
        ValueError: It gets observations, calls models, waits for somebody, or learns from earlier games.
    """
    for attribute in ("observes", "waits", "in_order", "use_calls", "models"):
        if getattr(policy, attribute, attribute == "observes"):
            raise ValueError(
                f"bidder {public_name(name)!r}: expected one that makes later decisions from the View alone "
                f"(`observes = False`, and no `waits`, `in_order`, `use_calls` or `models`), got one with `{attribute}`"
            )


@lru_cache(maxsize=8)
def _policy(game: str, name: str) -> Any:
    return make_policy(game, name)


@dataclasses.dataclass(eq=False)
class _Continuation:
    """A game that continues: its state (1,), its bids so far, and the row and column of its result."""

    state: np.ndarray
    history: tuple[Entry, ...]
    lineup: int
    place: tuple[int, int]


def _play_on(
    decisions: Decisions,
    i: int,
    worlds: np.ndarray,
    actions: np.ndarray,
    lineups: Lineups,
    chosen: np.ndarray,
    own: str,
    keys: np.ndarray,
    noise: float,
) -> np.ndarray:
    """Return the same as `evaluate` for decision `i`, of which a policy makes the later decisions.

    The continuations of all actions and keys take turns, round by round, so that a policy with `act_many` can reply to
    them together.

    Args:
        worlds: (1,) or (1, keys) states.
        actions, chosen, keys: (actions,), (any,), (keys,).
    """
    game, seat = find_family(decisions.game).game, int(decisions.seats[i])
    tremble, memory = round(noise * 2**32), np.empty(game.rollouts.memory_size(*_size(worlds)))
    policy = _policy(decisions.game, own)
    policy.reset(decisions.texts[i].seats[seat], int(keys[0]) % 2**31)
    results = np.full((len(actions), len(keys)), IDLE, np.int64)
    running = []
    for k, key in enumerate(keys):
        state = worlds.reshape(1, -1)[:, k % worlds.size].copy()
        if worlds.ndim == 1:
            game.belief.resample(state, 0, seat, key)
        rekey(state[0], key)
        state["forced_tie"] = NOBODY
        lineup = int(chosen[k % len(chosen)])
        bids = _bids(game, state, lineups, lineup, seat, tremble, memory)
        for a, action in enumerate(actions):
            if action != IDLE:
                one = _Continuation(state.copy(), decisions.histories[i], lineup, (a, k))
                _close_round(game, one, {**bids, seat: int(action)})
                if not _is_over(game, one, seat, results):
                    running.append(one)
    while running:
        asked = [one for one in running if one.state["acting"][0, seat]]
        views = [game.view.make_view(one.state, seat, decisions.texts[i], one.history) for one in asked]
        replies = dict(zip(map(id, asked), _replies(game, policy, views), strict=True))
        for one in running:
            bids = _bids(game, one.state, lineups, one.lineup, seat, tremble, memory)
            if id(one) in replies:
                amount = replies[id(one)]
                bids[seat] = amount if game.rules.check(one.state, 0, seat, amount) == 0 else WITHDRAW
            _close_round(game, one, bids)
        running = [one for one in running if not _is_over(game, one, seat, results)]
    return results


def _size(worlds: np.ndarray) -> tuple[int, int]:
    return int(worlds["num_seats"].max()), int(worlds["num_items"].max())


def _bids(
    game: Any, state: np.ndarray, lineups: Lineups, lineup: int, decider: int, noise: int, memory: np.ndarray
) -> dict[int, int]:
    """Return the amounts of all acting seats but the deciding one."""
    bids = {}
    memory[0] = EMPTY_MEMORY
    for seat in np.flatnonzero(state["acting"][0]).tolist():
        if seat != decider:
            kind, params = lineups[0][lineup, seat], lineups[1][lineup, seat]
            amount = game.rollouts.decide(kind, params, state, 0, seat, memory)
            amount = game.rollouts.tremble_amount(state, 0, seat, amount, noise) if noise != NO_NOISE else amount
            bids[seat] = amount if game.rules.check(state, 0, seat, amount) == 0 else WITHDRAW
    return bids


def _close_round(game: Any, one: _Continuation, bids: dict[int, int]) -> None:
    item, number = int(one.state["item"][0]), int(one.state["round"][0])
    one.history += tuple((item, number, seat, bids[seat]) for seat in sorted(bids))
    amounts = np.full(one.state["acting"].shape[1], WITHDRAW, np.int64)
    for seat, amount in bids.items():
        amounts[seat] = amount
    game.rules.step(one.state, 0, amounts)


def _is_over(game: Any, one: _Continuation, seat: int, results: np.ndarray) -> bool:
    """Return whether a game is over, and write its result."""
    if one.state["status"][0] == RUNNING:
        return False
    out = np.empty((one.state["acting"].shape[1], len(game.rules.RESULT)), np.int64)
    game.rules.result(one.state, 0, out)
    results[one.place] = out[seat, 0]
    return True


def _replies(game: Any, policy: Any, views: Sequence[Any]) -> list[int]:
    """Return a policy's amounts in several games; a reply that cannot be read withdraws."""
    if not views:
        return []
    many = getattr(policy, "act_many", None)
    actions = many(views) if many else [policy.act(view, {}) for view in views]
    amounts = []
    for view, action in zip(views, actions, strict=True):
        try:
            amounts.append(action_cents(action, policy.interface, view.seat_number, view.row, game, view.scenario_text))
        except ValueError:
            amounts.append(WITHDRAW)
    return amounts
