"""Words by default, from the form of replies that a game's words name, and from its fields."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

import numpy as np

from aucenv.core.defaults.bid_forms import BidForm
from aucenv.core.defaults.features import shown_fields
from aucenv.core.defaults.view import words_of
from aucenv.core.fields import ALL, BY_HIDE, ITEM, OWNER, Field
from aucenv.core.game_modules import RulesModule
from aucenv.core.records.figures import is_amount
from aucenv.core.views.seat_view import GameView
from aucenv.core.words.money import format_dollars, money
from aucenv.core.words.structured_reply import ReplyForm

Since = tuple[int, int] | None
PARTS = ("rules", "question")
"""The functions that words with REPLY must define besides it, if they do not define `describe`."""


class DefaultWords:
    """The text module of a game whose words name a form of replies: what they define, and defaults for the rest.

    `describe` joins `rules(view)`, `closed(view, j)` of the closed items that are new, and `question(view)`.

    Args:
        module: The words of the game.
        rules: The game's rules.
    """

    def __init__(self, module: Any, rules: RulesModule) -> None:
        self._module, self._rules = module, rules
        self.REPLY: BidForm = module.REPLY
        for name in ("describe", "refusal", "read", "reply_writer", "reply_form", "how_to_answer", "waiting_text"):
            if hasattr(module, name):
                setattr(self, name, getattr(module, name))
        self._closed = getattr(module, "closed", None) or _Closed(rules).closed

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._module, name)

    def describe(self, view: GameView, since: Since = None) -> str:
        """Return a view in words: the rules at first, the closed items that are new, and what to decide."""
        parts = [f"{self._module.rules(view)}\n{self.how_to_answer(view)}"] if since is None else []
        parts += [self._closed(view, j) for j in range(0 if since is None else since[1], view.item_number)]
        if view.must_decide:
            parts.append(self._module.question(view))
        elif view.status == "running":
            parts.append(self.waiting_text(view.scenario_text))
        else:
            parts.append(" ".join(["The game is over.", *self._score(view)]))
        if view.refused:
            parts.append(f"Your last reply was refused: {view.refused}.")
        return "\n\n".join(parts)

    def _score(self, view: GameView) -> Iterator[str]:
        name = self._rules.RESULT[0]
        score = getattr(view, name, None)
        if isinstance(score, (int, float)):
            yield f"Your {name.replace('_', ' ')} is {money(score) if is_amount(name) else f'{score:,}'}."

    def refusal(self, state: np.ndarray, seat: int, amount: int, code: int, scenario_text: Any) -> str:
        """Return the reason why `rules.check` refuses an amount: that of the form, or the name in REFUSALS."""
        reason = self.REPLY.refusal(amount, state[0], lambda: self._yes(state, seat))
        return f"{format_dollars(amount)} {reason or self._named(code)}"

    def _named(self, code: int) -> str:
        return f"is refused: {self._rules.REFUSALS[code].replace('_', ' ')}"

    def _yes(self, state: np.ndarray, seat: int) -> int:
        """Return the nearest legal amount to $0."""
        return int(self._rules.clip(state, 0, seat, 0))

    def read(self, reply: str, rivals: Collection[str], scenario_text: Any, state: np.ndarray) -> int:
        """Return the cents that a reply means, or WITHDRAW."""
        seat = next(number for number, name in enumerate(scenario_text.names) if name not in rivals)
        return self.REPLY.read(reply, rivals, lambda: self._yes(state, seat))

    def reply_writer(self, scenario: Any) -> Callable[[int], str]:
        """Return the function that writes the simplest reply for an amount."""
        return self.REPLY.write

    def reply_form(self, scenario_text: Any) -> ReplyForm:
        """Return the form of structured replies."""
        return self.REPLY.structured

    def how_to_answer(self, view: GameView) -> str:
        """Return the line that says how to answer in words."""
        return self.REPLY.hint

    def waiting_text(self, scenario_text: Any) -> str:
        """Return the text for a seat that has decided, while others have not."""
        return "You have decided; others are still deciding."


class _Closed:
    """A closed item in words, from the fields that the seat sees.

    Args:
        rules: The game's rules.
    """

    def __init__(self, rules: RulesModule) -> None:
        self._fields = [field for field in shown_fields(rules.State) if ITEM in field.per]

    def closed(self, view: GameView, j: int) -> str:
        """Return what a seat knows of closed item `j`."""
        seat = view.seat_number
        facts = [f"{words_of(field)} {value_in_words(field, view, seat, j)}" for field in self._fields]
        return f"Round {j + 1}: {', '.join(facts)}."


def value_in_words(field: Field[Any], view: GameView, seat: int, item: int) -> str:
    """Return a value of a field: `$40`, `yes`, `none`; a question mark if the seat of the view does not see it."""
    index = tuple(item if each == ITEM else seat for each in field.per)
    if not (view.reveals or sees(field, view, index)):
        return "?"
    value = field.unit.public(int(view.row[field.name][0][index]), view.scenario_text)
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return money(value) if field.unit.divisor == 100 else str(value)


def sees(field: Field[Any], view: GameView, index: tuple[int, ...]) -> bool:
    """Return whether the seat of a view sees the value of a field at an index."""
    if field.visible_to in (ALL, BY_HIDE):
        return True
    if field.visible_to is OWNER:
        return index[0] == view.seat_number
    condition = field.visible_to.condition
    plain: Any = getattr(condition, "py_func", condition)
    return plain is not None and bool(plain(view.row[0], view.seat_number, *index))
