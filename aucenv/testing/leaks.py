"""The check that no seat receives what is hidden from it."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import numpy as np
from gymnasium.utils.env_checker import data_equivalence

from aucenv.core.defaults.modules import NoBelief
from aucenv.core.words.bidder_name import parse_bidder
from aucenv.testing.contract import Case, ContractError
from aucenv.testing.records import rule_bidders

GAMES = 12
MOST_TURNS = 60
SHARED = "nothing that a seat receives depends on what is hidden from it"


def check_leaks(case: Case) -> None:
    """Change what is hidden from each seat at random moments of random games, and compare what the seat receives."""
    if case.hide is None and isinstance(case.game.belief, NoBelief):
        raise ContractError(
            case.subject,
            "it has neither belief.py nor a function `hide`, so that leaks cannot be found",
            "belief.resample, or check_game(hide=...), says what is hidden from a seat",
        )
    for seed in range(case.seed, case.seed + GAMES):
        rng = np.random.default_rng(seed)
        env = case.family.raw_env(scenario=case.scenario, infos="full")
        env.reset(seed=seed)
        turns = play_turns(env, rng, MOST_TURNS)
        env.reset(seed=seed)
        play_turns(env, rng, int(rng.integers(turns)) if seed > case.seed else 0)
        for seat in range(case.num_seats):
            compare_received(case, env, seat, rng)


def compare_received(case: Case, env: Any, seat: int, rng: np.random.Generator) -> None:
    """Compare what a seat of a running game receives with what it receives if everything hidden from it changes.

    Raises:
        ContractError: Something differs.
    """
    other = copy.deepcopy(env)
    change_hidden(case, other, seat, rng)
    before, after = received(case, env, seat), received(case, other, seat)
    for what in before:
        if not data_equivalence(before[what], after[what]):
            raise ContractError(
                case.subject,
                f"{what} of bidder_{seat} changes with what is hidden from it (item {env.table.item}, round "
                f"{env.table.round})",
                SHARED,
            )


def play_turns(env: Any, rng: np.random.Generator, turns: int) -> int:
    """Play random turns until the game is over, and return their number."""
    for number in range(turns):
        if any(env.terminations.values()):
            return number
        env.step(int(rng.choice(np.flatnonzero(env.action_mask(env.agent_selection)))))
    return turns


def change_hidden(case: Case, env: Any, seat: int, rng: np.random.Generator) -> None:
    """Change everything that is hidden from a seat."""
    if case.hide is None:
        case.game.belief.resample(env.table.state, 0, seat, int(rng.integers(2**62)))
    else:
        case.hide(env.table.state[0], seat, rng)
    env.table.restore(env.table.snapshot())  # writes the observations again


def received(case: Case, env: Any, seat: int) -> dict[str, Any]:
    """Return everything that a seat receives by name: observation, infos, view, text and bids of honest bidders."""
    agent, table = f"bidder_{seat}", env.table
    view = env.view(agent)
    parts: dict[str, Any] = {
        "the observation": env.observe(agent),
        "the info": table.numeric_info(seat),
        "the full info": table.full_info(seat),
        "the text": env.text(agent),
        "the info in the environment": env.infos[agent],
    }
    for name in public_names(view):
        value = getattr(view, name)
        parts[f"view.{name}"] = [
            dataclasses.astuple(x) if dataclasses.is_dataclass(x) and not isinstance(x, type) else repr(x)
            for x in (value if isinstance(value, (list, tuple)) else [value])
        ]
    for name in view.row.dtype.names:
        parts[f"view.row[{name!r}]"] = view.row[name].tobytes()
    if table.state["acting"][0, seat]:
        for bidder in rule_bidders(case):
            if not bidder.cheats and bidder.why_unplayable(case.scenario) is None:
                numbers = bidder.read_parameters(parse_bidder(bidder.name))
                bids = [bidder.decide(bidder.kind, numbers, row, 0, seat) for row in (table.state, view.row)]
                if bids[0] != bids[1]:
                    raise ContractError(
                        case.subject,
                        f"{bidder.name!r} bids {bids[0]} cents as bidder_{seat}, but {bids[1]} from its view",
                        SHARED,
                    )
                parts[f"the bid of {bidder.name!r}"] = bids[0]
    return parts


def public_names(view: Any) -> list[str]:
    """Return the public names of a View, methods excepted; `row` and `words` are compared field by field."""
    names = [name for name in dir(view) if not name.startswith("_") and name not in ("row", "words")]
    return [name for name in names if not callable(getattr(type(view), name, None))]
