"""Text of housing auctions: the text of English auctions, with the bidder's personas."""

from __future__ import annotations

from aucenv.envs.english import words as english
from aucenv.envs.english.words import how_to_answer, read, refusal, reply_form, reply_writer, waiting_text
from aucenv.envs.harbor.view import View

__all__ = [
    "SOLD",
    "about_bidder",
    "describe",
    "how_to_answer",
    "read",
    "refusal",
    "reply_form",
    "reply_writer",
    "waiting_text",
]

SOLD = "What is sold are houses; only whoever wins a house pays for it, and nobody else pays anything."


def describe(view: View, since: tuple[int, int] | None = None) -> str:
    """Return a view as text: what has happened since the last decision, and what the seat has to decide.

    Args:
        since: (length of the history, number of the item) at the seat's last decision; None describes everything.
    """
    return english.describe(view, since, [*about_bidder(view), SOLD])


def about_bidder(view: View) -> list[str]:
    """Return the lines that describe the bidder's personas; an empty list if it has none."""
    return [f"Who you are: {' '.join(view.about_me)} Profit remains your goal."] if view.personas else []
