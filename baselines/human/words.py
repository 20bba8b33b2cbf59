"""What people read at a table, and the words in which their answers are recorded."""

from __future__ import annotations

from aucenv.core.adapters.actions import NoAction, action_cents
from aucenv.core.game import Game
from aucenv.core.views.seat_view import GameView
from aucenv.core.words.reply import Unreadable


def for_people(text: str, view: GameView, game: Game) -> str:
    """Return a text of a view without the line that says how to answer in words.

    People have buttons and fields, and an example in that line may suggest a bid.
    """
    how_to_answer = getattr(game.words, "how_to_answer", None)
    if how_to_answer is None or view.status != "running":
        return text
    left_out = how_to_answer(view)
    return "\n".join(line for line in text.split("\n") if line != left_out)


def simplest_words(cents: int, view: GameView, game: Game) -> str:
    """Return the simplest reply in words for an amount."""
    return game.words.reply_writer(getattr(view.scenario_text, "scenario", None))(cents)


def cents_of(words: str, view: GameView, game: Game) -> int:
    """Return the amount in cents that a reply in words means to the table.

    Raises:
        Unreadable, NoAction: it means none.
    """
    return action_cents(words, "text", view.seat_number, view.row, game, view.scenario_text)


def why_refused(words: str, view: GameView, game: Game) -> str | None:
    """Return why the table refuses a reply in words; None if it accepts it."""
    try:
        cents = cents_of(words, view, game)
    except (Unreadable, NoAction) as error:
        return str(error)
    code = game.rules.check(view.row, 0, view.seat_number, cents)
    return game.words.refusal(view.row, view.seat_number, cents, code, view.scenario_text) if code else None
