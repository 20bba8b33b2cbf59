"""Patterns of the acts of clocks, in plain English text with marked amounts."""

from __future__ import annotations

import re
from typing import NamedTuple

from aucenv.core.reader import languages
from aucenv.core.reader.amounts import PRIVATE, A
from aucenv.core.reader.phrases import ANY, INTEND, X, one_of
from aucenv.core.state import WITHDRAW

STAY = 0
WAIT, TAKE = -1, 0

NO_WORDS = rf"[^\w{PRIVATE}]*"
_PRICE = rf"""(?P<amount>{A})(?:\s*(?:[/-]|,?\s*\b(?:or|to|through|maybe|perhaps|possibly)\b)\s*
    (?:maybe\s+|even\s+)?(?P<other>{ANY}))?"""
VAGUELY = (
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
END = re.compile(_ENDING, X)
DEFERRED = re.compile(
    r"\s*[,;(-]*\s*(?:but\s+)?(?:only\s+)?(?:when|whenever|once|as\s+soon|at|after|before|later|soon|eventually|next"
    r"|above|beyond|below|under|over|until|till|up\s+to|while|around|about|maybe|perhaps|possibly|probably|or|in\s+(?:the|a)\b(?!\s+lead))\b",
    re.IGNORECASE,
)
DEFERRED_BEFORE = re.compile(
    rf"""(?: ^{NO_WORDS}(?:(?:and|but|so)\s+)?(?:above|beyond|past|over|after|below|under|anything|at\s+the\s+next)\b.*
      | ^{NO_WORDS}(?:\w+\s+)?at\b[^,{PRIVATE}]*{ANY}{NO_WORDS}(?:\w+\s+){{0,2}}
      | \b(?:longer|more|before|after|while|moment|point|that|which|where|how|why|than|because|since|as|soon|then|later
        |eventually|until|till|only|next\s+\w+|who|what|or|otherwise|else|case|doubts?|fears?|every|each
        |(?<!this\s)(?<!current\s)(?:times?|round|tick|price)) )\s*,?\s*$""",
    X,
)
RELATIVE = re.compile(  # "the risk I take"
    r"(?<!\bso)(?<!\band)(?<!\bbut)(?<!\bnow)(?<!\bhence)(?<!\bthus)(?<!\btherefore)(?<!\bprice)(?<=\w)\s+"
    r"i(?:'ll|\s+will)?\s+(?:hold|take|accept|buy|drop|quit|pass|stop|leave|continue)$",
    re.IGNORECASE,
)
LATER = re.compile(r"\b(?:next|later|following)\s+(?:tick|price|step|level|stage|turn)\b", re.I)
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


class ClockAct(NamedTuple):
    """An act that a reply can state for now, or for a price named after it."""

    now: int
    head: re.Pattern[str]
    at_a_price: re.Pattern[str]


class Clock(NamedTuple):
    acts: tuple[ClockAct, ClockAct]  # leave or take, then stay or wait
    limit: re.Pattern[str]
    words: tuple[str, str]  # the name of each act
    foreign: tuple[tuple[str, ...], tuple[str, ...]]  # the kinds of acts in other languages that mean each act
    hint: str


_OUT = r"(?:drop|bow|back|step|opt|bail|pull|stay|sit)\s+out|drop|step\s+(?:aside|away)|walk\s+away"
_OUT_NOW = r"(?:dropping|bowing|backing|stepping|opting|bailing|pulling|staying|sitting)\s+out|stepping\s+aside"
LEAVING = ClockAct(
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
STAYING = ClockAct(
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
TAKING = ClockAct(
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
WAITING = ClockAct(
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
    unclear = rf"(?P<vague>{VAGUELY})|(?P<unclear>{ANY})"
    return re.compile(rf"{named}{equals}(?:{_PRICE}{_ENDING}|{unclear})", X)


FIRST = re.compile(
    rf"^{NO_WORDS}(?:(?:and|so|but|ok(?:ay)?)\s*,?\s+)?(?:{_AT}|(?P<when>{_WHEN}))\s*(?P<amount>{A})(?P<other>(?!))?\s*,?\s*(?:then\s+)?$",
    X,
)
WAIT_ALONE = re.compile(r"wait\W*")
LIMIT_LABEL = re.compile(
    r"(?:my\s+|final\s+|the\s+)*(?:limit(?:\s+price)?|(?:exit|buy|buying|leaving|stop)\s+(?:limit|price))"
)
CONDITION_AFTER = re.compile(r"\s*,?\s*(?:but\s+)?(?:only\s+)?(?:if|unless|provided|assuming|in\s+case)\b")
PAST = re.compile(r"\b(?:was|were)\b")
BIDDING = re.compile(rf"\bi{INTEND},?\s+(?:bid|offer)\s+{NO_WORDS}{ANY}", X)

ASCENDING = Clock(
    (LEAVING, STAYING),
    _limit_pattern(r"exit|leaving|drop-?\s?out"),
    ("leave", "stay"),
    ((languages.LEAVE,), (languages.STAY,)),
    "ascending",
)
DESCENDING = Clock(
    (TAKING, WAITING),
    _limit_pattern(r"buy|buying|taking|stop|stopping"),
    ("take", "wait"),
    ((languages.TAKE,), (languages.WAIT, languages.LEAVE)),
    "descending",
)
