"""Replies in words to a clock: stay, leave, wait, or take the prize, now or at a price.

A decision for this tick ("I stay") and one at a price ("I leave at $36")
are compatible if neither leaves or takes the prize now; the later one counts. A limit that is only mentioned ("my limit
is $36") counts only if the reply has no other decision; otherwise it is read as the reason for that decision.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence

from aucenv.core.reader.amounts import UNCLEAR, U, cents_of, cents_of_value
from aucenv.core.reader.bidding import RETORT
from aucenv.core.reader.json_objects import Fields
from aucenv.core.reader.languages import foreign_acts
from aucenv.core.reader.lines import FIGURE, Line
from aucenv.core.reader.phrases import ANY, X
from aucenv.core.reader.reading import Act, Reader
from aucenv.core.reader.refusals import VAGUE, only_value
from aucenv.core.reader.scope import is_asked, is_led_up_to
from aucenv.core.reader.wording import acts_in_words
from aucenv.core.words.money import CURRENCIES, format_dollars
from aucenv.envs.clock.phrases import (
    ASCENDING,
    BIDDING,
    CONDITION_AFTER,
    DEFERRED,
    DEFERRED_BEFORE,
    DESCENDING,
    END,
    FIRST,
    LATER,
    LEAVING,
    LIMIT_LABEL,
    NO_WORDS,
    PAST,
    RELATIVE,
    STAY,
    STAYING,
    TAKE,
    TAKING,
    VAGUELY,
    WAIT,
    WAIT_ALONE,
    WAITING,
    Clock,
    ClockAct,
)

__all__ = ["STAY", "TAKE", "WAIT", "read_ascending", "read_descending", "write_ascending", "write_descending"]


def write_ascending(amount: int, currency: str = "dollar") -> str:
    """Return the simplest reply to a rising clock for WITHDRAW, STAY, or a price in cents at which to leave."""
    return _sentence(amount, ASCENDING, currency)


def write_descending(amount: int, currency: str = "dollar") -> str:
    """Return the simplest reply to a falling clock for WAIT, TAKE, or a price in cents at which to take the prize."""
    return _sentence(amount, DESCENDING, currency)


def read_ascending(reply: str, names: Collection[str] = (), currency: str = "dollar", language: str = "english") -> int:
    """Return the decision of a reply to a rising clock: WITHDRAW, STAY, or the price in cents at which to leave.

    Args:
        names: the rivals' names; a line that begins with one of them and a colon is ignored.
        currency: one of `CURRENCIES`; amounts may have its sign or name, and those of other currencies are refused.
        language: the language of the error's message.

    Raises:
        Unreadable: the reply has no decision, or contradictory ones.
    """
    return _read(reply, names, currency, language, ASCENDING)


def read_descending(
    reply: str, names: Collection[str] = (), currency: str = "dollar", language: str = "english"
) -> int:
    """Return the decision of a reply to a falling clock: WAIT, TAKE, or the price in cents at which to take the prize.

    Arguments and errors are those of `read_ascending`.
    """
    return _read(reply, names, currency, language, DESCENDING)


class _Grammar:
    """The decisions that replies to a clock can state.

    Args:
        clock: the acts of the clock.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def acts(self, sentence: str, line: Line, is_first: bool, amounts: Sequence[int]) -> list[Act]:
        """Return the acts that a sentence states, in order."""
        if is_asked(sentence, len(sentence)):
            return []
        acts: list[Act] = []
        heads = [(match.start(), act, match) for act in self._clock.acts for match in act.head.finditer(sentence)]
        for start, act, head in sorted(heads, key=lambda h: h[0]):
            values, end = _read_act(sentence, head, act, amounts)
            if head["elided"] and not (acts and values and values[0] > 0):
                continue
            is_order = not re.match(r"(?:\W*\w+\W+)?(?:i|let)\b", head[0])
            if values and not (is_order and line.label == FIGURE):
                is_interjection = is_order and values == [WAIT] and WAIT_ALONE.fullmatch(sentence) and not line.label
                acts.append(Act(start, end, tuple(values), is_soft=bool(is_interjection), is_order=is_order))
        for limit in self._clock.limit.finditer(sentence):
            if is_led_up_to(sentence[: limit.start()]) and not PAST.search(limit[0]):
                is_mentioned = limit[0].startswith("my") and line.label == ""
                values = [value or UNCLEAR for value in _values(limit, amounts)]
                acts.append(Act(limit.start(), limit.end(), tuple(values), is_soft=is_mentioned))
        if LIMIT_LABEL.fullmatch(line.name) and (cents := _lone_price(sentence, amounts)):
            acts.append(Act(0, len(sentence), (cents,), is_soft=line.name.startswith("my")))
        acts += [Act(bid.start(), bid.end(), (UNCLEAR,)) for bid in BIDDING.finditer(sentence)]
        acts += self._foreign(sentence, amounts)
        return sorted(acts, key=lambda act: act.start)

    def _foreign(self, sentence: str, amounts: Sequence[int]) -> Iterator[Act]:
        ends, runs = self._clock.foreign
        for act in foreign_acts(sentence, (*ends, *runs)):
            value = self._clock.acts[0 if act.kind in ends else 1].now
            if act.amount and act.kind in ends:
                value = cents_of(act.amount, amounts) or UNCLEAR
            yield Act(act.start, act.end, (value,))

    def object_values(self, fields: Fields, read_words: Callable[[str], list[int]], currency: str) -> list[int]:
        """Return the decisions of a JSON object."""
        ends, runs = (act.now for act in self._clock.acts)
        values = [value for act in fields.acts for value in read_words(act)]
        if fields.leaves and self._clock is ASCENDING:
            values = [ends]
        worth = fields.amounts.pop("value", None)
        prices = [value for value in fields.amounts.values() if value is not None]
        if worth is not None and not prices and values and values != [runs]:
            return [UNCLEAR]  # a price to act at, or what the prize is worth
        if not prices or not (values or (not fields.acts and "limit" in fields.amounts)):
            return values
        price = cents_of_value(prices[0], currency) or UNCLEAR
        if values == [runs]:  # waiting at a price has no meaning
            return [UNCLEAR] if self._clock is DESCENDING else [price]
        return [*(value for value in values if value > 0), price]

    def ends(self, value: int) -> bool:
        """Return whether a decision has no price."""
        return value <= 0

    def with_amount(self, value: int, cents: int) -> int:
        """Return the decision under a label, with the amount under the next one."""
        return (cents or UNCLEAR) if value == self._clock.acts[0].now else value


def _read(reply: str, names: Collection[str], currency: str, language: str, clock: Clock) -> int:
    reader = Reader(_Grammar(clock), names, currency)
    values = _resolve(reader.decisions(reply), clock)
    ends, runs = clock.words

    def to_words(value: int) -> str:
        if value > 0:
            return acts_in_words(language, format_dollars(value, CURRENCIES[currency]))[f"{ends}_at"]
        return acts_in_words(language)[ends if value == clock.acts[0].now else runs]

    return only_value(values, reader.is_empty, to_words, hint=clock.hint, currency=currency, language=language)


def _resolve(values: list[int], clock: Clock) -> list[int]:
    """Return the decisions that count: one for this tick and one at a price agree, and the later counts."""
    runs = clock.acts[1].now
    if runs in values:
        values = [value for value in values if value != VAGUE]
    if values and all(value == runs or value > 0 for value in values):
        return [runs] if values[-1] == runs else [value for value in values if value != runs]
    return values


def _sentence(amount: int, clock: Clock, currency: str) -> str:
    ends, runs = clock.words
    for act, words in zip(clock.acts, (ends, runs), strict=True):
        if amount == act.now:
            return f"{acts_in_words('english')[words]}!"
    return f"{acts_in_words('english', format_dollars(max(amount, 0), CURRENCIES[currency]))[f'{ends}_at']}!"


def _values(match: re.Match[str], amounts: Sequence[int]) -> list[int]:
    """Return the cents of a matched price and of its alternative, or what stands in their place."""
    words = match.groupdict()
    if words["amount"] is None:
        return [VAGUE if words["vague"] else UNCLEAR]
    return [cents_of(words[group], amounts) for group in ("amount", "other") if words[group]]


def _lone_price(sentence: str, amounts: Sequence[int]) -> int:
    """Return the cents of a sentence that is only an amount; 0 if it is anything else."""
    text = sentence.strip(" .!()\"'")
    return cents_of(text, amounts) if re.fullmatch(ANY, text) else 0


def _read_act(text: str, head: re.Match[str], act: ClockAct, amounts: Sequence[int]) -> tuple[list[int], int]:
    """Return the decision of an act in a clause, empty if it is not stated, and the index at which its text ends."""
    before = text[: head.start()]
    end, verb = head.end(), head.start("about")
    price = act.at_a_price.match(text, end) or act.at_a_price.match(text, verb)
    first = FIRST.match(before)
    if first:
        stated = not (first["when"] and act in (STAYING, WAITING))
    else:
        late = LATER.search(before) or DEFERRED_BEFORE.search(before) or RELATIVE.search(text[:verb])
        stated = not late and is_led_up_to(before)
    if re.search(r"\bonly\b", head[0]) or re.search(r"/\s*$", before) or re.match(r"\s*/", text[end:]):
        stated = False
    if not stated or (act is WAITING and re.match(rf"{NO_WORDS}(?:wait|hold)\s*,", text)):
        return [], end
    if CONDITION_AFTER.match(text, price.end() if price else end):
        return [], end
    if price:
        retort = RETORT.match(text, price.end())
        return [value or UNCLEAR for value in _values(retort or price, amounts)], (retort or price).end()
    if DEFERRED.match(text, end) or not END.match(text, end):
        piece = re.split(r"[;:(]|,\s", text[end:])[0]
        at_a_price = DEFERRED.match(piece) and re.search(rf"{ANY}|{VAGUELY}", piece, X)
        return ([UNCLEAR if re.search(U, piece) else VAGUE] if at_a_price else []), end
    if first and act in (LEAVING, TAKING):
        return [value or UNCLEAR for value in _values(first, amounts)], end
    return [act.now], end
