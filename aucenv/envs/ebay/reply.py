"""Replies in words to a proxy auction: a new maximum, or a hold.

Maxima are read as bids are (`core.reader.bids`), with "my maximum" in place of "my bid"; words with which one would
leave another auction hold. A maximum takes effect at once: conditions and other days void it. The maximum that the seat
has is no decision where it is only mentioned.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence

from aucenv.core.reader.amounts import UNCLEAR, cents_of_value
from aucenv.core.reader.bids import Bids
from aucenv.core.reader.json_objects import Fields
from aucenv.core.reader.lines import DECISION, FIGURE, Line
from aucenv.core.reader.markup import plain
from aucenv.core.reader.reading import Act, Reader
from aucenv.core.reader.refusals import Unreadable, only_value
from aucenv.core.reader.scope import is_stated
from aucenv.core.state import NOBODY, WITHDRAW
from aucenv.core.words.money import CURRENCIES, format_dollars
from aucenv.envs.ebay import phrases
from aucenv.envs.ebay.wording import CONDITION, HINT

__all__ = ["HOLD", "read_maximum", "write_maximum"]

HOLD = WITHDRAW


def write_maximum(amount: int, currency: str = "dollar") -> str:
    """Return the simplest reply for a maximum in cents, or for HOLD."""
    return "I hold." if amount < 0 else f"I raise my maximum to {format_dollars(amount, CURRENCIES[currency])}."


def read_maximum(
    reply: str, names: Collection[str] = (), currency: str = "dollar", earlier: int = NOBODY, day: int = 0
) -> int:
    """Return the decision of a reply: the new maximum in cents, or HOLD.

    Args:
        reply: The reply.
        names: The rivals' names; a line that begins with one of them and a colon is ignored.
        currency: One of `CURRENCIES`; amounts may have its sign or name, and those of other currencies are refused.
        earlier: The maximum that the seat has, in cents; NOBODY if it has none.
        day: The day, from 1; 0 if it is unknown.

    Raises:
        Unreadable: The reply has no decision, more than one, or one that depends on a condition.
    """
    grammar = _Maxima(earlier, day)
    reader = Reader(grammar, names, currency)
    for key, read_as in phrases.KEYS:
        reply = key.sub(read_as, reply)
    reply = re.sub(rf"(?im)^(\W{{0,6}})day\s+{day}\s*[:.,-]+\s*", r"\1", reply)  # a heading
    values = reader.decisions(reply)
    if not values and grammar.has_condition:
        raise Unreadable(CONDITION.format(hint=HINT.format(sign=CURRENCIES[currency])))

    def to_words(value: int) -> str:
        return format_dollars(value, CURRENCIES[currency]) if value >= 0 else "I hold"

    return only_value(values, reader.is_empty, to_words, hint=HINT, currency=currency)


class _Maxima(Bids):
    """The grammar of proxy auctions.

    Args:
        earlier: the maximum that the seat has, in cents, or NOBODY.
        day: the day, from 1; 0 if it is unknown.

    Attributes:
        has_condition: whether a sentence that was read has a decision and a condition.
    """

    def __init__(self, earlier: int, day: int) -> None:
        self._earlier, self._day = earlier, day
        self.has_condition = False

    def acts(self, sentence: str, line: Line, is_first: bool, amounts: Sequence[int]) -> list[Act]:
        """Return the maxima and holds that a sentence states."""
        self.has_condition |= bool(phrases.CONDITION.search(sentence))
        is_labelled = phrases.LABEL.fullmatch(line.name) is not None
        if is_labelled:
            line = line._replace(label=DECISION)
        holds = list(self._holds(sentence, line))
        as_bid = _as_bid(sentence)
        maxima = [
            act
            for act in super().acts(as_bid, line, is_first, amounts)
            if not any(act.start < hold.end and hold.start < act.end for hold in holds)
            and not self._is_mentioned(act, as_bid, is_labelled)
            and not self._is_for_another_day(sentence, act)
        ]
        acts = [
            act
            for act in (*holds, *maxima)
            if not (act.is_order and line.in_list and phrases.EXPLAINED.match(sentence, act.end))
        ]
        return sorted(acts, key=lambda act: act.start)

    def _holds(self, sentence: str, line: Line) -> Iterator[Act]:
        for match in phrases.HOLDS.finditer(sentence):
            act = Act(match.start(), match.end(), (HOLD,), is_order=match["order"] is not None)
            figure = act.is_order and line.label == FIGURE
            if not figure and is_stated(sentence, match.start(), match.end(), is_out=False):
                yield act

    def _is_mentioned(self, act: Act, as_bid: str, is_labelled: bool) -> bool:
        """Return whether an act only mentions the maximum that the seat has."""
        return act.values == (self._earlier,) and (is_labelled or phrases.STATES.match(as_bid, act.start) is not None)

    def _is_for_another_day(self, sentence: str, act: Act) -> bool:
        """Return whether a sentence announces a maximum for another day."""
        for other in phrases.OTHER_DAY.finditer(sentence):
            if other["day"] is not None and int(other["day"]) == self._day:
                continue
            between = (
                sentence[other.end() : act.start] if other.start() < act.start else sentence[act.end : other.start()]
            )
            if not phrases.ENDS_OTHER_DAY.search(between) and len(between.split()) < 4:
                return True
        return False

    def object_values(self, fields: Fields, read_words: Callable[[str], list[int]], currency: str) -> list[int]:
        """Return the decisions of a JSON object."""
        acts = [plain(act) for act in fields.acts]
        if any(phrases.HOLD_ACT.fullmatch(act) for act in acts):
            stated = [cents_of_value(value, currency) for value in fields.amounts.values() if value]
            raises = any(phrases.RAISE_ACT.fullmatch(act) for act in acts)
            return [UNCLEAR] if raises or any(cents not in (None, self._earlier) for cents in stated) else [HOLD]
        fields.acts = [
            "raise" if phrases.RAISE_ACT.fullmatch(act) else words for act, words in zip(acts, fields.acts, strict=True)
        ]
        return super().object_values(fields, read_words, currency)


def _as_bid(sentence: str) -> str:
    """Return a sentence of the same length that speaks of "my bid" in place of the maximum."""

    def bid(match: re.Match[str]) -> str:
        return ("my bid" if len(match[0]) >= len("my bid") else "bid").ljust(len(match[0]))

    sentence = phrases.MAXIMUM.sub(bid, sentence)
    sentence = phrases.UPDATES.sub(lambda each: ("raising" if each["ing"] else "raise").ljust(len(each[0])), sentence)
    sentence = phrases.AT.sub(lambda match: f"{match['verb']}to", sentence)
    for words in phrases.FILLERS:
        sentence = words.sub(lambda match: " " * len(match[0]), sentence)
    return sentence
