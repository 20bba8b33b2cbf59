"""The checks of a game."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from aucenv.core.checks import one_of
from aucenv.core.game import OPTIONAL, Game, GameError
from aucenv.core.scenarios import MOST_ROUNDS
from aucenv.registration import EnvFamily, find_family, register_game
from aucenv.testing.beliefs import check_beliefs
from aucenv.testing.contract import Case, ContractError, Hide, rule
from aucenv.testing.fairness import check_ties
from aucenv.testing.forms import check_batches, check_forms, check_masks, check_rewards, check_seeds, check_snapshots
from aucenv.testing.interfaces import check_gymnasium, check_pettingzoo
from aucenv.testing.leaks import check_leaks
from aucenv.testing.length import check_length
from aucenv.testing.parts import check_pickles, check_scenarios
from aucenv.testing.playthroughs import check_golden, check_uncompiled
from aucenv.testing.records import check_records, check_results, check_rollouts, check_words

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
