"""Reading of a reply: its decisions in order, and the one that counts."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple, Protocol

from aucenv.core.reader.amounts import FIRST_CLEAR, FIRST_UNCLEAR, UNCLEAR, A, cents_of, mark_amounts, names_of
from aucenv.core.reader.json_objects import FIRST_OBJECT, MAX_OBJECTS, Fields, JsonReply, calls_as_objects, take_objects
from aucenv.core.reader.lines import ASIDE, DECISION, Line, Lines
from aucenv.core.reader.markup import plain
from aucenv.core.reader.phrases import X, one_of
from aucenv.core.reader.refusals import TWICE, VAGUE
from aucenv.core.reader.speech import spoken
from aucenv.core.state import WITHDRAW

MAX_SENTENCE = 1_000
"""The longest sentence, in characters, that is read as a decision."""


class Act(NamedTuple):
    """An act that a sentence states.

    Attributes:
        start, end: where its words stand in the sentence.
        values: its amounts in cents, or other values of the game; several if it names alternatives.
        is_soft: whether it counts only if the reply has no other decision.
        is_order: whether it is an order ("Bid $5"), which an item of a list of options may be.
        is_heading: whether it stands alone on the first line, over its reasons, which may state the decision, too.
    """

    start: int
    end: int
    values: tuple[int, ...]
    is_soft: bool = False
    is_order: bool = False
    is_heading: bool = False


class Grammar(Protocol):
    """The decisions that replies of a game can state."""

    def acts(self, sentence: str, line: Line, is_first: bool, amounts: Sequence[int]) -> list[Act]:
        """Return the acts that a sentence states, in order."""

    def object_values(self, fields: Fields, read_words: Callable[[str], list[int]], currency: str) -> list[int]:
        """Return the decisions of a JSON object; several if they contradict each other."""

    def ends(self, value: int) -> bool:
        """Return whether a decision has no amount."""

    def with_amount(self, value: int, cents: int) -> int:
        """Return the decision that one without an amount becomes if the next label gives an amount."""


@dataclasses.dataclass
class Event:
    """A decision, or words that correct the one before.

    Attributes:
        value: the decision's value; None for a correction.
        rank: 0 for a decision that counts only alone, 1 for one in a sentence, 2 under a label, 3 under a final one.
        line: the number of its line.
        is_alone: whether the line says little else.
        retracts: whether a correction takes the decision back even if no other one follows.
        in_list, is_order, is_heading: as in `Line` and `Act`.
    """

    value: int | None
    rank: int = 1
    line: int = 0
    is_alone: bool = False
    retracts: bool = False
    in_list: bool = False
    is_order: bool = False
    is_heading: bool = False


_SENTENCE = re.compile(r"(?:[^.!?;]|\.(?=[0-9])|(?<=\b[a-hj-z])\.(?=[a-z]))*(?:[.!?;]+[\"')\]]*|$)")
_ABBREVIATIONS = re.compile(r"\b(i\.e|e\.g|vs|mr|mrs|ms|dr|approx|etc|incl|est|min|max|resp)\.(?=\s)")
_OPTIONS = re.compile(r"\b(?:options?|choices|alternatives|possibilities|actions)\b")
_OR = re.compile(r"\W*(?:or|或|或者|या|или|o)\W*")
_SUPPOSITION = re.compile(
    r"\W*(?:(?:let\s+us|just)\s+)?(?:suppose|imagine|assume|say\s+that|what\s+if)\b"
    r"|\W*(?:and\s+|but\s+)?(?:if|above|over|beyond|past)\b[^?]*\?"
)
_SENDS = re.compile(
    r"\b(?:sent|sends|said|says|replied|replies|wrote|writes|submitted|submits|answered|answers|not)\b[^.!?]*$"
)
_AMOUNT_LABEL = re.compile(r"\b(?:amount|input|price|limit|value)\b")
_DIGIT = re.compile("[0-9]")
_TERM = r"[$(]?[0-9][0-9,.]{0,15}(?:\s?%)?(?:\s?/\s?[a-z]{1,15}|\s[a-z]{1,15})?\)?"
_CALCULATION = re.compile(rf"(?<=[a-z:]\s)(?:{_TERM}\s?(?:[x/+]|\s-)\s?){{1,5}}{_TERM}\s?=\s?(?=\$?[0-9])")
"""A calculation in a sentence, up to its result."""
_TOTAL = re.compile(
    rf"{A}\s*(?:per\s+\w+|each|apiece|/\s*[a-z]+|an?\s+(?:unit|piece))\b[^.!?;]{{0,60}}?(?:(?P<total>{A})\s*(?:in\s+)?"
    rf"(?:total|altogether|overall)\b|\btotal(?:ing|s|\s+of|\s+is|:)?\s+(?:of\s+)?(?P<other>{A}))"
)
"""An amount per unit, up to the total."""
_WORD = re.compile(r"[^\W_]+")
_IN_LETTERS = re.compile(r"\bhundred|thousand|ty\b|teen\b")


_plain_name = functools.lru_cache(256)(plain)


class Reader:
    """One reply, read with the grammar of a game.

    Args:
        grammar: the decisions that replies can state.
        names: the rivals' names.
        currency: one of `core.words.money.CURRENCIES`.
        item: the name of the item that is for sale; "" for none. If it has several words, it is read as "this one", and
            so is "the" before its last word.
    """

    def __init__(self, grammar: Grammar, names: Collection[str], currency: str, item: str = "") -> None:
        self._grammar = grammar
        self._names = [name for name in map(_plain_name, names) if name]
        self._currency = currency
        name = _plain_name(item)
        last = re.escape(name.rpartition(" ")[2])
        self._item = re.compile(rf"(?<!\w)(?:{re.escape(name)}|the {last})(?!\w)") if " " in name else None
        self.is_empty = True

    def decisions(self, reply: str) -> list[int]:
        """Return the decisions of a reply that count; several if they contradict each other."""
        speech = spoken(reply)
        self.is_empty = not speech.strip()
        speech = calls_as_objects(speech)
        objects: list[JsonReply] = []
        if "{" in speech:
            speech, objects = take_objects(speech)
        return settle(self._events(speech, objects))

    def words(self, text: str) -> list[int]:
        """Return the decisions of a short text under a label, such as the value of a field."""
        return settle(self._events(f"answer: {spoken(text)}", []))

    def _events(self, speech: str, objects: Sequence[JsonReply]) -> list[Event]:
        text = _ABBREVIATIONS.sub(r"\1", plain(speech))
        text = self._item.sub("this one", text) if self._item else text
        for name in self._names:
            if _DIGIT.search(name):  # else its digits would become an amount
                text = re.sub(rf"(?m)^(\W{{0,6}}(?:bidder\s+)?){re.escape(name)}(?=\W{{0,3}}:)", r"\1somebody", text)
        text, amounts = mark_amounts(_CALCULATION.sub("", text), self._currency)
        text = _TOTAL.sub(lambda match: match["total"] or match["other"], text) if len(amounts) > 1 else text
        if amounts and _IN_LETTERS.search(text):
            text = without_letters(text, amounts, self._currency)
        events: list[Event] = []
        decided = False
        ended: Event | None = None  # the decision without an amount that stands under the last label
        lines = Lines(self._names).read(text)
        for number, line in enumerate(lines):
            if line.speaker != "own":
                if decided:
                    break  # another turn, which the model invents
                continue
            while _OR.fullmatch(line.text) and events and events[-1].line == number - 1:
                events.pop()  # an alternative
            if _OR.fullmatch(line.text) or (number and _OR.fullmatch(lines[number - 1].text)):
                continue
            if line.label == ASIDE and len(line.text) == 1:
                continue
            if len(line.text) == 1 and FIRST_OBJECT <= ord(line.text) < FIRST_OBJECT + MAX_OBJECTS:
                if number and self._is_about_rival(lines[number - 1].text):
                    continue
                values = self._object_values(objects[ord(line.text) - FIRST_OBJECT])
                events += [Event(value, 2, number, True) for value in dict.fromkeys(values)]
                decided = decided or bool(values)
                continue
            if ended is not None and _AMOUNT_LABEL.search(line.name):
                text = line.text.strip(" .!")
                if len(text) == 1 and ord(text) >= FIRST_CLEAR and ended.value is not None:
                    ended.value = self._grammar.with_amount(ended.value, cents_of(text, amounts))
                continue
            line_events = self._line_events(number, line, number == 0, amounts)
            events += line_events
            decided = decided or any(event.value is not None for event in line_events)
            last = line_events[-1] if line_events and line.label == DECISION else None
            ended = last if last and last.value is not None and self._grammar.ends(last.value) else None
        return _without_options(events, lines)

    def _is_about_rival(self, before: str) -> bool:
        """Return whether the line before an object says that it is a rival's: "Casey sent"."""
        return bool(_SENDS.search(before)) and any(name in before for name in self._names)

    def _object_values(self, data: JsonReply) -> list[int]:
        fields = Fields(data)
        if fields.speaker is not None and plain(fields.speaker) in self._names:
            return []
        if fields.has_duplicates:
            return [TWICE]
        return self._grammar.object_values(fields, self.words, self._currency)

    def _line_events(self, number: int, line: Line, is_first: bool, amounts: Sequence[int]) -> list[Event]:
        """Return the decisions and corrections of a line, in order."""
        rank = 1 if line.label != DECISION else 3 if "final" in line.name else 2
        words = len(_WORD.findall(line.text))
        events = [Event(None, line=number)] if CORRECTION.match(f"{line.name}: ") else []
        before, since = "", 0  # the sentence before, and where its events begin
        for i, sentence in enumerate(sentences(line.text)):
            if len(sentence) > MAX_SENTENCE:
                continue
            acts = self._acts(sentence, line, is_first, amounts)
            if line.label == ASIDE:  # what follows a list of options in one line may decide
                acts = [act for act in acts if i and not act.is_order and _OPTIONS.search(line.name)]
            if sentence.startswith(("or ", "/")):  # an alternative to the sentence before
                del events[since:]
            if _SUPPOSITION.match(before):
                acts = []
            before, since = sentence, len(events)
            retracts = bool(RETRACTION.search(sentence))
            cues = [cue.start() for cue in CORRECTION.finditer(sentence)]
            if retracts and not cues:
                cues = [len(sentence)]
            for act in acts:
                while cues and cues[0] < act.end:
                    events.append(Event(None, line=number, retracts=retracts))
                    cues.pop(0)
                alone = words - len(_WORD.findall(sentence[act.start : act.end])) <= 3
                kind = 0 if act.is_soft else rank
                events += [
                    Event(value, kind, number, alone, False, line.in_list, act.is_order, act.is_heading)
                    for value in act.values
                ]
            events += [Event(None, line=number, retracts=retracts) for _ in cues]
        return events

    def _acts(self, sentence: str, line: Line, is_first: bool, amounts: Sequence[int]) -> list[Act]:
        """Return the acts of a sentence but orders to rivals."""
        acts = self._grammar.acts(sentence, line, is_first, amounts)
        if any(act.is_order for act in acts) and any(name in sentence for name in self._names):
            acts = [act for act in acts if not (act.is_order and self._calls_rival(sentence[act.end :]))]
        return acts

    def _calls_rival(self, after: str) -> bool:
        """Return whether the words after an order address a rival."""
        rest = after.lstrip(" ,")
        return rest != after and any(rest.startswith(name) for name in self._names)


def sentences(text: str) -> Iterator[str]:
    """Return the sentences of a line."""
    for match in _SENTENCE.finditer(text):
        if match[0].strip():
            yield match[0].strip()


def _without_options(events: list[Event], lines: Sequence[Line]) -> list[Event]:
    """Return the events without the orders in a list that offers several different ones."""
    number_of_list = list(itertools.accumulate(not line.in_list for line in lines))
    offers: dict[int, set[int | None]] = {}
    for event in events:
        if _is_option(event):
            offers.setdefault(number_of_list[event.line], set()).add(event.value)
    return [event for event in events if not (_is_option(event) and len(offers[number_of_list[event.line]]) > 1)]


def _is_option(event: Event) -> bool:
    return event.is_order and event.in_list and event.rank < 2


def settle(events: Sequence[Event]) -> list[int]:
    """Return the values of the decisions that count; several if they contradict each other.

    Equal decisions are one. Of different ones, the later counts if it corrects the earlier, stands under a label, or is
    the last line after reasoning.
    """
    clear = [event for event in events if event.rank and event.value is not None and event.value >= WITHDRAW]
    if any(not event.is_heading for event in clear):
        events = [event for event in events if not event.is_heading]
    if any(event.rank > 1 or event.is_heading for event in clear if event in events):
        events = [event for event in events if event.rank > 1 or event.value not in (UNCLEAR, VAGUE)]  # of the reasons
    is_firm = any(event.value is not None and event.rank for event in events)
    counting: list[Event] = []
    corrected = retracted = False
    for event in events:
        if event.value is None:
            corrected, retracted = True, retracted or event.retracts
        elif not is_firm or event.rank:
            last = counting[-1] if counting else None
            is_other = last is not None and event.value != last.value
            if last is None or retracted or (is_other and (corrected or _replaces(event, last))):
                counting = []
            counting.append(event)
            corrected = retracted = False
    return [] if retracted else list(dict.fromkeys(event.value for event in counting if event.value is not None))


def _replaces(event: Event, last: Event) -> bool:
    """Return whether a decision replaces a different one before it without words of correction."""
    if last.value == VAGUE or event.rank > last.rank:
        return True
    concludes = event.is_alone and not event.in_list and event.rank == last.rank
    return concludes and event.line > last.line and not last.is_alone


_SIGH = r"(?:oh|ah|hmm+|uh|um|er|ehm|well|ok|okay)"
_WORDS = one_of(
    r"""no(?=\s*(?:[,.!:;-]|$)|\s+(?:wait|sorry)), wait\b, sorry\b, er\b, actually\b, correction\b, rather\b(?! than),
    i (?:mean|meant)\b, make (?:it|that)\b, hold on\b, scratch\b, strike\b, instead\b(?! of), oops\b,
    erratum, let me (?:rephrase|correct|reconsider|revise|rethink|think|check|re-?do|change)\b, edit\s*:,
    update\s*:, disregard\b, (?:on|upon) (?:second|further|reflection|closer|reconsideration|more|reviewing)\b,
    i (?:have )?changed? my mind, my mistake\b, having (?:said|thought)\b, thinking (?:again|about it again)\b,
    never\s?mind\b, i (?:take|took) (?:that|it) back, i misspoke, ignore that, forget (?:it|that)\b,
    after (?:reconsidering|rethinking|further|more)\b,
    等等, 不对, 更正, 抱歉, 其实, 重新考虑, नहीं\b(?=\s*[,.-]|\s+रुको), रुकिए,
    रुको, माफ़, माफ, espera\b, perd[oó]n\b, mejor dicho, en realidad, corrijo, нет(?=\s*[,.-]), стоп\b, погодите,
    подождите, точнее\b, извините, исправля, вернее\b"""
)
CORRECTION = re.compile(
    rf"(?:^|[,.:;(!]\s*|\s-\s|\b(?:but|and|or|{_SIGH})\b\s*)\W{{0,5}}(?:(?:{_SIGH}|so)\b\W{{1,5}}){{0,4}}{_WORDS}|^\W{{0,5}}however\b",
    X,
)
"""Words at the beginning of a clause that announce a correction."""
_RETRACTIONS = one_of(
    r"""(?:scratch|strike|forget|ignore|disregard|cancel|undo) (?:that|it)(?!,\s+[a-z]+,),
    just kidding, (?:i am )?only joking,
    (?:that|this) is (?:wrong|not right|a mistake|not possible), let me (?:think|reconsider|rethink)\b(?!\s*:),
    i (?:take|took) (?:that|it) back, never\s?mind (?:that|it|my), i (?:have )?changed? my mind,
    i (?:\w+ )?(?:can not|could not) (?:decide|choose|make up my mind), i (?:\w+ )?do not know what to (?:do|bid),
    i (?:\w+ )?(?:am|remain) undecided"""
)
RETRACTION = re.compile(rf"\b{_RETRACTIONS}", X)
"""Words that take a decision back, also if no other one follows."""


_SMALL = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_NUMBERS = {word: n for n, word in enumerate(_SMALL.split())} | {
    word: 20 + 10 * n for n, word in enumerate(_TENS.split())
}
_NUMERAL_WORD = rf"(?:{'|'.join((*_NUMBERS, 'hundred', 'thousand'))})"
_LETTERS = rf"\b(?:an?\s+)?{_NUMERAL_WORD}\b(?:(?:\s+and\s+|,?\s+|-){_NUMERAL_WORD}\b)*"


def without_letters(text: str, amounts: Sequence[int], currency: str) -> str:
    """Return a plain text with marked amounts without letters that repeat an amount: "nine hundred dollars ($900)".

    If the letters state another amount, an unclear one takes the place of both.
    """
    money = rf"(?P<money>\s+(?:{names_of(currency)})\b)?"
    for pattern in (
        rf"(?P<letters>{_LETTERS}){money}\s*(?P<mark>)[,:=(-]?\s*(?P<digits>{A})\)?",
        rf"(?P<digits>{A})\s*(?P<mark>[(,-])\s*(?P<letters>{_LETTERS}){money}\)?",
    ):
        text = re.sub(pattern, lambda match: _one_amount(match, amounts), text)
    return text


def _one_amount(match: re.Match[str], amounts: Sequence[int]) -> str:
    stated = _value(match["letters"])
    if stated < 100 and not match["money"]:
        return match[0]  # a count, such as "round two: $900"
    if stated * 100 == cents_of(match["digits"], amounts):
        return match["digits"]
    return match[0] if match["mark"] in tuple(",-") else chr(FIRST_UNCLEAR)  # ", five hundred above the minimum"


def _value(letters: str) -> int:
    total = current = 0
    for word in re.findall(rf"\b{_NUMERAL_WORD}\b", letters):
        if word == "hundred":
            current = max(current, 1) * 100
        elif word == "thousand":
            total, current = total + max(current, 1) * 1000, 0
        else:
            current += _NUMBERS[word]
    return total + current
