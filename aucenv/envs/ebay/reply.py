"""Replies in words to a proxy auction: a new maximum, or a hold.

Maxima are read as bids are (`core.reader.bids`), with "my maximum" in place of "my bid"; words with which one would
leave another auction hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence

from aucenv.core.money import CURRENCIES, format_dollars
from aucenv.core.reader.amounts import UNCLEAR
from aucenv.core.reader.bids import Bids
from aucenv.core.reader.json_objects import Fields
from aucenv.core.reader.lines import DECISION, FIGURE, Line
from aucenv.core.reader.markup import plain
from aucenv.core.reader.phrases import ANY, END, I_AM, I_DO, LEAD, REASON, X, one_of
from aucenv.core.reader.reading import Act, Reader
from aucenv.core.reader.refusals import Unreadable, only_value
from aucenv.core.reader.scope import is_stated
from aucenv.core.state import WITHDRAW
from aucenv.envs.ebay.wording import CONDITION, HINT

__all__ = ["HOLD", "read_maximum", "write_maximum"]

HOLD = WITHDRAW

_MAXIMUM = re.compile(
    r"""\b(?:my|a|an|our)\s+(?:(?!current|earlier|old|last|previous|present|existing)\w+\s+){0,2}?
    (?:max(?:imum)?|limit|proxy|ceiling|cap)(?:\s+(?:proxy|bid|bidding|price|amount|offer|limit))*\b
    |(?<=\bset\s)the\s+max(?:imum)?(?:\s+bid)?\b|(?<=\braise\s)the\s+max(?:imum)?(?:\s+bid)?\b
    |(?<=\braise\s)max(?:imum)?(?:\s+bid)?\b|(?<=\bset\s)max(?:imum)?(?:\s+bid)?\b""",
    X,
)
"""The words for the seat's maximum."""
_UPDATES = re.compile(r"\b(?:set|update|adjust|change|revise|move|put)(?P<ing>ting|ing)?\b(?=\s+my\s+bid\b)")
"""Verbs that set a maximum; they are read as "raise"."""
_AT = re.compile(r"(?P<verb>\b(?:raise|raising)\s+my\s+bid\s+)(?:at|as)\b")
_FROM = re.compile(rf"\bfrom\s+{ANY}\s+(?=(?:up\s+)?to\s+{ANY})", X)
_MY_VALUE = re.compile(rf"(?<=\s)my\s+(?:\w+\s+)?valu(?:e|ation)(?:\s+of|\s*,)?\s+(?={ANY})", X)
"""Words before an amount that is bid: "bid my true value of $57"."""
_UP_TO = re.compile(r"(?<=\bbid\s)up\s+to\s|(?<=\bgo\s)up\s(?=to\b)")
"""Words that make no difference, since a maximum is a limit."""
_LABEL = re.compile(r"(?:(?:my|new|final|updated|the|proxy)\s+)*max(?:imum)?(?:\s+(?:proxy|bid|price|amount))*")
_KEYS = (
    (re.compile(r'"(?:new_|my_|proxy_|set_)?max(?:imum)?(?:_bid|_amount|_price)?"(?=\s*:)', re.IGNORECASE), '"bid"'),
    (re.compile(r'"hold"(?=\s*:\s*(?:true|false)\b)', re.IGNORECASE), '"pass"'),
)
"""Fields of JSON objects, and the fields of a bid or a withdrawal as which they are read."""
_MINE = (
    r"(?:(?:my|the|our|at|with|on|onto|to|this)\s+)*(?:(?:current|earlier|existing|present|previous|last|own|same)\s+)*"
)
_BID = r"(?:max(?:imum)?|bid|limit|proxy|position|price|amount|offer|it|where\s+(?:i\s+am|it\s+is|i\s+stand))"
_OBJECT = rf"(?:\s+{_MINE}{_BID}(?:\s+(?:bid|price|amount))*)?(?:\s+(?:of|at)\s+{ANY})?"
_AS_IT_IS = (
    r"(?:\s+(?:unchanged|as\s+(?:it|is|they)(?:\s+(?:is|are|stands?))?|where\s+(?:it|i)\s+(?:is|am)|the\s+same|alone))"
)
_TIME = one_of(
    r"""now, for now, here, today, this day, this turn, this time, this move, for today, for the day, for this day,
    for this turn, for the moment, on day \d+, on this day, steady, firm, tight, on, off, back, out, put, still, pat,
    again, this round, patiently, and wait, and see, and watch, in this move, at this (?:price|point|stage)"""
)
_HOLD = rf"""(?:
    pass | abstain | sit\s+out
  | (?:hold|maintain|retain|stick(?=\s+with|\s+to)|stay(?=\s+(?:with|at|put|pat|where)|\W|$)|remain(?=\s+at))
      {_OBJECT}{_AS_IT_IS}?
  | (?:keep|leave){_OBJECT}{_AS_IT_IS} | keep\s+{_MINE}{_BID}(?:\s+bid)?(?:\s+(?:of|at)\s+{ANY})?
  | stand\s+(?:pat|by|still) | sit\s+tight | wait | skip | do\s+nothing | make\s+no\s+(?:change|changes|move|raise)
  | not\s+(?:raise|change|increase|move|adjust|update|bid|alter|revise){_OBJECT} )"""
_HOLDING = rf"""(?:
    (?:holding|maintaining|sticking|staying|remaining){_OBJECT}{_AS_IT_IS}?
  | (?:keeping|leaving){_OBJECT}{_AS_IT_IS}? | standing\s+(?:pat|by|still) | sitting\s+tight | waiting | skipping
  | doing\s+nothing | making\s+no\s+changes?
  | not\s+(?:raising|changing|increasing|moving|adjusting|updating|bidding){_OBJECT} )"""
_STOPS = rf"(?:\s+(?:{_TIME}))*(?={END}|\s*[,;:(.!-]|\s+{REASON}\b)"
_HOLDS = re.compile(
    rf"""(?: {I_DO}(?:prefer\s+to\s+)?{_HOLD} | {I_AM}{_HOLDING}
      | \b(?:my\s+)?(?:final\s+)?(?:decision|answer|action|move|choice|response)\s*(?:is|:)\s*(?:to\s+)?
          (?:{_HOLD}|{_HOLDING})
      | \bmy\s+(?:max(?:imum)?|bid|limit|proxy)(?:\s+bid)?\s+(?:stays|remains)
          (?:\s+(?:at|where|as|the\s+same|unchanged)\b[^,.;]*)?
      | {LEAD}(?P<order>{_HOLD}|{_HOLDING}|no\s+(?:change|changes|move|raise|action)|unchanged) ){_STOPS}""",
    X,
)
_IF = r"\b(?:if|unless|when(?:ever)?|once|as\s+soon\s+as|in\s+case|should|provided)\b"
_DECISION = rf"(?:{ANY}|\b(?:hold|wait|keep)\b)"
_CONDITION = re.compile(rf"{_DECISION}[^.!?;]*{_IF}|{_IF}[^.!?;]*{_DECISION}", X)
"""A sentence with a decision and a condition."""
_HOLD_ACT = re.compile(
    r"(?:to\s+)?(?:hold|wait|keep|stay|pass|none|no\s+(?:change|bid|raise)|skip|maintain|stand\s+pat)\W*"
)
_RAISE_ACT = re.compile(
    r"(?:set|raise|update|increase|change|new|adjust)\W*(?:(?:my\s+|the\s+)?(?:max(?:imum)?)(?:\s+bid)?)?\W*"
)


def write_maximum(amount: int, currency: str = "dollar") -> str:
    """Return the simplest reply for a maximum in cents, or for HOLD."""
    return "I hold." if amount < 0 else f"I raise my maximum to {format_dollars(amount, CURRENCIES[currency])}."


def read_maximum(reply: str, names: Collection[str] = (), currency: str = "dollar") -> int:
    """Return the decision of a reply: the new maximum in cents, or HOLD.

    Args:
        reply: The reply.
        names: The rivals' names; a line that begins with one of them and a colon is ignored.
        currency: One of `CURRENCIES`; amounts may have its sign or name, and those of other currencies are refused.

    Raises:
        Unreadable: The reply has no decision, more than one, or one that depends on a condition.
    """
    grammar = _Maxima()
    reader = Reader(grammar, names, currency)
    for key, read_as in _KEYS:
        reply = key.sub(read_as, reply)
    values = reader.decisions(reply)
    if not values and grammar.has_condition:
        raise Unreadable(CONDITION.format(hint=HINT.format(sign=CURRENCIES[currency])))

    def to_words(value: int) -> str:
        return format_dollars(value, CURRENCIES[currency]) if value >= 0 else "I hold"

    return only_value(values, reader.is_empty, to_words, hint=HINT, currency=currency)


class _Maxima(Bids):
    """The grammar of proxy auctions.

    Attributes:
        has_condition: whether a sentence that was read has a decision and a condition.
    """

    def __init__(self) -> None:
        self.has_condition = False

    def acts(self, sentence: str, line: Line, is_first: bool, amounts: Sequence[int]) -> list[Act]:
        """Return the maxima and holds that a sentence states."""
        self.has_condition |= bool(_CONDITION.search(sentence))
        if _LABEL.fullmatch(line.name):
            line = line._replace(label=DECISION)
        holds = list(self._holds(sentence, line))
        within = [
            act
            for act in super().acts(_as_bid(sentence), line, is_first, amounts)
            if not any(act.start < hold.end and hold.start < act.end for hold in holds)
        ]
        return sorted([*holds, *within], key=lambda act: act.start)

    def _holds(self, sentence: str, line: Line) -> Iterator[Act]:
        for match in _HOLDS.finditer(sentence):
            order = match["order"] is not None
            if not (order and line.label == FIGURE) and is_stated(sentence, match.start(), match.end(), is_out=False):
                yield Act(match.start(), match.end(), (HOLD,), is_order=order)

    def object_values(self, fields: Fields, read_words: Callable[[str], list[int]], currency: str) -> list[int]:
        """Return the decisions of a JSON object."""
        acts = [plain(act) for act in fields.acts]
        if any(_HOLD_ACT.fullmatch(act) for act in acts):
            return [UNCLEAR] if any(_RAISE_ACT.fullmatch(act) for act in acts) else [HOLD]
        fields.acts = [
            "raise" if _RAISE_ACT.fullmatch(act) else words for act, words in zip(acts, fields.acts, strict=True)
        ]
        return super().object_values(fields, read_words, currency)


def _as_bid(sentence: str) -> str:
    """Return a sentence of the same length that speaks of "my bid" in place of the maximum."""

    def bid(match: re.Match[str]) -> str:
        return ("my bid" if len(match[0]) >= len("my bid") else "bid").ljust(len(match[0]))

    sentence = _MAXIMUM.sub(bid, sentence)
    sentence = _UPDATES.sub(lambda match: ("raising" if match["ing"] else "raise").ljust(len(match[0])), sentence)
    sentence = _AT.sub(lambda match: f"{match['verb']}to", sentence)
    for words in (_FROM, _MY_VALUE, _UP_TO):
        sentence = words.sub(lambda match: " " * len(match[0]), sentence)
    return sentence
