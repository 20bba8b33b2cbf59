"""The settings of a leaderboard, and the scenario that they choose."""

from __future__ import annotations

import dataclasses

from aucenv.core.scenarios import Scenario, assigned, changed_by_text
from aucenv.envs.english.files import aucarena_files, read_aucarena
from aucenv.policy.guests import IN_PROCESS, Guests
from aucenv.registration import find_family
from aucenv.runs.shard import Shard


@dataclasses.dataclass(frozen=True)
class Settings:
    """A leaderboard's settings. They determine its games, and therefore its results.

    Attributes:
        bidders: names; empty = all built-in rule bidders that do not cheat and seek profit, and the finetuned bidders
            in the game's `learning.TRAINED`; or those of AucArena's file of bidders, if it names their models.
        format: "round-robin": every set of bidders, one for each seat, plays. "standard": AucArena's competition,
            in which the first two bidders are the fixed baselines and each further bidder plays against them in turn.
        scenario: None = the game's default; fixed by "standard".
        changes: values of the scenario's arguments as NAME=VALUE, see `core.scenarios.assigned`; "standard" fixes some.
        games: the total number of games, rounded up to complete seat rotations; None = 300, or 60 per challenger in
            "standard".
        shard: the part of the games that is played; None = all.
        roles: "seats" or "bidders", to which the scenario's names, budgets, objectives and estimates belong; see
            `leaderboard.seating`. The names belong to bidders in any case if one of them keeps a memory.
        models: the bidders that play the models of AucArena's file of bidders, as MODEL=BIDDER.
        memories: the folder of the memories of those bidders in this file that learn.
        meta: whether all lineups play in a round robin, those in which a bidder has several seats, too.
        guests: how the bidders of users play.
    """

    game: str = "english"
    bidders: tuple[str, ...] = ()
    format: str = "round-robin"
    scenario: str | None = None
    changes: tuple[str, ...] = ()
    games: int | None = None
    seed: int = 0
    shard: Shard | None = None
    roles: str = "seats"
    models: tuple[str, ...] = ()
    memories: str | None = None
    meta: bool = False
    guests: Guests = IN_PROCESS


def with_changes(scenario: Scenario, settings: Settings) -> Scenario:
    """Return a scenario with the values of `settings.changes`.

    Raises:
        ValueError: a value is out of range, or there is no such argument.
    """
    values = assigned(settings.changes, "--set")
    find_family(settings.game).game.check_arguments(values, "--set")
    try:
        return changed_by_text(scenario, values)
    except ValueError as error:
        raise ValueError(f"--set: {error}") from None


def base_scenario(settings: Settings) -> Scenario:
    """Return the scenario of a round robin before the settings change it."""
    game = find_family(settings.game).game
    files = aucarena_files(settings.scenario) if settings.game == "english" else None
    if files is not None:
        return read_aucarena(*files, runs_agents=True)
    return game.load_scenario(settings.scenario or game.default_scenario)


def chosen_scenario(settings: Settings) -> Scenario:
    """Return the scenario of a round robin."""
    return with_changes(base_scenario(settings), settings)
