"""Parse free-text replies to a clock: stay, leave, wait, or take the prize, now or at a price.

The parser is as strict as `core.reply.read`. A decision for this tick ("I stay") and one at a price ("I leave at $36")
are compatible if neither leaves or takes the prize now; the later one counts. A limit that is only mentioned ("my limit
is $36") counts only if the reply has no other decision; otherwise it is read as the reason for that decision.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from aucenv.core.money import CURRENCIES, format_dollars
from aucenv.core.reader.amounts import PRIVATE, UNCLEAR, A, Amount, U, cents_of, cents_of_value
from aucenv.core.reader.bidding import RETORT
from aucenv.core.reader.json_objects import Fields
from aucenv.core.reader.languages import LEAVE, foreign_acts
from aucenv.core.reader.languages import STAY as STAY_IN
from aucenv.core.reader.languages import TAKE as TAKE_IT
from aucenv.core.reader.languages import WAIT as WAIT_ON
from aucenv.core.reader.lines import FIGURE, Line
from aucenv.core.reader.phrases import ANY, INTEND, X, one_of
from aucenv.core.reader.reading import Act, Reader
from aucenv.core.reader.refusals import VAGUE, acts_in_words, only_value
from aucenv.core.reader.scope import is_asked, is_led_up_to
from aucenv.core.state import WITHDRAW

STAY = 0
WAIT, TAKE = -1, 0


def write_ascending(amount: int, currency: str = "dollar") -> str:
    """Return the simplest reply to a rising clock for WITHDRAW, STAY, or a price in cents at which to leave."""
    return _sentence(amount, _ASCENDING, currency)


def write_descending(amount: int, currency: str = "dollar") -> str:
    """Return the simplest reply to a falling clock for WAIT, TAKE, or a price in cents at which to take the prize."""
    return _sentence(amount, _DESCENDING, currency)


def read_ascending(reply: str, names: Collection[str] = (), currency: str = "dollar", language: str = "english") -> int:
    """Return the decision of a reply to a rising clock: WITHDRAW, STAY, or the price in cents at which to leave.

    Args:
        names: the rivals' names; a line that begins with one of them and a colon is ignored.
        currency: one of `CURRENCIES`; amounts may have its sign or name, and those of other currencies are refused.
        language: the language of the error's message.

    Raises:
        Unreadable: the reply has no decision, or contradictory ones.
    """
    return _read(reply, names, currency, language, _ASCENDING)


def read_descending(
    reply: str, names: Collection[str] = (), currency: str = "dollar", language: str = "english"
) -> int:
    """Return the decision of a reply to a falling clock: WAIT, TAKE, or the price in cents at which to take the prize.

    Arguments and errors are those of `read_ascending`.
    """
    return _read(reply, names, currency, language, _DESCENDING)


_N = rf"[^\w{PRIVATE}]*"
_PRICE = rf"""(?P<amount>{A})(?:\s*(?:[/-]|,?\s*\b(?:or|to|through|maybe|perhaps|possibly)\b)\s*
    (?:maybe\s+|even\s+)?(?P<other>{ANY}))?"""
_VAGUELY = (
    rf"""(?:(?:(?:some)?where\s+)?(?:between|from|about|around|roughly|approximately|nearly|almost|circa|~)\s*{ANY})"""
)
_CLOCK = r"(?:(?:the\s+)?(?:clock(?:'s)?(?:\s+price)?|(?:current\s+)?price|bid(?:ding)?)|it|we|this)"
_REACHING = r"""(?:(?:is|'s|reaches|hits|touches|gets|goes|comes|rises|climbs|increases|falls|drops|sinks|decreases
    |arrives|shows|reads)(?:\s+(?:up|down))?(?:\s+(?:at|to))?)(?:\s+exactly)?"""
_AT = r"(?:(?:only\s+)?at(?:\s+(?:the|a)\s+(?:current\s+)?price\s+of)?(?:\s+exactly)?)"
_WHEN = rf"(?:(?:but\s+)?(?:only\s+)?(?:when|once|as\s+soon\s+as)\s+{_CLOCK}\s*{_REACHING})"
_UNTIL = rf"(?:(?:until|till|up\s+to)(?:\s+{_CLOCK}\s*{_REACHING})?)"
_WHILE = rf"""(?:(?:as\s+long\s+as|while)\s+{_CLOCK}\s*(?:is|'s|stays|remains)\s+(?:still\s+)?(?:below|under
    |(?:less|lower)\s+than))"""
_GAME = r"(?:the|this)\s+(?:auction|clock|bidding|item|lot|game|race|round|market|contest|competition)"
_NOW = one_of(
    """now, here, immediately, right (?:now|here|away), at (?:this very|exactly this) price, at the price on the clock,
    at once, for now, today, still, for the moment"""
)
_TODAY = rf"at\s+(?:the\s+(?:current\s+)?price\s+of\s+)?{A}"  # the current price
_THIS_TICK = r"""(?:(?:at|for|in)\s+(?:this|the\s+current)\s+(?:price|tick|level|point|stage|round|step|time)
    |at\s+this\s+(?:price\s+)?(?:level|point))"""
_ENDING = r"""(?= \s*(?:$|[.!;:,()"'\]]|-\s) | \s+(?:because|since|given|as(?!\s+(?:soon|long|if|of|an?|is)\b)|and
    |due\s+to|rather\s+than|instead\s+of|even|knowing|despite|at\s+that\s+point
    |to\s+(?:see|avoid|let|keep|secure|protect|preserve|win|save|maximi[sz]e|give|make|minimi[sz]e|lock))\b )"""
_END = re.compile(_ENDING, X)
_DEFERRED = re.compile(
    r"\s*[,;(-]*\s*(?:but\s+)?(?:only\s+)?(?:when|whenever|once|as\s+soon|at|after|before|later|soon|eventually|next"
    r"|above|beyond|below|under|over|until|till|up\s+to|while|around|about|maybe|perhaps|possibly|probably|or|in\s+(?:the|a)\b(?!\s+lead))\b",
    re.IGNORECASE,
)
_DEFERRED_BEFORE = re.compile(
    rf"""(?: ^{_N}(?:(?:and|but|so)\s+)?(?:above|beyond|past|over|after|below|under|anything|at\s+the\s+next)\b.*
      | ^{_N}(?:\w+\s+)?at\b[^,{PRIVATE}]*{ANY}{_N}(?:\w+\s+){{0,2}}
      | \b(?:longer|more|before|after|while|moment|point|that|which|where|how|why|than|because|since|as|soon|then|later
        |eventually|until|till|only|next\s+\w+|who|what|or|otherwise|else|case|doubts?|fears?|every|each
        |(?<!this\s)(?<!current\s)(?:times?|round|tick|price)) )\s*,?\s*$""",
    X,
)
_RELATIVE = re.compile(  # "the risk I take"
    r"(?<!\bso)(?<!\band)(?<!\bbut)(?<!\bnow)(?<!\bhence)(?<!\bthus)(?<!\btherefore)(?<!\bprice)(?<=\w)\s+"
    r"i(?:'ll|\s+will)?\s+(?:hold|take|accept|buy|drop|quit|pass|stop|leave|continue)$",
    re.IGNORECASE,
)
_LATER = re.compile(r"\b(?:next|later|following)\s+(?:tick|price|step|level|stage|turn)\b", re.I)
_ADVERBS = r"""(?:(?:happily|gladly|reluctantly|patiently|calmly|respectfully|immediately|definitely|certainly|hereby
    |choose\s+to|continue\s+to|prefer\s+to|keep)\s+)*"""
_I = rf"(?:\bi{INTEND},?\s+{_ADVERBS} | \blet\s+me\s+)"
_IM = r"(?:\bi\s+(?:am|will\s+be)\s+(?:(?:now|still|definitely|officially|just|happily|gladly|all)\s+)*)"
_ANSWER = r"""(?:(?:^|[,.]\s)\W*(?:my\s+|final\s+|the\s+|current\s+)*(?:decision|action|answer|move|choice|response)
    (?:\s+(?:now|here|at\s+this\s+(?:price|tick)))?\s*(?:[:=]+\s*|is(?:\s*:)?\s+)["'(]?(?:(?:to|i|i\s+will|i\s+am)\s+)?)"""
_ORDER = r"(?:^\W*(?:(?:ok(?:ay)?|so|therefore|thus|hence|for\s+now|then)\b[\s,:]*)*)"
_ELIDED = r"(?P<elided>\b(?:and|then)\s+(?:then\s+|will\s+|to\s+)*)"


def _head_pattern(verbs: str, doing: str, alone: str, about: str) -> re.Pattern[str]:
    """Return the pattern of a statement of an act, with phrases that do not change the act; the time may follow."""
    statement = (
        rf"(?:{_I}|{_ANSWER}|{_ORDER}|{_ELIDED})(?:{verbs})|(?:{_IM}|{_ANSWER})(?:{doing})|^\W*(?:{alone})(?=\W*$)"
    )
    return re.compile(rf"(?:{statement})\b(?P<about>(?:,?\s+(?:{about}))*)", X)


def _price_pattern(at_a_price: str, *, closing: str = "(?!)") -> re.Pattern[str]:
    prefix = r"(?:my\s+(?:value|valuation|limit)\s+of\s+)?"
    price = rf"{prefix}{_PRICE}(?:\s+or\s+(?:{closing}))?"
    return re.compile(rf"[\s,(:-]*(?:{at_a_price})\s*{price}{_ENDING}", X)


class _Act(NamedTuple):
    """An act that a reply can state for now, or for a price named after it."""

    now: int
    head: re.Pattern[str]
    at_a_price: re.Pattern[str]


class _Clock(NamedTuple):
    acts: tuple[_Act, _Act]  # leave or take, then stay or wait
    limit: re.Pattern[str]
    words: tuple[str, str]  # the name of each act
    foreign: tuple[tuple[str, ...], tuple[str, ...]]  # the kinds of acts in other languages that mean each act
    hint: str


_OUT = r"(?:drop|bow|back|step|opt|bail|pull|stay|sit)\s+out|drop|step\s+(?:aside|away)|walk\s+away"
_OUT_NOW = r"(?:dropping|bowing|backing|stepping|opting|bailing|pulling|staying|sitting)\s+out|stepping\s+aside"
_LEAVE = _Act(
    WITHDRAW,
    _head_pattern(
        rf"leave|exit|quit|withdraw|fold|pass|abstain|{_OUT}|(?:go|get)\s+out|out",
        rf"leaving|exiting|quitting|withdrawing|folding|passing|abstaining|{_OUT_NOW}|out",
        r"leaving|withdrawing|dropping\s+out|i'm\s+gone|count\s+me\s+out",
        rf"(?:of\s+|from\s+|on\s+)?(?:{_GAME}|this\s+one|here)|{_NOW}|{_THIS_TICK}|for\s+good",
    ),
    _price_pattern(f"{_AT}|{_WHEN}", closing="above|higher|more|over"),
)
_A_WHILE = rf"""{_NOW}|{_TODAY}|{_THIS_TICK}|(?:a\s+(?:little|bit|while)(?:\s+longer)?)|longer
    |(?:for\s+)?(?:another|(?:at\s+least\s+)?one\s+more|the\s+next)\s+(?:tick|round|step|turn|moment)"""
_STAY = _Act(
    STAY,
    _head_pattern(
        r"""(?:stay|remain|hold(?!\s+on\b)|stick|continue|hang)(?:\s+(?:in|on|put|around))?|keep\s+(?:going|staying)
        |stay\s+active|am\s+in""",
        r"(?:staying|remaining|holding|continuing)(?:\s+(?:in|on|put))?|in",
        r"(?:staying|remaining|still)(?:\s+in)?|in|holding|i'm\s+(?:still\s+)?in",
        rf"""(?:in\s+|with\s+|on\s+|to\s+)?{_GAME}|{_A_WHILE}|in|active
        |(?:until|till)\b(?!\s+(?:then|next|at))[^0-9{PRIVATE},.;]*(?=$|[.,;!])""",
    ),
    _price_pattern(f"{_UNTIL}|{_WHILE}"),
)
_THING = r"(?:\s+(?:it|(?:the|this)\s+(?:item|lot|clock|offer|deal|auction|price|one)|this))"
_TAKE = _Act(
    TAKE,
    _head_pattern(
        rf"""(?:take|buy|stop|(?:purchase|claim|grab|accept)(?={_THING}))
        (?:{_THING}(?!\s+(?:easy|slow|that|as|you|for\s+granted))\b)?""",
        rf"(?:taking|buying|purchasing|claiming|grabbing|accepting|stopping){_THING}?",
        r"(?:it's\s+|it\s+is\s+)?mine|accept",
        rf"{_NOW}|{_THIS_TICK}|before\s+\w+(?:\s+else)?(?:\s+(?:does|do|can))?\b(?!\s+\w)",
    ),
    _price_pattern(f"{_AT}|for|{_WHEN}", closing="below|lower|less|under|better"),
)
_WAIT = _Act(
    WAIT,
    _head_pattern(
        rf"""wait(?!\s+for\s+it\s+-\s+\w)|keep\s+(?:waiting|holding)|hold(?!\s+on\b)(?:\s+(?:off|out|back))?|stay\s+(?:patient|put)|pass|abstain
        |let\s+(?:it|the\s+(?:clock|price))\s+(?:fall|drop|run|go|tick|come\s+down)(?:\s+(?:further|more|down|on))*
        |{_OUT}|withdraw|do\s+nothing""",
        r"waiting|holding(?:\s+(?:off|on|out|back))?|passing|abstaining|out",
        r"waiting|holding|not\s+yet|out|no\s+action",
        rf"(?:on\s+|from\s+|out\s+of\s+)?(?:{_GAME}|this\s+one)|{_A_WHILE}|and\s+(?:wait|watch)|further|(?:until|till|for)\b[^,.;]*(?=$|[.,;!])",
    ),
    _price_pattern("(?!)"),
)
_LIMIT = r"(?:my\s+(?:own\s+|upper\s+|final\s+|absolute\s+|hard\s+)?|^\W*(?:i\s+set\s+my\s+|final\s+)?)"


def _limit_pattern(price: str) -> re.Pattern[str]:
    named = rf"\b{_LIMIT}(?:limit(?:\s+price)?|(?:{price})\s+price)"
    equals = r"(?:\s+(?:is|stays|remains)(?:\s+(?:at|still))?|\s*[:=]+|\s+(?:to|at|of))?\s*(?:exactly\s+)?"
    unclear = rf"(?P<vague>{_VAGUELY})|(?P<unclear>{ANY})"
    return re.compile(rf"{named}{equals}(?:{_PRICE}{_ENDING}|{unclear})", X)


_FIRST = re.compile(
    rf"^{_N}(?:(?:and|so|but|ok(?:ay)?)\s*,?\s+)?(?:{_AT}|(?P<when>{_WHEN}))\s*(?P<amount>{A})(?P<other>(?!))?\s*,?\s*(?:then\s+)?$",
    X,
)
_WAIT_ALONE = re.compile(r"wait\W*")
_LIMIT_LABEL = re.compile(
    r"(?:my\s+|final\s+|the\s+)*(?:limit(?:\s+price)?|(?:exit|buy|buying|leaving|stop)\s+(?:limit|price))"
)
_CONDITION_AFTER = re.compile(r"\s*,?\s*(?:but\s+)?(?:only\s+)?(?:if|unless|provided|assuming|in\s+case)\b")
_IS_OF_THE_PAST = re.compile(r"\b(?:was|were)\b")
_BIDDING = re.compile(rf"\bi{INTEND},?\s+(?:bid|offer)\s+{_N}{ANY}", X)

_ASCENDING = _Clock(
    (_LEAVE, _STAY),
    _limit_pattern(r"exit|leaving|drop-?\s?out"),
    ("leave", "stay"),
    ((LEAVE,), (STAY_IN,)),
    "ascending",
)
_DESCENDING = _Clock(
    (_TAKE, _WAIT),
    _limit_pattern(r"buy|buying|taking|stop|stopping"),
    ("take", "wait"),
    ((TAKE_IT,), (WAIT_ON, LEAVE)),
    "descending",
)


class _Grammar:
    """What the replies to a clock can decide.

    Args:
        clock: the acts of the clock.
    """

    def __init__(self, clock: _Clock) -> None:
        self._clock = clock

    def acts(self, sentence: str, line: Line, is_first: bool, amounts: Sequence[Amount]) -> list[Act]:
        """Return the acts that a sentence states, in order."""
        if is_asked(sentence, len(sentence)):
            return []
        found: list[Act] = []
        heads = [(match.start(), act, match) for act in self._clock.acts for match in act.head.finditer(sentence)]
        for start, act, head in sorted(heads, key=lambda h: h[0]):
            values, end = _read_act(sentence, head, act, amounts)
            if head["elided"] and not (found and values and values[0] > 0):
                continue
            is_order = not re.match(r"(?:\W*\w+\W+)?(?:i|let)\b", head[0])
            if values and not (is_order and line.label == FIGURE):
                is_interjection = is_order and values == [WAIT] and _WAIT_ALONE.fullmatch(sentence) and not line.label
                found.append(Act(start, end, tuple(values), is_soft=bool(is_interjection), is_order=is_order))
        for limit in self._clock.limit.finditer(sentence):
            if is_led_up_to(sentence[: limit.start()]) and not _IS_OF_THE_PAST.search(limit[0]):
                is_mentioned = limit[0].startswith("my") and line.label == ""
                values = [value or UNCLEAR for value in _values(limit, amounts)]
                found.append(Act(limit.start(), limit.end(), tuple(values), is_soft=is_mentioned))
        if _LIMIT_LABEL.fullmatch(line.name) and (cents := _lone_price(sentence, amounts)):
            found.append(Act(0, len(sentence), (cents,), is_soft=line.name.startswith("my")))
        found += [Act(bid.start(), bid.end(), (UNCLEAR,)) for bid in _BIDDING.finditer(sentence)]
        found += self._foreign(sentence, amounts)
        return sorted(found, key=lambda act: act.start)

    def _foreign(self, sentence: str, amounts: Sequence[Amount]) -> Iterator[Act]:
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
        if fields.leaves and self._clock is _ASCENDING:
            values = [ends]
        prices = [value for value in fields.amounts.values() if value is not None]
        if not prices or not (values or (not fields.acts and "limit" in fields.amounts)):
            return values
        price = cents_of_value(prices[0], currency) or UNCLEAR
        if values == [runs]:  # waiting at a price has no meaning
            return [UNCLEAR] if self._clock is _DESCENDING else [price]
        return [*(value for value in values if value > 0), price]

    def ends(self, value: int) -> bool:
        """Return whether a decision has no price."""
        return value <= 0

    def with_amount(self, value: int, cents: int) -> int:
        """Return the decision under a label, with the amount under the next one."""
        return (cents or UNCLEAR) if value == self._clock.acts[0].now else value


def _read(reply: str, names: Collection[str], currency: str, language: str, clock: _Clock) -> int:
    reader = Reader(_Grammar(clock), names, currency)
    values = _resolve(reader.decisions(reply), clock)
    ends, runs = clock.words

    def to_words(value: int) -> str:
        if value > 0:
            return acts_in_words(language, format_dollars(value, CURRENCIES[currency]))[f"{ends}_at"]
        return acts_in_words(language)[ends if value == clock.acts[0].now else runs]

    return only_value(values, reader.is_empty, to_words, hint=clock.hint, currency=currency, language=language)


def _resolve(values: list[int], clock: _Clock) -> list[int]:
    """Return the decisions that count: one for this tick and one at a price agree, and the later counts."""
    runs = clock.acts[1].now
    if runs in values:
        values = [value for value in values if value != VAGUE]
    if values and all(value == runs or value > 0 for value in values):
        return [runs] if values[-1] == runs else [value for value in values if value != runs]
    return values


def _sentence(amount: int, clock: _Clock, currency: str) -> str:
    ends, runs = clock.words
    for act, words in zip(clock.acts, (ends, runs), strict=True):
        if amount == act.now:
            return f"{acts_in_words('english')[words]}!"
    return f"{acts_in_words('english', format_dollars(max(amount, 0), CURRENCIES[currency]))[f'{ends}_at']}!"


def _values(match: re.Match[str], amounts: Sequence[Amount]) -> list[int]:
    """Return the cents of a matched price and of its alternative, or what stands in their place."""
    words = match.groupdict()
    if words["amount"] is None:
        return [VAGUE if words["vague"] else UNCLEAR]
    return [cents_of(words[group], amounts) for group in ("amount", "other") if words[group]]


def _lone_price(sentence: str, amounts: Sequence[Amount]) -> int:
    """Return the cents of a sentence that is only an amount; 0 if it is anything else."""
    text = sentence.strip(" .!()\"'")
    return cents_of(text, amounts) if re.fullmatch(ANY, text) else 0


def _read_act(text: str, head: re.Match[str], act: _Act, amounts: Sequence[Amount]) -> tuple[list[int], int]:
    """Return the decision of an act in a clause, empty if it is not stated, and the index at which its text ends."""
    before = text[: head.start()]
    end, verb = head.end(), head.start("about")
    price = act.at_a_price.match(text, end) or act.at_a_price.match(text, verb)
    first = _FIRST.match(before)
    if first:
        stated = not (first["when"] and act in (_STAY, _WAIT))
    else:
        late = _LATER.search(before) or _DEFERRED_BEFORE.search(before) or _RELATIVE.search(text[:verb])
        stated = not late and is_led_up_to(before)
    if re.search(r"\bonly\b", head[0]) or re.search(r"/\s*$", before) or re.match(r"\s*/", text[end:]):
        stated = False
    if not stated or (act is _WAIT and re.match(rf"{_N}(?:wait|hold)\s*,", text)):
        return [], end
    if _CONDITION_AFTER.match(text, price.end() if price else end):
        return [], end
    if price:
        retort = RETORT.match(text, price.end())
        return [value or UNCLEAR for value in _values(retort or price, amounts)], (retort or price).end()
    if _DEFERRED.match(text, end) or not _END.match(text, end):
        piece = re.split(r"[;:(]|,\s", text[end:])[0]
        at_a_price = _DEFERRED.match(piece) and re.search(rf"{ANY}|{_VAGUELY}", piece, X)
        return ([UNCLEAR if re.search(U, piece) else VAGUE] if at_a_price else []), end
    if first and act in (_LEAVE, _TAKE):
        return [value or UNCLEAR for value in _values(first, amounts)], end
    return [act.now], end
