"""Ready forms of decisions, one of which the words of a game name as REPLY: a bid or nothing, and yes or no.

From a form follow how replies are read and written, structured replies, and vector actions.
"""

from __future__ import annotations

import abc
import re
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from aucenv.core.boards.board import BID_SAID, Said
from aucenv.core.checks import suggestion
from aucenv.core.defaults.written_kernels import read, write_kernel
from aucenv.core.fields import ALL, ITEM, SEAT, Field, FieldsError, GameState
from aucenv.core.kernel import inlined
from aucenv.core.reader.bids import Bids
from aucenv.core.reader.json_objects import Fields
from aucenv.core.reader.lines import Line
from aucenv.core.reader.reading import Act, Reader
from aucenv.core.reader.refusals import only_value
from aucenv.core.reader.scope import is_asked
from aucenv.core.state import WITHDRAW
from aucenv.core.words import reply as replies
from aucenv.core.words.money import cents_of_share, format_dollars, to_cents
from aucenv.core.words.structured_reply import BID_OR_WITHDRAW, ReplyForm

Clip = Callable[[np.ndarray, int, int, int], int]
Kernels = tuple[Callable[..., int], Callable[..., int]]


class BidForm(abc.ABC):
    """A form of decisions.

    Args:
        of: The field of the seat's value, whose shares are amounts with `amount_scale="share"`.
    """

    structured: ReplyForm
    """The form of structured replies."""
    hint: str
    """The line that says how to answer in words."""
    said = BID_SAID
    """How decisions are said on boards."""

    def __init__(self, of: str) -> None:
        self.of = of

    @abc.abstractmethod
    def read(self, reply: str, rivals: Collection[str], yes: Callable[[], int]) -> int:
        """Return the cents that a reply means, or WITHDRAW.

        Args:
            yes: Returns the amount of a plain yes.

        Raises:
            Unreadable: The reply states no decision, or more than one.
        """

    @abc.abstractmethod
    def num_actions(self, template: np.ndarray) -> int:
        """Return the number of vector actions for a state with the constants of a scenario."""

    @abc.abstractmethod
    def refusal(self, amount: int, row: np.ndarray, yes: Callable[[], int]) -> str:
        """Return why the rules refuse an amount, as a predicate such as "is above $100"; "" if they have other reasons.

        Args:
            row: The state.
            yes: Returns the amount of a plain yes.
        """

    def write(self, amount: int) -> str:
        """Return the simplest reply for an amount in cents, or for WITHDRAW."""
        return replies.write_reply(amount)

    def kernels(self, state: type[GameState], clip: Clip) -> Kernels:
        """Return the kernels `amount` and `amount_of_share` of the vector actions.

        Raises:
            FieldsError: A field that the form names is unknown, or has the wrong dimensions.
        """
        self.check(state)
        names = {"WITHDRAW": WITHDRAW, "clip": clip, "cents_of_share": cents_of_share}
        value = read(state.FIELDS[self.of], "seat", 'min(g["item"], g["num_items"] - 1)')
        share = ["    g = state[b]", f"    worth = cents_of_share({value}, share)", *self._share()]
        return (
            write_kernel(state, ["def amount(state, b, seat, action):", *self._amount()], names, inlined),
            write_kernel(state, ["def amount_of_share(state, b, seat, share):", *share], names, inlined),
        )

    def check(self, state: type[GameState]) -> None:
        """Raise FieldsError if the form does not fit a State."""
        field = _field(state, f"{type(self).__name__}: of", self.of)
        if field.per not in ((SEAT,), (SEAT, ITEM)):
            raise FieldsError(f"{type(self).__name__}: of: expected a field per seat, or seat and item, got {field!r}")

    @abc.abstractmethod
    def _amount(self) -> Sequence[str]:
        """Return the source of `amount`, after its first line."""

    @abc.abstractmethod
    def _share(self) -> Sequence[str]:
        """Return the source of `amount_of_share`, after the definition of `worth`."""


def _field(state: type[GameState], where: str, name: str) -> Field[Any]:
    field = state.FIELDS.get(name)
    if field is None:
        hint = suggestion(name, state.FIELDS)
        raise FieldsError(f"{where}: expected the name of a field of State, got {name!r}{hint}")
    return field


class BidOrNothing(BidForm):
    """A bid in dollars, or nothing: action 0 abstains, and a >= 1 bids a - 1 steps, up to the highest bid.

    Args:
        step: The step between bids, in dollars, or the public field that has it.
        highest: The highest bid, in dollars, or the public field that has it.
        of: The field of the seat's value; a share of it is bid as the nearest legal amount.
    """

    structured = BID_OR_WITHDRAW
    hint = 'Reply with a bid such as "I bid $40!", or "I\'m out!" to make none.'

    def __init__(self, step: float | str = "step", highest: float | str = "high", of: str = "value") -> None:
        super().__init__(of)
        self.step, self.highest = step, highest

    def _cents(self, row: np.ndarray, amount: float | str) -> int:
        return int(row[amount]) if isinstance(amount, str) else to_cents(amount)

    def read(self, reply: str, rivals: Collection[str], yes: Callable[[], int]) -> int:
        return replies.read(reply, rivals)

    def num_actions(self, template: np.ndarray) -> int:
        highest, step = self._cents(template[0], self.highest), self._cents(template[0], self.step)
        if step < 1 or highest < step:
            raise FieldsError(
                f"BidOrNothing: expected a step of at least 1 cent and a highest bid of at least a step, got "
                f"{self.step!r} = {step} cents and {self.highest!r} = {highest} cents in the template of the scenario"
            )
        return highest // step + 2

    def refusal(self, amount: int, row: np.ndarray, yes: Callable[[], int]) -> str:
        highest, step = self._cents(row, self.highest), self._cents(row, self.step)
        if amount > highest:
            return f"is above the highest bid, {format_dollars(highest)}"
        return f"is not a multiple of {format_dollars(step)}" if amount % step else ""

    def check(self, state: type[GameState]) -> None:
        super().check(state)
        for name, value in (("step", self.step), ("highest", self.highest)):
            if not isinstance(value, str):
                continue
            field = _field(state, f"BidOrNothing: {name}", value)
            if field.per or field.visible_to is not ALL:
                raise FieldsError(f"BidOrNothing: {name}: expected a field that all seats see, got {field!r}")

    def _amount(self) -> Sequence[str]:
        step = f'state[b]["{self.step}"]' if isinstance(self.step, str) else to_cents(self.step)
        return [f"    return WITHDRAW if action == 0 else (action - 1) * {step}"]

    def _share(self) -> Sequence[str]:
        return ["    return clip(state, b, seat, worth)"]


_BEFORE = r"\W*(?:(?:so|then|therefore|hence)\W+)?(?:(?:my|the|final)\s+(?:\w+\s+)?(?:answer|decision|reply)\s+is\W+)?"
_YES = re.compile(
    rf"{_BEFORE}(?:(?:yes|yeah|yep|sure)(?!\W+(?:or\W+)?no\b)|i\s+(?:(?:will|would|want\s+to)\s+)?(?:accept|agree|buy|take\s+it))\b"
)
_NO = re.compile(
    rf"{_BEFORE}(?:(?:no|nope)(?=\W*$|\s*[,.!:;-])|i\s+(?:will\s+|do\s+)?(?:decline|refuse|reject|not\s+(?:accept|agree|buy|take\s+it))\b)"
)


class _Answers(Bids):
    """The grammar of yes and no: 0 is yes."""

    def acts(self, sentence: str, line: Line, is_first: bool, amounts: Sequence[int]) -> list[Act]:
        """Return the answers that a sentence states, in order."""
        if is_asked(sentence, len(sentence)):
            return []
        for pattern, value in ((_YES, 0), (_NO, WITHDRAW)):
            match = pattern.match(sentence)
            if match:
                return [Act(match.start(), match.end(), (value,))]
        return []

    def object_values(self, fields: Fields, read_words: Callable[[str], list[int]], currency: str) -> list[int]:
        """Return the answers of a JSON object."""
        return [value for act in (*fields.acts, *fields.speeches) for value in read_words(act)]


class YesOrNo(BidForm):
    """Yes or no: action 0 is no, and action 1 is yes, the nearest legal amount to $0, such as a posted price.

    Args:
        of: The field of the seat's value; a share of it is yes if it reaches the amount.
    """

    structured = ReplyForm((("yes", "null"), ("no", "null")))
    said = Said("says no", "says yes")
    hint = 'Reply with "Yes." or "No."'
    _grammar = _Answers()

    def __init__(self, of: str = "value") -> None:
        super().__init__(of)

    def read(self, reply: str, rivals: Collection[str], yes: Callable[[], int]) -> int:
        reader = Reader(self._grammar, rivals, "dollar")
        answers = reader.decisions(reply)
        if not answers:
            return replies.read(reply, rivals)  # a bid, or nothing
        value = only_value(answers, reader.is_empty, _in_words, hint=self.hint, currency="dollar")
        return yes() if value == 0 else WITHDRAW

    def num_actions(self, template: np.ndarray) -> int:
        return 2

    def refusal(self, amount: int, row: np.ndarray, yes: Callable[[], int]) -> str:
        return f"is not the amount of a yes, {format_dollars(yes())}"

    def _amount(self) -> Sequence[str]:
        return ["    return WITHDRAW if action == 0 else clip(state, b, seat, 0)"]

    def _share(self) -> Sequence[str]:
        return ["    price = clip(state, b, seat, 0)", "    return price if worth >= price else WITHDRAW"]


def _in_words(value: int) -> str:
    return "yes" if value == 0 else "no"
