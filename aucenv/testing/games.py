"""The checks of a game."""

from __future__ import annotations

import contextlib
import copy
import functools
import io
import json
import pickle
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.utils.env_checker import check_env, data_equivalence
from pettingzoo.test import (
    api_test,
    parallel_api_test,
    parallel_seed_test,
    render_test,
    seed_test,
    state_test,
)
from pettingzoo.utils.conversions import aec_to_parallel

from aucenv.core.checks import one_of
from aucenv.core.fields import SEAT
from aucenv.core.game import OPTIONAL, Game, GameError
from aucenv.core.records.figures import is_amount
from aucenv.core.scenarios import MOST_ROUNDS
from aucenv.core.words.money import money
from aucenv.registration import EnvFamily, find_family, register_game
from aucenv.testing.beliefs import check_beliefs
from aucenv.testing.contract import Case, ContractError, Hide, draws_pictures, rule
from aucenv.testing.forms import (
    check_batches,
    check_forms,
    check_masks,
    check_rewards,
    check_seeds,
    check_snapshots,
)
from aucenv.testing.leaks import check_leaks
from aucenv.testing.playthroughs import check_golden, check_uncompiled
from aucenv.testing.records import check_records, check_results, check_rollouts, check_words

INTERFACES = ("vector", "amount", "text")
CYCLES = 100


def check_pettingzoo(case: Case) -> None:
    """Run PettingZoo's tests of the interfaces, of pictures and of the conversion to a Parallel environment."""
    arguments = {"scenario": case.scenario}
    for interface in INTERFACES:
        check_interface(case.family, {**arguments, "interface": interface})
    with contextlib.redirect_stdout(io.StringIO()):  # the tests print that they pass
        if draws_pictures():
            render_test(functools.partial(case.family.env, **arguments))
        converted = aec_to_parallel(case.family.env(**arguments, idle_turns=True, illegal="clip"))
        parallel_api_test(converted, num_cycles=CYCLES)


def check_interface(family: EnvFamily, arguments: Mapping[str, Any], cycles: int = CYCLES) -> None:
    """Run PettingZoo's tests of the API, of seeds and of states for environments with these arguments.

    Args:
        cycles: the number of turns of each test.
    """
    env, parallel_env = functools.partial(family.env, **arguments), functools.partial(family.parallel_env, **arguments)
    with contextlib.redirect_stdout(io.StringIO()):
        api_test(env(), num_cycles=cycles)
        api_test(family.raw_env(**arguments), num_cycles=cycles)
        parallel_api_test(parallel_env(), num_cycles=cycles)
        seed_test(env, num_cycles=cycles)
        parallel_seed_test(parallel_env, num_cycles=cycles)
        state_test(family.env(**{**arguments, "illegal": "clip"}), parallel_env())


def check_gymnasium(case: Case) -> None:
    """Run Gymnasium's test of the environment of one seat, among the game's first honest rule bidders."""
    from aucenv.testing.records import honest_bidders

    rivals = (honest_bidders(case) * case.num_seats)[: case.num_seats - 1]
    check_env(case.family.seat_env(scenario=case.scenario, rivals=rivals), skip_render_check=True)


ROWS = 3000
"""Number of games of each action."""
MOST_STEPS = 400
MOST_ERRORS = 5.0
"""The number of standard errors by which a seat's mean score may differ from that of all seats."""


def check_ties(case: Case) -> None:
    """Let all seats act alike in many games, and compare their mean scores; only if the scenario treats them alike."""
    if not _is_symmetric(case):
        return
    batch = case.family.batch_env(ROWS, 2, scenario=case.scenario)
    for action in sorted({1, batch.num_actions // 2}):
        scores = _scores(batch, action, case.seed)
        differences = scores - scores.mean(axis=1, keepdims=True)
        errors = differences.std(axis=0) / np.sqrt(len(scores))
        away = np.abs(differences.mean(axis=0)) / np.maximum(errors, 1e-12)
        if (away > MOST_ERRORS).any():
            seat = int(np.argmax(away))
            score, of_all = _score(case, scores[:, seat]), _score(case, scores)
            certain = "in every game" if errors[seat] < 1e-9 else f"{away[seat]:.0f} standard errors"
            raise ContractError(
                case.subject,
                f"if all seats choose action {action}, bidder_{seat} scores {score} on average, "
                f"and all seats {of_all} ({certain}, {len(scores)} games)",
                "seats that act alike have equal chances: no rule depends on the number of a seat, every draw depends "
                "on the game's key, and ties are broken uniformly, for example by core.state.break_tie",
            )
    batch.close()


def _score(case: Case, scores: np.ndarray) -> str:
    """Return a mean score in words."""
    mean = float(scores.mean())
    return money(round(mean) / 100) if is_amount(case.game.rules.RESULT[0]) else f"{mean:.4g}"


def _is_symmetric(case: Case) -> bool:
    template = case.scenario.template()[0]
    per_seat = [template[name] for name, field in case.game.rules.State.FIELDS.items() if field.per[:1] == (SEAT,)]
    return all((values[: case.num_seats] == values[0]).all() for values in per_seat)


def _scores(batch: Any, action: int, seed: int) -> np.ndarray:
    """Return the scores of the first game of each row if all seats choose one action where it is legal."""
    batch.reset(seed)
    masks, over = batch.masks, np.zeros(ROWS, bool)
    scores = np.zeros(masks.shape[:2])
    for _ in range(MOST_STEPS):
        batch.step(np.where(masks[:, :, action] > 0, action, 0))
        ended = (batch.terminated | batch.truncated) & ~over
        scores[ended] = batch.results[ended, :, 0]
        over |= ended
        if over.all():
            break
    return scores[over]


CONSTANT = 8
"""Number of actions, spread over all, that seats choose in every round of a game."""
RANDOM = 4
"""Number of games of random actions."""


def check_length(case: Case) -> None:
    """Play games of one item, in which all seats act in the same way throughout, and games of random actions."""
    scenario = case.scenario.changed(num_items=1)
    last = case.family.batch_env(1, scenario=scenario).num_actions - 1
    actions = np.unique(np.linspace(0, last, CONSTANT, dtype=int))
    ways: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        **{
            f"all seats choose action {action}, or the next lower one where it is illegal": _at_most(action)
            for action in actions
        },
        "all seats choose the lowest legal action but 0": _least,
    }
    rng = np.random.default_rng(case.seed)
    ways |= {f"all seats act at random ({number})": _random(rng) for number in range(RANDOM)}
    batch = case.family.batch_env(len(ways), scenario=scenario)
    batch.reset(case.seed)
    over = np.zeros(len(ways), bool)
    for _ in range(MOST_ROUNDS):
        batch.step(np.stack([way(mask) for way, mask in zip(ways.values(), batch.masks, strict=True)]))
        over |= batch.terminated | batch.truncated
        if over.all():
            break
    batch.close()
    if not over.all():
        way = [*ways][int(np.argmin(over))]
        raise ContractError(
            case.subject,
            f"a game of one item, seed {case.seed + int(np.argmin(over))}, is not over after {MOST_ROUNDS:,} rounds in "
            f"which {way}",
            f"an item takes at most {MOST_ROUNDS:,} rounds in any scenario; a scenario that allows more is refused",
        )


def _at_most(action: int) -> Callable[[np.ndarray], np.ndarray]:
    return lambda mask: action - np.argmax(mask[:, action::-1] > 0, axis=1)


def _least(mask: np.ndarray) -> np.ndarray:
    return np.where(mask[:, 1:].any(axis=1), 1 + np.argmax(mask[:, 1:] > 0, axis=1), 0)


def _random(rng: np.random.Generator) -> Callable[[np.ndarray], np.ndarray]:
    return lambda mask: np.argmax(rng.random(mask.shape) * (mask > 0), axis=1)


TURNS, MORE_TURNS = 25, 60
"""Number of turns before an environment is copied, and after it."""


def check_pickles(case: Case) -> None:
    """Check that the game, its environments and a running game can be pickled and copied."""
    if pickle.loads(pickle.dumps(case.game)) is not case.game:  # noqa: S301  # made here
        raise ContractError(
            case.subject, "an unpickled Game is another one", "a Game pickles by the module that declares it"
        )
    env = case.family.raw_env(scenario=case.scenario)
    env.reset(seed=case.seed)
    play_turns(env, TURNS, case.seed)
    state = env.state()
    clones = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]  # noqa: S301  # made here
    played = [play_turns(clone, MORE_TURNS, case.seed + 1) for clone in clones]
    if not np.array_equal(env.state(), state):
        raise ContractError(case.subject, "a copy of an environment changes the original", "a copy shares nothing")
    if not data_equivalence(played, [play_turns(env, MORE_TURNS, case.seed + 1)] * len(clones)):
        raise ContractError(case.subject, "a copy of an environment plays another game", "a copy has the same state")
    for wrapped in (case.family(scenario=case.scenario), case.family.parallel_env(scenario=case.scenario)):
        wrapped.reset(seed=case.seed)
        if not np.array_equal(pickle.loads(pickle.dumps(wrapped)).state(), wrapped.state()):  # noqa: S301  # made here
            raise ContractError(case.subject, "a pickled environment has another state", "pickles keep the state")


def play_turns(env: Any, turns: int, seed: int) -> list[Any]:
    """Play random legal actions for a number of turns, and return what `env.last()` returned."""
    rng, received = np.random.default_rng(seed), []
    for _ in env.agent_iter(turns):
        observation, reward, terminated, truncated, info = env.last()
        env.step(None if terminated or truncated else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
        received.append((observation, reward, terminated, truncated, info))
    return received


def check_scenarios(case: Case) -> None:
    """Check all named scenarios."""
    for name in case.game.scenarios:
        scenario = case.game.load_scenario(name)
        where = f"scenario {name!r}"
        if scenario.name != name:
            raise ContractError(case.subject, f"{where} has the name {scenario.name!r}", "a scenario has its own name")
        data = json.loads(json.dumps(scenario.to_dict()))
        if case.game.load_scenario(data) != scenario:
            raise ContractError(case.subject, f"{where} differs after to_dict and load_scenario", "both are the same")
        template = scenario.template()
        if template.shape != (1,) or template.dtype.names != tuple(case.game.rules.State.FIELDS):
            raise ContractError(
                case.subject, f"{where}: template() has other fields", "a template has the dtype of State"
            )
        if int(template["num_seats"][0]) != len(scenario.bidders):
            raise ContractError(
                case.subject, f"{where}: num_seats is {template['num_seats'][0]}", "it is the number of bidders"
            )
    if case.scenario.changed(num_items=1).num_items != 1:
        raise ContractError(case.subject, "changed(num_items=1) has more items", "every game supports num_items")


Check = Callable[[Case], None]
CHECKS: dict[str, tuple[Check, str]] = {
    "pickles": (
        check_pickles,
        "a game pickles by the module that declares it, and a running environment can be copied",
    ),
    "scenarios": (check_scenarios, "a scenario is restored from its to_dict, and changed() changes what it is given"),
    "length": (check_length, f"a game ends: an item takes at most {MOST_ROUNDS:,} rounds"),
    "masks": (
        check_masks,
        "the mask offers the amounts that rules.check accepts, and no others; action 0 is always legal, and a seat "
        "without a decision has no other",
    ),
    "rewards": (check_rewards, "the rewards of a seat add up to its score in the outcome, divided by profit_scale"),
    "seeds": (check_seeds, "equal seeds give equal games, other seeds other deals, and nothing else is random"),
    "forms": (check_forms, "the AEC and the Parallel environment play the same game"),
    "PettingZoo": (check_pettingzoo, "PettingZoo's tests pass for the AEC and the Parallel environment"),
    "Gymnasium": (check_gymnasium, "Gymnasium's check_env passes for the environment of one seat"),
    "batches": (check_batches, "every row of a batch is the game of a table"),
    "snapshots": (check_snapshots, "a restored snapshot continues as the original does"),
    "rollouts": (check_rollouts, "compiled rollouts play the games that aucenv.play plays"),
    "leaks": (check_leaks, "nothing that a seat receives depends on what is hidden from it"),
    "beliefs": (
        check_beliefs,
        "belief.resample writes states that the rules can continue: public fields are unchanged, values as in deals",
    ),
    "ties": (check_ties, "seats that are equal and act alike have equal chances"),
    "words": (check_words, "words.read reads what words.reply_writer writes, and every refusal has a reason"),
    "results": (check_results, "a number has the same value in rules.result, the outcome and a view of its seat"),
    "records": (check_records, "a record can be written, read, checked, replayed and shown"),
    "uncompiled": (check_uncompiled, "a game is the same with and without numba's compiler"),
}
"""The checks by name, each with the rule of the contract."""


def check_game(
    game: str | EnvFamily | Game,
    *,
    scenario: Any = None,
    hide: Hide | None = None,
    golden: str | Path | None = None,
    seed: int = 0,
    only: tuple[str, ...] = (),
) -> list[str]:
    """Check that a game keeps the contract of `core.game_modules`.

    Args:
        game: the name of a game, its environments, its declaration ("my_package.game:GAME"), or a Game.
        scenario: the scenario that is played; None is the game's default.
        hide: overwrites everything that a seat may not know, in a row of the state, with random numbers; None uses
            `belief.resample`. A game with neither cannot be checked for leaks.
        golden: a file with a recorded playthrough to compare with; written if it does not exist.
        seed: seeds all games.
        only: names of checks in CHECKS, or "golden"; none runs all.

    Returns:
        The names of the checks.

    Raises:
        ContractError: the game breaks a rule; the message says what is wrong, where, and which rule it is.
        ValueError: `only` names no check.

    Example:
        >>> from aucenv.testing import check_game
        >>> check_game("sealed_bid", only=("scenarios", "length"))
        ['scenarios', 'length']
    """
    for name in only:
        one_of("only", name, [*CHECKS, "golden"])
    family = _family(game)
    subject = f"game {family.label}"
    with rule(subject, "a game's folder has the required modules, each with its names"):
        for name in OPTIONAL:
            getattr(family.game, name)
    with rule(subject, "load_scenario returns the default scenario"):
        chosen = family.game.load_scenario(family.game.default_scenario if scenario is None else scenario)
    case = Case(family, chosen, hide, seed)
    names = [name for name in CHECKS if not only or name in only]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PettingZoo warns of observations that are no arrays
        for name in names:
            check, text = CHECKS[name]
            with rule(subject, text):
                check(case)
        if golden is not None:
            with rule(subject, "a game plays as the recorded playthrough does"):
                check_golden(case, Path(golden))
            names.append("golden")
    return names


def _family(game: str | EnvFamily | Game) -> EnvFamily:
    try:
        if isinstance(game, Game):
            return register_game(f"{game.module}:GAME")
        return register_game(game) if isinstance(game, str) and ":" in game else find_family(game)
    except GameError as error:
        raise ContractError(
            "game", str(error), "a game's folder has the required modules, each with its names"
        ) from None
