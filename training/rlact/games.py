"""The games that RLAct plays: those whose folder has a `learning.py`."""

from __future__ import annotations

from aucenv.core.checks import one_of
from aucenv.core.game_modules import LearningModule
from aucenv.core.seat_view import GameView
from aucenv.registration import FAMILIES


def trained_games() -> list[str]:
    """Their names."""
    return [name for name, family in FAMILIES.items() if family.game.learning is not None]


def learning_of(what: str, game: str) -> LearningModule:
    """What RLAct trains on in a game.

    Raises:
        ValueError: it does not play this game; lists those that it plays.
    """
    learning = FAMILIES[game].game.learning if game in FAMILIES else None
    if learning is None:
        one_of(what, game, trained_games())
    assert learning is not None
    return learning


def has_personas(view: GameView) -> bool:
    """Whether bidders of this View's game have personas, which rivals' bids tell of and decisions follow."""
    return hasattr(view, "personas")
