"""The settings of a leaderboard, and the scenario that they choose."""

from __future__ import annotations

import dataclasses

from aucenv.core.files import JsonObject
from aucenv.core.scenarios import Scenario, assigned, changed_by_text
from aucenv.envs.english.files import aucarena_files, read_aucarena
from aucenv.policy.guests import IN_PROCESS, Guests
from aucenv.registration import find_family
from aucenv.runs.shard import Shard

AUCTION = {
    "order": ("item_order", ("english", "harbor")),
    "overestimate": ("overestimate", ("english",)),
    "increment": ("increment", ("english",)),
    "discount": ("discount", ("english",)),
    "ask_broke": ("ask_broke", ("english",)),
}
"""Settings that change the rules of a scenario -> their argument of `Scenario.changed`, and the games that have it."""


@dataclasses.dataclass(frozen=True)
class Settings:
    """A leaderboard's settings. They determine its games, and therefore its results.

    Attributes:
        bidders: names; empty = all built-in rule bidders that do not cheat and seek profit, and the finetuned bidders
            in the game's `learning.TRAINED`; or those of AucArena's file of bidders, if it names their models.
        format: "round-robin": every set of bidders, one for each seat, plays. "standard": AucArena's competition,
            in which the first two bidders are the fixed baselines and each further bidder plays against them in turn.
        scenario: None = the game's default; fixed by "standard".
        items: the number of items, rounds or days; None = all.
        budget: the budget of every bidder, in dollars; None = the scenario's; fixed by "standard".
        seats: the number of seats; None = the scenario's.
        games: the total number of games, rounded up to complete seat rotations; None = 300, or 60 per challenger in
            "standard".
        shard: the part of the games that is played; None = all.
        roles: "seats" or "bidders", to which the scenario's names, budgets, objectives and estimates belong; see
            `roles.seating`. The names belong to bidders in any case if one of them keeps a memory.
        order: the order of the items: "random", "ascending", "descending" or "given"; None = the scenario's; fixed by
            "standard".
        overestimate: how much all estimates exceed the true values, in percent; None = the scenario's.
        increment: the least raise as a share of the starting price; None = the scenario's.
        discount: whether a starting price that receives no bid is halved; None = the scenario's.
        ask_broke: whether a bidder that cannot pay the least legal bid is asked; None = the scenario's.
        changes: values of arguments of the environments as NAME=VALUE: see `core.scenarios.assigned`.
        models: the bidders that play the models of AucArena's file of bidders, as MODEL=BIDDER.
        memories: the folder of the memories of those bidders in this file that learn.
        meta: whether all lineups play in a round robin, those in which a bidder has several seats, too.
        guests: how the bidders of users play.
    """

    game: str = "english"
    bidders: tuple[str, ...] = ()
    format: str = "round-robin"
    scenario: str | None = None
    items: int | None = None
    budget: float | None = None
    seats: int | None = None
    games: int | None = None
    seed: int = 0
    shard: Shard | None = None
    roles: str = "seats"
    order: str | None = None
    overestimate: float | None = None
    increment: float | None = None
    discount: bool | None = None
    ask_broke: bool | None = None
    changes: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    memories: str | None = None
    meta: bool = False
    guests: Guests = IN_PROCESS


def rule_changes(settings: Settings) -> JsonObject:
    """Return the arguments of `Scenario.changed` for the settings in AUCTION.

    Raises:
        ValueError: the game does not have one of them.
    """
    changes = {}
    for name, (argument, games) in AUCTION.items():
        value = getattr(settings, name)
        if value is not None:
            if settings.game not in games:
                raise ValueError(f"{name}: expected the game {' or '.join(games)}, got {settings.game}")
            changes[argument] = value
    return changes


SPELLINGS = {
    "seats": "num_bidders",
    "items": "num_items",
    "budget": "budget",
    **{name: argument for name, (argument, _) in AUCTION.items()},
}
"""Settings -> the argument of the environments that they set, too."""


def with_changes(scenario: Scenario, settings: Settings) -> Scenario:
    """Return a scenario with the values of `settings.changes`.

    Raises:
        ValueError: a value is out of range, there is no such argument, or another setting sets it, too.
    """
    values = assigned(settings.changes, "--set")
    for name, argument in SPELLINGS.items():
        spelled = {argument, *([scenario.ITEMS] if name == "items" else [])} & values.keys()
        if spelled and getattr(settings, name) is not None:
            both = f"--{name.replace('_', '-')} and --set {min(spelled)}"
            raise ValueError(f"{both}: expected one of them, got both")
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
    scenario = base_scenario(settings).changed(
        num_bidders=settings.seats, num_items=settings.items, budget=settings.budget, **rule_changes(settings)
    )
    return with_changes(scenario, settings)
