"""The grammar of auctions: bids with an amount, and withdrawals."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from aucenv.core.reader import languages
from aucenv.core.reader.amounts import FIRST_CLEAR, PRIVATE, UNCLEAR, A, cents_of, cents_of_value, in_dollars
from aucenv.core.reader.bidding import BID, LONE, RETORT
from aucenv.core.reader.json_objects import STAKES, Fields
from aucenv.core.reader.leaving import OUT, SOFT_OUT
from aucenv.core.reader.lines import DECISION, FIGURE, Line
from aucenv.core.reader.markup import plain
from aucenv.core.reader.phrases import compiled
from aucenv.core.reader.reading import Act
from aucenv.core.reader.refusals import MINIMUM, VAGUE
from aucenv.core.reader.scope import is_stated
from aucenv.core.state import WITHDRAW
from aucenv.core.words.money import MAX_DOLLARS, to_cents

_BIDDING = re.compile(
    r"(?:to\s+)?(?:bid|raise|(?:place|make|submit|enter|send|put)\s+(?:an?\s+)?(?:bid|offer)|offer|yes|call|respond|buy|bidding"
    r"|raise\s+bid)\W*"
)
MAX_AMOUNTS = 30
"""A sentence with more amounts lists figures and states no bid."""
_NO_BID = re.compile(r"(?:do\s+not|no|not)\s+(?:to\s+)?(?:bid|raise)\W*")
_LEAVING_WORDS = re.compile(r"(?:none|no|no\s+bid|n/?a|nothing|null)\W*")
_LEAVE_HINT = re.compile(
    """out|withdr|pass|fold|abst|quit|leav|exit|drop|bow|back|step|stop|declin|refus|sit|call|conce|yield|skip|give|let|not
    |no |no$|have|take|walk|retir|resign|surren|forfeit|towel|done|finish|through|yours|tap|bail|keep|discontin
    |relinquish|stand|cede""".replace("\n    ", "")
)
"""A quick test: no sentence without one of these states a withdrawal in English."""
_IS_SUBJECT = re.compile(
    r"\s+(?:(?!this\b|thus\b|always\b)[a-z]{2,}s|would|will|could|might|may|should|can|was|had|did)\b"
)
_HAS_I = re.compile(r"(?:\W*(?:\w+\W+){0,4}?|[^,]*,\s*)i\b")
"""The subject of a sentence, which a second verb shares."""
_HAS_BUDGET = re.compile(r"\b(?:start|begin|open|continue|go)\w*\s+with\s+(?:a|my)\s+(?:\w+\s+)?(?:budget|balance)\b")
_READY_TO_GO = re.compile(r"\b(?:prepared|willing|ready)\s+to\s+(?:go|pay|climb)\b")
_NOT_MINE = re.compile(r"\((?:the\s+)?(?:current|standing|minimum|min|max|maximum|previous|last|highest|leading)\b")
_MINIMUM_LABELS = ("the minimum", "minimum", "the minimum bid", "minimum bid")
_ONLY_AMOUNT = re.compile(rf"[^\w{PRIVATE}]*{A}[^\w{PRIVATE}?]*")


class Bids:
    """The grammar of auctions."""

    def acts(self, sentence: str, line: Line, is_first: bool, amounts: Sequence[int]) -> list[Act]:
        """Return the bids and withdrawals that a sentence states."""
        acts: list[Act] = []
        num_amounts = sum(ord(c) >= FIRST_CLEAR for c in sentence)
        has_amount = 0 < num_amounts <= MAX_AMOUNTS
        if has_amount or "minimum" in sentence or "least" in sentence or " bid" in f" {sentence}":
            acts += self._bids(sentence, line, amounts)
        if has_amount:
            acts += self._lone(sentence, line, is_first, amounts, bool(acts))
        if _LEAVE_HINT.search(sentence):
            acts += self._withdrawals(sentence, line)
        if not sentence.isascii() or languages.languages()["spanish"].used.search(sentence):
            acts += self._foreign(sentence, amounts)
        acts.sort(key=lambda act: act.start)
        if acts and has_amount:
            acts += self._retorts(sentence, acts, amounts)
        return acts

    def _bids(self, sentence: str, line: Line, amounts: Sequence[int]) -> Iterator[Act]:
        for match in compiled(BID).finditer(sentence):
            order = match["order"] is not None
            if order and line.label == FIGURE:
                continue
            if match["elided"] is not None and not _HAS_I.match(sentence):
                continue
            if order and "?" in sentence[-8:]:
                continue
            if order and _IS_SUBJECT.match(sentence, match.end()) and re.match(r"\w+ing\b", match["order"].lstrip()):
                continue
            if _HAS_BUDGET.search(match[0]):
                continue
            if is_stated(sentence, match.start(), match.end(), is_out=False):
                start = match.start("order") if order else match.start()
                soft = match["limit"] is not None or bool(_READY_TO_GO.search(match[0]))
                values = (UNCLEAR,) if _READY_TO_GO.search(match[0]) else _values(match, amounts)
                yield Act(start, match.end(), values, soft, order)

    def _lone(self, sentence: str, line: Line, is_first: bool, amounts: Sequence[int], has_bid: bool) -> Iterator[Act]:
        """Return the act of a sentence that is only an amount."""
        is_minimum = line.label == FIGURE and is_first and line.is_last and line.name in _MINIMUM_LABELS
        if (line.label == FIGURE and not is_minimum) or has_bid or sentence.endswith("?") or _NOT_MINE.search(sentence):
            return
        is_here = (
            line.label == DECISION
            or (line.is_last and (not line.in_list or is_first))
            or (is_first and "!" in sentence)
        )
        is_heading = is_first and not is_here and _ONLY_AMOUNT.fullmatch(line.text) is not None
        match = compiled(LONE).match(sentence) if is_here or is_heading else None
        if match and is_stated(sentence, match.start(), match.end(), is_out=False):
            values = _values(match, amounts)
            if not is_heading or 0 <= values[0] < to_cents(MAX_DOLLARS):
                yield Act(match.start(), match.end(), values, is_heading=is_heading)

    def _withdrawals(self, sentence: str, line: Line) -> Iterator[Act]:
        firm = [
            match
            for match in compiled(OUT).finditer(sentence)
            if not (match["order"] is not None and (line.label == FIGURE or "?" in sentence[-8:]))
            and is_stated(sentence, match.start(), match.end(), is_out=True)
        ]
        soft = [
            match for match in compiled(SOFT_OUT).finditer(sentence)
            if is_stated(sentence, match.start(), match.end(), is_out=True)
        ]  # fmt: skip
        for match in soft:
            yield Act(match.start(), match.end(), (WITHDRAW,), is_soft=True)
        for match in firm:
            if not any(match.start() < other.end() and other.start() < match.end() for other in soft):
                later = sentence.startswith("then ")
                yield Act(match.start(), match.end(), (WITHDRAW,), is_soft=later, is_order=match["order"] is not None)
        if not firm and line.label == DECISION and "bid" in line.name and _LEAVING_WORDS.fullmatch(sentence):
            yield Act(0, len(sentence), (WITHDRAW,))

    def _foreign(self, sentence: str, amounts: Sequence[int]) -> Iterator[Act]:
        for act in languages.foreign_acts(sentence, (languages.BID, languages.LEAVE)):
            if act.kind == languages.BID or not act.amount:
                values = (cents_of(act.amount, amounts),) if act.amount else (WITHDRAW,)
                yield Act(act.start, act.end, values)

    def _retorts(self, sentence: str, acts: Sequence[Act], amounts: Sequence[int]) -> Iterator[Act]:
        """Return the amounts that correct an earlier one in the same sentence."""
        for match in RETORT.finditer(sentence, acts[0].end):
            if not any(act.start < match.end() and match.start() < act.end for act in acts):
                yield Act(match.start(), match.end(), (cents_of(match["amount"], amounts),))

    def object_values(self, fields: Fields, read_words: Callable[[str], list[int]], currency: str) -> list[int]:
        """Return the decisions of a JSON object."""
        if not fields.stays and not any(fields.amounts.values()):
            return [WITHDRAW]
        if fields.leaves:
            return [UNCLEAR] if any(value for value in fields.amounts.values()) else [WITHDRAW]
        values = [value for act in (*fields.acts, *fields.speeches) for value in _act_values(act, read_words)]
        stakes = {key: value for key, value in fields.amounts.items() if STAKES & set(key.split("_"))}
        bids = any(_BIDDING.fullmatch(plain(act)) for act in fields.acts)
        if WITHDRAW in values:
            contradicts = bids or any(isinstance(v, (int, float)) and v > 0 for v in stakes.values())
            return [*values, UNCLEAR] if contradicts else values
        if fields.acts and not bids and not values:
            return []
        amounts = (
            fields.amounts
            if bids
            else {key: v for key, v in fields.amounts.items() if key in stakes or "amount" in key}
        )
        amounts = {key: value for key, value in amounts.items() if value is not True}
        if values and not amounts:
            return values
        if [*amounts] == ["bid"] and (amounts["bid"] is False or (amounts["bid"] is None and not fields.acts)):
            return [WITHDRAW]
        if fields.currency and in_dollars(f"1 {fields.currency}", currency).split() != ["1", "$"]:
            return [UNCLEAR]
        if not amounts and (bids or fields.amounts):
            return [UNCLEAR]
        return values + [value for amount in amounts.values() for value in _amount_values(amount, read_words, currency)]

    def ends(self, value: int) -> bool:
        """Return whether a decision is a withdrawal."""
        return value == WITHDRAW

    def with_amount(self, value: int, cents: int) -> int:
        """Return the withdrawal under a label; an amount under the next one does not matter."""
        return value


def _act_values(act: str, read_words: Callable[[str], list[int]]) -> list[int]:
    text = plain(act)
    if _NO_BID.fullmatch(text):
        return [WITHDRAW]
    return [] if _BIDDING.fullmatch(text) else read_words(act)


def _amount_values(value: Any, read_words: Callable[[str], list[int]], currency: str) -> list[int]:
    cents = cents_of_value(value, currency)
    return [cents] if cents is not None else read_words(value) or [UNCLEAR]


def _values(match: re.Match[str], amounts: Sequence[int]) -> tuple[int, ...]:
    """Return the cents of a matched amount and of its alternative, or what stands in their place."""
    words = match.groupdict()
    if words["amount"]:
        if words["loose"]:
            return (VAGUE,)
        cents = [cents_of(words["amount"], amounts)]
        if words["or"]:
            cents.append(cents_of(words["other"], amounts))
        return tuple(cents)
    return (MINIMUM,) if words.get("minimum") else (VAGUE,) if words.get("vague") else (UNCLEAR,)
