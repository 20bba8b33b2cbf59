"""The games that RLAct can play: those with a `learning.py` module."""

from __future__ import annotations

from aucenv.core.checks import one_of
from aucenv.core.game_modules import LearningModule
from aucenv.core.scenarios import Scenario
from aucenv.core.views.seat_view import GameView
from aucenv.registration import FAMILIES


def trained_games() -> list[str]:
    """Return the names of the games that RLAct can play."""
    return [name for name, family in FAMILIES.items() if family.game.learning is not None]


def learning_module(where: str, game: str) -> LearningModule:
    """Return a game's `learning.py` module.

    Args:
        where: the place of the name, for error messages.

    Raises:
        ValueError: RLAct cannot play this game.
    """
    learning = FAMILIES[game].game.learning if game in FAMILIES else None
    if learning is None:
        one_of(where, game, trained_games())
    assert learning is not None
    return learning


def has_personas(view: GameView) -> bool:
    """Return whether the bidders of a View's game have personas, as in housing auctions."""
    return hasattr(view, "personas")


def other_objective(bidder: str, scenario: Scenario) -> str | None:
    """Return why a bidder that maximizes profit cannot play a scenario in which a bidder pursues something else.

    Args:
        bidder: the kind of the bidder.

    Returns:
        None if all bidders of the scenario maximize profit.
    """
    if all(getattr(each, "objective", "profit") == "profit" for each in scenario.bidders):
        return None
    return f"{bidder} maximizes profit, but a bidder of the scenario has another objective"
