"""Housing auctions in words: those of English auctions, and who the bidder is."""

from __future__ import annotations

from aucenv.envs.english import text as english
from aucenv.envs.english.text import read, refusal, reply_writer, waiting_text
from aucenv.envs.harbor.view import View

__all__ = ["SOLD", "describe", "read", "refusal", "reply_writer", "waiting_text", "who"]

SOLD = "What is sold are houses; only whoever wins a house pays for it, and nobody else pays anything."


def describe(view: View, since: tuple[int, int] | None = None) -> str:
    """A view in words: what has happened since, and what is asked now.

    Args:
        since: (length of the history, number of the item) at the seat's last decision; None = tell everything.
    """
    return english.describe(view, since, [*who(view), SOLD])


def who(view: View) -> list[str]:
    """Who the bidder is; nothing, where it has no persona."""
    return [f"Who you are: {' '.join(view.about_me)} Profit remains your goal."] if view.personas else []
